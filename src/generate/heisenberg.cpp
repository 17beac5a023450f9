#include <algorithm>

#include "generate/combinations.hpp"
#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// The spin-1/2 chain  H = sum over bonds of Sx Sx + Sy Sy + anisotropy Sz Sz, plus random fields in
// z, on the states with `up` of the spins up. A state is a bit pattern, its row the number of the
// pattern. A bond of opposite spins leads to the state where they are exchanged; the diagonal is
// always stored.
struct Chain {
  int sites, up, bonds;
  index_t states;

  explicit Chain(const Settings& all)
      : sites(static_cast<int>(whole(all, "sites"))), up(static_cast<int>(whole(all, "up"))) {
    if (up > sites) throw InvalidArgument(fmt::format("up = {} of {} spins", up, sites));
    // A ring of two has its one bond once.
    bonds = whole(all, "periodic") == 1 && sites > 2 ? sites : sites - 1;
    states = counted("states", binomial(sites, up));
  }

  // visit(state) for each that an exchange leads to.
  template <class Visit>
  void for_exchanges(std::uint64_t state, Visit&& visit) const {
    for (int bond = 0; bond < bonds; ++bond) {
      const int next = bond + 1 < sites ? bond + 1 : 0;
      const std::uint64_t pair = std::uint64_t{1} << bond | std::uint64_t{1} << next;
      if (std::popcount(state & pair) == 1) visit(state ^ pair);
    }
  }
  double nonzeros() const {
    return static_cast<double>(states) +
           2.0 * bonds * static_cast<double>(sites > 1 ? binomial(sites - 2, up - 1) : 0);
  }
};

GeneratedMatrix make_heisenberg(const Settings& all) {
  const Chain chain(all);
  // In multiples of 1/1024.
  const auto anisotropy = static_cast<std::int64_t>(real(all, "anisotropy") * 1024);
  const auto field = static_cast<std::int64_t>(real(all, "field") * 1024);
  const Hash fields(seed_of(all));
  const auto state_of = [&](index_t i) { return subset_of_rank(chain.sites, chain.up, i); };
  return from_rows(
      chain.states, chain.states,
      [&](index_t i) {
        std::int64_t count = 1;
        chain.for_exchanges(state_of(i), [&](std::uint64_t) { ++count; });
        return count;
      },
      [&](index_t i, index_t* columns, double* values, std::int64_t n) {
        const std::uint64_t state = state_of(i);
        index_t* out = columns;
        *out++ = i;
        chain.for_exchanges(state, [&](std::uint64_t other) {
          *out++ = static_cast<index_t>(rank_of_subset(other));
        });
        std::sort(columns, out);
        // Opposite spins count -1/4, others 1/4. In whole multiples of 2^-31, so that sums are
        // exact.
        std::int64_t sum = 0;
        for (int site = 0; site < chain.sites; ++site) {
          const auto at = static_cast<std::int64_t>(fields(site) >> 43) - (1 << 20);
          sum += state >> site & 1 ? at : -at;
        }
        const std::int64_t exchange = chain.bonds - 2 * (n - 1);
        const auto diagonal =
            static_cast<double>((anisotropy * exchange * (1 << 19)) + field * sum);
        for (std::int64_t k = 0; k < n; ++k) values[k] = columns[k] == i ? diagonal * 0x1p-31 : 0.5;
      });
}

MatrixSize size_heisenberg(const Settings& all) {
  const Chain chain(all);
  return size_by_rows(chain.states, chain.states, chain.nonzeros());
}

}  // namespace

Family heisenberg_family() {
  return {"heisenberg",
          "Hamiltonian of a spin chain with a fixed number of spins up: exact, symmetric",
          "own",
          "heisenberg:sites=14,up=7,field=0.5",
          {{"sites", "spins in the chain", 16, 1, most_things},
           {"up", "spins that are up, at most sites", 8, 0, most_things},
           {"periodic", "1: the last spin is beside the first", 1, 0, 1},
           {"anisotropy", "weight of the z components", 1, 0, 100},
           {"field", "largest of the random fields at the spins", 0, 0, 100},
           seed_setting},
          make_heisenberg,
          size_heisenberg};
}

}  // namespace nz
