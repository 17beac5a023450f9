#include <algorithm>

#include "generate/hash.hpp"
#include "generate/lengths.hpp"
#include "generate/permutation.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"
#include "generate/zipf.hpp"

namespace nz {
namespace {

struct Host {
  index_t first, end;
};

// Pages in the order of their addresses. Hosts are found by cutting the whole in two at a drawn
// place, again and again, until a part is small or chance stops: few large ones, many small. Most
// links stay within the host, near the page or to the host's first pages; the others go to pages
// that are popular everywhere. Half of the links are the same on neighbouring pages, as menus are.
struct Web {
  index_t pages;
  Chance local, half{0.5}, stop{0.25};
  Permutation popular;
  Hash cuts, draws;

  Host host_of(index_t page) const {
    Host host{0, pages};
    while (host.end - host.first > 8) {
      const Hash cut = cuts.at(host.first).at(host.end);
      if (host.end - host.first < pages / 50 && stop(cut(0))) break;
      const auto size = static_cast<std::uint64_t>(host.end - host.first);
      const index_t middle = host.first + static_cast<index_t>(1 + below(cut(1), size - 1));
      (page < middle ? host.end : host.first) = middle;
    }
    return host;
  }

  index_t link(index_t page, const Host& host, std::int64_t t) const {
    // Shared with the pages of the same 16, or its own.
    const Hash own = draws.at(0).at(page).at(t),
               menu = draws.at(1).at(host.first).at(page / 16).at(t);
    const Hash& draw = half(own(0)) ? own : menu;
    const index_t size = host.end - host.first;
    if (!local(draw(1)))
      return static_cast<index_t>(popular(static_cast<std::uint64_t>(zipf(draw, 1, pages))));
    const auto far = static_cast<index_t>(zipf(draw, 1, size));
    if (half(draw(4))) return host.first + far;
    return host.first + (page - host.first + (half(draw(5)) ? far : size - far)) % size;
  }
};

std::int64_t links_of(const Settings& all) {
  return static_cast<std::int64_t>(real(all, "degree") * whole_index(all, "pages"));
}

RankedLengths lengths_of(const Settings& all) {
  const index_t pages = whole_index(all, "pages");
  return RankedLengths(pages, links_of(all), 0, std::min(pages, whole_index(all, "longest")),
                       Shape::tail);
}

GeneratedMatrix make_web(const Settings& all) {
  const index_t pages = whole_index(all, "pages");
  const auto count = static_cast<std::uint64_t>(pages);
  const RankedLengths lengths = lengths_of(all);
  const Hash hash(seed_of(all)), values_of = hash.at(2);
  const Web web{.pages = pages,
                .local = Chance(real(all, "local")),
                .popular = Permutation(count, hash.at(3)),
                .cuts = hash.at(0),
                .draws = hash.at(1)};
  const Permutation ranks(count, hash.at(4));
  return from_cells(
      pages, pages, pages,
      [&](std::int64_t item, auto&& emit) {
        const auto page = static_cast<index_t>(item);
        const Host host = web.host_of(page);
        const auto rank = ranks(static_cast<std::uint64_t>(page));
        const std::int64_t n = lengths[static_cast<std::int64_t>(rank)];
        for (std::int64_t t = 0; t < n; ++t) emit(page, web.link(page, host, t));
      },
      [&](index_t i, index_t j) { return cell_value(values_of, i, j); });
}

MatrixSize size_web(const Settings& all) {
  const index_t pages = whole_index(all, "pages");
  return size_by_cells(pages, pages, static_cast<double>(links_of(all)), true);
}

}  // namespace

Family web_family() {
  return {"web",
          "web graph: links within hosts of all sizes, popular pages elsewhere, shared menus",
          "own",
          "web:pages=8000,degree=10,longest=400",
          {{"pages", "rows and columns", 50000, 1, max_index},
           {"degree", "mean links of a page; those that meet are stored once", 12, 0, 1 << 20},
           {"longest", "links of the fullest page", 1000, 0, max_index},
           {"local", "share of the links within the host", 0.8, 0, 1},
           seed_setting},
          make_web,
          size_web};
}

}  // namespace nz
