#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/formats/value_code.hpp>

#include "kernels/cpu/vector/slot.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// The values from place p on, vector by vector.
template <class T, class Values>
NZ_INLINE Slot<T> slot_by_steps(const Values& values, std::int64_t p) {
  Slot<T> s;
  for_steps<T>([&](int h) NZ_INLINE_LAMBDA { s.at[h] = values.load(p + h * Lanes<T>::width); });
  return s;
}

// Values in their narrow code, one reader a code: load(p) is the vector of the places from p on,
// load_some(mask, p) that of the lanes of the mask, 0 in the others, slot(p) that of 64 bytes of
// numbers, at(p) the value of one place.
template <class T, class Stored>
struct PlainValues {
  const Stored* values;
  NZ_INLINE auto slot(std::int64_t p) const {
    if constexpr (requires(Slot<T> s) { Lanes<T>::load_slot(values + p, s.at); }) {
      Slot<T> s;
      Lanes<T>::load_slot(values + p, s.at);
      return s;
    } else {
      return slot_by_steps<T>(*this, p);
    }
  }
  NZ_INLINE auto load(std::int64_t p) const { return Lanes<T>::load_as(values + p); }
  NZ_INLINE auto load_some(typename Lanes<T>::Mask m, std::int64_t p) const {
    return Lanes<T>::load_as_some(m, values + p);
  }
  NZ_INLINE T at(std::int64_t p) const { return static_cast<T>(values[p]); }
};

template <class T>
struct TableValues {
  const std::uint8_t* codes;
  const T* table;
  NZ_INLINE auto slot(std::int64_t p) const { return slot_by_steps<T>(*this, p); }
  NZ_INLINE auto load(std::int64_t p) const {
    return Lanes<T>::gather(table, Lanes<T>::indices(codes + p));
  }
  NZ_INLINE auto load_some(typename Lanes<T>::Mask m, std::int64_t p) const {
    return Lanes<T>::gather_some(m, table, Lanes<T>::indices_some(m, codes + p));
  }
  NZ_INLINE T at(std::int64_t p) const { return table[codes[p]]; }
};

// A table that registers hold.
template <class T>
struct SmallTableValues {
  const std::uint8_t* codes;
  const T* table;
  typename Lanes<T>::Table held;
  NZ_INLINE auto slot(std::int64_t p) const {
    if constexpr (requires(Slot<T> s) { Lanes<T>::pick_slot(held, codes + p, s.at); }) {
      Slot<T> s;
      Lanes<T>::pick_slot(held, codes + p, s.at);
      return s;
    } else {
      return slot_by_steps<T>(*this, p);
    }
  }
  NZ_INLINE auto load(std::int64_t p) const { return Lanes<T>::pick(held, codes + p); }
  NZ_INLINE auto load_some(typename Lanes<T>::Mask m, std::int64_t p) const {
    return Lanes<T>::gather_some(m, table, Lanes<T>::indices_some(m, codes + p));
  }
  NZ_INLINE T at(std::int64_t p) const { return table[codes[p]]; }
};

template <class T>
struct ConstantValues {
  T value;
  NZ_INLINE auto slot(std::int64_t p) const { return slot_by_steps<T>(*this, p); }
  NZ_INLINE auto load(std::int64_t) const { return Lanes<T>::all(value); }
  NZ_INLINE auto load_some(typename Lanes<T>::Mask m, std::int64_t) const {
    return Lanes<T>::some(m, Lanes<T>::all(value));
  }
  NZ_INLINE T at(std::int64_t) const { return value; }
};

// use(reader) with the reader of the code, but of 16 bits; the table has room for 256 and holds
// `different`.
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
      if constexpr (Lanes<T>::table_room > 0)
        if (different <= Lanes<T>::table_room)
          return use(SmallTableValues<T>{codes, table, Lanes<T>::table(table)});
      return use(TableValues<T>{codes, table});
    case ValueCode::constant:
      return use(ConstantValues<T>{table[0]});
    case ValueCode::half:  // short_values.hpp
    case ValueCode::bfloat:
      return;
  }
}

// use(columns) with the pointer to columns of 1, 2 or 4 bytes; not at all when the width is 0.
template <class Use>
NZ_INLINE void with_indices(const std::uint8_t* bytes, int width, Use&& use) {
  if (width == 1) use(bytes);
  if (width == 2) use(reinterpret_cast<const std::uint16_t*>(bytes));
  if (width == 4) use(reinterpret_cast<const std::int32_t*>(bytes));
}

#include "kernels/cpu/vector/isa_end.hpp"
