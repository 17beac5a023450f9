// Closes what isa_begin.hpp opened.
}
}
#if defined(NZ_ISA_AVX512) || defined(NZ_ISA_AVX512_LOADS) || defined(NZ_ISA_AVX2) || \
    defined(NZ_ISA_SVE256) || defined(NZ_ISA_SVE512)
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#undef NZ_ISA
