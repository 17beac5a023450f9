#pragma once
#include "petsc.hpp"

namespace nz::petsc {

// Puts our products where the matrix had PETSc's.
PetscErrorCode install_products(Mat A);

}  // namespace nz::petsc
