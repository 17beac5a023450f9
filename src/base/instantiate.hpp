#pragma once
#include <cstdint>

// Explicit instantiation over the value and offset types the library is compiled for. A template's
// source file ends with one of these, so that headers stay light.
#define NZ_FOR_EACH_VALUE(macro) macro(float) macro(double)
#define NZ_FOR_EACH_VALUE_OFFSET(macro)                                             \
  macro(float, std::int32_t) macro(float, std::int64_t) macro(double, std::int32_t) \
      macro(double, std::int64_t)
