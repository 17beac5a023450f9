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

// Public in what it does, declared in a private header until PETSc 3.20.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*);
