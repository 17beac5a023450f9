#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <nonzero/kernel.hpp>

namespace nz::lab {

// A number that NVIDIA's profiler counted, or why there is none.
struct Counted {
  std::optional<double> number;
  std::string why_not;
};

// What to count: one product of this program in f32, run as a child under ncu.
struct Profiled {
  Device device;
  std::string matrix;  // "gen:ideal"
  std::string kernel;
  Op op = Op::none;
  Parameters parameters{};  // those that the kernel has
};

// Sectors that missed the L1 in the product's last launch: those before it scale y.
Counted count_l1_misses(const Profiled& what);

// The last figure of a metric in what `ncu --csv` prints.
std::optional<double> last_figure(std::string_view csv, std::string_view metric);

}  // namespace nz::lab
