#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/formats/packed.hpp>

#include "kernels/cpu/vector/lanes.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Values in their narrow code, one reader a code: load(p) is the vector of the places from p on,
// at(p) the value of one place.
template <class T, class Stored>
struct PlainValues {
  const Stored* values;
  NZ_INLINE auto load(std::int64_t p) const { return Lanes<T>::load_as(values + p); }
  NZ_INLINE T at(std::int64_t p) const { return static_cast<T>(values[p]); }
};

template <class T>
struct TableValues {
  const std::uint8_t* codes;
  const T* table;
  NZ_INLINE auto load(std::int64_t p) const {
    return Lanes<T>::gather(table, Lanes<T>::indices(codes + p));
  }
  NZ_INLINE T at(std::int64_t p) const { return table[codes[p]]; }
};

// A table that a register holds.
template <class T>
struct SmallTableValues {
  const std::uint8_t* codes;
  const T* table;
  typename Lanes<T>::Vector held;
  NZ_INLINE auto load(std::int64_t p) const { return Lanes<T>::pick(held, codes + p); }
  NZ_INLINE T at(std::int64_t p) const { return table[codes[p]]; }
};

template <class T>
struct ConstantValues {
  T value;
  NZ_INLINE auto load(std::int64_t) const { return Lanes<T>::all(value); }
  NZ_INLINE T at(std::int64_t) const { return value; }
};

// use(reader) with the reader of the code; the table has room for 256 and holds `different`.
template <class T, class Use>
void with_values(ValueCode code, const std::byte* values, const T* table, int different,
                 Use&& use) {
  const auto* codes = reinterpret_cast<const std::uint8_t*>(values);
  switch (code) {
    case ValueCode::full:
      return use(PlainValues<T, T>{reinterpret_cast<const T*>(values)});
    case ValueCode::single:
      return use(PlainValues<T, float>{reinterpret_cast<const float*>(values)});
    case ValueCode::table:
      if constexpr (Lanes<T>::can_pick)
        if (different <= Lanes<T>::width)
          return use(SmallTableValues<T>{codes, table, Lanes<T>::load(table)});
      return use(TableValues<T>{codes, table});
    case ValueCode::constant:
      return use(ConstantValues<T>{table[0]});
  }
}

#include "kernels/cpu/vector/isa_end.hpp"
