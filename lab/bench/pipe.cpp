#include "lab/bench/pipe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/host_memory.hpp"
#include "base/size_text.hpp"

namespace nz::lab {
namespace {

// Open while it lives.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : stdin_(is_stdin(path)),
        fd_(stdin_ ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (!stdin_ && fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  bool stdin_;
  int fd_;
};

// What was looked at and not read yet, by path.
std::map<std::string, std::vector<char>>& looked_at() {
  static std::map<std::string, std::vector<char>> all;
  return all;
}

}  // namespace

bool is_pipe(const std::string& path) {
  struct stat about {};
  return is_stdin(path) || (::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode));
}

const std::vector<char>& look_at_pipe(const std::string& path, std::uint64_t limit) {
  return looked_at()[path] = all_of_pipe(path, limit);
}

std::vector<char> all_of_pipe(const std::string& path, std::uint64_t limit) {
  if (auto kept = looked_at().extract(path)) return std::move(kept.mapped());
  const std::string name = pipe_name(path);
  const double most = limit > 0               ? static_cast<double>(limit)
                      : free_host_bytes() > 0 ? free_host_bytes() / 3
                                              : std::numeric_limits<double>::infinity();
  const auto fail = [&] {
    throw BadInput(fmt::format("{}: {}", name, std::generic_category().message(errno)));
  };
  const Descriptor file(path);
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

}  // namespace nz::lab
