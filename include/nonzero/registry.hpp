#pragma once
#include <deque>
#include <string_view>
#include <vector>

#include <nonzero/export.hpp>
#include <nonzero/kernel.hpp>

namespace NZ_API nz {

// Every kernel: those of the library in the order of the list, then those added.
const std::deque<Kernel>& kernels();

// Adds kernels of your own, or of another library behind the same interface, under ids that nothing
// has yet that runs on the same kind of device (InvalidArgument, and none of them is added). Call
// it before other threads use the registry.
void add_kernels(std::vector<Kernel> more);

// By full id; the first one added where several kinds of devices have it. Throws InvalidArgument,
// with the nearest names, when there is none.
const Kernel& find_kernel(std::string_view id);

// All kernels whose id matches a pattern with * and ?; "cpu/*/serial".
std::vector<const Kernel*> match_kernels(std::string_view pattern);

// Ids change, but one that a kernel had in the version before goes on to name it, above and in
// files. The id that it has now; any other text as it is. And whether an id, or one that its kernel
// had, matches a pattern.
std::string_view current_id(std::string_view id);
bool id_matches(std::string_view id, std::string_view pattern);

}  // namespace nz
