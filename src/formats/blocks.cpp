#include <nonzero/formats/blocks.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "formats/row_lines.hpp"
#include "formats/row_runs.hpp"

// The shape of the fewest bytes, without trying them all. A block of R x C holds at least as many
// values as the blocks of R x 1 that it is made of, and as those of 1 x C: the 2 x 16 flat shapes
// bound all others from below, and the same holds for every divisor of R and of C. So an
// unstructured matrix is done after a few flat shapes, and one with natural blocks, whose flat
// shapes tell which sides are too long, after a few more.
namespace nz {
namespace {

constexpr std::array<index_t, 17> sides{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32};
constexpr std::size_t count = sides.size();

// The largest side that divides another, whose lines it is made from.
constexpr std::array<std::size_t, count> parents = [] {
  std::array<std::size_t, count> all{};
  for (std::size_t s = 1; s < count; ++s)
    for (std::size_t p = 0; p < s; ++p)
      if (sides[s] % sides[p] == 0) all[s] = p;
  return all;
}();

struct Shape {
  std::size_t r = 0, c = 0;  // of sides
  double bytes = 0;          // a nonzero
  double fill = 1;
  double inside = 1;  // the same without what lies beyond the matrix
};

class Search {
 public:
  Search(const Pattern& a, const BlockOptions& options)
      : a_(a),
        options_(options),
        sample_(sample_rows(a, options.whole)),
        value_(static_cast<double>(a.value_bytes)) {
    rows_[0] = {std::move(sample_.rows), 1, 1};
    entries_[0] = entries_in_lines(sample_.windows, a.rows, 1);
    columns_[0] = 1;
    shapes_.push_back({0, 0, bytes(0, 0, 1), 1});
    best_ = shapes_[0].bytes;
  }

  Shape find() {
    std::size_t wide = 0;  // the best of the flat shapes
    if (!options_.square) wide = one_row();
    for (std::size_t r = 1; r < count; ++r) {
      const std::size_t longest = options_.square ? r : count - 1;
      if (!add_lines(r, most_slots(r, longest))) continue;
      if (options_.square)
        consider(r, r);
      else
        consider(r, wide);
    }
    if (!options_.square) all_others(wide);
    const auto cost = [&](const Shape& s) {
      return s.bytes + options_.fill_weight * value_ * (s.inside - 1);
    };
    const Shape* taken = nullptr;
    for (const Shape& s : shapes_)
      if (s.bytes <= best_ * (1 + options_.slack) && (!taken || cost(s) < cost(*taken))) taken = &s;
    return *taken;
  }

  const RowSample& sample() const { return sample_; }

 private:
  // A nonzero's share of the offsets is known; the rest follows from the values stored for it.
  double bytes(std::size_t r, std::size_t c, double slots) const {
    const double size = static_cast<double>(sides[r]) * sides[c];
    return slots * (value_ + sizeof(index_t) / size) + offsets(r);
  }
  double offsets(std::size_t r) const {
    const double lines = a_.rows / sides[r] + (a_.rows % sides[r] != 0);
    return lines * static_cast<double>(a_.offset_bytes) / static_cast<double>(a_.nnz);
  }
  // Values a nonzero above which a shape of this height, and of at most this width, is out.
  double most_slots(std::size_t r, std::size_t c) const {
    const double size = static_cast<double>(sides[r]) * sides[c];
    return (best_ * (1 + options_.slack) - offsets(r)) / (value_ + sizeof(index_t) / size);
  }
  bool is_out(std::size_t r, std::size_t c, double slots) const {
    return bytes(r, c, slots) > best_ * (1 + options_.slack);
  }

  bool add_lines(std::size_t r, double most) {
    const RowLines& from = rows_[parents[r]];
    if (from.slots == 0 || from.slots > most) return false;
    entries_[r] = entries_in_lines(sample_.windows, a_.rows, sides[r]);
    if (entries_[r] == 0) return false;
    rows_[r] = unite_lines(from, sample_.windows, a_.rows, sides[r], most * entries_[r]);
    rows_[r].slots /= entries_[r];
    return rows_[r].slots > 0;
  }

