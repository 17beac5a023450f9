#include "lab/report/raster.hpp"

#include <cerrno>
#include <string>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/output_file.hpp"

extern char** environ;

namespace nz::lab {
namespace {

constexpr const char* program = "rsvg-convert";
constexpr int not_found = 127;  // what a shell and posix_spawnp say

// A file without a name, in memory.
class Scratch {
 public:
  Scratch() : fd_(memfd_create("nonzero", MFD_CLOEXEC)) {
    if (fd_ < 0) throw NoResource("no memory for a picture");
  }
  ~Scratch() { close(fd_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  int fd() const { return fd_; }

  void put(std::string_view text) const {
    for (std::size_t at = 0; at < text.size();) {
      const auto n = pwrite(fd_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (n < 0 && errno != EINTR) throw NoResource("no memory for a picture");
      if (n > 0) at += static_cast<std::size_t>(n);
    }
  }
  std::string take() const {
    std::string all;
    char part[1 << 16];
    for (ssize_t n; (n = pread(fd_, part, sizeof part, static_cast<off_t>(all.size()))) != 0;)
      if (n > 0)
        all.append(part, static_cast<std::size_t>(n));
      else if (errno != EINTR)
        throw NoResource("no memory for a picture");
    return all;
  }

 private:
  int fd_;
};

// The program, from one file to the other.
int run(std::string zoom, const Scratch& in, const Scratch& out) {
  std::string name = program, z = "-z";
  char* arguments[] = {name.data(), z.data(), zoom.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.fd(), STDOUT_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, program, &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return failure == ENOENT ? not_found : -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void write_png(const std::filesystem::path& path, std::string_view svg, double zoom) {
  const Scratch in, out;
  in.put(svg);
  const int code = run(fmt::format("{}", zoom), in, out);
  if (code == not_found)
    throw NoResource(fmt::format(
        "PNG pictures need {}, which is not installed (Debian: librsvg2-bin)", program));
  if (code != 0) throw BadInput(fmt::format("{}: {} ended with {}", path.string(), program, code));
  write_file(path, out.take());
}

}  // namespace nz::lab
