#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/hash.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"
#include "generate/strata.hpp"

namespace nz {
namespace {

// [H A'; A 0]: H couples a variable with itself and with those at given distances; a constraint
// holds `per_row` variables, one from each of as many slices of a stretch of variables; the last
// `dense` constraints hold all.
struct Kkt {
  index_t variables, constraints, per_row, dense, stretch, width;
  int couplings;

  explicit Kkt(const Settings& all)
      : variables(whole_index(all, "variables")),
        constraints(whole_index(all, "constraints")),
        per_row(std::min(variables, whole_index(all, "per_row"))),
        dense(std::min(constraints, whole_index(all, "dense"))),
        stretch(std::min(variables, whole_index(all, "stretch"))),
        width(1),
        couplings(static_cast<int>(whole(all, "couplings"))) {
    index_product("rows", std::int64_t{variables} + constraints, 1);
    if (stretch == 0) stretch = variables;
    if (per_row > stretch)
      throw InvalidArgument(
          fmt::format("{} variables of a constraint do not fit a stretch of {}", per_row, stretch));
    while (std::int64_t{width + 1} * (width + 1) <= variables) ++width;
  }
  index_t rows() const { return variables + constraints; }

  // Neighbours along a line, and in the next line of a square: couplings at 1 and at its width.
  index_t distance(int k) const { return k == 0 ? 1 : std::max<index_t>(2, width) + k - 1; }

  double nonzeros() const {
    double count = variables;
    for (int k = 0; k < couplings; ++k)
      count += 2.0 * std::max<std::int64_t>(0, std::int64_t{variables} - distance(k));
    return count + 2.0 * (static_cast<double>(constraints - dense) * per_row +
                          static_cast<double>(dense) * variables);
  }
};

GeneratedMatrix make_kkt(const Settings& all) {
  const Kkt kkt(all);
  const Hash hash(seed_of(all)), picks = hash.at(0), values_of = hash.at(1);
  const index_t n = kkt.variables, sparse = kkt.constraints - kkt.dense;
  return from_cells(
      kkt.rows(), kkt.rows(), kkt.rows(),
      [&](std::int64_t item, auto&& emit) {
        const auto i = static_cast<index_t>(item);
        const auto both = [&](index_t row, index_t column) {
          emit(row, column);
          emit(column, row);
        };
        if (i < n) {
          emit(i, i);
          for (int k = 0; k < kkt.couplings; ++k)
            if (i + std::int64_t{kkt.distance(k)} < n) both(i, i + kkt.distance(k));
          // A part of each dense constraint comes with each variable.
          for (index_t c = sparse; c < kkt.constraints; ++c) both(n + c, i);
        } else if (i - n < sparse) {
          const Strata strata(kkt.stretch, kkt.per_row, picks.at(i));
          const auto first = static_cast<index_t>(
              scaled(static_cast<std::uint64_t>(n - kkt.stretch), static_cast<std::uint64_t>(i - n),
                     static_cast<std::uint64_t>(sparse)));
          for (index_t t = 0; t < kkt.per_row; ++t)
            both(i, first + static_cast<index_t>(strata[t]));
        }
      },
      [&](index_t i, index_t j) {
        return i == j ? 2 * kkt.couplings + 1 : mirrored_value(values_of, i, j);
      });
}

MatrixSize size_kkt(const Settings& all) {
  const Kkt kkt(all);
  return size_by_cells(kkt.rows(), kkt.rows(), kkt.nonzeros(), false);
}

}  // namespace

Family kkt_family() {
  return {
      "kkt",
      "optimality system of a quadratic program, [H A'; A 0]: symmetric, no diagonal below",
      "own",
      "kkt:variables=5000,constraints=2000,per_row=4,dense=1",
      {{"variables", "rows of H", 20000, 0, max_index},
       {"constraints", "rows of A", 8000, 0, max_index},
       {"couplings", "diagonals of H on either side of the main one", 2, 0, 64},
       {"per_row", "variables of a constraint", 5, 0, 1 << 20},
       {"dense", "constraints that hold all variables", 0, 0, 1 << 16},
       {"stretch", "variables of a constraint lie within so many; 0: anywhere", 200, 0, max_index},
       seed_setting},
      make_kkt,
      size_kkt};
}

}  // namespace nz
