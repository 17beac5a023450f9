#include "lab/papers/chirila2025.hpp"

#include <fmt/format.h>

#include "lab/papers/chirila2025_gpu.hpp"

namespace nz::lab::chirila2025 {

PrintedLines table(int number) {
  return printed_table("chirila2025", fmt::format("Table {}", number));
}

PrintedLines gpu_table(int number) { return table(number); }

}  // namespace nz::lab::chirila2025
