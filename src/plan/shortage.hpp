#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/kernel.hpp>
#include <nonzero/registry.hpp>

#include "base/size_text.hpp"

namespace nz {

// What a plan could not have, for the error where it can have nothing.
struct Shortage {
  // The smallest of what was over the memory limit.
  std::string smallest{};
  double smallest_bytes = 0;
  // What there was no memory for.
  std::string short_of{};

  void too_large(const Kernel& kernel, double bytes) {
    if (!smallest.empty() && bytes >= smallest_bytes) return;
    smallest = kernel.id();
    smallest_bytes = bytes;
  }
  // `wanted`: the kernel that was asked for, if one was.
  [[noreturn]] void throw_too_large(std::size_t memory_limit, std::string_view wanted,
                                    Device device) const {
    const std::string limit = size_text(static_cast<double>(memory_limit));
    if (!wanted.empty())
      throw NoResource(fmt::format("{} keeps {}, the memory limit is {}", wanted,
                                   size_text(smallest_bytes), limit));
    throw NoResource(
        fmt::format("no kernel keeps this matrix in {} on {}: the smallest, {}, takes {}", limit,
                    device.name(), smallest, size_text(smallest_bytes)));
  }
};

}  // namespace nz
