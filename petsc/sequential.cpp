#include <string>

#include "gpu.hpp"
#include "guard.hpp"
#include "held.hpp"
#include "products.hpp"
#include "types.hpp"

#if NZ_PETSC_FITS
namespace nz::petsc {
namespace {

// What SeqAIJ itself does, the same for all of them: the first that we get shows it.
struct Own {
  PetscErrorCode (*assembly_end)(Mat, MatAssemblyType) = nullptr;
  PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat*) = nullptr;
  PetscErrorCode (*view)(Mat, PetscViewer) = nullptr;
  PetscErrorCode (*retrieve)(Mat) = nullptr;
} own;

PetscErrorCode adopt(Mat A);

// Inodes put products of their own in when a matrix is assembled: ours are put in again.
PetscErrorCode assembly_end(Mat A, MatAssemblyType mode) {
  PetscBool same;
  PetscFunctionBegin;
  PetscCall((*own.assembly_end)(A, mode));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &same));
  if (same && mode == MAT_FINAL_ASSEMBLY) PetscCall(install_products(A));
  PetscFunctionReturn(0);
}

// A duplicate is ours too, whatever made the first one so.
PetscErrorCode duplicate(Mat A, MatDuplicateOption what, Mat* B) {
  PetscFunctionBegin;
  PetscCall((*own.duplicate)(A, what, B));
  PetscCall(adopt(*B));
  PetscFunctionReturn(0);
}

PetscErrorCode view(Mat A, PetscViewer viewer) {
  PetscBool ascii;
  PetscViewerFormat format;
  Held* held = nullptr;
  PetscFunctionBegin;
  PetscCall((*own.view)(A, viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  PetscCall(find_held(A, &held));
  if (!held) PetscFunctionReturn(0);
  const bool brief = format == PETSC_VIEWER_ASCII_INFO && held->options.explain;
  if (!brief && format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(0);
  std::string text;
  PetscCall(guarded("view", [&] { text = described(*held); }));
  // Before the first product there is nothing to say.
  if (!text.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "%s", text.c_str()));
  PetscFunctionReturn(0);
}

// Brings stored values back without a word to the object's state.
PetscErrorCode retrieve(Mat A) {
  PetscFunctionBegin;
  PetscCall((*own.retrieve)(A));
  PetscCall(forget_values(A));
  PetscFunctionReturn(0);
}

PetscErrorCode adopt(Mat A) {
  AnyFunction now = nullptr;
  Held* held = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOperation(A, MATOP_ASSEMBLY_END, &now));
  if (now == (AnyFunction)assembly_end) {
    PetscCall(install_products(A));
    PetscFunctionReturn(0);
  }
  own.assembly_end = (PetscErrorCode(*)(Mat, MatAssemblyType))now;
  PetscCall(MatGetOperation(A, MATOP_DUPLICATE, &now));
  own.duplicate = (PetscErrorCode(*)(Mat, MatDuplicateOption, Mat*))now;
  PetscCall(MatGetOperation(A, MATOP_VIEW, &now));
  if (now != (AnyFunction)view) own.view = (PetscErrorCode(*)(Mat, PetscViewer))now;
  PetscErrorCode (*stored)(Mat) = nullptr;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatRetrieveValues_C", &stored));
  if (stored && stored != retrieve) own.retrieve = stored;
  PetscCall(MatSetOperation(A, MATOP_ASSEMBLY_END, (AnyFunction)assembly_end));
  PetscCall(MatSetOperation(A, MATOP_DUPLICATE, (AnyFunction)duplicate));
  PetscCall(MatSetOperation(A, MATOP_VIEW, (AnyFunction)view));
  if (stored)
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatRetrieveValues_C", retrieve));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_seqaij_seqaijnonzero_C",
                                       convert_sequential));
  PetscCall(install_products(A));
  PetscCall(install_several(A));
  PetscCall(find_or_make_held(A, &held));  // reads the options: -help and mistakes show now
  PetscFunctionReturn(0);
}

PetscErrorCode begin(Mat A) {
  Held* held = nullptr;
  PetscFunctionBegin;
  PetscCall(adopt(A));
  PetscCall(find_or_make_held(A, &held));
  PetscCall(place_vectors(A, held->options.plan.device));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode convert_sequential(Mat A, MatType, MatReuse reuse, Mat* B) {
  PetscFunctionBegin;
  PetscCall(matrix_to_convert(A, MATSEQAIJ, reuse, B));
  PetscCall(begin(*B));
  PetscFunctionReturn(0);
}

PetscErrorCode create_sequential(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(begin(A));
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
#endif
