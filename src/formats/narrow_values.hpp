#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/formats/value_code.hpp>
#include <nonzero/types.hpp>

#include "base/parallel.hpp"
#include "base/short_floats.hpp"

// Lossless narrowing: bits are compared, so that -0 and NaN come back as they were.
namespace nz {

template <Value T>
using Bits = std::conditional_t<
    sizeof(T) == 4, std::uint32_t,
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::array<std::uint64_t, 2>>>;

// At most 256 different values, found by their bits.
template <Value T>
class ValueTable {
 public:
  // False when there is no room for one more.
  bool add(T v) {
    const auto bits = std::bit_cast<Bits<T>>(v);
    std::size_t at = place(bits);
    while (used_[at]) {
      if (key_[at] == bits) return true;
      at = (at + 1) % buckets;
    }
    if (list_.size() == 256) return false;
    used_[at] = true;
    key_[at] = bits;
    code_[at] = static_cast<std::uint8_t>(list_.size());
    list_.push_back(v);
    return true;
  }
  // Of a value that was added.
  std::uint8_t code(T v) const {
    const auto bits = std::bit_cast<Bits<T>>(v);
    std::size_t at = place(bits);
    while (key_[at] != bits || !used_[at]) at = (at + 1) % buckets;
    return code_[at];
  }
  const std::vector<T>& list() const { return list_; }

 private:
  static constexpr std::size_t buckets = 1024;
  static std::size_t place(Bits<T> bits) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;
    if constexpr (sizeof(T) == 16)
      return ((bits[0] ^ std::rotl(bits[1] * golden, 32)) * golden) >> 54;
    else
      return (static_cast<std::uint64_t>(bits) * golden) >> 54;
  }
  std::array<bool, buckets> used_{};
  std::array<Bits<T>, buckets> key_{};
  std::array<std::uint8_t, buckets> code_{};
  std::vector<T> list_;
};

inline bool exact_float(double v) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(v))) ==
         std::bit_cast<std::uint64_t>(v);
}

inline bool exact_float(std::complex<double> v) {
  return exact_float(v.real()) && exact_float(v.imag());
}

// Whether values of T may be stored in single precision, and as what.
template <Value T>
inline constexpr bool has_single = std::is_same_v<real_of<T>, double>;
template <Value T>
using Single = std::conditional_t<ComplexValue<T>, std::complex<float>, float>;

inline bool exact_half(float v) {
  return std::bit_cast<std::uint32_t>(half_value(half_bits(v))) == std::bit_cast<std::uint32_t>(v);
}
inline bool exact_bfloat(float v) { return (std::bit_cast<std::uint32_t>(v) & 0xffffu) == 0; }

// The codes without a table that a value may have; 16 bits only for floats, and where they are
// wanted.
template <Value T>
struct PlainCodes {
  bool single, half, bfloat;
  explicit PlainCodes(bool shorts)
      : single(has_single<T>), half(std::is_same_v<T, float> && shorts), bfloat(half) {}
  bool any() const { return single || half || bfloat; }
  void add(T v) {
    if constexpr (has_single<T>) {
      single = single && exact_float(v);
    } else if constexpr (std::is_same_v<T, float>) {
      half = half && exact_half(v);
      bfloat = bfloat && exact_bfloat(v);
    }
  }
  void add(const PlainCodes& others) {
    single = single && others.single;
    half = half && others.half;
    bfloat = bfloat && others.bfloat;
  }
  // The upper half of a float is the quicker one to read.
  ValueCode code() const {
    return bfloat   ? ValueCode::bfloat
           : half   ? ValueCode::half
           : single ? ValueCode::single
                    : ValueCode::full;
  }
};

// The narrowest code that loses nothing, and its table.
template <Value T>
struct ValueChoice {
  ValueCode code = ValueCode::full;
  ValueTable<T> table;

  // Values in the table; 0 where the code has none.
  int different() const {
    const bool listed = code == ValueCode::table || code == ValueCode::constant;
    return listed ? static_cast<int>(table.list().size()) : 0;
  }
};

