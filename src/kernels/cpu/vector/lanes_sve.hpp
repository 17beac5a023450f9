#pragma once
#include <arm_sve.h>

#include <cstdint>

#include "kernels/cpu/vector/isa_begin.hpp"

// SVE: see lanes.hpp. Compiled once for each length of vectors, of 256 and of 512 bits
// (cmake/vector.cmake): vectors of a length that only the processor knows could not be members. It
// has masks, but to make one of the bits that a format stores takes two instructions.
#if defined(NZ_ISA_SVE256)
#define NZ_SVE_FIXED __attribute__((arm_sve_vector_bits(256)))
inline constexpr int sve_bytes = 32;
#else
#define NZ_SVE_FIXED __attribute__((arm_sve_vector_bits(512)))
inline constexpr int sve_bytes = 64;
#endif

template <class T>
struct SveWords;

template <>
struct SveWords<double> {
  typedef svfloat64_t Vector NZ_SVE_FIXED;
  typedef svint64_t Indices NZ_SVE_FIXED;
  typedef svuint64_t Words NZ_SVE_FIXED;
  static NZ_INLINE svbool_t every() { return svptrue_b64(); }
  static NZ_INLINE svbool_t first(int n) { return svwhilelt_b64(0, n); }
  static NZ_INLINE Vector all(double v) { return svdup_n_f64(v); }
  static NZ_INLINE Words words(unsigned v) { return svdup_n_u64(v); }
  static NZ_INLINE Words count_from(unsigned v) { return svindex_u64(v, 1); }
  static NZ_INLINE Vector load_as(svbool_t m, const double* p) { return svld1_f64(m, p); }
  static NZ_INLINE Vector load_as(svbool_t m, const float* p) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(p);
    return svcvt_f64_f32_x(m, svreinterpret_f32_u64(svld1uw_u64(m, words)));
  }
  static NZ_INLINE Words codes(svbool_t m, const std::uint8_t* p) { return svld1ub_u64(m, p); }
  static NZ_INLINE Indices indices(svbool_t m, const std::int32_t* p) { return svld1sw_s64(m, p); }
  static NZ_INLINE Indices indices(svbool_t m, const std::uint16_t* p) { return svld1uh_s64(m, p); }
  static NZ_INLINE Indices indices(svbool_t m, const std::uint8_t* p) { return svld1ub_s64(m, p); }
};

template <>
struct SveWords<float> {
  typedef svfloat32_t Vector NZ_SVE_FIXED;
  typedef svint32_t Indices NZ_SVE_FIXED;
  typedef svuint32_t Words NZ_SVE_FIXED;
  static NZ_INLINE svbool_t every() { return svptrue_b32(); }
  static NZ_INLINE svbool_t first(int n) { return svwhilelt_b32(0, n); }
  static NZ_INLINE Vector all(float v) { return svdup_n_f32(v); }
  static NZ_INLINE Words words(unsigned v) { return svdup_n_u32(v); }
  static NZ_INLINE Words count_from(unsigned v) { return svindex_u32(v, 1); }
  static NZ_INLINE Vector load_as(svbool_t m, const float* p) { return svld1_f32(m, p); }
  static NZ_INLINE Words codes(svbool_t m, const std::uint8_t* p) { return svld1ub_u32(m, p); }
  static NZ_INLINE Indices indices(svbool_t m, const std::int32_t* p) { return svld1_s32(m, p); }
  static NZ_INLINE Indices indices(svbool_t m, const std::uint16_t* p) { return svld1uh_s32(m, p); }
  static NZ_INLINE Indices indices(svbool_t m, const std::uint8_t* p) { return svld1ub_s32(m, p); }
};

template <class T>
struct Lanes : SveWords<T> {
  using W = SveWords<T>;
  using typename W::Indices;
  using typename W::Vector;
  using Table = Vector;
  typedef svbool_t Mask NZ_SVE_FIXED;
  static constexpr int width = sve_bytes / sizeof(T);
  static constexpr int table_room = width;
  static constexpr bool can_gather = true;
  static constexpr bool can_mask = false;
  static constexpr bool can_cut = true;
  static constexpr bool can_blend = false;
  static constexpr bool unroll_short = false;

  static NZ_INLINE Vector zero() { return W::all(0); }
  static NZ_INLINE Vector load(const T* p) { return svld1(W::every(), p); }
  template <class From>
  static NZ_INLINE Vector load_as(const From* p) {
    return W::load_as(W::every(), p);
  }
  static NZ_INLINE void store(T* p, Vector v) { svst1(W::every(), p, v); }
  static NZ_INLINE Vector fma(Vector a, Vector b, Vector c) { return svmla_x(W::every(), c, a, b); }
  static NZ_INLINE Vector mul(Vector a, Vector b) { return svmul_x(W::every(), a, b); }
  static NZ_INLINE Vector add(Vector a, Vector b) { return svadd_x(W::every(), a, b); }
  static NZ_INLINE T sum(Vector v) { return svaddv(W::every(), v); }
  template <class Index>
  static NZ_INLINE Indices indices(const Index* p) {
    return W::indices(W::every(), p);
  }
  static NZ_INLINE Vector gather(const T* x, Indices i) {
    return svld1_gather_index(W::every(), x, i);
  }
  static NZ_INLINE Table table(const T* p) { return load(p); }
  static NZ_INLINE Vector pick(Table table, const std::uint8_t* p) {
    return svtbl(table, W::codes(W::every(), p));
  }

  static NZ_INLINE Mask mask(unsigned bits, int step) {
    const auto from = static_cast<unsigned>(step * width);
    const typename W::Words lane = svlsl_x(W::every(), W::words(1), W::count_from(from));
    return svcmpne(W::every(), svand_x(W::every(), W::words(bits), lane), 0);
  }
  static NZ_INLINE Mask first(int n) { return W::first(n); }
  static NZ_INLINE Mask not_negative(Indices i) { return svcmpge(W::every(), i, 0); }
  static NZ_INLINE Vector load_some(Mask m, const T* p) { return svld1(m, p); }
  template <class From>
  static NZ_INLINE Vector load_as_some(Mask m, const From* p) {
    return some(m, W::load_as(m, p));
  }
  template <class Index>
  static NZ_INLINE Indices indices_some(Mask m, const Index* p) {
    return W::indices(m, p);
  }
  static NZ_INLINE Vector some(Mask m, Vector v) { return svsel(m, v, zero()); }
  static NZ_INLINE Vector fma_some(Mask m, Vector a, Vector b, Vector c) {
    return svmla_m(m, c, a, b);
  }
  static NZ_INLINE Vector gather_some(Mask m, const T* x, Indices i) {
    return svld1_gather_index(m, x, i);
  }
  static NZ_INLINE void store_some(Mask m, T* p, Vector v) { svst1(m, p, v); }
};
#undef NZ_SVE_FIXED

#include "kernels/cpu/vector/isa_end.hpp"
