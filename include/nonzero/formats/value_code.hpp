#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/export.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// How a format that narrows the values of a matrix stores them; all without loss.
enum class ValueCode : std::uint8_t {
  full,      // as they are
  single,    // doubles that are exact floats, as floats; complex ones in pairs
  table,     // at most 256 different values: a byte that says which
  constant,  // all the same: stored once
  half,      // floats that are exact in IEEE's 16 bits, as those
  bfloat,    // floats whose lower 16 bits are 0, without them
};

// The two of 16 bits, which only some formats have.
constexpr bool is_short(ValueCode code) {
  return code == ValueCode::half || code == ValueCode::bfloat;
}

// Bytes of one stored value of a matrix of T.
template <class T>
constexpr std::size_t code_bytes(ValueCode code) {
  return code == ValueCode::full     ? sizeof(T)
         : code == ValueCode::single ? sizeof(float) * (sizeof(T) / sizeof(real_of<T>))
         : is_short(code)            ? 2
         : code == ValueCode::table  ? 1
                                     : 0;
}

// Values in the table that belongs to a code.
constexpr std::size_t table_size(ValueCode code) {
  return code == ValueCode::table ? 256 : code == ValueCode::constant ? 1 : 0;
}

}  // namespace nz
