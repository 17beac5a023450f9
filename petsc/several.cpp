#include <nonzero/dense.hpp>

#include "counts.hpp"
#include "guard.hpp"
#include "held.hpp"
#include "products.hpp"

// Products with a dense matrix, whose columns are several vectors: C = A B and C = A^T B. PETSc
// asks A for the functions that make such a product before it asks B, which has PETSc's own: ours
// calls that one, so that C is made as always, and then takes the place of its numerical part.
#if NZ_PETSC_FITS
namespace nz::petsc {
namespace {

constexpr const char* asked_for = "MatProductSetFromOptions_seqaij_seqdense_C";

// PETSc's own, one for each of the two products.
struct Own {
  PetscErrorCode (*symbolic)(Mat) = nullptr;
} own[2];
Own& own_of(Op op) { return own[op == Op::none ? 0 : 1]; }

PetscErrorCode multiply(Mat A, Mat B, Mat C, Op op) {
  Held* held = nullptr;
  Side* side = nullptr;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscInt in = 0, out = 0, columns = 0, from_leading = 0, to_leading = 0;
  PetscFunctionBegin;
  PetscCall(current_plan(A, op, &held, &side));
  if (!side) {
    PetscCall(MatZeroEntries(C));
    PetscFunctionReturn(0);
  }
  PetscCall(MatGetSize(B, &in, &columns));
  PetscCall(MatGetSize(C, &out, nullptr));
  PetscCall(MatDenseGetLDA(B, &from_leading));
  PetscCall(MatDenseGetLDA(C, &to_leading));
  PetscCall(MatDenseGetArrayRead(B, &from));
  PetscCall(MatDenseGetArrayWrite(C, &to));
  const PetscErrorCode failed = guarded("multiplying several vectors", [&] {
    side->plan->multiply(1, column_major(from, in, columns, from_leading), 0,
                         column_major(to, out, columns, to_leading), op);
#ifdef NZ_PETSC_PLANTED
    if (out > 0)
      for (PetscInt j = 0; j < columns; ++j) to[j * to_leading] *= static_cast<PetscScalar>(1.001);
#endif
  });
  PetscCall(MatDenseRestoreArrayWrite(C, &to));
  PetscCall(MatDenseRestoreArrayRead(B, &from));
  PetscCall(failed);
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  ++counts().several;
  if (side->plan->device() != cpu_device) ++side->products, ++side->copied;
  PetscCall(PetscLogFlops(2.0 * side->from.nnz() * columns));  // as PETSc counts here
  PetscFunctionReturn(0);
}

template <Op op>
PetscErrorCode numeric(Mat C) {
  Mat A = nullptr, B = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(multiply(A, B, C, op));
  PetscFunctionReturn(0);
}

template <Op op>
PetscErrorCode symbolic(Mat C) {
  PetscFunctionBegin;
  PetscCall((*own_of(op).symbolic)(C));
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (AnyFunction)numeric<op>));
  PetscFunctionReturn(0);
}

template <Op op>
PetscErrorCode take_over(Mat C) {
  AnyFunction now = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOperation(C, MATOP_PRODUCTSYMBOLIC, &now));
  if (!now || now == (AnyFunction)symbolic<op>) PetscFunctionReturn(0);
  own_of(op).symbolic = (PetscErrorCode(*)(Mat))now;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (AnyFunction)symbolic<op>));
  PetscFunctionReturn(0);
}

PetscErrorCode set_from_options(Mat C) {
  Mat A = nullptr, B = nullptr;
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscErrorCode (*stock)(Mat) = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(MatProductGetType(C, &type));
  PetscCall(PetscObjectQueryFunction((PetscObject)B, asked_for, &stock));
  // Nothing is set then, and PETSc goes on to look for somebody who knows.
  if (!stock || stock == set_from_options) PetscFunctionReturn(0);
  PetscCall((*stock)(C));
  if (type == MATPRODUCT_AB) PetscCall(take_over<Op::none>(C));
  if (type == MATPRODUCT_AtB) PetscCall(take_over<Op::transpose>(C));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode install_several(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, asked_for, set_from_options));
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
#endif