// Codes of 16 bits are for formats that have them.
template <Value T>
ValueChoice<T> choose_value_code(const T* values, std::int64_t n, bool shorts = false) {
  struct Found {
    ValueTable<T> table;
    bool few = true;
    PlainCodes<T> plain;
  };
  std::vector<Found> parts(static_cast<std::size_t>(n < 1 << 14 ? 1 : threads()),
                           Found{{}, true, PlainCodes<T>(shorts)});
  parallel(static_cast<int>(parts.size()), [&](int thread, int count) {
    const auto [begin, end] = part_of(n, thread, count);
    Found mine{{}, true, PlainCodes<T>(shorts)};
    for (std::int64_t k = begin; k < end && (mine.few || mine.plain.any()); ++k) {
      if (mine.few) {
        const std::size_t before = mine.table.list().size();
        mine.few = mine.table.add(values[k]);
        if (mine.few && mine.table.list().size() == before) continue;  // its codes are known
      }
      if (mine.plain.any()) mine.plain.add(values[k]);
    }
    parts[static_cast<std::size_t>(thread)] = std::move(mine);
  });
  ValueChoice<T> choice;
  bool few = true;
  PlainCodes<T> plain(shorts);
  for (const Found& f : parts) {
    few = few && f.few;
    plain.add(f.plain);
    if (few)
      for (const T v : f.table.list()) few = few && choice.table.add(v);
  }
  choice.code = !few                              ? plain.code()
                : choice.table.list().size() <= 1 ? ValueCode::constant
                                                  : ValueCode::table;
  return choice;
}

// The value of one place.
template <Value T>
T decode_value(ValueCode code, const std::byte* values, const T* table, std::int64_t place) {
  switch (code) {
    case ValueCode::full:
      return reinterpret_cast<const T*>(values)[place];
    case ValueCode::single:
      return static_cast<T>(reinterpret_cast<const Single<T>*>(values)[place]);
    case ValueCode::half:
      if constexpr (!ComplexValue<T>)
        return half_value(reinterpret_cast<const std::uint16_t*>(values)[place]);
      break;
    case ValueCode::bfloat:
      if constexpr (!ComplexValue<T>)
        return bfloat_value(reinterpret_cast<const std::uint16_t*>(values)[place]);
      break;
    case ValueCode::table:
      return table[std::to_integer<std::uint8_t>(values[place])];
    case ValueCode::constant:
      break;
  }
  return table[0];
}

// Values in their code, one after the other.
template <Value T>
struct CodedValues {
  ValueCode code = ValueCode::full;
  int different = 0;  // in the table
  Array<std::byte> values;
  Array<T> table;

  std::size_t bytes() const { return values.size() + table.size() * sizeof(T); }
};

// The table of a choice, with room for 256 values or for the one of a constant.
template <Value T>
Array<T> table_of(const ValueChoice<T>& choice) {
  const auto& list = choice.table.list();
  if (choice.code == ValueCode::constant) return Array<T>(1, list.empty() ? T(0) : list[0]);
  if (choice.code != ValueCode::table) return {};
  Array<T> table(256, T(0));
  std::copy(list.begin(), list.end(), table.begin());
  return table;
}

// Narrows values that can be; where none can, the result has code `full` and holds nothing: the
// values are fine where they are.
template <Value T>
CodedValues<T> narrow_values(const T* from, std::int64_t n, bool shorts = false) {
  const ValueChoice<T> choice = choose_value_code(from, n, shorts);
  CodedValues<T> to{choice.code, choice.different(), {}, table_of(choice)};
  const auto count = static_cast<std::size_t>(n);
  if (choice.code == ValueCode::single) {
    to.values = Array<std::byte>(count * sizeof(Single<T>));
    auto* floats = reinterpret_cast<Single<T>*>(to.values.data());
    parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) floats[k] = static_cast<Single<T>>(from[k]);
    });
  } else if (is_short(choice.code)) {
    to.values = Array<std::byte>(count * sizeof(std::uint16_t));
    auto* shorts_to = reinterpret_cast<std::uint16_t*>(to.values.data());
    const bool half = choice.code == ValueCode::half;
    parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        if constexpr (!ComplexValue<T>) {
          const auto v = static_cast<float>(from[k]);
          shorts_to[k] = half ? half_bits(v) : bfloat_bits(v);
        }
      }
    });
  } else if (choice.code == ValueCode::table) {
    to.values = Array<std::byte>(count);
    parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        to.values[static_cast<std::size_t>(k)] = std::byte{choice.table.code(from[k])};
    });
  }
  return to;
}

}  // namespace nz
