#pragma once
#include <cstdint>
#include <vector>

#include <nonzero/formats/blocks.hpp>
#include <nonzero/formats/bsr.hpp>
#include <nonzero/kernel.hpp>

// What the kernels on BSR share, wherever they run: their parameters, and the matrix by them.
namespace nz {

// Bounds the sums that a thread keeps on its stack.
inline constexpr index_t max_block_rows = 1024;

inline std::vector<Parameter> bsr_parameters() {
  return {{"block_rows", "rows of a block", 2, 1, max_block_rows},
          {"block_cols", "columns of a block", 2, 1, 1024},
          {"max_ratio", "most stored values a nonzero", 3, 1, 1'000'000'000}};
}

// The shape of the fewest bytes, for Kernel::fit.
inline Parameters fit_blocks(const Pattern& a) {
  const BlockVerdict v = detect_blocks(a);
  return {{"block_rows", v.block_rows}, {"block_cols", v.block_cols}};
}

template <Value T, Offset O>
Bsr<T, O> to_bsr(const CsrView<T, O>& a, const Parameters& p) {
  return bsr_from_csr(a, static_cast<index_t>(p.at("block_rows")),
                      static_cast<index_t>(p.at("block_cols")),
                      static_cast<double>(p.at("max_ratio")));
}

inline Csr<double, std::int64_t> with_bsr_fill(const CsrView<double, std::int64_t>& a,
                                               const Parameters& p) {
  return bsr_to_csr(to_bsr(a, p).view(), Fill::keep);
}

// How the matrix lies in its blocks: what reaches beyond its last row and column is padding.
template <Value T, Offset O>
Facts bsr_facts(const BsrView<T, O>& a) {
  const auto slots = static_cast<double>(a.blocks) * static_cast<double>(a.block_size());
  return {{"block_rows", a.block_rows},
          {"block_cols", a.block_cols},
          {"blocks", static_cast<double>(a.blocks)},
          {"fill_ratio", a.nnz == 0 ? 1 : slots / static_cast<double>(a.nnz)},
          {"padding_rows", static_cast<double>(a.grid_rows()) * a.block_rows - a.rows},
          {"padding_cols", static_cast<double>(a.grid_cols()) * a.block_cols - a.cols}};
}

}  // namespace nz
