#include "io/mm_header.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

struct Line {
  std::size_t at = 0;  // first byte
  std::string_view text;
  std::size_t next = 0;
};

Line line_from(std::span<const char> bytes, std::size_t at) {
  const std::string_view rest(bytes.data() + at, bytes.size() - at);
  const auto end = rest.find('\n');
  if (end == std::string_view::npos) return {at, rest, bytes.size()};
  return {at, rest.substr(0, end), at + end + 1};
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view space = " \t\r\v\f";
  std::vector<std::string_view> words;
  // Nothing in a header has more than five words; a line of millions is not worth splitting.
  for (std::size_t at = line.find_first_not_of(space);
       at != std::string_view::npos && words.size() < 7;) {
    const auto end = std::min(line.find_first_of(space, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(space, end);
  }
  return words;
}

bool same(std::string_view word, std::string_view lower) {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
  });
}

void read_banner(const NamedText& text, const Line& line, MmHeader& header) {
  const auto words = words_of(line.text);
  if (words.empty() || !same(words[0], "%%matrixmarket"))
    fail_at(text, line.at, "not a Matrix Market file: it does not begin with %%MatrixMarket");
  if (words.size() != 5)
    fail_at(text, line.at,
            fmt::format("the banner has {} words after %%MatrixMarket, needs 4: matrix, format, "
                        "field, symmetry",
                        words.size() - 1));
  const auto unknown = [&](const char* what, std::string_view word, const char* known) {
    fail_at(text, line.at, fmt::format("{} {} is not one of {}", what, quoted(word), known));
  };
  if (!same(words[1], "matrix")) unknown("object", words[1], "matrix");

  if (same(words[2], "coordinate"))
    header.coordinate = true;
  else if (same(words[2], "array"))
    header.coordinate = false;
  else
    unknown("format", words[2], "coordinate, array");

  if (same(words[3], "real") || same(words[3], "double"))
    header.field = Field::real;
  else if (same(words[3], "integer") || same(words[3], "unsigned-integer"))
    header.field = Field::integer;
  else if (same(words[3], "pattern"))
    header.field = Field::pattern;
  else if (same(words[3], "complex"))
    fail_at(text, line.at, "complex matrices are not supported");
  else
    unknown("field", words[3], "real, integer, pattern");

  if (same(words[4], "general"))
    header.symmetry = Symmetry::general;
  else if (same(words[4], "symmetric"))
    header.symmetry = Symmetry::symmetric;
  else if (same(words[4], "skew-symmetric"))
    header.symmetry = Symmetry::skew_symmetric;
  else if (same(words[4], "hermitian"))
    fail_at(text, line.at, "hermitian matrices are not supported");
  else
    unknown("symmetry", words[4], "general, symmetric, skew-symmetric");

  if (header.field == Field::pattern && !header.coordinate)
    fail_at(text, line.at, "an array has values, it cannot be a pattern");
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric)
    fail_at(text, line.at, "a pattern has no signs, it cannot be skew-symmetric");
}

std::int64_t read_size(const NamedText& text, const Line& line, std::string_view word,
                       const char* what, std::int64_t most) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  const bool number = end == word.data() + word.size() && error != std::errc::invalid_argument;
  if (!number || word[0] == '-')
    fail_at(text, line.at, fmt::format("the number of {} is {}", what, quoted(word)));
  if (error == std::errc::result_out_of_range || n > most)
    fail_at(text, line.at, fmt::format("{} {} are more than {}", word.substr(0, 40), what, most));
  return n;
}

void read_sizes(const NamedText& text, const Line& line, MmHeader& header) {
  const auto words = words_of(line.text);
  const std::size_t need = header.coordinate ? 3 : 2;
  if (words.size() != need)
    fail_at(text, line.at,
            fmt::format("the size line has {} numbers, needs {}",
                        words.size() > 6 ? "many" : std::to_string(words.size()),
                        header.coordinate ? "3: rows, columns, entries" : "2: rows, columns"));
  constexpr std::int64_t most = std::numeric_limits<index_t>::max();
  const std::int64_t rows = read_size(text, line, words[0], "rows", most);
  const std::int64_t cols = read_size(text, line, words[1], "columns", most);
  const auto limit = static_cast<std::int64_t>(
      std::min<std::uint64_t>(size_limit(text.bytes.size()), static_cast<std::uint64_t>(most)));
  if (std::max(rows, cols) > limit)
    fail_at(text, line.at,
            fmt::format("{} x {} is too large for a text of {} bytes (at most {} rows or columns)",
                        rows, cols, text.bytes.size(), limit));
  if (header.symmetry != Symmetry::general && rows != cols)
    fail_at(text, line.at, fmt::format("{} x {} cannot be {}", rows, cols, name(header.symmetry)));
  header.rows = static_cast<index_t>(rows);
  header.cols = static_cast<index_t>(cols);
  // Both below 2^31: no product here passes 2^62.
  if (header.coordinate)
    header.entries =
        read_size(text, line, words[2], "entries", std::numeric_limits<std::int64_t>::max());
  else if (header.symmetry == Symmetry::general)
    header.entries = rows * cols;
  else if (header.symmetry == Symmetry::symmetric)
    header.entries = rows * (rows + 1) / 2;
  else
    header.entries = rows == 0 ? 0 : rows * (rows - 1) / 2;
}

}  // namespace

MmHeader read_mm_header(const NamedText& text) {
  MmHeader header;
  if (text.bytes.empty()) throw BadInput(fmt::format("{}: the file is empty", text.name));
  Line line = line_from(text.bytes, 0);
  read_banner(text, line, header);
  for (;;) {
    if (line.next == text.bytes.size())
      fail_at(text, text.bytes.size() - 1, "the file ends before the size line");
    line = line_from(text.bytes, line.next);
    const auto first = line.text.find_first_not_of(" \t\r\v\f");
    if (first != std::string_view::npos && line.text[first] != '%') break;
  }
  read_sizes(text, line, header);
  header.body = line.next;
  return header;
}

}  // namespace nz
