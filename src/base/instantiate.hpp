#pragma once
#include <complex>
#include <cstdint>

// Explicit instantiation over the value and offset types the library is compiled for. A template's
// source file ends with one of these, so that headers stay light.
#define NZ_FOR_EACH_VALUE(macro) macro(float) macro(double)
#define NZ_FOR_EACH_VALUE_OFFSET(macro)                                             \
  macro(float, std::int32_t) macro(float, std::int64_t) macro(double, std::int32_t) \
      macro(double, std::int64_t)

// The same over complex values, where a template is for those too.
#define NZ_FOR_EACH_COMPLEX(macro) macro(std::complex<float>) macro(std::complex<double>)
#define NZ_FOR_EACH_COMPLEX_OFFSET(macro)                                           \
  macro(std::complex<float>, std::int32_t) macro(std::complex<float>, std::int64_t) \
      macro(std::complex<double>, std::int32_t) macro(std::complex<double>, std::int64_t)

// And over complex values as kernels have them (base/complex.hpp).
#define NZ_FOR_EACH_KERNEL_COMPLEX(macro) macro(KernelComplex<float>) macro(KernelComplex<double>)
#define NZ_FOR_EACH_KERNEL_COMPLEX_OFFSET(macro)                                      \
  macro(KernelComplex<float>, std::int32_t) macro(KernelComplex<float>, std::int64_t) \
      macro(KernelComplex<double>, std::int32_t) macro(KernelComplex<double>, std::int64_t)
