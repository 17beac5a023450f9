#pragma once
#include <cmath>
#include <limits>
#include <type_traits>

#include <nonzero/types.hpp>

#ifdef __CUDACC__
#define NZ_EVERYWHERE __host__ __device__ constexpr
#else
#define NZ_EVERYWHERE constexpr
#endif

// Complex numbers as kernels have them, on CPUs and GPUs alike. std::complex is none for them: its
// product looks for infinities by a function call, and is not there for devices.
namespace nz {
namespace detail {

// Laid out as std::complex<R>, whose memory it may look at. A product is the four products of the
// formula, whatever is infinite or no number in it.
template <class R>
struct __attribute__((may_alias)) KernelComplex {
  R re, im;

  KernelComplex() = default;
  NZ_EVERYWHERE KernelComplex(R real, R imaginary = R(0)) : re(real), im(imaginary) {}
  template <class S>
  NZ_EVERYWHERE explicit KernelComplex(const KernelComplex<S>& z)
      : re(static_cast<R>(z.re)), im(static_cast<R>(z.im)) {}

  NZ_EVERYWHERE KernelComplex& operator+=(const KernelComplex& z) {
    re += z.re;
    im += z.im;
    return *this;
  }
  NZ_EVERYWHERE KernelComplex& operator*=(const KernelComplex& z) { return *this = *this * z; }

  friend NZ_EVERYWHERE KernelComplex operator+(KernelComplex a, KernelComplex b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend NZ_EVERYWHERE KernelComplex operator*(KernelComplex a, KernelComplex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend NZ_EVERYWHERE bool operator==(KernelComplex a, KernelComplex b) {
    return a.re == b.re && a.im == b.im;
  }
};

}  // namespace detail
using detail::KernelComplex;
static_assert(sizeof(KernelComplex<float>) == sizeof(std::complex<float>));
static_assert(sizeof(KernelComplex<double>) == sizeof(std::complex<double>));
static_assert(std::is_trivially_copyable_v<KernelComplex<double>>);

// The value itself, or its conjugate.
template <bool conjugated, class T>
NZ_EVERYWHERE T conjugated_if(T v) {
  if constexpr (conjugated && ComplexValue<T>)
    return {v.re, -v.im};
  else
    return v;
}

// Whether a scalar is an ordinary number, or none: a complex one with a part that is none.
template <RealValue T>
bool is_finite(T v) {
  return std::isfinite(v);
}
template <class R>
bool is_finite(const KernelComplex<R>& v) {
  return std::isfinite(v.re) && std::isfinite(v.im);
}
template <RealValue T>
bool is_nan(T v) {
  return std::isnan(v);
}
template <class R>
bool is_nan(const KernelComplex<R>& v) {
  return std::isnan(v.re) || std::isnan(v.im);
}
// What a product by such a scalar is, the scalar itself where that is real.
template <RealValue T>
T all_nan(T v) {
  return v;
}
template <class R>
KernelComplex<R> all_nan(const KernelComplex<R>&) {
  constexpr R none = std::numeric_limits<R>::quiet_NaN();
  return {none, none};
}

// How kernels that conjugate read x and scale their sums: conj(A) x is the conjugate of A conj(x),
// so that what lies between x and the sums, all of a kernel, need not know. A real kernel has plain
// pointers and scalars.
template <class T>
struct ReadVector;  // x, each element's imaginary part times `sign`
template <class R>
struct ReadVector<KernelComplex<R>> {
  using T = KernelComplex<R>;
  const T* at;
  R sign;  // 1 or -1
  NZ_EVERYWHERE T operator[](std::int64_t i) const { return of(at[i]); }
  NZ_EVERYWHERE ReadVector operator+(std::int64_t i) const { return {at + i, sign}; }
  NZ_EVERYWHERE T of(T v) const { return {v.re, sign * v.im}; }
};
template <class T>
struct SumFactor;  // alpha times a sum whose imaginary part was multiplied by `sign` first
template <class R>
struct SumFactor<KernelComplex<R>> {
  using T = KernelComplex<R>;
  T alpha;
  R sign;
  friend NZ_EVERYWHERE T operator*(const SumFactor& f, T sum) {
    return f.alpha * T{sum.re, f.sign * sum.im};
  }
};

namespace detail {
template <class T>
struct KernelSide {
  using Vector = const T*;
  using Factor = T;
  static Vector vector(const T* x, bool) { return x; }
  static Factor factor(T alpha, bool) { return alpha; }
};
template <class R>
struct KernelSide<KernelComplex<R>> {
  using T = KernelComplex<R>;
  using Vector = ReadVector<T>;
  using Factor = SumFactor<T>;
  static Vector vector(const T* x, bool conjugated) { return {x, conjugated ? R(-1) : R(1)}; }
  static Factor factor(T alpha, bool conjugated) { return {alpha, conjugated ? R(-1) : R(1)}; }
};
}  // namespace detail
template <class T>
using VectorOf = typename detail::KernelSide<T>::Vector;
template <class T>
using FactorOf = typename detail::KernelSide<T>::Factor;

// The numbers of a caller as kernels have them, and back.
template <class R>
const KernelComplex<R>* as_kernel(const std::complex<R>* p) {
  return reinterpret_cast<const KernelComplex<R>*>(p);
}
template <class R>
KernelComplex<R>* as_kernel(std::complex<R>* p) {
  return reinterpret_cast<KernelComplex<R>*>(p);
}
template <class R>
KernelComplex<R> as_kernel(std::complex<R> z) {
  return {z.real(), z.imag()};
}

}  // namespace nz
