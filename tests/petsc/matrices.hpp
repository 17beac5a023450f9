#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "../../petsc/petsc.hpp"

// Small matrices of PETSc's, with and without our products, and what stock PETSc makes of them.
namespace nz::petsc::test {

// In tests a failed call ends the test.
#define OK(call) ASSERT_EQ((call), 0)

inline PetscScalar number(PetscInt i) {
  return static_cast<PetscScalar>((i * 7919 + 13) % 1009) / 101 - 5;
}

struct Shape {
  PetscInt rows, cols;  // of this rank
  PetscInt step = 7;    // between entries of a row
  bool alike = false;   // three rows each have the same columns: inodes
};

// Entries everywhere in the columns of all ranks, so that off-diagonal blocks are not empty.
inline PetscErrorCode fill(Mat A, const Shape& shape) {
  PetscInt first, last, columns;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatGetSize(A, nullptr, &columns));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt j = (shape.alike ? i / 3 : i) % shape.step; j < columns; j += shape.step)
      PetscCall(MatSetValue(A, i, j, number(i * 31 + j), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

// An AIJ matrix; `type` may be ours.
inline PetscErrorCode make(MatType type, const Shape& shape, Mat* A) {
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, shape.rows, shape.cols, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(fill(*A, shape));
  PetscFunctionReturn(0);
}

inline PetscErrorCode set_numbers(Vec x, PetscInt seed) {
  PetscInt first, last;
  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    PetscCall(VecSetValue(x, i, number(i + seed), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscFunctionReturn(0);
}

// The largest difference between what two matrices make of the same vectors: N, T, and both added
// to a vector, in place and not.
inline PetscErrorCode differ(Mat A, Mat B, PetscReal* most) {
  Vec right, left, a, b, at, bt;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &right, &left));
  PetscCall(VecDuplicate(left, &a));
  PetscCall(VecDuplicate(left, &b));
  PetscCall(VecDuplicate(right, &at));
  PetscCall(VecDuplicate(right, &bt));
  PetscCall(set_numbers(right, 1));
  PetscCall(set_numbers(left, 2));
  *most = 0;
  const auto take = [most](Vec x, Vec y) {
    PetscReal norm;
    PetscFunctionBegin;
    PetscCall(VecAXPY(x, -1, y));
    PetscCall(VecNorm(x, NORM_INFINITY, &norm));
    *most = PetscMax(*most, norm);
    PetscFunctionReturn(0);
  };
  PetscCall(MatMult(A, right, a));
  PetscCall(MatMult(B, right, b));
  PetscCall(take(a, b));
  PetscCall(MatMultTranspose(A, left, at));
  PetscCall(MatMultTranspose(B, left, bt));
  PetscCall(take(at, bt));
  PetscCall(MatMultAdd(A, right, left, a));
  PetscCall(MatMultAdd(B, right, left, b));
  PetscCall(take(a, b));
  PetscCall(VecCopy(left, a));
  PetscCall(VecCopy(left, b));
  PetscCall(MatMultAdd(A, right, a, a));
  PetscCall(MatMultAdd(B, right, b, b));
  PetscCall(take(a, b));
  PetscCall(MatMultTransposeAdd(A, left, right, at));
  PetscCall(MatMultTransposeAdd(B, left, right, bt));
  PetscCall(take(at, bt));
  for (Vec* v : {&right, &left, &a, &b, &at, &bt}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(0);
}

// Ours and stock agree to rounding; entries and vectors are numbers up to 5, rows are short.
#define EXPECT_SAME_PRODUCTS(ours, stock)                      \
  do {                                                         \
    PetscReal most = 1;                                        \
    ASSERT_EQ(nz::petsc::test::differ(ours, stock, &most), 0); \
    EXPECT_LE(most, 1e-10);                                    \
  } while (0)

// Both as they are made, one of them ours.
class Pair : public testing::Test {
 public:
  void create(const Shape& shape) {
    OK(make("aijnonzero", shape, &ours));
    OK(make(MATAIJ, shape, &stock));
  }
  void TearDown() override {
    OK(MatDestroy(&ours));
    OK(MatDestroy(&stock));
  }
  Mat ours = nullptr, stock = nullptr;
};

class Option {
 public:
  Option(const char* name, const char* value) : name_(name) {
    (void)PetscOptionsSetValue(nullptr, name, value);
  }
  ~Option() { (void)PetscOptionsClearValue(nullptr, name_); }

 private:
  const char* name_;
};

inline PetscErrorCode multiply(Mat A) {
  Vec x, y;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  const PetscErrorCode failed = MatMult(A, x, y);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(failed);
}

inline bool alone() {
  PetscMPIInt ranks = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  return ranks == 1;
}

// What MatView says of a matrix in detail; on other ranks than the first nothing.
inline std::string viewed(Mat A) {
  const char* const path = "petsc-view.txt";
  PetscViewer viewer;
  PetscMPIInt rank = 0;
  std::ostringstream shown;
  (void)PetscViewerASCIIOpen(PETSC_COMM_WORLD, path, &viewer);
  (void)PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO_DETAIL);
  (void)MatView(A, viewer);
  (void)PetscViewerPopFormat(viewer);
  (void)PetscViewerDestroy(&viewer);
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank != 0) return "";
  shown << std::ifstream(path).rdbuf();
  std::remove(path);
  return shown.str();
}

// The block that does the local products.
inline Mat local(Mat A) {
  PetscBool parallel = PETSC_FALSE;
  Mat block = A;
  (void)PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &parallel);
  if (parallel) (void)MatMPIAIJGetSeqAIJ(A, &block, nullptr, nullptr);
  return block;
}

// Whether A's products are others than those that stock PETSc has.
inline bool is_ours(Mat A, Mat stock) {
  for (const MatOperation op :
       {MATOP_MULT, MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE, MATOP_MULT_TRANSPOSE_ADD}) {
    AnyFunction a = nullptr, b = nullptr;
    (void)MatGetOperation(local(A), op, &a);
    (void)MatGetOperation(local(stock), op, &b);
    if (a == b) return false;
  }
  return true;
}

}  // namespace nz::petsc::test
