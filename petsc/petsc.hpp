#pragma once
#include <petscmat.h>

// The types that the plug-in takes: PETSc is configured for one width of integers and one kind of
// scalars, and where ours are others, a refusal is all that is compiled (register.cpp).
#if !defined(PETSC_USE_64BIT_INDICES) && !defined(PETSC_USE_COMPLEX) && \
    (defined(PETSC_USE_REAL_DOUBLE) || defined(PETSC_USE_REAL_SINGLE))
#define NZ_PETSC_FITS 1
#else
#define NZ_PETSC_FITS 0
#endif

// Public in what it does, declared in a private header.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*);

namespace nz::petsc {

// How PETSc passes the functions of a matrix, whatever their arguments.
#if PETSC_VERSION_GE(3, 24, 0)
using AnyFunction = PetscErrorCodeFn*;
#else
using AnyFunction = void (*)(void);
#endif

}  // namespace nz::petsc
