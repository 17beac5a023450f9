#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "io/npy.hpp"
#include "io/numbers.hpp"
#include "io/other_files.hpp"
#include "io/stored.hpp"
#include "io/text.hpp"
#include "io/zip.hpp"

namespace nz {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", name, what));
}

std::optional<NumberType> type_of(std::string_view name) {
  constexpr std::pair<std::string_view, NumberType> known[] = {
      {"|b1", NumberType::u1}, {"|u1", NumberType::u1}, {"|i1", NumberType::i1},
      {"<u2", NumberType::u2}, {"<i2", NumberType::i2}, {"<u4", NumberType::u4},
      {"<i4", NumberType::i4}, {"<u8", NumberType::u8}, {"<i8", NumberType::i8},
      {"<f4", NumberType::f4}, {"<f8", NumberType::f8}};
  for (const auto& [text, type] : known)
    if (name == text) return type;
  return std::nullopt;
}

// An array of numbers, and the bytes it stands in.
struct NpyArray {
  std::unique_ptr<Source> bytes;
  NpyHeader header;
  NumberType type{};
  std::uint64_t count = 1;

  Numbers numbers() const { return {*bytes, header.at, count, type}; }
  const std::string& name() const { return bytes->name(); }
  void require_dimensions(std::size_t n) const {
    if (header.shape.size() != n)
      fail(name(), fmt::format("the shape {} has not {} dimension{}", nz::quoted(header.tuple), n,
                               n == 1 ? "" : "s"));
  }
};

class Npz {
 public:
  Npz(const Source& file, Budget& budget, Meter& meter)
      : file_(file), zip_(file), budget_(budget), meter_(meter) {}

  bool has(const char* name) const { return zip_.has(fmt::format("{}.npy", name)); }

  std::unique_ptr<Source> member(const char* name) const {
    const std::string whole = fmt::format("{}.npy", name);
    if (!zip_.has(whole))
      fail(file_.name(),
           fmt::format("no sparse matrix of SciPy: it has no {}, but {}{}", whole, zip_.names(),
                       file_.name().ends_with(".zip") ? "; unpack it first" : ""));
    auto bytes = zip_.open(whole, budget_);
    meter_.add(bytes->size());
    return bytes;
  }

  NpyArray array(const char* name) const {
    NpyArray a{member(name), {}};
    a.header = read_npy_header(*a.bytes);
    const auto type = type_of(a.header.type);
    if (!type && a.header.type.find('c') != std::string::npos)
      fail(a.name(), "complex matrices are not supported");
    if (!type)
      fail(a.name(),
           fmt::format("the type {} is not one of f4, f8, b1, i1, i2, i4, i8, u1, u2, u4, "
                       "u8, little-endian",
                       nz::quoted(a.header.type)));
    a.type = *type;
    for (const std::uint64_t n : a.header.shape) a.count = times(a.count, n);
    const std::uint64_t bytes = a.bytes->size() - a.header.at;
    if (times(a.count, bytes_of(a.type)) != bytes)
      fail(a.name(), fmt::format("{} numbers of {} bytes announced, but {} bytes follow", a.count,
                                 bytes_of(a.type), bytes));
    return a;
  }

  // "csr" and the like, a word of bytes or of code points.
  std::string format() const {
    const auto bytes = member("format");
    const NpyHeader h = read_npy_header(*bytes);
    const std::size_t unit = h.type.starts_with("|S") ? 1 : h.type.starts_with("<U") ? 4 : 0;
    const std::uint64_t n = bytes->size() - h.at;
    if (unit == 0 || !h.shape.empty() || n > 64)
      fail(bytes->name(), fmt::format("the type {} is not that of a word", nz::quoted(h.type)));
    std::string raw(n, '\0'), word;
    bytes->read(h.at, raw.data(), raw.size());
    for (std::size_t k = 0; k < raw.size(); k += unit)
      if (raw[k] != '\0') word += raw[k];
    return word;
  }

 private:
  const Source& file_;
  ZipFile zip_;
  Budget& budget_;
  Meter& meter_;
};

// How the numbers of an array of several dimensions lie: those of index (i, j, k) at i*s[0] + ...
std::vector<std::uint64_t> strides(const NpyHeader& h) {
  std::vector<std::uint64_t> s(h.shape.size(), 1);
  if (h.by_columns)
    for (std::size_t d = 1; d < s.size(); ++d) s[d] = times(s[d - 1], h.shape[d - 1]);
  else
    for (std::size_t d = s.size(); d-- > 1;) s[d - 1] = times(s[d], h.shape[d]);
  return s;
}

