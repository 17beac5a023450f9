#include "lab/bench/input.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/graph_files.hpp"
#include "io/mm_header.hpp"
#include "io/other_files.hpp"
#include "io/read_bytes.hpp"
#include "io/stream.hpp"
#include "lab/bench/pipe.hpp"

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

// How its text begins, unpacked.
std::string head_of(const nz::Source& file) {
  char head[64];  // blanks before the banner count
  const auto n = std::min<std::uint64_t>(file.size(), 4);
  file.read(0, head, n);
  const Budget budget(file.size());
  const auto stream = open_stream(file, budget, packing_of({head, n}));
  return {head, stream->read(head, sizeof(head))};
}

// Whether it begins as what read_matrix() tells by content.
bool is_matrix_file(const nz::Source& file) {
  const std::string head = head_of(file);
  return is_nzb(head) || begins_with_banner(head);
}

// Edge lists begin with a number or a comment, and what a person writes before FILE tells them.
// What was told to be of another kind, such as an array, is none, nor is a banner with a mistake.
bool may_be_edges(const nz::Source& file, std::string_view failure) {
  if (failure.find("not a Matrix Market file") == failure.npos) return false;
  const std::string head = head_of(file);
  return !head.empty() &&
         std::string_view("#%0123456789").find(head[0]) != std::string_view::npos &&
         head.find("atrix") == head.npos;
}

// A file, or all that came by a pipe.
struct Opened {
  std::vector<char> bytes;
  std::unique_ptr<nz::Source> file;

  Opened(const Input& input, std::uint64_t memory_limit) {
    if (input.is_pipe()) {
      bytes = all_of_pipe(input.path, memory_limit);
      file = std::make_unique<MemorySource>(pipe_name(input.path), bytes);
    } else {
      file = std::make_unique<FileSource>(input.path);
    }
  }
};

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
  const Opened opened(input, options.memory_limit);
  const nz::Source& file = *opened.file;
  InputMatrix m;
  if (input.kind == Input::Kind::matrix || (!input.said && is_matrix_file(file))) {
    try {
      m.matrix =
          read_matrix_source<double, std::int64_t>(file, options, usual_piece, input.variable);
    } catch (const BadInput& e) {
      if (!may_be_edges(file, e.what())) throw;
      throw BadInput(fmt::format("{}; an edge list is edges:{}", e.what(), input.path));
    }
  } else if (input.kind == Input::Kind::metis) {
    m.matrix = read_metis(file, options);
  } else {
    bool from_zero = false;
    m.matrix = read_edge_list(file, options, from_zero);
    m.note = fmt::format("edge list whose nodes count from {}", from_zero ? 0 : 1);
  }
  return m;
}

bool is_complex_input(const Input& input, std::uint64_t memory_limit) {
  if (input.kind != Input::Kind::matrix) return false;
  const ReadOptions options{.memory_limit = memory_limit};
  if (!input.is_pipe()) return is_complex_file(input.path, options);
  const auto& bytes = look_at_pipe(input.path, memory_limit);
  return is_complex_source(MemorySource(pipe_name(input.path), bytes), options);
}

Csr<std::complex<double>, std::int64_t> read_complex_input(const Input& input,
                                                           const ReadOptions& options) {
  const Opened opened(input, options.memory_limit);
  return read_matrix_source<std::complex<double>, std::int64_t>(*opened.file, options);
}

}  // namespace nz::lab
