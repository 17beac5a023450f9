#pragma once
#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/vector/isa_begin.hpp"

// AVX-512: see lanes.hpp.
#if defined(NZ_ISA_AVX512)
inline constexpr bool has_gather = true;
#else
inline constexpr bool has_gather = false;
#endif

template <class T>
struct Lanes;

template <>
struct Lanes<double> {
  static constexpr int width = 8;
  static constexpr int table_room = 8;
  static constexpr bool can_gather = has_gather;
  static constexpr bool can_mask = true;
  static constexpr bool can_cut = true;
  static constexpr bool can_blend = false;
  static constexpr bool unroll_short = false;
  using Vector = __m512d;
  using Indices = __m256i;
  using Mask = __mmask8;
  using Table = Vector;

  static NZ_INLINE Vector zero() { return _mm512_setzero_pd(); }
  static NZ_INLINE Vector all(double v) { return _mm512_set1_pd(v); }
  static NZ_INLINE Vector load(const double* p) { return _mm512_loadu_pd(p); }
  static NZ_INLINE Vector load_as(const double* p) { return load(p); }
  static NZ_INLINE Vector load_as(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
  static NZ_INLINE void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
  static NZ_INLINE Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
  static NZ_INLINE Vector mul(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
  static NZ_INLINE Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  static NZ_INLINE double sum(Vector v) { return _mm512_reduce_add_pd(v); }
  static NZ_INLINE Indices indices(const std::int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static NZ_INLINE Indices indices(const std::uint16_t* p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static NZ_INLINE Indices indices(const std::uint8_t* p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static NZ_INLINE Vector gather(const double* x, Indices i) {
    if constexpr (has_gather) return _mm512_i32gather_pd(i, x, 8);
    alignas(32) std::int32_t k[width];
    _mm256_store_si256(reinterpret_cast<__m256i*>(k), i);
    return _mm512_setr_pd(x[k[0]], x[k[1]], x[k[2]], x[k[3]], x[k[4]], x[k[5]], x[k[6]], x[k[7]]);
  }
  static NZ_INLINE Table table(const double* p) { return load(p); }
  static NZ_INLINE Vector pick(Vector table, const std::uint8_t* p) {
    const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm512_permutexvar_pd(_mm512_cvtepu8_epi64(codes), table);
  }
  static NZ_INLINE Mask not_negative(Indices i) {
    return _mm256_cmpge_epi32_mask(i, _mm256_setzero_si256());
  }
  static NZ_INLINE Mask mask(unsigned bits, int) { return static_cast<Mask>(bits); }
  static NZ_INLINE Mask first(int n) { return static_cast<Mask>((1u << n) - 1u); }
  static NZ_INLINE Vector load_some(Mask m, const double* p) { return _mm512_maskz_loadu_pd(m, p); }
  static NZ_INLINE Vector load_as_some(Mask m, const double* p) { return load_some(m, p); }
  static NZ_INLINE Vector load_as_some(Mask m, const float* p) {
    return _mm512_maskz_cvtps_pd(m, _mm256_maskz_loadu_ps(m, p));
  }
  static NZ_INLINE Indices indices_some(Mask m, const std::int32_t* p) {
    return _mm256_maskz_loadu_epi32(m, p);
  }
  static NZ_INLINE Indices indices_some(Mask m, const std::uint16_t* p) {
    return _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(m, p));
  }
  static NZ_INLINE Indices indices_some(Mask m, const std::uint8_t* p) {
    return _mm256_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, p));
  }
  static NZ_INLINE Vector some(Mask m, Vector v) { return _mm512_maskz_mov_pd(m, v); }
  static NZ_INLINE Vector fma_some(Mask m, Vector a, Vector b, Vector c) {
    return _mm512_mask3_fmadd_pd(a, b, c, m);
  }
  static NZ_INLINE double lowest(Vector v) { return _mm512_cvtsd_f64(v); }
  static NZ_INLINE Vector shift_down(Vector v) {
    return _mm512_castsi512_pd(
        _mm512_alignr_epi64(_mm512_setzero_si512(), _mm512_castpd_si512(v), 1));
  }
  static NZ_INLINE Vector gather_some(Mask m, const double* x, Indices i) {
    if constexpr (has_gather) return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, i, x, 8);
    return some(m, gather(x, _mm256_and_si256(_mm256_movm_epi32(m), i)));
  }
  static NZ_INLINE void store_some(Mask m, double* p, Vector v) { _mm512_mask_storeu_pd(p, m, v); }
  using Order = __m512i;
  static NZ_INLINE Order order(const std::int32_t* p) { return _mm512_cvtepi32_epi64(indices(p)); }
  static NZ_INLINE Vector permute(Order o, Vector v) { return _mm512_permutexvar_pd(o, v); }
  static NZ_INLINE Mask permute_mask(Order o, Mask m) {
    return _mm512_movepi64_mask(_mm512_permutexvar_epi64(o, _mm512_movm_epi64(m)));
  }
  static NZ_INLINE Indices permute_columns(Order o, Indices i, std::int32_t apart, Indices plus) {
    const Indices lane = _mm256_permutexvar_epi32(_mm512_cvtepi64_epi32(o), i);
    return _mm256_add_epi32(_mm256_mullo_epi32(lane, _mm256_set1_epi32(apart)), plus);
  }
};

template <>
struct Lanes<float> {
  static constexpr int width = 16;
  static constexpr int table_room = 16;
  static constexpr bool can_gather = has_gather;
  static constexpr bool can_mask = true;
  static constexpr bool can_cut = true;
  static constexpr bool can_blend = false;
  static constexpr bool unroll_short = false;
  using Vector = __m512;
  using Indices = __m512i;
  using Mask = __mmask16;
  using Table = Vector;

