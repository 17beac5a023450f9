#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "io/fortran_format.hpp"
#include "io/other_files.hpp"
#include "io/stored.hpp"
#include "io/text_pieces.hpp"

namespace nz {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

struct RbHeader {
  char values = 'R', symmetry = 'U';  // letters of the type
  std::uint64_t rows = 0, cols = 0, entries = 0;
  FortranFormat pointers, indices, numbers;
  bool valued = true;
};

// Lines of a text, and numbers that stand in columns of them.
class RbText {
 public:
  RbText(const std::string& name, ByteStream& stream, Meter& meter)
      : name_(name), stream_(stream), meter_(meter), pieces_(name, stream, std::size_t{1} << 20) {}

  std::string_view line(const char* what) {
    ++number_;
    std::optional<std::string_view> next;
    try {
      next = pieces_.line();
    } catch (const LongLine&) {
      fail(LongLine::message);
    }
    if (!next) {
      --number_;
      fail(fmt::format("the file ends before {}", what));
    }
    if (next->ends_with('\r')) next->remove_suffix(1);
    if (number_ % 4096 == 0) {
      const std::uint64_t taken = stream_.taken();
      meter_.add(taken - told_);
      told_ = taken;
    }
    return *next;
  }

  // So many numbers follow, from the next line on.
  void begin(std::uint64_t numbers) {
    numbers_ = numbers;
    left_ = 0;
  }
  // The next of them. Some writers do not keep to their columns: where a line has as many words
  // between blanks as numbers are due, these are the numbers.
  std::string_view field(const FortranFormat& format, const char* what) {
    if (left_ == 0) {
      rest_ = line(what);
      left_ = std::min<std::uint64_t>(format.count, numbers_);
      numbers_ -= left_;
      std::uint64_t words = 0;
      for (std::size_t k = 0; k < rest_.size(); ++k)
        words += rest_[k] != ' ' && (k == 0 || rest_[k - 1] == ' ');
      by_words_ = words == left_;
    }
    --left_;
    if (by_words_) rest_.remove_prefix(rest_.find_first_not_of(' '));
    const std::string_view found = rest_.substr(0, by_words_ ? rest_.find(' ') : format.width);
    rest_.remove_prefix(found.size());
    if (found.find_first_not_of(' ') == found.npos)
      fail(fmt::format("nothing where one of {} should be", what));
    return found;
  }

  [[noreturn]] void fail(const std::string& message) const { fail_line(name_, number_, message); }
  std::string here() const { return fmt::format("{}:{}", name_, number_); }

 private:
  const std::string& name_;
  ByteStream& stream_;
  Meter& meter_;
  TextPieces pieces_;
  std::string_view rest_{};
  bool by_words_ = false;
  std::uint64_t numbers_ = 0, left_ = 0;  // on lines to come, and on this one
  std::uint64_t number_ = 0, told_ = 0;   // of the line; bytes that the meter knows of
};

// Whole numbers between blanks.
std::vector<std::uint64_t> whole_numbers(const RbText& text, std::string_view line) {
  std::vector<std::uint64_t> all;
  while (all.size() < 6) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == line.npos) break;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    std::uint64_t n = 0;
    if (!fortran_whole(word, n))
      text.fail(fmt::format("expected a whole number, found {}", nz::quoted(word)));
    all.push_back(n);
    line.remove_prefix(word.size());
  }
  return all;
}

