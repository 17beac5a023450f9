#pragma once
#include <string>

#include "petsc.hpp"

namespace nz::petsc {

// What went through us in this process, for -mat_nonzero_count.
struct Counts {
  long long products = 0, transposed = 0, plans = 0, updates = 0;
  long long several = 0;   // products with a dense matrix
  long long in_place = 0;  // products whose vectors both lay on the plan's GPU
  std::string file{};      // empty: nobody asked
};
Counts& counts();

// Adds a line to the file that was asked for; PETSc calls it at its end.
PetscErrorCode write_counts();

}  // namespace nz::petsc
