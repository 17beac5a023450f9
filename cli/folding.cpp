#include "cli/folding.hpp"

#include <algorithm>
#include <vector>

namespace nz::cli {
namespace {

// How many bytes a character or a colour takes at `at`, and how many columns.
struct Step {
  std::size_t bytes, columns;
};
Step step_at(std::string_view line, std::size_t at) {
  if (line[at] == '\033') {
    const auto end = line.find('m', at);
    return {end == line.npos ? line.size() - at : end + 1 - at, 0};
  }
  std::size_t bytes = 1;
  while (at + bytes < line.size() && (static_cast<unsigned char>(line[at + bytes]) & 0xC0) == 0x80)
    ++bytes;
  return {bytes, 1};
}

std::size_t columns_of(std::string_view line) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < line.size();) {
    const Step s = step_at(line, at);
    at += s.bytes;
    columns += s.columns;
  }
  return columns;
}

// Where what is too long goes on: at the last column of the line, in its first half and behind two
// spaces; or a little further in than the line itself.
struct Indent {
  std::size_t columns = 0;
  bool joins = false;  // what stands there already goes on with it
};
Indent indent_of(std::string_view line, std::size_t width, std::size_t hang) {
  const std::size_t leading = std::min(line.find_first_not_of(' '), line.size());
  std::size_t indent = leading, column = 0;
  for (std::size_t at = 0; at < line.size() && column <= width / 2;) {
    if (at >= 2 && line[at] != ' ' && line[at - 1] == ' ' && line[at - 2] == ' ') indent = column;
    const Step s = step_at(line, at);
    at += s.bytes;
    column += s.columns;
  }
  if (indent > leading) return {indent, true};
  return leading == 0 ? Indent{hang, hang == 0} : Indent{leading + 2, false};
}

// Where to break it, in bytes: at the last space that leaves it short enough, else behind a comma;
// 0 where it cannot be.
std::size_t break_of(std::string_view line, std::size_t width, std::size_t indent) {
  std::size_t space = 0, comma = 0, column = 0;
  for (std::size_t at = 0; at < line.size() && column <= width;) {
    if (column > indent && line[at] == ' ') space = at;
    if (column > indent && column < width && (line[at] == ',' || line[at] == ';')) comma = at + 1;
    const Step s = step_at(line, at);
    at += s.bytes;
    column += s.columns;
  }
  // A first word that is almost as wide as the line leaves a gap that looks like an end.
  return space > indent + 8 || (space > 0 && comma == 0) ? space : comma;
}

std::string_view without_spaces(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == text.npos ? std::string_view{} : text.substr(begin);
}

bool ends_a_sentence(std::string_view text) {
  return text.ends_with('.') || text.ends_with(':') || text.ends_with('?');
}

}  // namespace

std::string folded(std::string_view text, std::size_t width, std::size_t hang) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string all, carried;
  Indent where;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line(lines[i]);
    const bool goes_on = !carried.empty();
    if (!goes_on) where = indent_of(line, width, hang);
    const std::size_t indent = where.columns;
    if (goes_on)
      line = std::string(indent, ' ').append(carried).append(" ").append(without_spaces(line));
    carried.clear();
    bool broken = goes_on;
    while (columns_of(line) > width) {
      const std::size_t at = break_of(line, width, indent);
      if (at == 0) break;
      broken = true;
      all.append(line, 0, at).append("\n");
      line =
          std::string(indent, ' ') + std::string(without_spaces(std::string_view(line).substr(at)));
    }
    // The next line, where it stands in the same column, takes up the rest.
    if (broken && where.joins && i + 1 < lines.size()) {
      const std::string_view next = lines[i + 1];
      const auto spaces = next.find_first_not_of(' ');
      if (spaces == indent && spaces != next.npos && !ends_a_sentence(line)) {
        carried = without_spaces(line);
        continue;
      }
    }
    all += line;
    if (i + 1 < lines.size()) all += '\n';
  }
  return all;
}

}  // namespace nz::cli
