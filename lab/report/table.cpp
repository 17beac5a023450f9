#include "lab/report/table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace nz::lab {

std::size_t display_width(std::string_view text) {
  // fmt pads by display width: what it adds less than asked for is what the text took.
  const std::size_t room = text.size() + 1;
  return room + text.size() - fmt::formatted_size("{:<{}}", text, room);
}

std::string toned(std::string_view text, Tone tone, bool colour) {
  if (!colour || tone == Tone::plain || text.empty()) return std::string(text);
  const char* code = tone == Tone::bold   ? "1"
                     : tone == Tone::dim  ? "2"
                     : tone == Tone::good ? "32"
                                          : "1;31";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

void Table::add(std::vector<Cell> row) {
  row.resize(columns_.size(), Cell(""));
  rows_.push_back(std::move(row));
}

void Table::add_gap() { rows_.emplace_back(); }

std::string Table::text(bool colour) const {
  std::vector<std::size_t> width;
  for (const Column& c : columns_) width.push_back(display_width(c.title));
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      width[c] = std::max(width[c], display_width(row[c].text));

  std::string out;
  const auto line = [&](const auto& cell_of, std::size_t cells) {
    std::size_t last = cells;  // nothing is padded behind the last text of a line
    while (last > 0 && cell_of(last - 1).text.empty()) --last;
    for (std::size_t c = 0; c < last; ++c) {
      const Cell& cell = cell_of(c);
      const std::string pad(width[c] - display_width(cell.text), ' ');
      if (c > 0) out += "  ";
      if (columns_[c].align == Align::right) out += pad;
      out += toned(cell.text, cell.tone, colour);
      if (columns_[c].align == Align::left && c + 1 < last) out += pad;
    }
    out += '\n';
  };
  std::vector<Cell> header;
  for (const Column& c : columns_) header.emplace_back(c.title, Tone::bold);
  line([&](std::size_t c) -> const Cell& { return header[c]; }, header.size());
  for (const auto& row : rows_)
    line([&](std::size_t c) -> const Cell& { return row[c]; }, row.size());
  return out;
}

std::string Table::markdown() const {
  std::string out = "|", rule = "|";
  for (const Column& c : columns_) {
    out += fmt::format(" {} |", c.title);
    rule += c.align == Align::right ? " ---: |" : " --- |";
  }
  out += '\n' + rule + '\n';
  for (const auto& row : rows_) {
    if (row.empty()) continue;
    out += '|';
    for (const Cell& c : row) out += fmt::format(" {} |", c.text);
    out += '\n';
  }
  return out;
}

}  // namespace nz::lab
