#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "io/text.hpp"

namespace nz {
namespace {

static_assert(std::endian::native == std::endian::little, ".npy data is used as it stands");

constexpr std::string_view magic = "\x93NUMPY";
// Of a vector it takes less than a hundred bytes; versions 2 and 3 are there for large records.
constexpr std::size_t longest_header = 1 << 20;

[[noreturn]] void fail(const Source& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file.name(), what));
}

// The header is a Python dictionary such as
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }
// The text that follows 'key': in it.
std::string_view after_key(const Source& file, std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const auto name = fmt::format("{0}{1}{0}", quote, key);
    auto at = header.find(name);
    if (at == std::string_view::npos) continue;
    at = header.find_first_not_of(" \t", at + name.size());
    if (at == std::string_view::npos || header[at] != ':') continue;
    at = header.find_first_not_of(" \t", at + 1);
    if (at != std::string_view::npos) return header.substr(at);
  }
  fail(file, fmt::format("the .npy header has no {}", key));
}

std::string_view quoted_text(const Source& file, std::string_view from) {
  const char quote = from[0];
  const auto end = from.find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
    fail(file, "the .npy header's descr is not a string; only plain numbers are supported");
  return from.substr(1, end - 1);
}

std::vector<std::uint64_t> shape_of(const Source& file, std::string_view tuple) {
  std::vector<std::uint64_t> shape;
  for (const char* p = tuple.data() + 1; *p != ')';) {
    if (*p == ' ' || *p == ',') {
      ++p;
      continue;
    }
    std::uint64_t n = 0;
    const auto [stop, error] = std::from_chars(p, tuple.data() + tuple.size() - 1, n);
    if (error != std::errc() || shape.size() == 32)
      fail(file, fmt::format("the .npy shape {} is broken", quoted(tuple)));
    p = stop;
    shape.push_back(n);
  }
  return shape;
}

bool is_vector(const NpyHeader& h) {
  const auto ones = std::ranges::count(h.shape, std::uint64_t{1});
  return h.shape.size() == 1 || (h.shape.size() == 2 && ones > 0);
}

// Whether a number, where it is one, is in the range of T.
template <Value T>
bool fits(double v) {
  return !std::isfinite(v) || std::abs(v) <= std::numeric_limits<real_of<T>>::max();
}

// The n numbers of type S that begin at byte `at`.
template <class S, Value T>
Array<T> numbers(const Source& file, std::uint64_t at, std::size_t n) {
  Array<T> v(n);
  if constexpr (std::is_same_v<S, T>) {
    file.read(at, reinterpret_cast<char*>(v.data()), n * sizeof(T));
  } else {
    Array<S> part(std::min<std::size_t>(n, 1 << 16));
    for (std::size_t from = 0; from < n; from += part.size()) {
      const std::size_t count = std::min(part.size(), n - from);
      file.read(at + from * sizeof(S), reinterpret_cast<char*>(part.data()), count * sizeof(S));
      for (std::size_t k = 0; k < count; ++k) {
        const S s = part[k];
        if constexpr (ComplexValue<S>) {
          if (!fits<T>(s.real()) || !fits<T>(s.imag()))
            fail(file, fmt::format("element {}: ({}, {}) does not fit {}-bit floating point",
                                   from + k, s.real(), s.imag(), 8 * sizeof(real_of<T>)));
          v[from + k] = static_cast<T>(s);
        } else {
          if (!fits<T>(static_cast<double>(s)))
            fail(file, fmt::format("element {}: {} does not fit {}-bit floating point", from + k, s,
                                   8 * sizeof(real_of<T>)));
          v[from + k] = static_cast<real_of<T>>(s);
        }
      }
    }
  }
  return v;
}

template <Value T>
Array<T> numbers_behind(const Source& file, const NpyHeader& h, const Budget& budget) {
  // A header may claim any number: that of a vector is told as it is.
  const std::uint64_t first = h.shape[0], second = h.shape.size() > 1 ? h.shape[1] : 1;
  const std::size_t n = first == 1 ? second : second == 1 ? first : times(first, second);
  const std::uint64_t bytes = file.size() - h.at;
  const auto check = [&](std::size_t size) {
    if (n > bytes / size || n * size != bytes)
      fail(file,
           fmt::format("{} numbers of {} bytes announced, but {} bytes follow", n, size, bytes));
    budget.require(n * sizeof(T), file.name(), fmt::format("a vector of {} numbers", n));
  };
  if (h.type == "<f8") return check(8), numbers<double, T>(file, h.at, n);
  if (h.type == "<f4") return check(4), numbers<float, T>(file, h.at, n);
  if (h.type == "<i8") return check(8), numbers<std::int64_t, T>(file, h.at, n);
  if (h.type == "<i4") return check(4), numbers<std::int32_t, T>(file, h.at, n);
  const bool complex = h.type == "<c16" || h.type == "<c8";
  if constexpr (ComplexValue<T>) {
    if (h.type == "<c16") return check(16), numbers<std::complex<double>, T>(file, h.at, n);
    if (h.type == "<c8") return check(8), numbers<std::complex<float>, T>(file, h.at, n);
  }
  if (complex) fail(file, "the file has complex values, and is read as real ones");
  fail(file, fmt::format("the .npy type {} is not one of <f4, <f8, <i4, <i8{}",
                         quoted(std::string_view(h.type)), ComplexValue<T> ? ", <c8, <c16" : ""));
}

