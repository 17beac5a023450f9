#include "io/mm_header.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

struct Line {
  const std::string& name;
  std::uint64_t number;
  std::string_view text;
};

[[noreturn]] void fail(const Line& line, const std::string& message) {
  fail_line(line.name, line.number, message);
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

// What editors put before a text; null for none.
const char* mark_before(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) return "a byte order mark";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return "a byte order mark of UTF-16";
  return nullptr;
}

// What has packed it and is not undone here; null for none.
const char* packer_of(std::string_view start) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, const char*> packers[] = {{"BZh"sv, "bzip2"},
                                                                  {"\3757zXZ\0"sv, "xz"},
                                                                  {"7z\xbc\xaf"sv, "7-Zip"},
                                                                  {"Rar!"sv, "RAR"},
                                                                  {"\x1f\x9d"sv, "compress"}};
  for (const auto& [begin, name] : packers)
    if (start.starts_with(begin)) return name;
  return nullptr;
}

void read_banner(const Line& line, std::string_view start, MmHeader& header) {
  const auto words = words_of(line.text);
  if (const char* const mark = mark_before(start))
    fail(line, fmt::format("not a Matrix Market file: it begins with {}; save it as plain UTF-8 "
                           "without one",
                           mark));
  if (const char* const packer = packer_of(start))
    fail(line, fmt::format("packed by {}, and only gzip and zstd are undone here: unpack it first",
                           packer));
  if (!begins_with_banner(line.text))
    fail(line, "not a Matrix Market file: it does not begin with %%MatrixMarket");
  if (words.size() != 5)
    fail(line, fmt::format("the banner has {} words after %%MatrixMarket, needs 4: matrix, format, "
                           "field, symmetry",
                           words.size() - 1));
  const auto unknown = [&](const char* what, std::string_view word, const char* known) {
    fail(line, fmt::format("{} {} is not one of {}", what, quoted(word), known));
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
    header.field = Field::complex;
  else
    unknown("field", words[3], "real, integer, pattern, complex");

  if (same(words[4], "general"))
    header.symmetry = Symmetry::general;
  else if (same(words[4], "symmetric"))
    header.symmetry = Symmetry::symmetric;
  else if (same(words[4], "skew-symmetric"))
    header.symmetry = Symmetry::skew_symmetric;
  else if (same(words[4], "hermitian"))
    header.symmetry = Symmetry::hermitian;
  else
    unknown("symmetry", words[4], "general, symmetric, skew-symmetric, hermitian");

  if (header.field == Field::pattern && !header.coordinate)
    fail(line, "an array has values, it cannot be a pattern");
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric)
    fail(line, "a pattern has no signs, it cannot be skew-symmetric");
  if (header.field != Field::complex && header.symmetry == Symmetry::hermitian)
    fail(line, fmt::format("a hermitian matrix is complex, this is {}", name(header.field)));
}

std::int64_t read_size(const Line& line, std::string_view word, const char* what, std::int64_t most,
                       const char* hint = "") {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  const bool number = end == word.data() + word.size() && error != std::errc::invalid_argument;
  if (!number || word[0] == '-')
    fail(line, fmt::format("the number of {} is {}", what, quoted(word)));
  if (error == std::errc::result_out_of_range || n > most)
    fail(line, fmt::format("{} {} are more than {}{}", word.substr(0, 40), what, most, hint));
  return n;
}

void read_sizes(const Line& line, const Budget& budget, bool wide, MmHeader& header) {
  const auto words = words_of(line.text);
  const std::size_t need = header.coordinate ? 3 : 2;
  if (words.size() != need)
    fail(line, fmt::format("the size line has {} numbers, needs {}",
                           words.size() > 6 ? "many" : std::to_string(words.size()),
                           header.coordinate ? "3: rows, columns, entries" : "2: rows, columns"));
  wide = wide && header.coordinate;
  const std::int64_t most =
      wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<index_t>::max();
  const char* const hint =
      header.coordinate && !wide ? "; nz::read_wide() reads such matrices" : "";
  const std::int64_t rows = read_size(line, words[0], "rows", most, hint);
  const std::int64_t cols = read_size(line, words[1], "columns", most, hint);
  header.wide_rows = rows;
  header.wide_cols = cols;
  const auto check_symmetric = [&] {
    if (header.symmetry != Symmetry::general && rows != cols)
      fail(line, fmt::format("{} x {} cannot be {}", rows, cols, name(header.symmetry)));
  };
  if (wide) {
    check_symmetric();
    header.entries = read_size(line, words[2], "entries", most);
    return;
  }
  budget.require(
      Budget::shape_bytes(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols)),
      fmt::format("{}:{}", line.name, line.number),
      fmt::format("a {} x {} matrix with its vectors", rows, cols));
  check_symmetric();
  header.rows = static_cast<index_t>(rows);
  header.cols = static_cast<index_t>(cols);
  // Both below 2^31: no product here passes 2^62.
  if (header.coordinate)
    header.entries = read_size(line, words[2], "entries", std::numeric_limits<std::int64_t>::max());
  else if (header.symmetry == Symmetry::general)
    header.entries = rows * cols;
  else if (header.symmetry != Symmetry::skew_symmetric)
    header.entries = rows * (rows + 1) / 2;
  else
    header.entries = rows == 0 ? 0 : rows * (rows - 1) / 2;
}

std::optional<std::string_view> next_line(TextPieces& text, std::uint64_t number) {
  try {
    return text.line();
  } catch (const LongLine&) {
    fail_line(text.name(), number, LongLine::message);
  }
}

}  // namespace

bool begins_with_banner(std::string_view text) {
  const auto words = words_of(text.substr(0, text.find('\n')));
  return !words.empty() && same(words[0], "%%matrixmarket");
}

MmHeader read_mm_header(TextPieces& text, const Budget& budget, bool wide) {
  MmHeader header;
  std::string_view start = text.start(4096);
  if (start.empty()) throw BadInput(fmt::format("{}: the file is empty", text.name()));
  // Looked at before the whole line is: other files may have no line end for gigabytes.
  const auto words = words_of(start.substr(0, start.find('\n')));
  const bool right = !words.empty() && same(words[0], "%%matrixmarket");
  const Line first{text.name(), 1, right ? *next_line(text, 1) : ""};
  read_banner(first, start, header);
  for (header.lines = 1;; ++header.lines) {
    const auto line = next_line(text, header.lines + 1);
    if (!line) fail_line(text.name(), header.lines, "the file ends before the size line");
    const auto word = line->find_first_not_of(" \t\r\v\f");
    if (word == std::string_view::npos || (*line)[word] == '%') continue;
    read_sizes({text.name(), ++header.lines, *line}, budget, wide, header);
    return header;
  }
}

}  // namespace nz
