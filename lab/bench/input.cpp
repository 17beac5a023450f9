#include "lab/bench/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
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

// Open while it lives.
class Descriptor {
 public:
  explicit Descriptor(const Input& input) : stdin_(input.is_stdin()) {
    fd_ = stdin_ ? STDIN_FILENO : ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~Descriptor() {
    if (!stdin_ && fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  bool stdin_;
  int fd_ = -1;
};

// All of a pipe. A reader by position needs it as a whole.
std::vector<char> all_of(const Input& input, const std::string& name, std::uint64_t limit) {
  // Without a limit: a third of what is free, since growing holds it twice.
  const double most = limit > 0               ? static_cast<double>(limit)
                      : free_host_bytes() > 0 ? free_host_bytes() / 3
                                              : std::numeric_limits<double>::infinity();
  const auto fail = [&] {
    throw BadInput(fmt::format("{}: {}", name, std::generic_category().message(errno)));
  };
  const Descriptor file(input);
  if (file.get() < 0) fail();
  std::vector<char> all;
  std::vector<char> part(std::size_t{1} << 20);
  for (;;) {
    const auto n = ::read(file.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    if (n == 0) break;
    all.insert(all.end(), part.begin(), part.begin() + n);
    if (static_cast<double>(all.size()) > most)
      throw NoResource(fmt::format("{}: more than {}", name, size_text(most)));
  }
  if (all.empty()) throw BadInput(fmt::format("{}: nothing came", name));
  return all;
}

// Edge lists begin with a number or a comment, and what a person writes before FILE tells them.
// What was told to be of another kind, such as an array, is none.
bool may_be_edges(const std::vector<char>& bytes, std::string_view failure) {
  return failure.find("not a Matrix Market file") != failure.npos && !bytes.empty() &&
         (bytes[0] == '#' || (bytes[0] >= '0' && bytes[0] <= '9'));
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

bool Input::is_pipe() const {
  struct stat about {};
  return is_stdin() || (::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode));
}

InputMatrix read_input(const Input& input, const ReadOptions& options) {
  std::vector<char> bytes;
  std::unique_ptr<nz::Source> file;
  if (input.is_pipe()) {
    const std::string name = input.is_stdin() ? "stdin" : input.path;
    bytes = all_of(input, name, options.memory_limit);
    file = std::make_unique<MemorySource>(name, bytes);
  } else {
    file = std::make_unique<FileSource>(input.path);
  }
  InputMatrix m;
  if (input.kind == Input::Kind::matrix || (!input.said && is_matrix_file(*file))) {
    try {
      m.matrix =
          read_matrix_source<double, std::int64_t>(*file, options, usual_piece, input.variable);
    } catch (const BadInput& e) {
      if (!may_be_edges(bytes, e.what())) throw;
      throw BadInput(fmt::format("{}; an edge list is edges:{}", e.what(), input.path));
    }
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
