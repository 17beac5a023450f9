#include "formats/row_runs.hpp"

#include <algorithm>

namespace nz {
namespace {

// Few enough for all windows to take less than half a millisecond, which is five products of a
// matrix of 400 MB on a fast GPU; two lines of the tallest blocks each. Where rows are long, there
// is as much to see in fewer of them.
constexpr std::int64_t most_places = 12, least_places = 4;
constexpr std::int64_t enough_entries = 200'000;
constexpr index_t window_rows = 64;
// Runs that a window keeps, and runs of a row above which only so many are looked at. Only rows
// with nothing in common are that many.
constexpr std::size_t window_runs = 768;
constexpr int long_row = 32;
constexpr int row_runs = 24;
// Entries of a window that are fetched from elsewhere.
constexpr std::int64_t fetched = 1 << 16;

class Sampler {
 public:
  Sampler(const Pattern& a, RowSample& out) : a_(a), out_(out), columns_(a.columns) {}

  void take_all() {
    fetch(0, a_.nnz);
    right_ = a_.cols;
    begin_window(0);
    for (index_t i = 0; i < a_.rows; ++i) take(i, static_cast<std::size_t>(-1));
    end_window(a_.rows, 1);
    out_.whole = true;
  }

  void take_around(std::int64_t place) {
    const index_t row = row_of(place);
    const index_t tile = row / window_rows;
    if (tile == whole_tile_) {  // seen already
      out_.windows.back().weight *= (twice_ + 1) / twice_;
      ++twice_;
      return;
    }
    index_t first = tile * window_rows, last = std::min(a_.rows - first, window_rows) + first;
    if (a_.fetch) fetch_around(place, row, first, last);
    left_ = 0;
    right_ = a_.cols;
    cut_ = cut_columns(place, row);
    whole_tile_ = cut_ || a_.fetch ? -1 : tile;
    twice_ = 1;
    begin_window(first);
    for (index_t i = first; i < last; ++i) {
      if (take(i, window_runs)) continue;
      // A window is the rows around the place that are not too long.
      if (i >= row) {
        last = i;
        break;
      }
      drop_window();
      begin_window(i + 1);
    }
    const std::int64_t entries = out_.windows.back().entries.back();
    if (entries == 0)
      drop_window();
    else
      end_window(last, 1 / static_cast<double>(entries));
  }

 private:
  index_t column(std::int64_t k) const { return columns_[k - fetched_first_]; }

  index_t row_of(std::int64_t place) const {
    const auto find = [&](const auto* o) {
      return static_cast<index_t>(std::upper_bound(o, o + a_.rows + 1, place) - o - 1);
    };
    return a_.offsets32 ? find(a_.offsets32) : find(a_.offsets64);
  }

  void fetch(std::int64_t begin, std::int64_t end) {
    if (!a_.fetch) return;
    copy_.resize(static_cast<std::size_t>(end - begin));
    if (end > begin) a_.fetch(copy_.data(), a_.columns + begin, copy_.size() * sizeof(index_t));
    columns_ = copy_.data();
    fetched_first_ = begin;
    fetched_last_ = end;
  }

  // As many rows as fit, or a part of one.
  void fetch_around(std::int64_t place, index_t row, index_t& first, index_t& last) {
    const auto size = [&] { return a_.offset(last) - a_.offset(first); };
    while (size() > fetched && last > row + 1) --last;
    while (size() > fetched && first < row) ++first;
    if (size() <= fetched) return fetch(a_.offset(first), a_.offset(last));
    fetch(std::max(a_.offset(row), place - fetched / 2),
          std::min(a_.offset(row + 1), place + fetched / 2));
  }

  std::int64_t row_begin(index_t i) const {
    return a_.fetch ? std::max(a_.offset(i), fetched_first_) : a_.offset(i);
  }
  std::int64_t row_end(index_t i) const {
    return a_.fetch ? std::min(a_.offset(i + 1), fetched_last_) : a_.offset(i + 1);
  }

  // The end of the run that begins at k. A long one is not read entry by entry: columns increase,
  // so there are no gaps where the last one is as far as the entries are many.
  std::int64_t run_end(std::int64_t k, std::int64_t end) const {
    const index_t first = column(k);
    const auto without_gap = [&](std::int64_t j) { return column(j) - first == j - k; };
    std::int64_t j = k + 1;
    for (; j < end && j < k + 8; ++j)
      if (!without_gap(j)) return j;
    if (j == end || without_gap(end - 1)) return end;
    std::int64_t step = 8;
    for (; j + step < end && without_gap(j + step); step *= 2) j += step;
    std::int64_t low = j - 1, high = std::min(j + step, end - 1);  // in the run, and out of it
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (without_gap(middle) ? low : high) = middle;
    }
    return high;
  }

