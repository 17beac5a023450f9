#include <algorithm>

#include "generate/hash.hpp"
#include "generate/lengths.hpp"
#include "generate/permutation.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"
#include "generate/zipf.hpp"

namespace nz {
namespace {

// Clauses by variables, 1 and -1. Lengths are 2 and more with few long ones. A clause is about a
// place of the circuit that it describes: literals are near it by the share `local`, otherwise
// switches that many clauses have.
struct Clauses {
  index_t clauses, variables;
  std::int64_t literals, longest;

  explicit Clauses(const Settings& all)
      : clauses(whole_index(all, "clauses")),
        variables(whole_index(all, "variables")),
        literals(static_cast<std::int64_t>(real(all, "width") * clauses)),
        longest(std::min<std::int64_t>(whole(all, "longest"), variables)) {}

  // The length of the longest is met, and all are 1 at least.
  RankedLengths lengths() const {
    return RankedLengths(clauses, literals, std::min<std::int64_t>(1, longest), longest,
                         Shape::tail);
  }
};

GeneratedMatrix make_sat(const Settings& all) {
  const Clauses sat(all);
  const RankedLengths lengths = sat.lengths();
  const Chance local(real(all, "local"));
  const Hash hash(seed_of(all)), draws = hash.at(0), values_of = hash.at(1);
  const Permutation ranks(static_cast<std::uint64_t>(sat.clauses), hash.at(2));
  const Permutation switches(static_cast<std::uint64_t>(sat.variables), hash.at(3));
  const auto variables = static_cast<std::uint64_t>(sat.variables);
  return from_cells(
      sat.clauses, sat.variables, sat.clauses,
      [&](std::int64_t clause, auto&& emit) {
        const Hash draw = draws.at(clause);
        const auto rank = ranks(static_cast<std::uint64_t>(clause));
        const std::uint64_t place = scaled(variables, static_cast<std::uint64_t>(clause),
                                           static_cast<std::uint64_t>(sat.clauses));
        const std::int64_t n = lengths[static_cast<std::int64_t>(rank)];
        for (std::int64_t t = 0; t < n; ++t) {
          const Hash literal = draw.at(t);
          const auto number = static_cast<std::uint64_t>(zipf(literal, 1, sat.variables));
          emit(static_cast<index_t>(clause),
               static_cast<index_t>(local(literal(0)) ? (place + number) % variables
                                                      : switches(number)));
        }
      },
      [&](index_t i, index_t j) { return cell_value(values_of, i, j) < 0 ? -1.0 : 1.0; });
}

MatrixSize size_sat(const Settings& all) {
  const Clauses sat(all);
  return size_by_cells(sat.clauses, sat.variables, static_cast<double>(sat.literals), true);
}

}  // namespace

Family sat_family() {
  return {"sat",
          "clauses by variables of a formula: short rows, a few variables in very many, 1 and -1",
          "own",
          "sat:clauses=6000,variables=900,width=3.8,longest=100",
          {{"clauses", "number of rows", 50000, 1, max_index},
           {"variables", "number of columns", 8000, 1, max_index},
           {"width", "mean literals of a clause; those that meet are stored once", 3.8, 1, 1 << 20},
           {"longest", "literals of the longest clause", 100, 1, max_index},
           {"local", "share of the literals near the place of their clause", 0.8, 0, 1},
           seed_setting},
          make_sat,
          size_sat};
}

}  // namespace nz
