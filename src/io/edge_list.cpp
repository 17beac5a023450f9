#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/no_memory.hpp"
#include "io/graph_files.hpp"
#include "io/graph_text.hpp"

namespace nz {
namespace {

// A list is two nodes a line; or these and a weight; or these and a time, as KONECT's lists.
[[noreturn]] void fail_for_columns(const GraphText& text, std::size_t before, std::size_t found) {
  const bool more = found > before;
  const char* const what = std::min(before, found) == 2 ? "weight" : "time";
  text.fail(fmt::format("{} {}, and the lines above have {}", more ? "a" : "no", what,
                        more ? "none" : "one"));
}

// What spreadsheets and libraries of graphs call the columns.
constexpr std::string_view names_of_columns[] = {
    " from source src fromnode fromnodeid sourceid node1 id1 u ",
    " to target dst dest destination tonode tonodeid targetid node2 id2 v ", " weight ",
    " time timestamp "};

// In small letters, without quotes, underscores and marks of encodings.
std::string plain(std::string_view name) {
  std::string all;
  for (const char c : name) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9')) all += small;
  }
  return all;
}

// Whether a line before all edges has the names of columns and no edge. Names of other columns, or
// in another order, could mean that an edge is not what it looks like: they are refused.
bool is_header(const GraphText& text, std::span<const std::string_view> words) {
  const std::string first = plain(words[0]);
  if (first.empty() || first[0] < 'a') return false;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (names_of_columns[i].find(' ' + plain(words[i]) + ' ') == std::string_view::npos)
      text.fail(fmt::format(
          "{} is {}: a first line of names has from and to, or source and "
          "target, then weight, then time; any other begins with # to be a "
          "comment",
          quoted(words[i]), i == 0 ? "not the number of a node" : "in the place of another name"));
  return true;
}

}  // namespace

Csr<double, std::int64_t> read_edge_list(const Source& file, const ReadOptions& options,
                                         bool& from_zero) try {
  GraphText text(file, options, "#%");
  std::vector<index_t> from, to;
  std::vector<double> weights;
  std::size_t columns = 0;  // of all lines; 0: there was none
  index_t largest = 0;
  from_zero = false;
  constexpr std::uint64_t most = std::numeric_limits<index_t>::max() - 1;
  const auto node = [&](std::string_view word) {
    const std::uint64_t n = text.whole(word, "the number of a node");
    if (n > most) text.fail(fmt::format("node {} is beyond {}", n, most));
    from_zero = from_zero || n == 0;
    largest = std::max(largest, static_cast<index_t>(n));
    return static_cast<index_t>(n);
  };
  while (text.line()) {
    const std::string_view first = text.word();
    if (first.empty()) continue;
    const std::string_view second = text.word(), weight = text.word(), time = text.word();
    if (second.empty()) text.fail("an edge needs two nodes");
    if (const auto more = text.word(); !more.empty())
      text.fail(fmt::format("{} is too much: an edge is two nodes, a weight and a time at most",
                            quoted(more)));
    const std::size_t found = weight.empty() ? 2 : time.empty() ? 3 : 4;
    if (columns == 0) {
      const std::string_view words[] = {first, second, weight, time};
      if (is_header(text, std::span(words).first(found))) {
        columns = found;
        continue;
      }
    }
    if (columns != 0 && found != columns) fail_for_columns(text, columns, found);
    columns = found;
    from.push_back(node(first));
    to.push_back(node(second));
    if (found > 2) weights.push_back(text.real(weight, "a weight"));
    if (found > 3) text.real(time, "a time");  // a matrix has none
    if (from.size() % (1 << 12) == 0)
      text.require(static_cast<std::uint64_t>(largest) + 1, from.size());
  }
  if (from.empty()) throw BadInput(fmt::format("{}: a list without an edge", file.name()));
  const index_t rows = from_zero ? largest + 1 : largest;
  text.require(static_cast<std::uint64_t>(rows), from.size());
  if (!from_zero) {
    for (index_t& n : from) --n;
    for (index_t& n : to) --n;
  }
  if (columns == 2) weights.assign(from.size(), 1.0);
  auto a = csr_from_triplets<double, std::int64_t>(rows, rows, from, to, weights);
  if (options.info != nullptr)
    *options.info = {.format = "edge list",
                     .field = columns == 2 ? Field::pattern : Field::real,
                     .stored_entries = static_cast<std::int64_t>(from.size()),
                     .file_bytes = file.size()};
  return a;
}
NZ_OR_NO_MEMORY("reading an edge list")

}  // namespace nz
