#include "lab/papers/chirila2025.hpp"

#include <fmt/format.h>

#include "lab/papers/chirila2025_gpu.hpp"

namespace nz::lab::chirila2025 {

PrintedLines table(int number) {
  return printed_table("chirila2025", fmt::format("Table {}", number));
}

PrintedLines table_of_section() { return printed_table("chirila2025", "Section 5.1.3"); }

PrintedLines gpu_table(int number) { return table(number); }

}  // namespace nz::lab::chirila2025
