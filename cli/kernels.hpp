#pragma once
#include <string>
#include <vector>

#include <nonzero/kernel.hpp>

namespace nz::cli {

// Kernels by pattern; a word without * or ? also finds the ids it is a part of; "" finds all of
// our own, but not the peers.
std::vector<const Kernel*> select_kernels(const std::string& pattern);

}  // namespace nz::cli
