#pragma once

#include <nonzero/plan.hpp>

#include "petsc.hpp"

namespace nz::petsc {

// What the user asked for in PETSc's database of options.
struct Options {
  PlanOptions plan;  // op and input are set where a plan is made
  bool explain = false;
};

// Reads -mat_nonzero_* with the prefix of the matrix; says what there is where -help is given.
PetscErrorCode read_options(Mat A, Options* options);

}  // namespace nz::petsc
