#pragma once
#include "petsc.hpp"

namespace nz::petsc {

inline constexpr const char* sequential_name = "seqaijnonzero";
inline constexpr const char* parallel_name = "mpiaijnonzero";
inline constexpr const char* root_name = "aijnonzero";

// Makes a sequential AIJ matrix ours, in place or as a copy; what MatSeqAIJRegister() and
// MatConvert() call. The type keeps its name, seqaij: factorisations and conversions go by it.
PetscErrorCode convert_sequential(Mat A, MatType type, MatReuse reuse, Mat* B);
PetscErrorCode create_sequential(Mat A);

// Makes both local blocks of a parallel AIJ matrix ours whenever it is assembled.
PetscErrorCode convert_parallel(Mat A, MatType type, MatReuse reuse, Mat* B);
PetscErrorCode create_parallel(Mat A);

}  // namespace nz::petsc
