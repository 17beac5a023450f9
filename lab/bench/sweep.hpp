#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nonzero/kernel.hpp>

namespace nz::lab {

// What a sweep tries of a parameter: all values of a short range, otherwise its initial value and
// powers of two, at most `most` in all.
std::vector<std::int64_t> usual_values(const Parameter& p, std::size_t most = 8);

// "1,4,9" or "32..1024", which doubles from the first to the last. Throws InvalidArgument.
std::vector<std::int64_t> parse_values(const std::string& name, const std::string& text);

// The parameters of a sweep with their values, in the kernel's order: those of `wanted`, otherwise
// the kernel's first two. Throws InvalidArgument for a kernel without parameters, a name it does
// not have or a value out of range.
struct Swept {
  std::string name;
  std::vector<std::int64_t> values;
};
std::vector<Swept> swept_parameters(const Kernel& kernel,
                                    const std::map<std::string, std::vector<std::int64_t>>& wanted);

}  // namespace nz::lab
