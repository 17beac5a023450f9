#pragma once
#include <optional>

#include <nonzero/device.hpp>

#include "petsc.hpp"

// What PETSc's devices are to ours. Its streams can be had from outside since PETSc 3.20; with an
// older one, or one without CUDA, vectors are taken from host memory.
#if PetscDefined(HAVE_CUDA) && PETSC_VERSION_GE(3, 20, 0)
#define NZ_PETSC_CUDA 1
#else
#define NZ_PETSC_CUDA 0
#endif

namespace nz::petsc {

// The GPU that PETSc gave this process; nothing where it has none. Wakes PETSc's CUDA.
PetscErrorCode gpu_of_petsc(std::optional<Device>* gpu);

// Whether vectors of PETSc's that lie on a GPU lie on this device.
PetscErrorCode shares_gpu(Device device, bool* shares);

// The stream that PETSc works on now, on the GPU that it gave this process.
PetscErrorCode stream_of_petsc(Device gpu, StreamView* stream);

// Vectors that are made for the matrix from now on, KSP's work vectors and MPIAIJ's halo among
// them, lie on the device that was asked for, where PETSc can.
PetscErrorCode place_vectors(Mat A, const std::optional<Device>& device);

}  // namespace nz::petsc
