#include "lab/report/table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace nz::lab {

std::size_t display_width(std::string_view text) {
  // fmt pads by display width: what it adds less than asked for is what the text took.
  const std::size_t room = text.size() + 1;
  return room + text.size() - fmt::formatted_size("{:<{}}", text, room);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (display_width(line) + 1 + display_width(word) <= width)
      line.append(" ").append(word);
    else
      lines.emplace_back(word);
  }
  return lines;
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

namespace {

constexpr std::size_t gap = 2;           // between two columns, and before a line that goes on
constexpr std::size_t least_words = 24;  // a narrower column of words is no pleasure to read

// Which columns share a line, each part from one number up to the next.
std::vector<std::size_t> folded(const std::vector<std::size_t>& widths, std::size_t room) {
  std::vector<std::size_t> begins{0};
  std::size_t used = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const std::size_t more = (used == 0 ? (c == 0 ? 0 : gap) : gap) + widths[c];
    if (c > 0 && used > 0 && used + more > room) {
      begins.push_back(c);
      used = gap + widths[c];
    } else {
      used += more;
    }
  }
  begins.push_back(widths.size());
  return begins;
}

}  // namespace

std::string Table::text(bool colour, std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const Column& c : columns_) widths.push_back(display_width(c.title));
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], display_width(row[c].text));
  const std::size_t last_column = columns_.size() - 1;
  std::size_t before = 0;  // the last column
  for (std::size_t c = 0; c < last_column; ++c) before += widths[c] + gap;
  const bool fits = width == 0 || before + widths[last_column] <= width;
  const bool wraps =
      !fits && columns_[last_column].align == Align::left && before + least_words <= width;
  const std::vector<std::size_t> begins =
      fits || wraps ? std::vector<std::size_t>{0, columns_.size()} : folded(widths, width);

  std::string out;
  const auto line = [&](const auto& cell_of, std::size_t cells, std::size_t begin) {
    std::size_t last = cells;  // nothing is padded behind the last text of a line
    while (last > begin && cell_of(last - 1).text.empty()) --last;
    if (begin > 0 && last == begin) return;  // a line below that would have nothing to say
    if (begin > 0) out.append(gap, ' ');
    for (std::size_t c = begin; c < last; ++c) {
      const Cell& cell = cell_of(c);
      const std::string pad(
          std::max(widths[c], display_width(cell.text)) - display_width(cell.text), ' ');
      if (c > begin) out.append(gap, ' ');
      if (columns_[c].align == Align::right) out += pad;
      out += toned(cell.text, cell.tone, colour);
      if (columns_[c].align == Align::left && c + 1 < last) out += pad;
    }
    out += '\n';
  };
  const auto lines = [&](const std::vector<Cell>& row) {
    if (wraps && row.size() > last_column) {
      std::vector<Cell> part = row;
      for (const std::string& words : wrapped(row[last_column].text, width - before)) {
        part[last_column].text = words;
        line([&](std::size_t c) -> const Cell& { return part[c]; }, part.size(), 0);
        for (std::size_t c = 0; c < last_column; ++c) part[c].text.clear();
      }
      return;
    }
    // Where the last column alone is too wide for some rows, it goes below in those alone.
    if (begins.size() == 3 && begins[1] == last_column && row.size() > last_column &&
        before + display_width(row[last_column].text) <= width)
      return line([&](std::size_t c) -> const Cell& { return row[c]; }, row.size(), 0);
    for (std::size_t k = 0; k + 1 < begins.size(); ++k)
      line([&](std::size_t c) -> const Cell& { return row[c]; },
           std::min(begins[k + 1], row.size()), std::min(begins[k], row.size()));
  };
  std::vector<Cell> header;
  for (const Column& c : columns_) header.emplace_back(c.title, Tone::bold);
  lines(header);
  for (const auto& row : rows_)
    if (row.empty())
      out += '\n';
    else
      lines(row);
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
