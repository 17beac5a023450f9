#pragma once
#include <vector>

#include "lab/papers/chirila2025_gpu.hpp"

namespace nz::lab::chirila2025 {

// Says beside the tables of gpu_tables() what is different on this GPU, and why.
void add_notes(const GpuFigures& f, std::vector<Comparison>& tables);

}  // namespace nz::lab::chirila2025
