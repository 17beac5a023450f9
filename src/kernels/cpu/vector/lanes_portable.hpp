#pragma once
#include <cstdint>
#include <cstring>

#include "kernels/cpu/vector/isa_begin.hpp"

// Vectors of the compiler, as wide as a register of AVX2, or of 16 bytes: wider ones would live in
// memory. Without masks, and without a gather: elements are fetched one by one.
#if defined(NZ_ISA_AVX2)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class T>
struct Lanes {
  static constexpr int width = register_bytes / sizeof(T);
  static constexpr int table_room = 0;
  static constexpr bool can_gather = false;
  static constexpr bool can_mask = false;
  static constexpr bool can_cut = false;
  static constexpr bool can_blend = false;
  static constexpr bool unroll_short = false;
  typedef T Vector __attribute__((vector_size(register_bytes)));
  struct Indices {
    std::int32_t at[width];
  };
  using Mask = std::uint32_t;

  static NZ_INLINE Vector zero() { return Vector{}; }
  static NZ_INLINE Vector all(T v) { return Vector{} + v; }
  static NZ_INLINE Vector load(const T* p) {
    Vector v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  template <class From>
  static NZ_INLINE Vector load_as(const From* p) {
    Vector v;
    for (int l = 0; l < width; ++l) v[l] = static_cast<T>(p[l]);
    return v;
  }
  static NZ_INLINE Vector load_as(const T* p) { return load(p); }
  static NZ_INLINE void store(T* p, Vector v) { std::memcpy(p, &v, sizeof v); }
  static NZ_INLINE Vector fma(Vector a, Vector b, Vector c) { return a * b + c; }
  static NZ_INLINE Vector mul(Vector a, Vector b) { return a * b; }
  static NZ_INLINE Vector add(Vector a, Vector b) { return a + b; }
  static NZ_INLINE T sum(Vector v) {
    T s = v[0];
    for (int l = 1; l < width; ++l) s += v[l];
    return s;
  }
  template <class Index>
  static NZ_INLINE Indices indices(const Index* p) {
    Indices i;
    for (int l = 0; l < width; ++l) i.at[l] = static_cast<std::int32_t>(p[l]);
    return i;
  }
  static NZ_INLINE Vector gather(const T* x, const Indices& i) {
    Vector v;
    for (int l = 0; l < width; ++l) v[l] = x[i.at[l]];
    return v;
  }
  static NZ_INLINE Mask not_negative(const Indices& i) {
    Mask m = 0;
    for (int l = 0; l < width; ++l) m |= static_cast<Mask>(i.at[l] >= 0) << l;
    return m;
  }
  static NZ_INLINE Mask mask(unsigned bits, int step) {
    return bits >> (step * width) & ((1u << width) - 1u);
  }
  static NZ_INLINE Mask first(int n) { return (1u << n) - 1u; }
  static NZ_INLINE Vector load_some(Mask m, const T* p) { return load_as_some(m, p); }
  template <class From>
  static NZ_INLINE Vector load_as_some(Mask m, const From* p) {
    Vector v{};
    for (int l = 0; l < width; ++l)
      if (m >> l & 1u) v[l] = static_cast<T>(p[l]);
    return v;
  }
  static NZ_INLINE Vector some(Mask m, Vector v) {
    for (int l = 0; l < width; ++l)
      if (!(m >> l & 1u)) v[l] = 0;
    return v;
  }
  static NZ_INLINE Vector fma_some(Mask m, Vector a, Vector b, Vector c) {
    return fma(some(m, a), b, c);
  }
  template <class Index>
  static NZ_INLINE Indices indices_some(Mask m, const Index* p) {
    Indices i{};
    for (int l = 0; l < width; ++l)
      if (m >> l & 1u) i.at[l] = static_cast<std::int32_t>(p[l]);
    return i;
  }
  static NZ_INLINE Vector gather_some(Mask m, const T* x, const Indices& i) {
    Vector v{};
    for (int l = 0; l < width; ++l)
      if (m >> l & 1u) v[l] = x[i.at[l]];
    return v;
  }
  static NZ_INLINE void store_some(Mask m, T* p, Vector v) {
    for (int l = 0; l < width; ++l)
      if (m >> l & 1u) p[l] = v[l];
  }
};

#include "kernels/cpu/vector/isa_end.hpp"
