// No include guard: each use opens the namespace of the instruction set that the file is being
// compiled for, and lets the code in it use those instructions. Headers come before it, so that
// nothing shared is compiled for a processor that may not be there. isa_end.hpp closes it.
#if defined(NZ_ISA_AVX512) || defined(NZ_ISA_AVX512_LOADS)
#if defined(NZ_ISA_AVX512)
#define NZ_ISA avx512
#else
#define NZ_ISA avx512_loads
#endif
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")
#endif
#elif defined(NZ_ISA_AVX2)
#define NZ_ISA avx2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#elif defined(NZ_ISA_SVE256) || defined(NZ_ISA_SVE512)
#if defined(NZ_ISA_SVE256)
#define NZ_ISA sve256
#else
#define NZ_ISA sve512
#endif
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sve"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("+sve")
#endif
#elif defined(NZ_ISA_NEON)
#define NZ_ISA neon
#else
#define NZ_ISA portable
#endif
#ifndef NZ_INLINE
#define NZ_INLINE inline __attribute__((always_inline))
#define NZ_INLINE_LAMBDA __attribute__((always_inline))
#endif
namespace nz {
namespace NZ_ISA {
