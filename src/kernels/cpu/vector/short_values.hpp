#pragma once
#include <cstdint>
#include <cstring>

#include "base/short_floats.hpp"
#include "kernels/cpu/vector/value_readers.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Vectors of floats that are stored in 16 bits, whole and by a mask, for the instruction sets of
// lanes.hpp. Apart from those, for the one format that has them.
struct ShortLanes {
  using L = Lanes<float>;
  using Vector = L::Vector;
  using Mask = L::Mask;

#if defined(NZ_ISA_AVX512) || defined(NZ_ISA_AVX512_LOADS)
  static NZ_INLINE Vector half(const std::uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static NZ_INLINE Vector bfloat(const std::uint16_t* p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(L::indices(p), 16));
  }
  static NZ_INLINE Vector half(Mask m, const std::uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(m, p));
  }
  static NZ_INLINE Vector bfloat(Mask m, const std::uint16_t* p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(L::indices_some(m, p), 16));
  }
#elif defined(NZ_ISA_SVE256) || defined(NZ_ISA_SVE512)
  static NZ_INLINE Vector half(const std::uint16_t* p) { return half_of(L::every(), p); }
  static NZ_INLINE Vector bfloat(const std::uint16_t* p) { return bfloat_of(L::every(), p); }
  static NZ_INLINE Vector half(Mask m, const std::uint16_t* p) { return L::some(m, half_of(m, p)); }
  static NZ_INLINE Vector bfloat(Mask m, const std::uint16_t* p) {
    return L::some(m, bfloat_of(m, p));
  }

 private:
  static NZ_INLINE Vector half_of(svbool_t m, const std::uint16_t* p) {
    return svcvt_f32_f16_x(m, svreinterpret_f16_u32(svld1uh_u32(m, p)));
  }
  static NZ_INLINE Vector bfloat_of(svbool_t m, const std::uint16_t* p) {
    return svreinterpret_f32_u32(svlsl_n_u32_x(m, svld1uh_u32(m, p), 16));
  }
#elif defined(NZ_ISA_NEON)
  static NZ_INLINE Vector half(const std::uint16_t* p) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
  }
  static NZ_INLINE Vector bfloat(const std::uint16_t* p) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
  }
  static NZ_INLINE Vector half(Mask m, const std::uint16_t* p) {
    Vector v{};
    for (int l = 0; l < L::width; ++l)
      if (m[l]) v[l] = half_value(p[l]);
    return v;
  }
  static NZ_INLINE Vector bfloat(Mask m, const std::uint16_t* p) {
    Vector v{};
    for (int l = 0; l < L::width; ++l)
      if (m[l]) v[l] = bfloat_value(p[l]);
    return v;
  }
#else
  static NZ_INLINE Vector half(const std::uint16_t* p) { return half_of(words(p)); }
  static NZ_INLINE Vector bfloat(const std::uint16_t* p) {
    return reinterpret_cast<Vector>(words(p) << 16);
  }
  static NZ_INLINE Vector half(Mask m, const std::uint16_t* p) { return half_of(words(m, p)); }
  static NZ_INLINE Vector bfloat(Mask m, const std::uint16_t* p) {
    return reinterpret_cast<Vector>(words(m, p) << 16);
  }

 private:
  typedef std::uint32_t Words __attribute__((vector_size(register_bytes)));
  static NZ_INLINE Words words(const std::uint16_t* p) {
    typedef std::uint16_t Shorts __attribute__((vector_size(register_bytes / 2)));
    Shorts s;
    std::memcpy(&s, p, sizeof s);
    return __builtin_convertvector(s, Words);
  }
  static NZ_INLINE Words words(Mask m, const std::uint16_t* p) {
    Words w{};
    for (int l = 0; l < L::width; ++l)
      if (m >> l & 1u) w[l] = p[l];
    return w;
  }
  // As half_value() does it.
  static NZ_INLINE Vector half_of(Words bits) {
    const Words sign = (bits & 0x8000u) << 16, rest = (bits & 0x7fffu) << 13;
    const Words scaled = reinterpret_cast<Words>(reinterpret_cast<Vector>(rest) * 0x1p112f);
    const Words endless = reinterpret_cast<Words>(rest >= half_infinity_as_float) & float_infinity;
    return reinterpret_cast<Vector>(sign | scaled | endless);
  }
#endif
};

// A reader as those of value_readers.hpp.
template <ValueCode code>
struct ShortValues {
  const std::uint16_t* values;
  NZ_INLINE auto slot(std::int64_t p) const { return slot_by_steps<float>(*this, p); }
  NZ_INLINE auto load(std::int64_t p) const {
    if constexpr (code == ValueCode::half)
      return ShortLanes::half(values + p);
    else
      return ShortLanes::bfloat(values + p);
  }
  NZ_INLINE auto load_some(Lanes<float>::Mask m, std::int64_t p) const {
    if constexpr (code == ValueCode::half)
      return ShortLanes::half(m, values + p);
    else
      return ShortLanes::bfloat(m, values + p);
  }
  NZ_INLINE float at(std::int64_t p) const {
    return code == ValueCode::half ? half_value(values[p]) : bfloat_value(values[p]);
  }
};

// with_values() of all codes.
template <class T, class Use>
void with_all_values(ValueCode code, const std::byte* values, const T* table, int different,
                     Use&& use) {
  if constexpr (sizeof(T) == 4) {
    const auto* shorts = reinterpret_cast<const std::uint16_t*>(values);
    if (code == ValueCode::half) return use(ShortValues<ValueCode::half>{shorts});
    if (code == ValueCode::bfloat) return use(ShortValues<ValueCode::bfloat>{shorts});
  }
  with_values<T>(code, values, table, different, use);
}

#include "kernels/cpu/vector/isa_end.hpp"
