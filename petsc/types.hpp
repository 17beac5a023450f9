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

// What a conversion works on: A itself, a copy, or B with the values of A, which must be of that
// type.
inline PetscErrorCode matrix_to_convert(Mat A, const char* wanted, MatReuse reuse, Mat* B) {
  MatType type = nullptr;
  PetscBool same;
  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, wanted, &same));
  PetscCheck(same, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "nonzero takes matrices of type %s, not %s", wanted, type);
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
  if (reuse == MAT_INPLACE_MATRIX) *B = A;
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