  // Where the row has many runs, the window is narrowed to some from the place on.
  bool cut_columns(std::int64_t place, index_t row) {
    const std::int64_t end = row_end(row);
    int runs = 0;
    for (std::int64_t k = row_begin(row); k < end && runs <= long_row; ++runs) k = run_end(k, end);
    if (runs <= long_row) return false;
    // Back to where the place's run begins, so that a block is not cut, unless that is far away.
    std::int64_t k = place;
    for (int far = 0; far < 64 && k > row_begin(row) && column(k - 1) + 1 == column(k); ++far) --k;
    left_ = column(k);
    for (runs = 0; k < end && runs < row_runs; ++runs) k = run_end(k, end);
    if (k < end) right_ = column(k);
    return true;
  }

  bool repeats(const RowSpan& span, std::int64_t k, std::int64_t end) const {
    if (span_entries_ != end - k) return false;
    for (std::size_t r = span.begin; r < span.end; ++r) {
      const Run run = out_.rows.runs[r];
      const std::int64_t length = run.end - run.begin;
      if (column(k) != static_cast<index_t>(run.begin) ||
          column(k + length - 1) != static_cast<index_t>(run.end - 1))
        return false;
      k += length;
    }
    return true;
  }

  // False, and nothing is taken, when the window would have more than `most` runs.
  bool take(index_t i, std::size_t most) {
    auto& [runs, spans, ends] = out_.rows;
    std::int64_t k = row_begin(i), end = row_end(i);
    if (cut_) {
      const auto at = [&](index_t column) {
        return fetched_first_ + (std::lower_bound(columns_ + (k - fetched_first_),
                                                  columns_ + (end - fetched_first_), column) -
                                 columns_);
      };
      k = at(left_);
      end = at(right_);
    }
    if (spans.size() > window_spans_ && repeats(spans.back(), k, end)) {
      ++spans.back().rows;
    } else {
      const std::size_t begin = runs.size();
      for (std::int64_t j = k; j < end;) {
        if (runs.size() - window_begin_ >= most) {
          runs.resize(begin);
          return false;
        }
        const std::int64_t next = run_end(j, end);
        const auto from = static_cast<std::uint32_t>(column(j));
        runs.push_back({from, from + static_cast<std::uint32_t>(next - j)});
        j = next;
      }
      spans.push_back({i, 1, begin, runs.size()});
      span_entries_ = end - k;
    }
    auto& entries = out_.windows.back().entries;
    entries.push_back(entries.back() + (end - k));
    return true;
  }

  void begin_window(index_t first) {
    window_begin_ = out_.rows.runs.size();
    window_spans_ = out_.rows.spans.size();
    out_.windows.push_back({first, first, 1, {0}});
  }
  void drop_window() {
    out_.rows.runs.resize(window_begin_);
    out_.rows.spans.resize(window_spans_);
    out_.windows.pop_back();
  }
  void end_window(index_t last, double weight) {
    out_.windows.back().last = last;
    out_.windows.back().weight = weight;
    out_.rows.window_ends.push_back(out_.rows.spans.size());
  }

  const Pattern& a_;
  RowSample& out_;
  const index_t* columns_;
  std::vector<index_t> copy_;
  std::int64_t fetched_first_ = 0, fetched_last_ = 0;
  index_t left_ = 0, right_ = 0;  // the columns that are looked at
  bool cut_ = false;
  index_t whole_tile_ = -1;  // the last window's, where it has all of it
  double twice_ = 1;
  std::size_t window_begin_ = 0, window_spans_ = 0;
  std::int64_t span_entries_ = 0;
};

}  // namespace

RowSample sample_rows(const Pattern& a, std::int64_t whole) {
  RowSample s;
  Sampler sampler(a, s);
  if (a.nnz <= whole && a.rows <= whole) {
    sampler.take_all();
    return s;
  }
  const std::int64_t each = std::max<std::int64_t>(1, a.nnz / a.rows) * window_rows;
  const std::int64_t places = std::clamp(enough_entries / each, least_places, most_places);
  for (std::int64_t p = 0; p < places; ++p)
    sampler.take_around(a.nnz / places * p + a.nnz / places / 2);
  return s;
}

}  // namespace nz
