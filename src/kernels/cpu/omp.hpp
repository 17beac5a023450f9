#pragma once

// An OpenMP directive of a paper's strategy; nothing at all where there is no OpenMP, so that the
// code around it must also be right on one thread.
#ifdef _OPENMP
#define NZ_PRAGMA(text) _Pragma(#text)
#define NZ_OMP(...) NZ_PRAGMA(omp __VA_ARGS__)
#else
#define NZ_OMP(...)
#endif
