#pragma once
#include <cuda_runtime_api.h>

namespace nz::simt {

// Throws NoResource when memory or a device is missing, DeviceFault for anything else, both with
// `what`: the call, or the kernel that was launched.
void check_cuda(cudaError_t status, const char* what);

}  // namespace nz::simt
