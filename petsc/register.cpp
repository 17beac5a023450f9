#include <nonzero/types.hpp>

#include "counts.hpp"
#include "types.hpp"

namespace {

// The library that is loaded may be another one than ours was compiled with.
PetscErrorCode check_widths() {
  std::size_t integer = 0, scalar = 0;
  PetscDataType type = PETSC_DATATYPE_UNKNOWN;
  PetscBool found = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &integer));
  PetscCheck(integer == sizeof(PetscInt) && integer == sizeof(nz::index_t), PETSC_COMM_SELF,
             PETSC_ERR_SUP,
             "nonzero counts rows and columns in %d bits: PetscInt has %d in this PETSc, %d in the "
             "one that libnonzero_petsc was compiled with (configure PETSc without "
             "--with-64-bit-indices)",
             static_cast<int>(8 * sizeof(nz::index_t)), static_cast<int>(8 * integer),
             static_cast<int>(8 * sizeof(PetscInt)));
  PetscCall(PetscDataTypeFromString("Scalar", &type, &found));
  if (found) PetscCall(PetscDataTypeGetSize(type, &scalar));
  PetscCheck(NZ_PETSC_FITS && (!found || (type != PETSC_COMPLEX && scalar == sizeof(PetscScalar))),
             PETSC_COMM_SELF, PETSC_ERR_SUP,
             "nonzero multiplies real numbers, float or double: PetscScalar is complex, or another "
             "one than libnonzero_petsc was compiled with");
  PetscFunctionReturn(0);
}

}  // namespace

// PETSc calls it when it loads the library (-dll_append libnonzero_petsc.so).
extern "C" [[gnu::visibility("default")]] PetscErrorCode PetscDLLibraryRegister_nonzero_petsc() {
  PetscFunctionBegin;
  PetscCall(check_widths());
#if NZ_PETSC_FITS
  using namespace nz::petsc;
  PetscCall(MatInitializePackage());
  PetscCall(MatSeqAIJRegister(sequential_name, convert_sequential));
  PetscCall(MatRegister(sequential_name, create_sequential));
  PetscCall(MatRegister(parallel_name, create_parallel));
  PetscCall(MatRegisterRootName(root_name, sequential_name, parallel_name));
  PetscCall(PetscRegisterFinalize(write_counts));
#endif
  PetscFunctionReturn(0);
}