void read_type(const RbText& text, std::string_view line, RbHeader& h) {
  if (line.size() < 3) text.fail("no type of matrix, such as RUA, begins the third line");
  const char kind = upper(line[2]);
  h.values = upper(line[0]);
  h.symmetry = upper(line[1]);
  const std::string_view type = line.substr(0, 3);
  if (h.values == 'C') text.fail(fmt::format("type {}: complex matrices are not supported", type));
  if (std::string_view("RPI").find(h.values) == std::string_view::npos)
    text.fail(fmt::format("type {}: the first letter is not one of R, P, I", nz::quoted(type)));
  if (h.symmetry == 'H')
    text.fail(fmt::format("type {}: hermitian matrices are not supported", type));
  if (std::string_view("USZR").find(h.symmetry) == std::string_view::npos)
    text.fail(fmt::format("type {}: the second letter is not one of U, S, Z, R", nz::quoted(type)));
  if (kind == 'E')
    text.fail(
        fmt::format("type {}: matrices of elements are not supported, only assembled ones", type));
  if (kind != 'A')
    text.fail(fmt::format("type {}: the third letter is not A, for assembled", nz::quoted(type)));
  const auto sizes = whole_numbers(text, line.substr(3));
  if (sizes.size() < 3)
    text.fail(fmt::format("{} sizes, needs 3: rows, columns, entries", sizes.size()));
  h.rows = sizes[0];
  h.cols = sizes[1];
  h.entries = sizes[2];
  if (h.symmetry != 'U' && h.symmetry != 'R' && h.rows != h.cols)
    text.fail(fmt::format("{} x {} cannot be symmetric", h.rows, h.cols));
}

// The next "(...)" of a line.
FortranFormat next_format(const RbText& text, std::string_view& line, const char* what,
                          const char* letters) {
  const auto open = line.find('('), close = line.find(')');
  if (open == line.npos || close == line.npos || close < open)
    text.fail(fmt::format("no format of {}", what));
  const std::string_view found = line.substr(open, close + 1 - open);
  FortranFormat format;
  if (!parse_format(found, format) ||
      std::string_view(letters).find(format.letter) == std::string_view::npos)
    text.fail(fmt::format("the format of {}, {}, is not supported", what, nz::quoted(found)));
  line.remove_prefix(close + 1);
  return format;
}

RbHeader read_header(RbText& text, const Budget& budget, std::size_t value_bytes) {
  RbHeader h;
  text.line("its title");
  const auto cards = whole_numbers(text, text.line("the numbers of lines"));
  if (cards.size() < 4)
    text.fail(
        fmt::format("{} numbers of lines, needs 4: all, pointers, indices, values", cards.size()));
  read_type(text, text.line("the type of the matrix"), h);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max());
  if (h.rows > most || h.cols > most)
    text.fail(fmt::format("{} x {} is beyond {}", h.rows, h.cols, most));
  // Entries are not believed: what is read of them is counted.
  require_stored(budget, text.here(), static_cast<std::int64_t>(h.rows),
                 static_cast<std::int64_t>(h.cols), 0, value_bytes);
  std::string_view formats = text.line("the formats");
  h.pointers = next_format(text, formats, "pointers", "I");
  h.indices = next_format(text, formats, "indices", "I");
  h.valued = h.values != 'P' && cards[3] != 0;
  if (!h.valued && h.symmetry == 'Z')
    text.fail("a pattern has no signs, it cannot be skew-symmetric");
  if (h.valued) h.numbers = next_format(text, formats, "values", h.values == 'I' ? "I" : "IEDFG");
  // Harwell-Boeing: what the right-hand sides are, which stand at the end of the file.
  if (cards.size() > 4 && cards[4] != 0) text.line("the kind of right-hand sides");
  return h;
}

template <class T>
Array<T> to_array(std::vector<T>&& v) {
  Array<T> a{std::span<const T>(v)};
  v = {};
  return a;
}

