#pragma once
#include <complex>
#include <concepts>
#include <cstdint>
#include <string_view>

#include <nonzero/export.hpp>

namespace NZ_API nz {

// Rows and columns are counted in 32 bits; nonzeros in the offset type of the matrix.
using index_t = std::int32_t;

namespace detail {
// A complex number as kernels have it, laid out as std::complex<R> (src/base/complex.hpp).
template <class R>
struct KernelComplex;
}  // namespace detail

template <class T>
concept RealValue = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept ComplexValue =
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>> ||
    std::same_as<T, detail::KernelComplex<float>> || std::same_as<T, detail::KernelComplex<double>>;
template <class T>
concept Value = RealValue<T> || ComplexValue<T>;

namespace detail {
template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <class R>
struct RealOf<KernelComplex<R>> {
  using type = R;
};
}  // namespace detail
// The type of a value's parts: itself where it is real.
template <Value T>
using real_of = typename detail::RealOf<T>::type;

template <class O>
concept Offset = std::same_as<O, std::int32_t> || std::same_as<O, std::int64_t>;

// op(A) = A, its transpose, its conjugate transpose, or its conjugate. Of real matrices the last
// two are the first two again.
enum class Op : char { none = 'N', transpose = 'T', conjugate_transpose = 'H', conjugate = 'J' };
// Those of real and those of complex matrices.
inline constexpr Op all_ops[] = {Op::none, Op::transpose};
inline constexpr Op all_complex_ops[] = {Op::none, Op::transpose, Op::conjugate_transpose,
                                         Op::conjugate};

constexpr bool is_transposed(Op op) { return op == Op::transpose || op == Op::conjugate_transpose; }
constexpr bool is_conjugated(Op op) { return op == Op::conjugate || op == Op::conjugate_transpose; }
constexpr Op make_op(bool transposed, bool conjugated) {
  if (conjugated) return transposed ? Op::conjugate_transpose : Op::conjugate;
  return transposed ? Op::transpose : Op::none;
}
// op(A) in terms of the transpose of A.
constexpr Op of_transpose(Op op) { return make_op(!is_transposed(op), is_conjugated(op)); }
// What op is to values of T.
template <Value T>
constexpr Op op_for(Op op) {
  return make_op(is_transposed(op), ComplexValue<T> && is_conjugated(op));
}

constexpr std::string_view name(Op op) {
  return op == Op::none                  ? "N"
         : op == Op::transpose           ? "T"
         : op == Op::conjugate_transpose ? "H"
                                         : "J";
}

enum class ValueType : char { f32, f64, c64, c128 };
// The real ones and the complex ones.
inline constexpr ValueType all_value_types[] = {ValueType::f32, ValueType::f64};
inline constexpr ValueType complex_value_types[] = {ValueType::c64, ValueType::c128};

constexpr std::string_view name(ValueType t) {
  return t == ValueType::f32   ? "f32"
         : t == ValueType::f64 ? "f64"
         : t == ValueType::c64 ? "c64"
                               : "c128";
}

template <Value T>
inline constexpr ValueType value_type_of = std::same_as<real_of<T>, float>
                                               ? (ComplexValue<T> ? ValueType::c64 : ValueType::f32)
                                               : (ComplexValue<T> ? ValueType::c128
                                                                  : ValueType::f64);

}  // namespace nz
