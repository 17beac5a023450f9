#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nonzero/formats/value_code.hpp>

#include "simt/simt.hpp"

// How kernels read values in their code. A reader loads what is stored, early, and makes a value of
// it once that is there.
namespace nz::NZ_HOME {

template <class T, ValueCode code>
class ValueReader {
 public:
  // What takes the place of nothing is never read.
  using Stored =
      std::conditional_t<code == ValueCode::full, T,
                         std::conditional_t<code == ValueCode::single, float, std::uint8_t>>;
  NZ_DEVICE ValueReader(Thread& t, const T* table)
      : table_(table), only_(code == ValueCode::constant ? t.load(table) : T(0)) {}
  NZ_DEVICE Stored load(Thread& t, const std::byte* values, std::int64_t i) const {
    if constexpr (code == ValueCode::constant)
      return 0;
    else
      return t.load_streaming(reinterpret_cast<const Stored*>(values) + i);
  }
  NZ_DEVICE T value(Thread& t, Stored stored) const {
    if constexpr (code == ValueCode::constant)
      return only_;
    else if constexpr (code == ValueCode::table)
      return t.load(table_ + stored);
    else
      return static_cast<T>(stored);
  }

 private:
  const T* table_;
  T only_;
};

// body(std::integral_constant<ValueCode, code>) for the code of values of T.
template <class T, class Body>
void with_value_code(ValueCode code, Body&& body) {
  using enum ValueCode;
  switch (code) {
    case full:
      return body(std::integral_constant<ValueCode, full>{});
    case table:
      return body(std::integral_constant<ValueCode, table>{});
    case constant:
      return body(std::integral_constant<ValueCode, constant>{});
    case single:
      if constexpr (sizeof(T) == 8) return body(std::integral_constant<ValueCode, single>{});
  }
}

}  // namespace nz::NZ_HOME
