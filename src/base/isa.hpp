#pragma once
#include <string_view>

// Kernels of src/kernels/cpu/vector are compiled once for each instruction set.
namespace nz {

// avx512_loads fetches elements of x one by one where avx512 gathers them.
enum class Isa { portable, avx2, avx512_loads, avx512 };

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
