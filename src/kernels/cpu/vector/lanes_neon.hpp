#pragma once
#include <arm_neon.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/vector/isa_begin.hpp"

// NEON: see lanes.hpp. Elements of x are loaded one by one into the lanes, by indices that never
// leave the scalar registers; a mask is a vector with all bits of the taken lanes set.
template <class T>
struct Lanes {
  static constexpr int width = 16 / sizeof(T);
  static constexpr int steps = 4;               // vectors of 64 bytes
  static constexpr int table_room = 4 * width;  // in four registers, which one instruction reads
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr bool can_gather = false;
  static constexpr bool can_mask = false;
  static constexpr bool can_cut = false;
  static constexpr bool can_blend = true;
  static constexpr bool unroll_short = true;
  using Bits = std::conditional_t<is_double, std::int64_t, std::int32_t>;
  typedef T Vector __attribute__((vector_size(16)));
  typedef Bits Mask __attribute__((vector_size(16)));
  using Table = uint8x16x4_t;
  struct Indices {
    std::int32_t at[width];
  };

  static NZ_INLINE Vector zero() { return Vector{}; }
  static NZ_INLINE Vector all(T v) {
    if constexpr (is_double)
      return vdupq_n_f64(v);
    else
      return vdupq_n_f32(v);
  }
  static NZ_INLINE Vector load(const T* p) {
    if constexpr (is_double)
      return vld1q_f64(p);
    else
      return vld1q_f32(p);
  }
  static NZ_INLINE Vector load_as(const float* p) {
    if constexpr (is_double)
      return vcvt_f64_f32(vld1_f32(p));
    else
      return vld1q_f32(p);
  }
  static NZ_INLINE Vector load_as(const double* p) { return vld1q_f64(p); }
  static NZ_INLINE void store(T* p, Vector v) { std::memcpy(p, &v, sizeof v); }
  static NZ_INLINE Vector fma(Vector a, Vector b, Vector c) {
    if constexpr (is_double)
      return vfmaq_f64(c, a, b);
    else
      return vfmaq_f32(c, a, b);
  }
  static NZ_INLINE Vector mul(Vector a, Vector b) { return a * b; }
  static NZ_INLINE Vector add(Vector a, Vector b) { return a + b; }
  static NZ_INLINE T sum(Vector v) {
    if constexpr (is_double)
      return vaddvq_f64(v);
    else
      return vaddvq_f32(v);
  }
  static NZ_INLINE T lowest(Vector v) { return v[0]; }
  static NZ_INLINE Vector next(Vector a, Vector b) {
    if constexpr (is_double)
      return vextq_f64(a, b, 1);
    else
      return vextq_f32(a, b, 1);
  }
  template <class Index>
  static NZ_INLINE Indices indices(const Index* p) {
    Indices i;
    for (int l = 0; l < width; ++l) i.at[l] = static_cast<std::int32_t>(p[l]);
    return i;
  }
  static NZ_INLINE Vector gather(const T* x, const Indices& i) {
    if constexpr (is_double)
      return vcombine_f64(vld1_f64(x + i.at[0]), vld1_f64(x + i.at[1]));
    else
      return Vector{x[i.at[0]], x[i.at[1]], x[i.at[2]], x[i.at[3]]};
  }

  static NZ_INLINE void load_slot(const float* p, Vector* to) requires is_double {
    const float32x4_t low = vld1q_f32(p), high = vld1q_f32(p + 4);
    to[0] = vcvt_f64_f32(vget_low_f32(low));
    to[1] = vcvt_high_f64_f32(low);
    to[2] = vcvt_f64_f32(vget_low_f32(high));
    to[3] = vcvt_high_f64_f32(high);
  }
  static NZ_INLINE Table table(const T* p) {
    return vld1q_u8_x4(reinterpret_cast<const std::uint8_t*>(p));
  }
  // The codes of 64 bytes of numbers: each becomes the places of its number's bytes in the table.
  static NZ_INLINE void pick_slot(const Table& table, const std::uint8_t* codes, Vector* to) {
    uint8x16_t places;
    if constexpr (is_double)
      places = vcombine_u8(vshl_n_u8(vld1_u8(codes), 3), vdup_n_u8(0));
    else
      places = vshlq_n_u8(vld1q_u8(codes), 2);
    to[0] = picked<0>(table, places);
    to[1] = picked<1>(table, places);
    to[2] = picked<2>(table, places);
    to[3] = picked<3>(table, places);
  }
  template <int h>
  static NZ_INLINE Vector picked(const Table& table, uint8x16_t places) {
    constexpr int size = sizeof(T);
    typedef std::uint8_t Bytes __attribute__((vector_size(16)));
    constexpr auto lane = [](int b) { return static_cast<std::uint8_t>(h * width + b / size); };
    constexpr auto byte = [](int b) { return static_cast<std::uint8_t>(b % size); };
    const Bytes lanes = {lane(0),  lane(1),  lane(2),  lane(3), lane(4),  lane(5),
                         lane(6),  lane(7),  lane(8),  lane(9), lane(10), lane(11),
                         lane(12), lane(13), lane(14), lane(15)};
    const Bytes bytes = {byte(0),  byte(1),  byte(2),  byte(3), byte(4),  byte(5),
                         byte(6),  byte(7),  byte(8),  byte(9), byte(10), byte(11),
                         byte(12), byte(13), byte(14), byte(15)};
    const uint8x16_t at = vqtbl1q_u8(places, lanes) + bytes;
    return reinterpret_cast<Vector>(vqtbl4q_u8(table, at));
  }

  static NZ_INLINE Mask mask(unsigned bits, int step) {
    const int at = step * width;
    if constexpr (is_double) {
      const Mask lane = {Bits{1} << at, Bits{2} << at};
      return reinterpret_cast<Mask>(vtstq_s64(vdupq_n_s64(bits), lane));
    } else {
      const Mask lane = {Bits{1} << at, Bits{2} << at, Bits{4} << at, Bits{8} << at};
      return reinterpret_cast<Mask>(vtstq_s32(vdupq_n_s32(static_cast<std::int32_t>(bits)), lane));
    }
  }
  static NZ_INLINE Mask first(int n) {
    Mask lane;
    for (int l = 0; l < width; ++l) lane[l] = l;
    return lane < Mask{} + static_cast<Bits>(n);
  }
  static NZ_INLINE Vector some(Mask m, Vector v) {
    return reinterpret_cast<Vector>(m & reinterpret_cast<Mask>(v));
  }
  static NZ_INLINE Vector fma_some(Mask m, Vector a, Vector b, Vector c) {
    return fma(some(m, a), b, c);
  }
  static NZ_INLINE Vector load_some(Mask m, const T* p) {
    Vector v{};
    for (int l = 0; l < width; ++l)
      if (m[l]) v[l] = p[l];
    return v;
  }
  // 0 where the column is negative; mostly none is.
  static NZ_INLINE Vector gather_taken(const T* x, const std::int32_t* columns) {
    const Indices i = indices(columns);
    std::int32_t all = i.at[0];
    for (int l = 1; l < width; ++l) all |= i.at[l];
    if (all >= 0) return gather(x, i);
    Vector v{};
    for (int l = 0; l < width; ++l)
      if (i.at[l] >= 0) v[l] = x[i.at[l]];
    return v;
  }
  static NZ_INLINE void store_some(Mask m, T* p, Vector v) {
    for (int l = 0; l < width; ++l)
      if (m[l]) p[l] = v[l];
  }
};

#include "kernels/cpu/vector/isa_end.hpp"
