#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include <nonzero/device.hpp>
#include <nonzero/formats/value_code.hpp>
#include <nonzero/types.hpp>

#include "base/short_floats.hpp"
#include "device/entry_keys.hpp"
#include "simt/simt.hpp"

// The narrowest code that values on the device allow without loss (formats/value_code.hpp), found
// and written there. Bits are compared, so that -0 and NaN come back as they were.
namespace nz::NZ_HOME {

// A stored value of a matrix of T; those of 16 bits as their bits. A constant has none.
template <class T, ValueCode code>
using Coded = std::conditional_t<
    is_short(code), std::uint16_t,
    std::conditional_t<code == ValueCode::single, float,
                       std::conditional_t<code == ValueCode::table, std::uint8_t, T>>>;

// The value that is stored, of a code without a table.
template <class T, ValueCode code>
NZ_DEVICE T plain_value(Coded<T, code> stored) {
  if constexpr (code == ValueCode::bfloat) {
    return bfloat_value(stored);
  } else if constexpr (code == ValueCode::half) {
#ifdef __CUDA_ARCH__
    float v;  // one instruction, which any NaN leaves as one
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(stored));
    return v;
#else
    return half_value(stored);
#endif
  } else {
    return static_cast<T>(stored);
  }
}

template <class T>
NZ_HOST_DEVICE Bits<T> bits_of(T v) {
  Bits<T> bits;
  memcpy(&bits, &v, sizeof v);
  return bits;
}

// Which place of the table a value has: an open hash table of bits, at most a quarter full. For
// whatever holds its two arrays: device memory here, shared memory in kernels of many lookups.
template <class T>
struct ValueLookup {
  static constexpr int slots = 1024, none = 0xffff;
  const Bits<T>* keys = nullptr;
  const std::uint16_t* codes = nullptr;  // none: an empty slot

  static NZ_HOST_DEVICE unsigned slot(Bits<T> bits) {
    return static_cast<unsigned>(hash(bits) >> 54);
  }
  static NZ_HOST_DEVICE std::uint64_t hash(Bits<T> bits) {
    return static_cast<std::uint64_t>(bits) * 0x9E3779B97F4A7C15u;
  }
  // none: not in the table.
  template <class Key, class Code>
  static NZ_DEVICE int find(Bits<T> bits, Key&& key, Code&& code) {
    for (unsigned at = slot(bits);; at = (at + 1) % slots) {
      const int its = code(static_cast<int>(at));
      if (its == none || key(static_cast<int>(at)) == bits) return its;
    }
  }
  NZ_DEVICE int code(Thread& t, T v) const {
    return find(
        bits_of(v), [&](int i) { return t.load(keys + i); },
        [&](int i) { return int{t.load(codes + i)}; });
  }
};

// A value that has the code, as it is stored.
template <ValueCode code, class T>
NZ_DEVICE Coded<T, code> encode(Thread& t, const ValueLookup<T>& lookup, T v) {
  if constexpr (code == ValueCode::table)
    return static_cast<std::uint8_t>(lookup.code(t, v));
  else if constexpr (code == ValueCode::half)
    return half_bits(v);
  else if constexpr (code == ValueCode::bfloat)
    return bfloat_bits(v);
  else
    return static_cast<Coded<T, code>>(v);
}

// act<code>() for a code known when it runs. Floats have no `single`, and 16 bits only where they
// are asked for; complex values have only `full`.
template <class T, bool shorts = false, class Act>
void for_code(ValueCode code, Act&& act) {
  if constexpr (ComplexValue<T>) {
    act.template operator()<ValueCode::full>();
    return;
  } else {
    switch (code) {
      case ValueCode::half:
        if constexpr (shorts && sizeof(T) == 4) act.template operator()<ValueCode::half>();
        break;
      case ValueCode::bfloat:
        if constexpr (shorts && sizeof(T) == 4) act.template operator()<ValueCode::bfloat>();
        break;
      case ValueCode::single:
        if constexpr (sizeof(T) == 8) act.template operator()<ValueCode::single>();
        break;
      case ValueCode::table:
        act.template operator()<ValueCode::table>();
        break;
      case ValueCode::constant:
        act.template operator()<ValueCode::constant>();
        break;
      case ValueCode::full:
        act.template operator()<ValueCode::full>();
        break;
    }
  }
}

template <Value T>
struct ValueCodes {
  ValueCode code = ValueCode::full;
  int different = 0;              // values in the table
  T constant = T(0);              // where that is the code
  DeviceArray<T> table;           // table_size(code): in the order of their bits, then zeros
  ValueLookup<T> found;           // for the code `table`, until all is encoded,
  DeviceArray<std::byte> memory;  // in here

  ValueLookup<T> lookup() const { return found; }
  void drop_lookup() {
    found = {};
    memory = {};
  }
};

// Of n values in the current device's memory. Looks at a few thousand first: where those rule a
// narrow code out, nothing else is read; otherwise all values are, once in nearly every case.
// Works on the default stream and waits for it. Codes of 16 bits are for formats that have them.
template <Value T>
ValueCodes<T> find_value_codes(const T* values, std::int64_t n, bool shorts = false);

// In two steps, for who fetches those few thousand with something else: queues to gather them; and
// goes on once they are in host memory.
template <Value T>
DeviceArray<Bits<T>> sample_values(const T* values, std::int64_t n);
template <Value T>
ValueCodes<T> find_value_codes(const T* values, std::int64_t n, std::span<const Bits<T>> sample,
                               bool shorts = false);

}  // namespace nz::NZ_HOME
