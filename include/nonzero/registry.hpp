#pragma once
#include <span>
#include <string_view>
#include <vector>

#include <nonzero/kernel.hpp>

namespace nz {

// Every kernel of the library, in the order of the list.
std::span<const Kernel> kernels();

// By full id. Throws InvalidArgument, with the nearest names, when there is none.
const Kernel& find_kernel(std::string_view id);

// All kernels whose id matches a pattern with * and ?; "cpu/*/serial".
std::vector<const Kernel*> match_kernels(std::string_view pattern);

}  // namespace nz
