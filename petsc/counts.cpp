#include "counts.hpp"

#include <cstdio>

namespace nz::petsc {

Counts& counts() {
  static Counts all;
  return all;
}

PetscErrorCode write_counts() {
  PetscFunctionBegin;
  const Counts& c = counts();
  if (c.file.empty()) PetscFunctionReturn(0);
  FILE* file = std::fopen(c.file.c_str(), "a");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-mat_nonzero_count: cannot open %s",
             c.file.c_str());
  // One write, so that lines of several ranks do not mix.
  std::setvbuf(file, nullptr, _IOFBF, 4096);
  std::fprintf(file,
               "products %lld transposed %lld plans %lld updates %lld in_place %lld several %lld\n",
               c.products, c.transposed, c.plans, c.updates, c.in_place, c.several);
  PetscCheck(std::fclose(file) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
             "-mat_nonzero_count: cannot write %s", c.file.c_str());
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
