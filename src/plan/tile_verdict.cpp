#include "plan/tile_verdict.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "formats/tile_side.hpp"
#include "plan/tally.hpp"

namespace nz {
namespace {

// Columns of entries begin to end, fetched where they lie elsewhere.
class Columns {
 public:
  explicit Columns(const Pattern& a) : a_(a) {}
  std::span<const index_t> operator()(std::int64_t begin, std::int64_t end) {
    const auto n = static_cast<std::size_t>(end - begin);
    if (n == 0) return {};
    if (!a_.fetch) return {a_.columns + begin, n};
    fetched_.resize(n);
    a_.fetch(fetched_.data(), a_.columns + begin, n * sizeof(index_t));
    return fetched_;
  }

 private:
  const Pattern& a_;
  std::vector<index_t> fetched_;
};

}  // namespace

double entries_per_small_tile(const Pattern& a) {
  Columns columns(a);
  return entries_per_tile(a.rows, a.cols, 8, [&](index_t begin, index_t end) {
    return columns(a.offset(begin), a.offset(end));
  });
}

}  // namespace nz
