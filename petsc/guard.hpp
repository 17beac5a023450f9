#pragma once
#include <exception>
#include <new>

#include <nonzero/error.hpp>

#include "petsc.hpp"

namespace nz::petsc {

// Which of PETSc's numbers stands for an exception.
inline PetscErrorCode code_of(const std::exception& e) {
  if (dynamic_cast<const std::bad_alloc*>(&e) || dynamic_cast<const NoResource*>(&e))
    return PETSC_ERR_MEM;
  if (dynamic_cast<const Refused*>(&e)) return PETSC_ERR_SUP;
  if (dynamic_cast<const InvalidArgument*>(&e) || dynamic_cast<const BadInput*>(&e))
    return PETSC_ERR_ARG_WRONG;
  return PETSC_ERR_LIB;
}

// PETSc is C: no exception may pass through it. What is thrown becomes an error of PETSc's with
// the same text.
template <class Work>
PetscErrorCode guarded(const char* what, Work&& work) {
  PetscFunctionBegin;
  try {
    work();
  } catch (const std::exception& e) {
    SETERRQ(PETSC_COMM_SELF, code_of(e), "nonzero, %s: %s", what, e.what());
  } catch (...) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "nonzero, %s: an unknown exception", what);
  }
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
