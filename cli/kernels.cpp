#include "cli/kernels.hpp"

#include <nonzero/registry.hpp>

namespace nz::cli {

std::vector<const Kernel*> select_kernels(const std::string& pattern) {
  if (pattern.empty()) {
    auto own = match_kernels("*");
    std::erase_if(own, [](const Kernel* k) { return k->device == "peer"; });
    return own;
  }
  auto found = match_kernels(pattern);
  if (found.empty() && pattern.find_first_of("*?") == pattern.npos)
    found = match_kernels("*" + pattern + "*");
  return found;
}

}  // namespace nz::cli
