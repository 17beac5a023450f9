#pragma once
#include "petsc.hpp"

namespace nz::petsc {

// Puts our products where the matrix had PETSc's.
PetscErrorCode install_products(Mat A);
// The same for products of a sequential matrix with a dense one.
PetscErrorCode install_several(Mat A);

}  // namespace nz::petsc