template <Value T>
Stored<T> read_stored(RbText& text, const RbHeader& h, const Budget& budget, bool allow_nan) {
  Stored<T> made;
  made.order = Stored<T>::Order::columns;
  made.rows = static_cast<index_t>(h.rows);
  made.cols = static_cast<index_t>(h.cols);
  made.mirror = h.symmetry == 'S'   ? Mirror::symmetric
                : h.symmetry == 'Z' ? Mirror::skew
                                    : Mirror::none;
  made.offsets = Array<std::int64_t>(h.cols + 1);
  text.begin(h.cols + 1);
  std::uint64_t before = 1;
  for (std::uint64_t j = 0; j <= h.cols; ++j) {
    std::uint64_t n = 0;
    const std::string_view field = text.field(h.pointers, "the pointers");
    if (!fortran_whole(field, n)) text.fail(fmt::format("{} is no pointer", nz::quoted(field)));
    if (n < before || n > h.entries + 1 || (j == 0 && n != 1))
      text.fail(
          fmt::format("pointer {} is {}: pointers rise from 1 to {}", j + 1, n, h.entries + 1));
    before = n;
    made.offsets[j] = static_cast<std::int64_t>(n - 1);
  }
  if (before != h.entries + 1)
    text.fail(
        fmt::format("the last pointer is {}, but {} entries are announced", before, h.entries));
  const auto count = [&](std::uint64_t entries) {
    if (entries % (1 << 12) == 0 || entries == h.entries)
      require_stored(budget, text.here(), made.rows, made.cols, entries, sizeof(T));
  };
  std::vector<index_t> rows;
  text.begin(h.entries);
  while (rows.size() < h.entries) {
    std::uint64_t n = 0;
    const std::string_view field = text.field(h.indices, "the row indices");
    if (!fortran_whole(field, n)) text.fail(fmt::format("{} is no row", nz::quoted(field)));
    if (n < 1 || n > h.rows) text.fail(fmt::format("row {} is not from 1 to {}", n, h.rows));
    rows.push_back(static_cast<index_t>(n - 1));
    count(rows.size());
  }
  made.row = to_array(std::move(rows));
  if (!h.valued) {
    made.values = Array<T>(h.entries, T{1});
    return made;
  }
  made.values = Array<T>(h.entries);
  text.begin(h.entries);
  for (std::uint64_t k = 0; k < h.entries; ++k) {
    const std::string_view field = text.field(h.numbers, "the values");
    const auto result = fortran_number(field, h.numbers, allow_nan, made.values[k]);
    if (result == number::Result::too_large)
      text.fail(
          fmt::format("{} does not fit {}-bit floating point", nz::quoted(field), 8 * sizeof(T)));
    if (result != number::Result::ok) text.fail(fmt::format("{} is no number", nz::quoted(field)));
  }
  if (made.mirror == Mirror::skew)
    for (std::uint64_t j = 0; j < h.cols; ++j)
      for (std::int64_t k = made.offsets[j]; k < made.offsets[j + 1]; ++k)
        if (made.row[k] == static_cast<index_t>(j) && made.values[k] != 0)
          text.fail(fmt::format("entry ({0}, {0}) of a skew-symmetric matrix is not zero", j + 1));
  return made;
}

}  // namespace

bool begins_as_rutherford_boeing(std::string_view head) {
  std::array<std::string_view, 4> lines{};
  for (auto& line : lines) {
    const auto end = head.find('\n');
    if (end == head.npos) return false;
    line = head.substr(0, end);
    head.remove_prefix(end + 1);
  }
  const std::string_view type = lines[2].substr(0, 3);
  return type.size() == 3 &&
         std::string_view("RCPIQ").find(upper(type[0])) != std::string_view::npos &&
         std::string_view("USHZR").find(upper(type[1])) != std::string_view::npos &&
         std::string_view("AE").find(upper(type[2])) != std::string_view::npos &&
         lines[3].find('(') != std::string_view::npos;
}

template <Value T, Offset O>
Csr<T, O> read_rutherford_boeing(const std::string& name, ByteStream& stream, const Budget& budget,
                                 bool allow_nan, Meter& meter, FileInfo& info) {
  RbText text(name, stream, meter);
  const RbHeader h = read_header(text, budget, sizeof(T));
  info.format = "Rutherford-Boeing";
  info.field = !h.valued ? Field::pattern : h.values == 'I' ? Field::integer : Field::real;
  info.symmetry = h.symmetry == 'S'   ? Symmetry::symmetric
                  : h.symmetry == 'Z' ? Symmetry::skew_symmetric
                                      : Symmetry::general;
  info.stored_entries = static_cast<std::int64_t>(h.entries);
  return csr_of<T, O>(read_stored<T>(text, h, budget, allow_nan), name);
}

#define NZ_INSTANTIATE(T, O)                                                                      \
  template Csr<T, O> read_rutherford_boeing<T, O>(const std::string&, ByteStream&, const Budget&, \
                                                  bool, Meter&, FileInfo&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
