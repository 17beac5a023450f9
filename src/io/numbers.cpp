#include "io/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"

namespace nz {
namespace {

[[noreturn]] void fail(const Source& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file.name(), what));
}

// Calls use(S{}) with the type of the numbers.
template <class Use>
decltype(auto) with_type(NumberType type, Use&& use) {
  switch (type) {
    case NumberType::u1:
      return use(std::uint8_t{});
    case NumberType::i1:
      return use(std::int8_t{});
    case NumberType::u2:
      return use(std::uint16_t{});
    case NumberType::i2:
      return use(std::int16_t{});
    case NumberType::u4:
      return use(std::uint32_t{});
    case NumberType::i4:
      return use(std::int32_t{});
    case NumberType::u8:
      return use(std::uint64_t{});
    case NumberType::i8:
      return use(std::int64_t{});
    case NumberType::f4:
      return use(float{});
    case NumberType::f8:
      break;
  }
  return use(double{});
}

// out[k] = convert(k, the k-th number), in parts that stay in cache.
template <class S, class D, class Convert>
void convert_all(const Numbers& n, Array<D>& out, Convert&& convert) {
  constexpr std::uint64_t part = 1 << 13;
  Array<S> buffer(static_cast<std::size_t>(std::min(part, n.count)));
  for (std::uint64_t from = 0; from < n.count; from += part) {
    const auto count = static_cast<std::size_t>(std::min(part, n.count - from));
    char* const bytes = reinterpret_cast<char*>(buffer.data());
    n.file.read(n.at + from * sizeof(S), bytes, count * sizeof(S));
    if (n.swapped && sizeof(S) > 1)
      for (std::size_t k = 0; k < count; ++k)
        std::reverse(bytes + k * sizeof(S), bytes + (k + 1) * sizeof(S));
    for (std::size_t k = 0; k < count; ++k) out[from + k] = convert(from + k, buffer[k]);
  }
}

}  // namespace

std::uint64_t bytes_of(NumberType type) {
  return with_type(type, [](auto s) { return std::uint64_t{sizeof(s)}; });
}

bool is_whole(NumberType type) { return type != NumberType::f4 && type != NumberType::f8; }

template <Value T>
Array<T> values_of(const Numbers& n) {
  Array<T> out(n.count);
  with_type(n.type, [&]<class S>(S) {
    convert_all<S>(n, out, [&](std::uint64_t k, S s) {
      if constexpr (std::is_same_v<S, double> && std::is_same_v<T, float>)
        if (std::isfinite(s) && std::abs(s) > std::numeric_limits<T>::max())
          fail(n.file, fmt::format("value {}: {} does not fit 32-bit floating point", k, s));
      return static_cast<T>(s);
    });
  });
  return out;
}

Array<index_t> indices_of(const Numbers& n, std::int64_t end, const char* what) {
  if (!is_whole(n.type)) fail(n.file, fmt::format("{}s are not whole numbers", what));
  Array<index_t> out(n.count);
  with_type(n.type, [&]<class S>(S) {
    if constexpr (std::is_integral_v<S>)
      convert_all<S>(n, out, [&](std::uint64_t k, S s) {
        if (std::cmp_less(s, 0) || std::cmp_greater_equal(s, end))
          fail(n.file, fmt::format("entry {}: {} {} is not from 0 to {}", k, what,
                                   static_cast<std::common_type_t<S, int>>(s), end - 1));
        return static_cast<index_t>(s);
      });
  });
  return out;
}

Array<std::int64_t> whole_of(const Numbers& n) {
  if (!is_whole(n.type)) fail(n.file, "whole numbers are needed here");
  Array<std::int64_t> out(n.count);
  with_type(n.type, [&]<class S>(S) {
    if constexpr (std::is_integral_v<S>)
      convert_all<S>(n, out, [&](std::uint64_t k, S s) {
        if (!std::in_range<std::int64_t>(s))
          fail(n.file, fmt::format("number {}: {} is too large", k, s));
        return static_cast<std::int64_t>(s);
      });
  });
  return out;
}

#define NZ_INSTANTIATE(T) template Array<T> values_of<T>(const Numbers&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
