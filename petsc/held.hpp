#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nonzero/plan.hpp>

#include "options.hpp"

#if NZ_PETSC_FITS
namespace nz::petsc {

// What a plan was made from, to see whether it still is the same matrix.
struct Origin {
  const PetscInt *rows = nullptr, *columns = nullptr;
  const PetscScalar* values = nullptr;
  PetscInt m = 0, n = 0;
  PetscObjectState state = 0;  // rises with every change that goes through PETSc's interface
  friend bool operator==(const Origin&, const Origin&) = default;
  bool same_arrays(const Origin& o) const {
    return rows == o.rows && columns == o.columns && values == o.values && m == o.m && n == o.n;
  }
  PetscInt nnz() const { return rows ? rows[m] : 0; }
  CsrView<PetscScalar, PetscInt> view() const { return {m, n, nnz(), rows, columns, values}; }
};

// One product of a matrix: N and T have a plan each, made when it is first asked for.
struct Side {
  std::optional<Plan<PetscScalar>> plan;
  // The plan's product on the stream that PETSc's last vectors on a GPU were worked on. It ends
  // before the plan changes.
  std::unique_ptr<BoundProduct<PetscScalar>> bound;
  const void* stream = nullptr;
  Origin from;
  std::uint64_t structure = 0;  // a hash of offsets and columns
  double flops = 0;             // of one product, as PETSc counts them
  // Of a plan on a device: its products, and those with vectors that had to be copied.
  long long products = 0, copied = 0;
};

// All that we keep of a matrix. It is composed with it, so that it ends when the matrix does:
// another matrix may come at the same address.
struct Held {
  Options options;
  Side sides[2];
  Side& side(Op op) { return sides[op == Op::none ? 0 : 1]; }
};

// Null where the matrix has none.
PetscErrorCode find_held(Mat A, Held** held);
PetscErrorCode find_or_make_held(Mat A, Held** held);
// Values were changed in a way that the object's state does not show.
PetscErrorCode forget_values(Mat A);

// The plan for op as the matrix is now. Null where there is nothing to multiply: no rows, no
// columns, no entries.
PetscErrorCode current_plan(Mat A, Op op, Held** held, Side** side);

// What MatView says of the plans there are; empty: none yet.
std::string described(const Held& held);

}  // namespace nz::petsc
#endif
