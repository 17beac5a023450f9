#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/wide_io.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "io/mm_header.hpp"
#include "io/number.hpp"
#include "io/progress.hpp"
#include "io/read_bytes.hpp"
#include "io/stream.hpp"

// Matrix Market with more rows or columns than read_matrix() takes. Such files have far fewer
// entries than rows: one thread reads them, line by line.
namespace nz {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The lines of a piece, which ends with a line end.
template <RealValue T>
class WideLines {
 public:
  WideLines(const MmHeader& header, const std::string& name, bool allow_nan)
      : header_(header), name_(name), line_(header.lines), allow_nan_(allow_nan) {}

  void read(const TextPieces::Piece& piece) {
    for (p_ = piece.begin(); p_ < piece.end(); ++p_) {
      ++line_;
      skip_space();
      if (*p_ == '%')
        while (*p_ != '\n') ++p_;
      if (*p_ != '\n') entry();
    }
  }
  std::int64_t entries() const { return entries_; }
  std::uint64_t line() const { return line_; }

  WideCoo<T> finish() const {
    const auto array = [](const auto& from) { return Array(std::span(from)); };
    return {header_.wide_rows, header_.wide_cols, array(std::as_const(rows_)),
            array(std::as_const(cols_)), array(std::as_const(values_))};
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_line(name_, line_, message); }
  void skip_space() {
    while (is_space(*p_)) ++p_;
  }
  std::string word() const {
    const char* end = p_;
    while (*end != '\n' && !is_space(*end)) ++end;
    if (end == p_) return "the end of the line";
    return quoted({p_, static_cast<std::size_t>(end - p_)});
  }

  std::int64_t index(std::int64_t most, const char* what) {
    skip_space();
    const char* const start = p_;
    std::uint64_t v = 0;
    bool large = false;
    const char* at = p_;
    for (; number::is_digit(*at); ++at) {
      large = large || v > static_cast<std::uint64_t>(most) / 10;
      if (!large) v = v * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    if (at == start || !(is_space(*at) || *at == '\n'))
      fail(fmt::format("expected a {} number, found {}", what, word()));
    if (large || v > static_cast<std::uint64_t>(most))
      fail(fmt::format("{} {} exceeds {}", what,
                       std::string_view(start, std::min<std::size_t>(40, at - start)), most));
    if (v == 0) fail(fmt::format("{} 0: counting starts at 1", what));
    p_ = at;
    return static_cast<std::int64_t>(v) - 1;
  }

  T value() {
    if (header_.field == Field::pattern) return T(1);
    skip_space();
    T v = 0;
    const char* at = p_;
    const bool whole = header_.field == Field::integer;
    number::Result r = whole ? number::integer(at, v) : number::real(at, v);
    if (!whole && allow_nan_ && r == number::Result::no_number && number::not_finite(at, v))
      r = number::Result::ok;
    if (r == number::Result::too_large)
      fail(fmt::format("{} does not fit {}-bit floating point", word(), 8 * sizeof(T)));
    if (r != number::Result::ok || !(is_space(*at) || *at == '\n'))
      fail(fmt::format("expected {}, found {}", whole ? "an integer" : "a number", word()));
    p_ = at;
    return v;
  }

  void entry() {
    if (++entries_ > header_.entries)
      fail(fmt::format("more than the {} entries announced", header_.entries));
    const std::int64_t i = index(header_.wide_rows, "row"), j = index(header_.wide_cols, "column");
    const T v = value();
    skip_space();
    if (*p_ != '\n') fail(fmt::format("unexpected {} after the entry", word()));
    add(i, j, v);
    if (header_.symmetry == Symmetry::general || i == j) {
      if (header_.symmetry == Symmetry::skew_symmetric && v != 0 && i == j)
        fail(fmt::format("entry ({0}, {0}) of a skew-symmetric matrix is not zero", i + 1));
      return;
    }
    add(j, i, header_.symmetry == Symmetry::symmetric ? v : -v);
  }
  void add(std::int64_t i, std::int64_t j, T v) {
    rows_.push_back(i);
    cols_.push_back(j);
    values_.push_back(v);
  }

  const MmHeader& header_;
  const std::string& name_;
  std::uint64_t line_;
  bool allow_nan_;
  const char* p_ = nullptr;
  std::int64_t entries_ = 0;
  std::vector<std::int64_t> rows_, cols_;
  std::vector<T> values_;
};

// Twice: the entries, and their copy in arrays.
template <RealValue T>
constexpr std::uint64_t entry_bytes = 2 * (2 * sizeof(std::int64_t) + sizeof(T));

template <RealValue T>
WideCoo<T> read_wide_source(const Source& file, const ReadOptions& options) {
  const Budget budget(file.size(), options.memory_limit);
  Meter meter(options.progress, file.size());
  meter.begin(file.size());
  char head[4];
  const std::size_t size = open_stream(file, budget, Packing::none)->read(head, sizeof head);
  const auto stream = open_stream(file, budget, packing_of({head, size}));
  TextPieces text(file.name(), *stream, usual_piece);
  const MmHeader header = read_mm_header(text, budget, true);
  if (!header.coordinate)
    fail_line(file.name(), header.lines, "a wide matrix must be coordinate, this is array");
  WideLines<T> lines(header, text.name(), options.allow_nan);
  const std::uint64_t copies = header.symmetry == Symmetry::general ? 1 : 2;
  std::uint64_t taken = 0;
  try {
    for (TextPieces::Piece piece; text.next(piece);) {
      lines.read(piece);
      const auto entries = static_cast<std::uint64_t>(lines.entries());
      budget.require(times(entries, copies * entry_bytes<T>), file.name(),
                     fmt::format("a matrix of {} entries or more", entries));
      meter.add(stream->taken() - std::exchange(taken, stream->taken()));
    }
  } catch (const LongLine&) {
    fail_line(file.name(), lines.line() + 1, LongLine::message);
  }
  if (lines.entries() != header.entries)
    fail_line(file.name(), lines.line(),
              fmt::format("the file ends after {} of {} entries", lines.entries(), header.entries));
  if (options.info != nullptr)
    *options.info = {"Matrix Market coordinate", header.field, header.symmetry, header.entries,
                     file.size()};
  meter.finish();
  return lines.finish();
}

}  // namespace

template <RealValue T>
WideCoo<T> read_wide(const std::filesystem::path& path, const ReadOptions& options) try {
  return read_wide_source<T>(FileSource(path), options);
}
NZ_OR_NO_MEMORY("reading a wide matrix")

#define NZ_INSTANTIATE(T) \
  template WideCoo<T> read_wide<T>(const std::filesystem::path&, const ReadOptions&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
