#include "cli/terminal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include <nonzero/error.hpp>

#include "cli/folding.hpp"

namespace nz::cli {
namespace {

std::string_view env(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

Talk how_much = Talk::usual;

int positive(std::string_view text, int otherwise) {
  const int n = std::atoi(std::string(text).c_str());
  return n > 0 ? n : otherwise;
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) && env("TERM") != "dumb"; }

bool colour_on(int fd) { return is_terminal(fd) && env("NO_COLOR").empty(); }

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = env(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos ||
           value.find("utf-8") != value.npos || value.find("UTF8") != value.npos;
  }
  return false;
}

TerminalSize terminal_size(int fd) {
  TerminalSize size;
  winsize w{};
  if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 && w.ws_row > 0) size = {w.ws_col, w.ws_row};
  size.columns = positive(env("COLUMNS"), size.columns);
  size.lines = positive(env("LINES"), size.lines);
  return size;
}

bool columns_said() { return positive(env("COLUMNS"), 0) > 0; }

Talk talk() { return how_much; }

void set_talk(Talk much) { how_much = much; }

void status_line(std::string_view text) {
  const bool folds = is_terminal(STDERR_FILENO) || columns_said();
  const auto width = static_cast<std::size_t>(terminal_size(STDERR_FILENO).columns);
  write_all(STDERR_FILENO, (folds ? folded(text, width, 2) : std::string(text)) + '\n');
}

void write_stderr(std::string_view text) { write_all(STDERR_FILENO, text); }

void write_stdout(std::string_view text) {
  const int failure = write_all(STDOUT_FILENO, text);
  if (failure == EPIPE) throw BrokenPipe{};
  if (failure != 0)
    throw BadInput(fmt::format("cannot write to stdout: {}", std::strerror(failure)));
}

}  // namespace nz::cli
