#pragma once
#include <vector>

#include "lab/papers/comparison.hpp"

namespace nz::lab::chirila2025 {

// What the paper concludes from tables 1, 2, 3, 5 and 6, given in this order, and whether it holds
// for our figures on so many processors.
std::vector<Claim> claims(const std::vector<Comparison>& tables, int cpus);

}  // namespace nz::lab::chirila2025
