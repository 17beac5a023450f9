#include "lab/report/raster.hpp"

#include <cerrno>
#include <string>

#include <spawn.h>
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

int run(std::string zoom, std::string out, std::string in) {
  std::string name = program, o = "-o", z = "-z";
  char* arguments[] = {name.data(), z.data(),  zoom.data(), o.data(),
                       out.data(),  in.data(), nullptr};
  pid_t child = 0;
  if (const int failure = posix_spawnp(&child, program, nullptr, nullptr, arguments, environ))
    return failure == ENOENT ? not_found : -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void write_png(const std::filesystem::path& path, std::string_view svg, double zoom) {
  // Beside the picture, where there is room and permission if there is for the picture.
  std::filesystem::path from = path;
  from += ".svg-part";
  OutputFile file(from);
  file.write(svg);
  file.commit();
  const int code = run(fmt::format("{}", zoom), path.string(), from.string());
  std::error_code ignored;
  std::filesystem::remove(from, ignored);
  if (code == not_found)
    throw NoResource(fmt::format(
        "PNG pictures need {}, which is not installed (Debian: librsvg2-bin)", program));
  if (code != 0) throw BadInput(fmt::format("{}: {} ended with {}", path.string(), program, code));
}

}  // namespace nz::lab