// Version 1.0.
template <Value T>
void write_header(OutputFile& file, bool fortran, const std::string& shape) {
  std::string header =
      fmt::format("{{'descr': '<{}{}', 'fortran_order': {}, 'shape': ({}), }}",
                  ComplexValue<T> ? 'c' : 'f', sizeof(T), fortran ? "True" : "False", shape);
  // Padded so that the data begins at a multiple of 64.
  const std::size_t before = magic.size() + 4;
  header.append((64 - (before + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string start(magic);
  start += '\1';
  start += '\0';
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  file.write(start + header);
}

}  // namespace

bool is_npy(std::span<const char> bytes) {
  return std::string_view(bytes.data(), bytes.size()).starts_with(magic);
}

NpyHeader read_npy_header(const Source& file) {
  char start[12];
  if (file.size() < sizeof(start)) fail(file, "the .npy header is cut short");
  file.read(0, start, sizeof(start));
  if (!is_npy(start)) fail(file, "not a .npy array");
  const auto byte = [&](int at) { return std::size_t{static_cast<unsigned char>(start[at])}; };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) fail(file, fmt::format(".npy version {} is not known", version));
  const std::size_t before = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (file.size() - before < length) fail(file, "the .npy header is cut short");
  if (length > longest_header)
    fail(file, fmt::format("the .npy header has {} bytes, more than {}", length, longest_header));
  std::string header(length, '\0');
  file.read(before, header.data(), length);

  NpyHeader h;
  h.type = quoted_text(file, after_key(file, header, "descr"));
  const std::string_view shape = after_key(file, header, "shape");
  const auto close = shape.find(')');
  if (shape[0] != '(' || close == std::string_view::npos)
    fail(file, "the .npy header's shape is not a tuple");
  h.tuple = shape.substr(0, close + 1);
  h.shape = shape_of(file, h.tuple);
  // Of a vector it says nothing.
  h.by_columns = h.shape.size() > 1 && after_key(file, header, "fortran_order").starts_with("True");
  h.at = before + length;
  return h;
}

template <Value T>
Array<T> read_npy(const Source& file, const Budget& budget) {
  const NpyHeader h = read_npy_header(file);
  if (!is_vector(h)) fail(file, fmt::format("the .npy shape {} is not that of a vector", h.tuple));
  return numbers_behind<T>(file, h, budget);
}

bool has_several_vectors(const Source& npy) {
  const NpyHeader h = read_npy_header(npy);
  return h.shape.size() == 2 && !is_vector(h);
}

template <Value T>
NpyVectors<T> read_npy_vectors(const Source& file, const Budget& budget) {
  const NpyHeader h = read_npy_header(file);
  if (h.shape.empty() || h.shape.size() > 2)
    fail(file, fmt::format("the .npy shape {} is not that of vectors", h.tuple));
  return {numbers_behind<T>(file, h, budget), static_cast<std::size_t>(h.shape[0]),
          static_cast<std::size_t>(h.shape.size() > 1 ? h.shape[1] : 1),
          h.by_columns ? Layout::column_major : Layout::row_major};
}

template <Value T>
void write_npy(OutputFile& file, std::span<const T> v) {
  write_header<T>(file, false, fmt::format("{},", v.size()));
  file.write({reinterpret_cast<const char*>(v.data()), v.size_bytes()});
}

template <Value T>
void write_npy(OutputFile& file, const DenseView<const T>& v) {
  const bool by_columns = v.layout() == Layout::column_major;
  if (v.leading() != (by_columns ? v.rows() : v.columns()))
    throw InvalidArgument("vectors with gaps between them");
  write_header<T>(file, by_columns, fmt::format("{}, {}", v.rows(), v.columns()));
  file.write(
      {reinterpret_cast<const char*>(v.data()), static_cast<std::size_t>(v.extent()) * sizeof(T)});
}

#define NZ_INSTANTIATE(T)                                                   \
  template Array<T> read_npy<T>(const Source&, const Budget&);              \
  template NpyVectors<T> read_npy_vectors<T>(const Source&, const Budget&); \
  template void write_npy(OutputFile&, std::span<const T>);                 \
  template void write_npy(OutputFile&, const DenseView<const T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz
