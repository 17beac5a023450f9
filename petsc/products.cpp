#include "products.hpp"

#include <span>

#include "counts.hpp"
#include "gpu.hpp"
#include "guard.hpp"
#include "held.hpp"

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

// A plan on the GPU that PETSc has too takes vectors where they lie (there); for another one PETSc
// brings them to the host.
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

// Counts the products of plans on devices; the first with copies is told of.
PetscErrorCode note(const Options& options, Side& side, bool in_place) {
  PetscFunctionBegin;
  if (side.plan->device() == cpu_device) PetscFunctionReturn(0);
  ++side.products;
  if (in_place) {
    ++counts().in_place;
    PetscFunctionReturn(0);
  }
  if (++side.copied == 1 && options.explain)
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "nonzero: the plan is on %s and the vectors are not both there: copies "
                          "of them will take most of the time\n",
                          side.plan->device().name().c_str()));
  PetscFunctionReturn(0);
}

// Both vectors lie on the plan's GPU: the product is put on PETSc's stream, and nobody waits. What
// was bound to the stream before serves again.
void queue(Side& side, Op op, const Read& x, bool add, const Write& y, StreamView stream) {
  if (!side.bound || side.stream != stream.handle) {
    side.bound = side.plan->bind(op, stream);
    side.stream = stream.handle;
  }
  side.bound->enqueue(1, x.data, add ? 1 : 0, y.data);
}

void run(Side& side, Op op, const Read& x, bool add, const Write& y, StreamView stream) {
  side.plan->multiply(1, std::span(x.data, static_cast<std::size_t>(x.size)), add ? 1 : 0,
                      std::span(y.data, static_cast<std::size_t>(y.size)), op, stream);
#ifdef NZ_PETSC_PLANTED
  if (y.size > 0 && PetscMemTypeHost(y.where)) y.data[0] *= static_cast<PetscScalar>(1.001);
#endif
}

// y = op(A) x, or y += op(A) x.
PetscErrorCode multiply(Mat A, Vec x, Vec y, Op op, bool add) {
  Held* held = nullptr;
  Side* side = nullptr;
  Read from;
  Write to;
  bool there = false;
  StreamView stream;
  PetscFunctionBegin;
  PetscCall(current_plan(A, op, &held, &side));
  if (!side) {
    if (!add) PetscCall(VecSet(y, 0));
    PetscFunctionReturn(0);
  }
  PetscCall(shares_gpu(side->plan->device(), &there));
  PetscCall(open(x, there, &from));
  PetscCall(open(y, there, add, &to));
  const bool x_there = PetscMemTypeDevice(from.where), y_there = PetscMemTypeDevice(to.where);
  // With one of them in host memory the product still has to come after what PETSc did to the
  // other.
  // Whatever fails, the vectors are closed again.
  PetscErrorCode failed =
      x_there || y_there ? stream_of_petsc(side->plan->device(), &stream) : PetscErrorCode(0);
  if (there && !failed) failed = PetscLogGpuTimeBegin();
  if (!failed) {
    failed = guarded("multiplying", [&] {
      if (x_there && y_there)
        queue(*side, op, from, add, to, stream);
      else
        run(*side, op, from, add, to, stream);
    });
    if (there) PetscCall(PetscLogGpuTimeEnd());
  }
  PetscCall(close(y, there, add, &to));
  PetscCall(close(x, there, &from));
  PetscCall(failed);
  ++(op == Op::none ? counts().products : counts().transposed);
  PetscCall(note(held->options, *side, x_there && y_there));
  if (there)
    PetscCall(PetscLogGpuFlops(side->flops));
  else
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
  PetscCall(MatSetOperation(A, MATOP_MULT, (AnyFunction)mult));
  PetscCall(MatSetOperation(A, MATOP_MULT_ADD, (AnyFunction)mult_add));
  PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE, (AnyFunction)mult_transpose));
  PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE_ADD, (AnyFunction)mult_transpose_add));
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
#endif
