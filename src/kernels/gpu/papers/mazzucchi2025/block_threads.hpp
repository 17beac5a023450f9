#pragma once
#include "kernels/gpu/gpu_product.hpp"

namespace nz::NZ_HOME {

// Threads a block in mazzucchi2025's program; its text does not print them.
constexpr int block_threads = 128;

}  // namespace nz::NZ_HOME
