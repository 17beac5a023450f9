#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace nz::lab {

// The text in lines of at most `width`, broken between words; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// How many columns of a terminal a UTF-8 text takes.
std::size_t display_width(std::string_view text);

enum class Tone { plain, bold, dim, good, bad };

// The text in the colour of its tone, or as it is.
std::string toned(std::string_view text, Tone tone, bool colour);

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  // NOLINTNEXTLINE: a cell is its text, wherever one is written.
  Cell(std::string t, Tone how = Tone::plain) : text(std::move(t)), tone(how) {}
  Cell(const char* t, Tone how = Tone::plain) : text(t), tone(how) {}
  Cell(std::string_view t, Tone how = Tone::plain) : text(t), tone(how) {}
};

enum class Align { left, right };

// Rows under a header, columns as wide as their widest cell.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row);  // missing cells are empty
  void add_gap();                   // an empty line
  // With a width, no line is wider where that can be: a last column of words is wrapped, and
  // otherwise columns that find no room go on in a line of their own below, indented. Where that is
  // the last column, rows that have room for it keep it.
  std::string text(bool colour, std::size_t width = 0) const;
  std::string markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace nz::lab
