#include "products.hpp"

#include <span>

#include "counts.hpp"
#include "guard.hpp"
#include "held.hpp"

#if PetscDefined(HAVE_CUDA)
#include <petscdevice_cuda.h>
#endif

#if NZ_PETSC_FITS
namespace nz::petsc {
namespace {

// Where a vector lies, and how to give it back.
struct Read {
  const PetscScalar* data = nullptr;
  PetscInt size = 0;
  PetscMemType where = PETSC_MEMTYPE_HOST;
};
struct Write {
  PetscScalar* data = nullptr;
  PetscInt size = 0;
  PetscMemType where = PETSC_MEMTYPE_HOST;
};

// A plan on a GPU takes vectors where they lie; one on the CPU has them brought to the host.
PetscErrorCode open(Vec x, bool there, Read* r) {
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &r->size));
  if (there)
    PetscCall(VecGetArrayReadAndMemType(x, &r->data, &r->where));
  else
    PetscCall(VecGetArrayRead(x, &r->data));
  PetscFunctionReturn(0);
}
PetscErrorCode close(Vec x, bool there, Read* r) {
  PetscFunctionBegin;
  if (there)
    PetscCall(VecRestoreArrayReadAndMemType(x, &r->data));
  else
    PetscCall(VecRestoreArrayRead(x, &r->data));
  PetscFunctionReturn(0);
}
PetscErrorCode open(Vec y, bool there, bool add, Write* w) {
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &w->size));
  if (there && add)
    PetscCall(VecGetArrayAndMemType(y, &w->data, &w->where));
  else if (there)
    PetscCall(VecGetArrayWriteAndMemType(y, &w->data, &w->where));
  else if (add)
    PetscCall(VecGetArray(y, &w->data));
  else
    PetscCall(VecGetArrayWrite(y, &w->data));
  PetscFunctionReturn(0);
}
PetscErrorCode close(Vec y, bool there, bool add, Write* w) {
  PetscFunctionBegin;
  if (there && add)
    PetscCall(VecRestoreArrayAndMemType(y, &w->data));
  else if (there)
    PetscCall(VecRestoreArrayWriteAndMemType(y, &w->data));
  else if (add)
    PetscCall(VecRestoreArray(y, &w->data));
  else
    PetscCall(VecRestoreArrayWrite(y, &w->data));
  PetscFunctionReturn(0);
}

// PETSc's own stream for vectors that lie on the GPU, so that its next step follows ours.
StreamView stream_for(const Plan<PetscScalar>& plan, PetscMemType where) {
#if PetscDefined(HAVE_CUDA)
  if (plan.device().kind == Device::Kind::cuda && PetscMemTypeCUDA(where))
    return {plan.device(), PetscDefaultCudaStream};
#endif
  (void)plan;
  (void)where;
  return {};
}

PetscErrorCode warn_of_copies(const Options& options, Side& side, PetscMemType where) {
  PetscFunctionBegin;
  if (!options.explain || side.warned || side.plan->device() == cpu_device ||
      !PetscMemTypeHost(where))
    PetscFunctionReturn(0);
  side.warned = true;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "nonzero: the vectors are in host memory and the plan is on %s: copies "
                        "between them will take most of the time\n",
                        side.plan->device().name().c_str()));
  PetscFunctionReturn(0);
}

// y = op(A) x, or y += op(A) x.
PetscErrorCode multiply(Mat A, Vec x, Vec y, Op op, bool add) {
  Held* held = nullptr;
  Side* side = nullptr;
  Read from;
  Write to;
  PetscFunctionBegin;
  PetscCall(current_plan(A, op, &held, &side));
  if (!side) {
    if (!add) PetscCall(VecSet(y, 0));
    PetscFunctionReturn(0);
  }
  const Plan<PetscScalar>& plan = *side->plan;
  const bool there = plan.device() != cpu_device;
  PetscCall(open(x, there, &from));
  PetscCall(open(y, there, add, &to));
  PetscCall(warn_of_copies(held->options, *side, to.where));
  const PetscErrorCode failed = guarded("multiplying", [&] {
    plan.multiply(1, std::span(from.data, static_cast<std::size_t>(from.size)), add ? 1 : 0,
                  std::span(to.data, static_cast<std::size_t>(to.size)), op,
                  stream_for(plan, to.where));
#ifdef NZ_PETSC_PLANTED
    if (to.size > 0) to.data[0] *= static_cast<PetscScalar>(1.001);
#endif
  });
  PetscCall(close(y, there, add, &to));
  PetscCall(close(x, there, &from));
  PetscCall(failed);
  ++(op == Op::none ? counts().products : counts().transposed);
  PetscCall(PetscLogFlops(side->flops));
  PetscFunctionReturn(0);
}

PetscErrorCode mult(Mat A, Vec x, Vec y) {
  PetscFunctionBegin;
  PetscCall(multiply(A, x, y, Op::none, false));
  PetscFunctionReturn(0);
}
PetscErrorCode mult_transpose(Mat A, Vec x, Vec y) {
  PetscFunctionBegin;
  PetscCall(multiply(A, x, y, Op::transpose, false));
  PetscFunctionReturn(0);
}
// z = y + op(A) x. PETSc's parallel product has y = z, where nothing is copied.
PetscErrorCode mult_add(Mat A, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(multiply(A, x, z, Op::none, true));
  PetscFunctionReturn(0);
}
PetscErrorCode mult_transpose_add(Mat A, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(multiply(A, x, z, Op::transpose, true));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode install_products(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetOperation(A, MATOP_MULT, (void (*)(void))mult));
  PetscCall(MatSetOperation(A, MATOP_MULT_ADD, (void (*)(void))mult_add));
  PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE, (void (*)(void))mult_transpose));
  PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE_ADD, (void (*)(void))mult_transpose_add));
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
#endif
