#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/formats/value_code.hpp>

#include "device/value_codes.hpp"

// How kernels read values in their code. A reader loads what is stored, early, and makes a value of
// it once that is there.
namespace nz::NZ_HOME {

template <class T, ValueCode code>
class ValueReader {
 public:
  using Stored = Coded<T, code>;
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

}  // namespace nz::NZ_HOME
