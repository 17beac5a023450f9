#pragma once
#include <cstdint>
#include <string>

#include <nonzero/formats/block_grid.hpp>
#include <nonzero/formats/pattern.hpp>

#include "kernels/gpu/coo/device_coo.hpp"

// What the kernels of izawa2023 on the CSB family share. They are the paper's: every entry is added
// to y with an atomic, and the transposed product differs in nothing but the roles of rows and
// columns. One thing is not as printed there: a block's column is its number % n_block_columns,
// which for rectangular matrices is not the paper's % n_block_rows.
namespace nz::NZ_HOME {

// y holds beta y already. Rows and columns are counted as K.
template <bool Transposed, class T, class Alpha = T, class K = std::int64_t>
struct AddedEntries {
  Alpha alpha;
  const T* x;
  T* y;
  // An entry of the block whose first row and column are `top` and `left`.
  NZ_DEVICE void add(Thread& t, K top, K left, int digits, std::uint32_t place, T value) const {
    const K row = top + static_cast<K>(place >> digits);
    const K column = left + static_cast<K>(place & ((1u << digits) - 1u));
    t.atomic_add(y + (Transposed ? column : row), alpha * (value * x[Transposed ? row : column]));
  }
};

// The paper measures 8 to 128 and shows 2.
inline Parameter beta_parameter() {
  return {"beta", "rows and columns of a block, a power of two", 32, 2, max_beta};
}
// For Kernel::fit: a cache line of values (equation 3.3), or as much more as the grid needs not to
// be refused.
inline Parameters fit_beta(const Pattern& a) {
  BlockGrid g{a.rows, a.cols, a.value_bytes == sizeof(float) ? 5 : 4};
  const double most =
      max_blocks_ratio * (static_cast<double>(a.nnz) + static_cast<double>(a.rows) + a.cols);
  while (static_cast<double>(g.blocks()) > most && g.beta() < max_beta) ++g.digits;
  return {{"beta", g.beta()}};
}
inline Parameter blocks_parameter(std::string_view summary) {
  return {"max_ratio", summary, 3, 1, 1'000'000'000};
}
inline std::string declines_beta(const Parameters& p) { return beta_problem(p.at("beta")); }

// Preparing refuses what the entry declines.
inline std::int64_t beta_of(const Parameters& p) {
  if (const std::string problem = declines_beta(p); !problem.empty()) throw Refused(problem);
  return p.at("beta");
}

}  // namespace nz::NZ_HOME
