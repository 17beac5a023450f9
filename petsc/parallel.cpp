#include <string>

#include "gpu.hpp"
#include "guard.hpp"
#include "held.hpp"
#include "types.hpp"

#if NZ_PETSC_FITS
namespace nz::petsc {
namespace {

// What MPIAIJ itself does, the same for all of them.
struct Own {
  PetscErrorCode (*assembly_end)(Mat, MatAssemblyType) = nullptr;
  PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat*) = nullptr;
  PetscErrorCode (*view)(Mat, PetscViewer) = nullptr;
} own;

PetscErrorCode adopt(Mat A);

PetscErrorCode adopt_blocks(Mat A) {
  Mat diagonal = nullptr, off_diagonal = nullptr;
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, nullptr));
  for (Mat block : {diagonal, off_diagonal})
    if (block) PetscCall(MatSeqAIJSetType(block, sequential_name));
  PetscFunctionReturn(0);
}

// Blocks are made by preallocation, and the off-diagonal one anew by an assembly. The vector for
// the halo is made for the off-diagonal block in its first assembly: that has to be ours by then.
PetscErrorCode assembly_end(Mat A, MatAssemblyType mode) {
  PetscFunctionBegin;
  if (mode == MAT_FINAL_ASSEMBLY) PetscCall(adopt_blocks(A));
  PetscCall((*own.assembly_end)(A, mode));
  if (mode == MAT_FINAL_ASSEMBLY) PetscCall(adopt_blocks(A));
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Mat A, MatDuplicateOption what, Mat* B) {
  PetscFunctionBegin;
  PetscCall((*own.duplicate)(A, what, B));
  PetscCall(adopt(*B));
  PetscCall(adopt_blocks(*B));
  PetscFunctionReturn(0);
}

// Every rank says what its blocks have, in order.
PetscErrorCode view(Mat A, PetscViewer viewer) {
  PetscBool ascii;
  PetscViewerFormat format;
  PetscFunctionBegin;
  PetscCall((*own.view)(A, viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  Mat blocks[2] = {nullptr, nullptr};
  Held* first = nullptr;
  PetscMPIInt rank = 0;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], nullptr));
  if (blocks[0]) PetscCall(find_held(blocks[0], &first));
  const bool brief = format == PETSC_VIEWER_ASCII_INFO && first && first->options.explain;
  if (!brief && format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(0);
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  for (int b = 0; b < 2; ++b) {
    Held* held = nullptr;
    if (blocks[b]) PetscCall(find_held(blocks[b], &held));
    std::string text;
    if (held) PetscCall(guarded("view", [&] { text = described(*held); }));
    PetscCall(PetscViewerASCIISynchronizedPrintf(
        viewer, "[%d] %s block: %s", rank, b ? "off-diagonal" : "diagonal",
        text.empty() ? "nothing was multiplied\n" : text.c_str()));
  }
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscFunctionReturn(0);
}

PetscErrorCode adopt(Mat A) {
  AnyFunction now = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOperation(A, MATOP_ASSEMBLY_END, &now));
  if (now == (AnyFunction)assembly_end) PetscFunctionReturn(0);
  own.assembly_end = (PetscErrorCode(*)(Mat, MatAssemblyType))now;
  PetscCall(MatGetOperation(A, MATOP_DUPLICATE, &now));
  own.duplicate = (PetscErrorCode(*)(Mat, MatDuplicateOption, Mat*))now;
  PetscCall(MatGetOperation(A, MATOP_VIEW, &now));
  if (now != (AnyFunction)view) own.view = (PetscErrorCode(*)(Mat, PetscViewer))now;
  PetscCall(MatSetOperation(A, MATOP_ASSEMBLY_END, (AnyFunction)assembly_end));
  PetscCall(MatSetOperation(A, MATOP_DUPLICATE, (AnyFunction)duplicate));
  PetscCall(MatSetOperation(A, MATOP_VIEW, (AnyFunction)view));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_mpiaij_mpiaijnonzero_C",
                                       convert_parallel));
  PetscFunctionReturn(0);
}

PetscErrorCode begin(Mat A) {
  Options options;
  PetscFunctionBegin;
  PetscCall(adopt(A));
  PetscCall(read_options(A, &options));
  PetscCall(place_vectors(A, options.plan.device));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode convert_parallel(Mat A, MatType, MatReuse reuse, Mat* B) {
  PetscBool assembled;
  PetscFunctionBegin;
  PetscCall(matrix_to_convert(A, MATMPIAIJ, reuse, B));
  PetscCall(begin(*B));
  PetscCall(MatAssembled(*B, &assembled));
  if (assembled) PetscCall(adopt_blocks(*B));
  PetscFunctionReturn(0);
}

PetscErrorCode create_parallel(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATMPIAIJ));
  PetscCall(begin(A));
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
#endif