  static NZ_INLINE Vector zero() { return _mm512_setzero_ps(); }
  static NZ_INLINE Vector all(float v) { return _mm512_set1_ps(v); }
  static NZ_INLINE Vector load(const float* p) { return _mm512_loadu_ps(p); }
  static NZ_INLINE Vector load_as(const float* p) { return load(p); }
  static NZ_INLINE void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
  static NZ_INLINE Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  static NZ_INLINE Vector mul(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
  static NZ_INLINE Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static NZ_INLINE float sum(Vector v) { return _mm512_reduce_add_ps(v); }
  static NZ_INLINE Indices indices(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static NZ_INLINE Indices indices(const std::uint16_t* p) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static NZ_INLINE Indices indices(const std::uint8_t* p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static NZ_INLINE Vector gather(const float* x, Indices i) {
    if constexpr (has_gather) return _mm512_i32gather_ps(i, x, 4);
    alignas(64) std::int32_t k[width];
    _mm512_store_si512(k, i);
    return _mm512_setr_ps(x[k[0]], x[k[1]], x[k[2]], x[k[3]], x[k[4]], x[k[5]], x[k[6]], x[k[7]],
                          x[k[8]], x[k[9]], x[k[10]], x[k[11]], x[k[12]], x[k[13]], x[k[14]],
                          x[k[15]]);
  }
  static NZ_INLINE Table table(const float* p) { return load(p); }
  static NZ_INLINE Vector pick(Vector table, const std::uint8_t* p) {
    return _mm512_permutexvar_ps(indices(p), table);
  }
  static NZ_INLINE Mask not_negative(Indices i) {
    return _mm512_cmpge_epi32_mask(i, _mm512_setzero_si512());
  }
  static NZ_INLINE Mask mask(unsigned bits, int) { return static_cast<Mask>(bits); }
  static NZ_INLINE Mask first(int n) { return static_cast<Mask>((1u << n) - 1u); }
  static NZ_INLINE Vector load_some(Mask m, const float* p) { return _mm512_maskz_loadu_ps(m, p); }
  static NZ_INLINE Vector load_as_some(Mask m, const float* p) { return load_some(m, p); }
  static NZ_INLINE Indices indices_some(Mask m, const std::int32_t* p) {
    return _mm512_maskz_loadu_epi32(m, p);
  }
  static NZ_INLINE Indices indices_some(Mask m, const std::uint16_t* p) {
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, p));
  }
  static NZ_INLINE Indices indices_some(Mask m, const std::uint8_t* p) {
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, p));
  }
  static NZ_INLINE Vector some(Mask m, Vector v) { return _mm512_maskz_mov_ps(m, v); }
  static NZ_INLINE Vector fma_some(Mask m, Vector a, Vector b, Vector c) {
    return _mm512_mask3_fmadd_ps(a, b, c, m);
  }
  static NZ_INLINE float lowest(Vector v) { return _mm512_cvtss_f32(v); }
  static NZ_INLINE Vector shift_down(Vector v) {
    return _mm512_castsi512_ps(
        _mm512_alignr_epi32(_mm512_setzero_si512(), _mm512_castps_si512(v), 1));
  }
  static NZ_INLINE Vector gather_some(Mask m, const float* x, Indices i) {
    if constexpr (has_gather) return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, i, x, 4);
    return some(m, gather(x, _mm512_and_si512(_mm512_movm_epi32(m), i)));
  }
  static NZ_INLINE void store_some(Mask m, float* p, Vector v) { _mm512_mask_storeu_ps(p, m, v); }
  using Order = __m512i;
  static NZ_INLINE Order order(const std::int32_t* p) { return indices(p); }
  static NZ_INLINE Vector permute(Order o, Vector v) { return _mm512_permutexvar_ps(o, v); }
  static NZ_INLINE Mask permute_mask(Order o, Mask m) {
    return _mm512_movepi32_mask(_mm512_permutexvar_epi32(o, _mm512_movm_epi32(m)));
  }
  static NZ_INLINE Indices permute_columns(Order o, Indices i, std::int32_t apart, Indices plus) {
    const Indices lane = _mm512_permutexvar_epi32(o, i);
    return _mm512_add_epi32(_mm512_mullo_epi32(lane, _mm512_set1_epi32(apart)), plus);
  }
};

#include "kernels/cpu/vector/isa_end.hpp"
