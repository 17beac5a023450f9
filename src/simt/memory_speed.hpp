#pragma once

namespace nz::simt {

// Bytes a second that the memory of a CUDA device is built for, as its driver tells; 0: not known.
double cuda_memory_speed(int index) noexcept;

}  // namespace nz::simt
