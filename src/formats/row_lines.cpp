#include "formats/row_lines.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace nz {
namespace {

// The first line that is wholly in the window, and the one behind the last.
std::pair<std::int64_t, std::int64_t> lines_in(const Window& w, index_t rows, index_t height) {
  const auto up = [&](std::int64_t row) { return (row + height - 1) / height; };
  const std::int64_t last = w.last == rows ? up(rows) : w.last / height;
  return {up(w.first), std::max(last, up(w.first))};
}

// The union of two, without gaps between neighbours.
void unite(std::span<const Run> a, std::span<const Run> b, std::vector<Run>& out) {
  out.clear();
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool first = j == b.end() || (i != a.end() && i->begin <= j->begin);
    const Run next = first ? *i++ : *j++;
    if (!out.empty() && next.begin <= out.back().end)
      out.back().end = std::max(out.back().end, next.end);
    else
      out.push_back(next);
  }
}

double length(std::span<const Run> runs) {
  std::uint64_t n = 0;
  for (const Run& r : runs) n += r.end - r.begin;
  return static_cast<double>(n);
}

template <std::uint32_t width>
std::uint64_t blocks_in(std::span<const Run> runs) {
  std::uint64_t n = 0;
  auto before = static_cast<std::uint32_t>(-1);
  for (const Run& r : runs) {
    const std::uint32_t first = r.begin / width, last = (r.end - 1) / width;
    n += last - first + (first != before);
    before = last;
  }
  return n;
}

template <std::uint32_t... widths>
auto blocks_of_width(index_t width, std::integer_sequence<std::uint32_t, widths...>) {
  std::uint64_t (*found)(std::span<const Run>) = blocks_in<32>;
  ((static_cast<std::uint32_t>(width) == widths + 1 ? void(found = blocks_in<widths + 1>) : void()),
   ...);
  return found;
}

}  // namespace

double entries_in_lines(const std::vector<Window>& windows, index_t rows, index_t height) {
  double sum = 0;
  for (const Window& w : windows) {
    const auto [first, last] = lines_in(w, rows, height);
    if (first == last) continue;
    const std::int64_t end = std::min<std::int64_t>(last * height, w.last);
    sum += w.weight *
           static_cast<double>(w.entries[end - w.first] - w.entries[first * height - w.first]);
  }
  return sum;
}

RowLines unite_lines(const RowLines& from, const std::vector<Window>& windows, index_t rows,
                     index_t height, double most) {
  RowLines to{.of = {}, .height = height, .slots = 0};
  const auto& spans = from.of.spans;
  std::vector<Run> sum, next;
  std::size_t s = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const auto [first, last] = lines_in(windows[w], rows, height);
    const std::size_t end = from.of.window_ends[w];
    for (std::int64_t line = first; line < last;) {
      const std::int64_t top = line * height;
      const std::int64_t bottom = std::min<std::int64_t>(rows, top + height);
      while (spans[s].first + spans[s].rows <= top) ++s;
      const auto runs_of = [&](std::size_t at) {
        return std::span(from.of.runs).subspan(spans[at].begin, spans[at].end - spans[at].begin);
      };
      std::int64_t lines = 1;
      const auto begin = to.of.runs.size();
      if (spans[s].first + spans[s].rows >= bottom) {
        // Equal rows: equal lines, as far as they are whole.
        lines = std::clamp<std::int64_t>((spans[s].first + spans[s].rows - top) / height, 1,
                                         last - line);
        to.of.runs.insert(to.of.runs.end(), runs_of(s).begin(), runs_of(s).end());
      } else {
        unite(runs_of(s), runs_of(s + 1), sum);
        for (std::size_t t = s + 2; t < end && spans[t].first < bottom; ++t) {
          unite(sum, runs_of(t), next);
          sum.swap(next);
        }
        to.of.runs.insert(to.of.runs.end(), sum.begin(), sum.end());
      }
      to.of.spans.push_back({top, lines * height, begin, to.of.runs.size()});
      to.slots += windows[w].weight * static_cast<double>(lines * height) *
                  length(std::span(to.of.runs).subspan(begin));
      if (to.slots > most) return {};
      line += lines;
    }
    s = end;
    to.of.window_ends.push_back(to.of.spans.size());
  }
  return to;
}

BlockCount count_blocks(const RowLines& lines, const std::vector<Window>& windows, index_t rows,
                        index_t cols, index_t width) {
  const auto count = blocks_of_width(width, std::make_integer_sequence<std::uint32_t, 16>{});
  const auto last_block = static_cast<std::uint32_t>(cols / width * width);
  BlockCount sum;
  std::size_t s = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    std::int64_t blocks = 0, inside = 0;
    for (; s < lines.of.window_ends[w]; ++s) {
      const RowSpan& span = lines.of.spans[s];
      if (span.begin == span.end) continue;
      const auto runs = std::span(lines.of.runs).subspan(span.begin, span.end - span.begin);
      const auto each = static_cast<std::int64_t>(count(runs));
      const index_t beyond = runs.back().end > last_block ? width - cols % width : 0;
      blocks += each * (span.rows / lines.height);
      inside += (each * width - beyond) * std::min(span.rows, rows - span.first);
    }
    sum.blocks += windows[w].weight * static_cast<double>(blocks);
    sum.inside += windows[w].weight * static_cast<double>(inside);
  }
  return sum;
}

}  // namespace nz