  double consider(std::size_t r, std::size_t c) {
    const BlockCount n = count_blocks(rows_[r], sample_.windows, a_.rows, a_.cols, sides[c]);
    const double fill = n.blocks / entries_[r] * sides[r] * sides[c];
    shapes_.push_back({r, c, bytes(r, c, fill), fill, n.inside / entries_[r]});
    best_ = std::min(best_, shapes_.back().bytes);
    return fill;
  }

  // All shapes of one row; the width of the best.
  std::size_t one_row() {
    for (std::size_t c = 1; c < count; ++c) {
      const double at_least = columns_[parents[c]];
      columns_[c] = is_out(count - 1, c, at_least) ? at_least : consider(0, c);
    }
    const auto fewer = [](const Shape& a, const Shape& b) { return a.bytes < b.bytes; };
    return std::min_element(shapes_.begin(), shapes_.end(), fewer)->c;
  }

  void all_others(std::size_t done) {
    std::vector<Shape> left;
    for (std::size_t r = 1; r < count; ++r)
      for (std::size_t c = 0; c < count && rows_[r].slots > 0; ++c) {
        const double fill = std::max(rows_[r].slots, columns_[c]);
        if (c != done && !is_out(r, c, fill)) left.push_back({r, c, bytes(r, c, fill), fill});
      }
    std::sort(left.begin(), left.end(),
              [](const Shape& a, const Shape& b) { return a.bytes < b.bytes; });
    for (const Shape& s : left) {
      if (is_out(s.r, s.c, s.fill)) break;
      consider(s.r, s.c);
    }
  }

  const Pattern& a_;
  const BlockOptions& options_;
  RowSample sample_;
  double value_;
  std::array<RowLines, count> rows_;     // lines of every height; slots 0: it is out
  std::array<double, count> entries_{};  // in the lines of every height, weighted
  std::array<double, count> columns_{};  // values a nonzero of 1 x C, or a lower bound
  std::vector<Shape> shapes_;            // that were counted
  double best_ = 0;
};

}  // namespace

std::span<const index_t> block_sides() { return sides; }

BlockVerdict detect_blocks(const Pattern& a, const BlockOptions& options) {
  BlockVerdict v;
  const auto nnz = static_cast<std::size_t>(a.nnz);
  v.blocks = a.nnz;
  v.csr_bytes = nnz * (a.value_bytes + sizeof(index_t)) +
                (static_cast<std::size_t>(a.rows) + 1) * a.offset_bytes;
  v.bsr_bytes = v.csr_bytes;
  if (a.nnz == 0) return v;

  Search search(a, options);
  const Shape best = search.find();
  v.exact = search.sample().whole;
  if (!v.exact) {
    index_t seen = 0;
    for (const Window& w : search.sample().windows) seen += w.last - w.first;
    v.row_share = std::min(1.0, static_cast<double>(seen) / a.rows);
  }
  v.block_rows = sides[best.r];
  v.block_cols = sides[best.c];
  const std::size_t size =
      static_cast<std::size_t>(v.block_rows) * static_cast<std::size_t>(v.block_cols);
  v.blocks = std::llround(best.fill * static_cast<double>(a.nnz) / static_cast<double>(size));
  v.fill_ratio =
      static_cast<double>(v.blocks) * static_cast<double>(size) / static_cast<double>(a.nnz);
  const index_t lines = a.rows / v.block_rows + (a.rows % v.block_rows != 0);
  v.bsr_bytes = static_cast<std::size_t>(v.blocks) * (size * a.value_bytes + sizeof(index_t)) +
                (static_cast<std::size_t>(lines) + 1) * a.offset_bytes;
  const auto beyond = [](index_t n, index_t side) { return n % side == 0 ? 0 : side - n % side; };
  v.padding_rows = beyond(a.rows, v.block_rows);
  v.padding_cols = beyond(a.cols, v.block_cols);
  return v;
}

}  // namespace nz
