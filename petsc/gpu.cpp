#include "gpu.hpp"

#if NZ_PETSC_CUDA
#include <petscdevice.h>
#endif

namespace nz::petsc {

PetscErrorCode gpu_of_petsc(std::optional<Device>* gpu) {
  PetscFunctionBegin;
  gpu->reset();
#if NZ_PETSC_CUDA
  static std::optional<Device> known;  // it stays the same until the process ends
  if (!known) {
    PetscDevice device = nullptr;
    PetscInt index = 0;
    PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
    PetscCall(PetscDeviceCreate(PETSC_DEVICE_CUDA, PETSC_DECIDE, &device));
    PetscCall(PetscDeviceGetDeviceId(device, &index));
    PetscCall(PetscDeviceDestroy(&device));
    known = Device{Device::Kind::cuda, static_cast<int>(index)};
  }
  *gpu = known;
#endif
  PetscFunctionReturn(0);
}

PetscErrorCode shares_gpu(Device device, bool* shares) {
  PetscFunctionBegin;
  *shares = false;
  if (device.kind == Device::Kind::cuda) {
    std::optional<Device> gpu;
    PetscCall(gpu_of_petsc(&gpu));
    *shares = gpu == device;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode stream_of_petsc(Device gpu, StreamView* stream) {
  PetscFunctionBegin;
  *stream = {};
#if NZ_PETSC_CUDA
  PetscDeviceContext context = nullptr;
  PetscDeviceType type = PETSC_DEVICE_HOST;
  void* handle = nullptr;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDeviceType(context, &type));
  PetscCheck(type == PETSC_DEVICE_CUDA, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "nonzero: vectors on a GPU, but PETSc's current device context is of type %s",
             PetscDeviceTypes[type]);
  PetscCall(PetscDeviceContextGetStreamHandle(context, &handle));
  *stream = {gpu, *static_cast<CUstream_st**>(handle)};
#else
  (void)gpu;
#endif
  PetscFunctionReturn(0);
}

PetscErrorCode place_vectors(Mat A, const std::optional<Device>& device) {
  bool shares = false;
  PetscFunctionBegin;
  if (device) PetscCall(shares_gpu(*device, &shares));
  if (shares) PetscCall(MatSetVecType(A, VECCUDA));
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
