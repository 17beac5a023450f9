#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/no_memory.hpp"
#include "io/graph_files.hpp"
#include "io/graph_text.hpp"

namespace nz {
namespace {

struct MetisHeader {
  std::uint64_t nodes = 0, edges = 0;
  std::uint64_t skipped = 0;  // words of a line before its neighbours: sizes and weights of a node
  bool weighted = false;      // each neighbour is followed by a weight
};

MetisHeader header_of(GraphText& text, const std::string& name) {
  MetisHeader h;
  for (;;) {
    if (!text.line()) throw BadInput(fmt::format("{}: no METIS graph: it has no header", name));
    const std::string_view nodes = text.word();
    if (nodes.empty()) continue;
    h.nodes = text.whole(nodes, "a number of nodes");
    break;
  }
  h.edges = text.whole(text.word(), "a number of edges");
  const std::string_view format = text.word(), constraints = text.word();
  if (const auto more = text.word(); !more.empty())
    text.fail(fmt::format("{} is too much for the header of a METIS graph", quoted(more)));
  if (format.size() > 3 || format.find_first_not_of("01") != format.npos)
    text.fail(fmt::format("{} is not a METIS format: up to three digits 0 or 1", quoted(format)));
  const auto digit = [&](std::size_t from_end) {
    return format.size() > from_end && format[format.size() - 1 - from_end] == '1';
  };
  h.weighted = digit(0);
  std::uint64_t weights = 1;
  if (!constraints.empty()) {
    weights = text.whole(constraints, "a number of weights");
    if (weights > 1000) text.fail(fmt::format("{} weights a node are more than 1000", weights));
  }
  h.skipped = (digit(1) ? weights : 0) + (digit(2) ? 1 : 0);
  constexpr std::uint64_t most = std::numeric_limits<index_t>::max();
  if (h.nodes > most) text.fail(fmt::format("{} nodes are more than {}", h.nodes, most));
  text.require(h.nodes, 0);
  return h;
}

}  // namespace

Csr<double, std::int64_t> read_metis(const Source& file, const ReadOptions& options) try {
  // A line has all neighbours of a node: in a file of this size, compressed well.
  const std::size_t longest = longest_line + 16 * static_cast<std::size_t>(file.size());
  GraphText text(file, options, "%", longest);
  const MetisHeader h = header_of(text, file.name());
  std::vector<std::int64_t> offsets{0};
  std::vector<index_t> columns;
  std::vector<double> values;
  while (offsets.size() <= h.nodes) {
    if (!text.line())
      throw BadInput(
          fmt::format("{}: ends after {} of {} nodes", file.name(), offsets.size() - 1, h.nodes));
    for (std::uint64_t i = 0; i < h.skipped; ++i) text.real(text.word(), "the weight of a node");
    for (auto word = text.word(); !word.empty(); word = text.word()) {
      const std::uint64_t n = text.whole(word, "the number of a node");
      if (n < 1 || n > h.nodes) text.fail(fmt::format("node {} is not from 1 to {}", n, h.nodes));
      columns.push_back(static_cast<index_t>(n - 1));
      values.push_back(h.weighted ? text.real(text.word(), "the weight of an edge") : 1.0);
      if (columns.size() % (1 << 12) == 0) text.require(h.nodes, columns.size());
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  while (text.line())
    if (const auto more = text.word(); !more.empty())
      text.fail(fmt::format("{} behind the last of {} nodes", quoted(more), h.nodes));
  text.require(h.nodes, columns.size());
  // Each edge stands with both of its nodes.
  if (columns.size() % 2 != 0 || columns.size() / 2 != h.edges)
    throw BadInput(fmt::format("{}: {} neighbours, and {} edges make twice as many", file.name(),
                               columns.size(), h.edges));
  auto a = csr_from_arrays<double, std::int64_t>(
      static_cast<index_t>(h.nodes), static_cast<index_t>(h.nodes), offsets, columns, values);
  if (options.info != nullptr)
    *options.info = {.format = "METIS graph",
                     .field = h.weighted ? Field::real : Field::pattern,
                     .stored_entries = static_cast<std::int64_t>(columns.size()),
                     .file_bytes = file.size()};
  return a;
}
NZ_OR_NO_MEMORY("reading a METIS graph")

}  // namespace nz
