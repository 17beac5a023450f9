#include "io/graph_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/decompress.hpp"

namespace nz {
namespace {

constexpr std::string_view between = " \t\r\v\f,";

std::unique_ptr<ByteStream> unpacked(const Source& file, const Budget& budget) {
  char head[4];
  const std::size_t n = std::min<std::uint64_t>(file.size(), sizeof(head));
  file.read(0, head, n);
  return open_stream(file, budget, packing_of({head, n}));
}

}  // namespace

GraphText::GraphText(const Source& file, const ReadOptions& options, std::string_view comments,
                     std::size_t longest)
    : file_(file),
      progress_(options.progress),
      allow_nan_(options.allow_nan),
      budget_(file.size(), options.memory_limit),
      comments_(comments),
      stream_(unpacked(file, budget_)),
      pieces_(file.name(), *stream_, std::size_t{1} << 20, longest),
      longest_(longest) {}

std::optional<std::string_view> GraphText::line() {
  for (;;) {
    std::optional<std::string_view> next;
    ++number_;
    try {
      next = pieces_.line();
    } catch (const LongLine&) {
      fail(fmt::format("the line is longer than {} MiB", longest_ >> 20));
    }
    if (!next) return next;
    if (number_ % (1 << 16) == 0 && progress_) progress_(stream_->taken(), file_.size());
    const auto first = next->find_first_not_of(between);
    if (first != next->npos && comments_.find((*next)[first]) != comments_.npos) continue;
    rest_ = *next;
    return next;
  }
}

std::string_view GraphText::word() {
  const auto begin = std::min(rest_.find_first_not_of(between), rest_.size());
  const auto end = std::min(rest_.find_first_of(between, begin), rest_.size());
  const std::string_view found = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return found;
}

std::uint64_t GraphText::whole(std::string_view word, const char* what) const {
  std::uint64_t n = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, n);
  if (error == std::errc::result_out_of_range)
    fail(fmt::format("{} {} is too large", what, quoted(word)));
  if (error != std::errc() || at != end || word.empty())
    fail(fmt::format("{} is not {}", quoted(word), what));
  return n;
}

double GraphText::real(std::string_view word, const char* what) const {
  double v = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, v);
  if (error != std::errc() || at != end || !(allow_nan_ || std::isfinite(v)))
    fail(fmt::format("{} is not {}", quoted(word), what));
  return v;
}

void GraphText::fail(const std::string& message) const {
  fail_line(file_.name(), number_, message);
}

void GraphText::require(std::uint64_t rows, std::uint64_t entries) const {
  // Places and values as they are read, in vectors that may have doubled, and as they are kept.
  constexpr std::uint64_t entry = 2 * (2 * sizeof(index_t) + sizeof(double)) + 12;
  budget_.require(Budget::shape_bytes(rows, rows) + times(entries, entry),
                  fmt::format("{}:{}", file_.name(), number_),
                  fmt::format("a graph of {} nodes and {} edges", rows, entries));
}

}  // namespace nz