template <Value T>
class Parts {
 public:
  Parts(const Npz& npz, const Budget& budget, const std::string& name, index_t rows, index_t cols,
        NpyArray data)
      : npz_(npz), budget_(budget), name_(name), data_(std::move(data)) {
    made_.rows = rows;
    made_.cols = cols;
  }

  Stored<T> compressed(bool by_rows) {
    made_.order = by_rows ? Stored<T>::Order::rows : Stored<T>::Order::columns;
    data_.require_dimensions(1);
    require(data_.count);
    made_.offsets = offsets(by_rows ? made_.rows : made_.cols, data_.count);
    (by_rows ? made_.column : made_.row) = indices("indices", by_rows ? made_.cols : made_.rows);
    made_.values = values_of<T>(data_.numbers());
    return std::move(made_);
  }

  Stored<T> places() {
    made_.order = Stored<T>::Order::places;
    data_.require_dimensions(1);
    require(data_.count);
    if (npz_.has("row") || !npz_.has("coords")) {
      made_.row = indices("row", made_.rows);
      made_.column = indices("col", made_.cols);
    } else {
      const NpyArray both = npz_.array("coords");
      both.require_dimensions(2);
      if (both.header.shape[0] != 2 || both.header.shape[1] != data_.count ||
          both.header.by_columns)
        fail(both.name(),
             fmt::format("the shape {} is not (2, {})", both.header.tuple, data_.count));
      Numbers half = both.numbers();
      half.count /= 2;
      made_.row = indices_of(half, made_.rows, "row");
      half.at = half.end();
      made_.column = indices_of(half, made_.cols, "column");
    }
    made_.values = values_of<T>(data_.numbers());
    return std::move(made_);
  }

  // Blocks of R x C in rows of blocks; zeros in them stay, as with SciPy.
  Stored<T> blocks() {
    made_.order = Stored<T>::Order::places;
    data_.require_dimensions(3);
    const auto& shape = data_.header.shape;
    const std::uint64_t height = shape[1], width = shape[2];
    const auto rows = static_cast<std::uint64_t>(made_.rows),
               cols = static_cast<std::uint64_t>(made_.cols);
    if (height == 0 || width == 0 || rows % height != 0 || cols % width != 0)
      fail(data_.name(), fmt::format("blocks of {} x {} do not fill a {} x {} matrix", height,
                                     width, rows, cols));
    require(data_.count);
    const auto bands = static_cast<index_t>(rows / height);
    const Array<std::int64_t> start = offsets(bands, shape[0]);
    const NpyArray column = flat("indices", shape[0]);
    const Array<index_t> block_column =
        indices_of(column.numbers(), static_cast<std::int64_t>(cols / width), "block column");
    const Array<T> values = values_of<T>(data_.numbers());
    const auto step = strides(data_.header);
    const std::uint64_t all = static_cast<std::uint64_t>(start.back()) * height * width;
    made_.row = Array<index_t>(all);
    made_.column = Array<index_t>(all);
    made_.values = Array<T>(all);
    std::size_t to = 0;
    for (index_t band = 0; band < bands; ++band)
      for (auto b = static_cast<std::uint64_t>(start[band]);
           b < static_cast<std::uint64_t>(start[band + 1]); ++b)
        for (std::uint64_t i = 0; i < height; ++i)
          for (std::uint64_t j = 0; j < width; ++j, ++to) {
            made_.row[to] = static_cast<index_t>(static_cast<std::uint64_t>(band) * height + i);
            made_.column[to] =
                static_cast<index_t>(static_cast<std::uint64_t>(block_column[b]) * width + j);
            made_.values[to] = values[b * step[0] + i * step[1] + j * step[2]];
          }
    return std::move(made_);
  }

