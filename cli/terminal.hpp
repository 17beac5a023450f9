#pragma once
#include <string_view>

#include <fmt/format.h>

// What is at the other end of stdout and stderr, and how to speak to it.
namespace nz::cli {

// Colour suits this file descriptor: a terminal, and nobody asked for NO_COLOR.
bool colour_on(int fd);

// Cursor movement suits it: a terminal that is not dumb.
bool is_terminal(int fd);

// The locale's characters are UTF-8.
bool utf8_locale();

struct TerminalSize {
  int columns = 80;
  int lines = 24;
};
TerminalSize terminal_size(int fd);
// The environment says how many columns there are.
bool columns_said();

// How much is said on stderr: errors alone, how things go, or each step.
enum class Talk { quiet, usual, verbose };
Talk talk();
void set_talk(Talk much);

// One line on stderr. What stderr cannot take is lost: status is no result.
void status_line(std::string_view text);

// What went wrong or was lost, however quiet it shall be.
template <class... Args>
void complain(fmt::format_string<Args...> format, Args&&... args) {
  status_line(fmt::format(format, std::forward<Args>(args)...));
}
// How things go.
template <class... Args>
void status(fmt::format_string<Args...> format, Args&&... args) {
  if (talk() != Talk::quiet) status_line(fmt::format(format, std::forward<Args>(args)...));
}
// Each step, for --verbose.
template <class... Args>
void detail(fmt::format_string<Args...> format, Args&&... args) {
  if (talk() == Talk::verbose) status_line(fmt::format(format, std::forward<Args>(args)...));
}

// The same for text of several lines, as it stands.
void write_stderr(std::string_view text);

// Writes to stdout. Throws BrokenPipe when the reader has gone, BadInput for all else.
void write_stdout(std::string_view text);

// The reader of our output had enough: nothing more to say, nothing went wrong.
struct BrokenPipe {};

}  // namespace nz::cli
