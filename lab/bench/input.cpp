#include "lab/bench/input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/host_memory.hpp"
#include "base/size_text.hpp"
#include "io/graph_files.hpp"
#include "io/mm_header.hpp"
#include "io/other_files.hpp"
#include "io/read_bytes.hpp"
#include "io/stream.hpp"

namespace nz::lab {
namespace {

constexpr std::string_view edges_prefix = "edges:", metis_prefix = "metis:";

Input::Kind kind_of_ending(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  for (const std::string_view ending : {".txt", ".tsv", ".csv", ".el", ".edges", ".edgelist"})
    if (path.ends_with(ending)) return Input::Kind::edges;
  for (const std::string_view ending : {".graph", ".metis"})
    if (path.ends_with(ending)) return Input::Kind::metis;
  return Input::Kind::matrix;
}

// All of stdin. A reader by position needs it as a whole.
std::vector<char> all_of_stdin(std::uint64_t limit) {
  // Without a limit: a third of what is free, since growing holds it twice.
  const double most = limit > 0               ? static_cast<double>(limit)
                      : free_host_bytes() > 0 ? free_host_bytes() / 3
                                              : std::numeric_limits<double>::infinity();
  std::vector<char> all;
  std::vector<char> part(std::size_t{1} << 20);
  for (;;) {
    const auto n = ::read(STDIN_FILENO, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw BadInput(fmt::format("stdin: {}", std::generic_category().message(errno)));
    if (n == 0) break;
    all.insert(all.end(), part.begin(), part.begin() + n);
    if (static_cast<double>(all.size()) > most)
      throw NoResource(fmt::format("stdin: more than {}", size_text(most)));
  }
  if (all.empty()) throw BadInput("stdin: nothing came");
  return all;
}

// Whether it begins as what read_matrix() tells by content.
bool is_matrix_file(const nz::Source& file) {
  char head[64];  // blanks before the banner count
  const auto n = std::min<std::uint64_t>(file.size(), 4);
  file.read(0, head, n);
  const Budget budget(file.size());
  const auto stream = open_stream(file, budget, packing_of({head, n}));
  const std::size_t got = stream->read(head, sizeof(head));
  return is_nzb({head, got}) || begins_with_banner({head, got});
}

}  // namespace

Input::Input(const std::string& name) : path(name), kind(kind_of_ending(name)) {
  for (const auto& [prefix, meant] :
       {std::pair{edges_prefix, Kind::edges}, std::pair{metis_prefix, Kind::metis}})
    if (name.starts_with(prefix)) {
      path = name.substr(prefix.size());
      kind = meant;
      said = true;
    }
  if (kind == Kind::matrix && !is_stdin()) {
    const auto [file, of_file] = split_variable(path);
    path = file.string();
    variable = of_file;
  }
}

InputMatrix read_input(const Input& input, const ReadOptions& options) {
  std::vector<char> bytes;
  std::unique_ptr<nz::Source> file;
  if (input.is_stdin()) {
    bytes = all_of_stdin(options.memory_limit);
    file = std::make_unique<MemorySource>("stdin", bytes);
  } else {
    file = std::make_unique<FileSource>(input.path);
  }
  InputMatrix m;
  if (input.kind == Input::Kind::matrix || (!input.said && is_matrix_file(*file))) {
    m.matrix =
        read_matrix_source<double, std::int64_t>(*file, options, usual_piece, input.variable);
  } else if (input.kind == Input::Kind::metis) {
    m.matrix = read_metis(*file, options);
  } else {
    bool from_zero = false;
    m.matrix = read_edge_list(*file, options, from_zero);
    m.note = fmt::format("edge list whose nodes count from {}", from_zero ? 0 : 1);
  }
  return m;
}

}  // namespace nz::lab