  // Diagonals, each with its values by column; zeros in them are fill, and are dropped as SciPy
  // drops them.
  Stored<T> diagonals() {
    made_.order = Stored<T>::Order::places;
    data_.require_dimensions(2);
    const std::uint64_t count = data_.header.shape[0], length = data_.header.shape[1];
    require(data_.count);
    const NpyArray offset_array = flat("offsets", count);
    const Array<std::int64_t> offset = whole_of(offset_array.numbers());
    std::vector<std::int64_t> seen(offset.begin(), offset.end());
    std::sort(seen.begin(), seen.end());
    if (const auto twice = std::adjacent_find(seen.begin(), seen.end()); twice != seen.end())
      fail(offset_array.name(), fmt::format("the diagonal {} is there twice", *twice));
    const Array<T> values = values_of<T>(data_.numbers());
    const auto step = strides(data_.header);
    const auto columns = std::min<std::uint64_t>(length, static_cast<std::uint64_t>(made_.cols));
    const auto for_each = [&](auto&& use) {
      for (std::uint64_t d = 0; d < count; ++d) {
        // Beyond the matrix; also keeps the sums below from overflowing.
        if (offset[d] >= made_.cols || offset[d] <= -std::int64_t{made_.rows}) continue;
        for (std::uint64_t j = 0; j < columns; ++j) {
          const std::int64_t i = static_cast<std::int64_t>(j) - offset[d];
          const T v = values[d * step[0] + j * step[1]];
          if (i >= 0 && i < made_.rows && v != 0)
            use(static_cast<index_t>(i), static_cast<index_t>(j), v);
        }
      }
    };
    std::size_t entries = 0;
    for_each([&](index_t, index_t, T) { ++entries; });
    made_.row = Array<index_t>(entries);
    made_.column = Array<index_t>(entries);
    made_.values = Array<T>(entries);
    std::size_t to = 0;
    for_each([&](index_t i, index_t j, T v) {
      made_.row[to] = i;
      made_.column[to] = j;
      made_.values[to++] = v;
    });
    return std::move(made_);
  }

 private:
  void require(std::uint64_t entries) const {
    require_stored(budget_, name_, made_.rows, made_.cols, entries, sizeof(T));
  }
  NpyArray flat(const char* name, std::uint64_t count) const {
    NpyArray a = npz_.array(name);
    a.require_dimensions(1);
    if (a.count != count)
      fail(a.name(), fmt::format("{} numbers, but data.npy has {}", a.count, count));
    return a;
  }
  Array<index_t> indices(const char* name, index_t end) const {
    const NpyArray a = flat(name, data_.count);
    return indices_of(a.numbers(), end, "index");
  }
  Array<std::int64_t> offsets(index_t sides, std::uint64_t entries) const {
    const NpyArray a = npz_.array("indptr");
    a.require_dimensions(1);
    if (a.count != static_cast<std::uint64_t>(sides) + 1)
      fail(a.name(),
           fmt::format("{} offsets, but the shape needs {}", a.count, std::int64_t{sides} + 1));
    auto all = whole_of(a.numbers());
    require_offsets(all, sides, entries, a.name());
    return all;
  }

  const Npz& npz_;
  const Budget& budget_;
  const std::string& name_;
  NpyArray data_;
  Stored<T> made_{};
};

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_npz(const Source& file, Budget& budget, Meter& meter, FileInfo& info) {
  const Npz npz(file, budget, meter);
  const std::string format = npz.format();
  const NpyArray shape_array = npz.array("shape");
  if (shape_array.count != 2)
    fail(file.name(), fmt::format("an array of {} dimensions; a matrix has 2", shape_array.count));
  const Array<std::int64_t> shape = whole_of(shape_array.numbers());
  require_stored(budget, file.name(), shape[0], shape[1], 0, sizeof(T));
  NpyArray data = npz.array("data");
  info.format = fmt::format("SciPy {}", format);
  info.field = is_whole(data.type) ? Field::integer : Field::real;
  info.stored_entries = static_cast<std::int64_t>(data.count);
  Parts<T> parts(npz, budget, file.name(), static_cast<index_t>(shape[0]),
                 static_cast<index_t>(shape[1]), std::move(data));
  const auto stored = [&] {
    if (format == "csr") return parts.compressed(true);
    if (format == "csc") return parts.compressed(false);
    if (format == "coo") return parts.places();
    if (format == "bsr") return parts.blocks();
    if (format == "dia") return parts.diagonals();
    fail(file.name(),
         fmt::format("the format {} is not one of csr, csc, coo, bsr, dia", nz::quoted(format)));
  };
  return csr_of<T, O>(stored(), file.name());
}

#define NZ_INSTANTIATE(T, O) \
  template Csr<T, O> read_npz<T, O>(const Source&, Budget&, Meter&, FileInfo&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
