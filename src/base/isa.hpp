#pragma once
#include <string_view>

// Kernels of src/kernels/cpu/vector are compiled once for each instruction set.
namespace nz {

// avx512_loads fetches elements of x one by one where avx512 gathers them. SVE has one name, and a
// version for each length of vectors; with any other, 128 bits too, NEON is used.
enum class Isa { portable, avx2, avx512_loads, avx512, neon, sve256, sve512 };

std::string_view name(Isa isa);

// The best that this processor has, or what the environment variable NONZERO_ISA names; asked for
// once. Whether AVX-512 gathers is measured then. Throws InvalidArgument when the name is unknown
// or the processor does not have it.
Isa isa();

}  // namespace nz

#if defined(__x86_64__)
#define NZ_X86(...) __VA_ARGS__
#else
#define NZ_X86(...)
#endif
#if defined(__aarch64__)
#define NZ_ARM(...) __VA_ARGS__
#else
#define NZ_ARM(...)
#endif
// Where the compiler can (cmake/vector.cmake).
#if defined(NZ_HAVE_SVE)
#define NZ_SVE(...) __VA_ARGS__
#else
#define NZ_SVE(...)
#endif
