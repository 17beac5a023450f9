#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"

namespace nz {
namespace {

static_assert(std::endian::native == std::endian::little, ".npy data is used as it stands");

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void fail(const NamedText& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file.name, what));
}

// The header is a Python dictionary such as
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }
// The text that follows 'key': in it.
std::string_view after_key(const NamedText& file, std::string_view header, std::string_view key) {
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

std::string_view quoted_text(const NamedText& file, std::string_view from) {
  const char quote = from[0];
  const auto end = from.find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
    fail(file, "the .npy header's descr is not a string; only plain numbers are supported");
  return from.substr(1, end - 1);
}

std::size_t vector_length(const NamedText& file, std::string_view from) {
  const auto close = from.find(')');
  if (from[0] != '(' || close == std::string_view::npos)
    fail(file, "the .npy header's shape is not a tuple");
  const std::string_view tuple = from.substr(0, close + 1);
  std::size_t length = 1, dimensions = 0;
  bool flat = true;
  for (const char* p = tuple.data() + 1; *p != ')';) {
    if (*p == ' ' || *p == ',') {
      ++p;
      continue;
    }
    std::size_t n = 0;
    const auto [stop, error] = std::from_chars(p, tuple.data() + close, n);
    if (error != std::errc()) fail(file, fmt::format("the .npy shape {} is broken", quoted(tuple)));
    p = stop;
    ++dimensions;
    if (n != 1) {
      flat &= length == 1;
      length = n;
    }
  }
  if (dimensions == 0 || dimensions > 2 || !flat)
    fail(file, fmt::format("the .npy shape {} is not that of a vector", tuple));
  return length;
}

template <class S, Value T>
Array<T> convert(const NamedText& file, const char* data, std::size_t n) {
  if constexpr (std::is_same_v<S, T>) {
    Array<T> v(n);
    if (n != 0) std::memcpy(v.data(), data, n * sizeof(T));
    return v;
  } else {
    Array<T> v(n);
    for (std::size_t k = 0; k < n; ++k) {
      S s;
      std::memcpy(&s, data + k * sizeof(S), sizeof(S));
      if constexpr (std::is_same_v<S, double>)
        if (std::isfinite(s) && std::abs(s) > std::numeric_limits<T>::max())
          fail(file, fmt::format("element {}: {} does not fit {}-bit floating point", k, s,
                                 8 * sizeof(T)));
      v[k] = static_cast<T>(s);
    }
    return v;
  }
}

}  // namespace

bool is_npy(std::span<const char> bytes) {
  return std::string_view(bytes.data(), bytes.size()).starts_with(magic);
}

template <Value T>
Array<T> read_npy(const NamedText& file) {
  const std::string_view all(file.bytes.data(), file.bytes.size());
  const auto byte = [&](std::size_t at) {
    return std::size_t{static_cast<unsigned char>(all[at])};
  };
  if (all.size() < 12) fail(file, "the .npy header is cut short");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) fail(file, fmt::format(".npy version {} is not known", version));
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (all.size() - start < length) fail(file, "the .npy header is cut short");
  const std::string_view header = all.substr(start, length);

  const std::string_view type = quoted_text(file, after_key(file, header, "descr"));
  const std::size_t n = vector_length(file, after_key(file, header, "shape"));
  const char* const data = all.data() + start + length;
  const std::size_t bytes = all.size() - start - length;
  const auto check = [&](std::size_t size) {
    if (n > bytes / size || n * size != bytes)
      fail(file,
           fmt::format("{} numbers of {} bytes announced, but {} bytes follow", n, size, bytes));
  };
  if (type == "<f8") return check(8), convert<double, T>(file, data, n);
  if (type == "<f4") return check(4), convert<float, T>(file, data, n);
  if (type == "<i8") return check(8), convert<std::int64_t, T>(file, data, n);
  if (type == "<i4") return check(4), convert<std::int32_t, T>(file, data, n);
  fail(file, fmt::format("the .npy type {} is not one of <f4, <f8, <i4, <i8", quoted(type)));
}

template <Value T>
void write_npy(OutputFile& file, std::span<const T> v) {
  std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({},), }}",
                                   sizeof(T), v.size());
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
  file.write({reinterpret_cast<const char*>(v.data()), v.size_bytes()});
}

#define NZ_INSTANTIATE(T)                          \
  template Array<T> read_npy<T>(const NamedText&); \
  template void write_npy(OutputFile&, std::span<const T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
