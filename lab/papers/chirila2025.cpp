#include "lab/papers/chirila2025.hpp"

#include <fmt/format.h>

#include "lab/papers/chirila2025_gpu.hpp"

namespace nz::lab::chirila2025 {

Budget in_batches(Budget budget, int fewest_runs) {
  budget.runs_per_sample = products;
  budget.min_samples = fewest_runs;
  budget.max_samples = runs;
  budget.noise = 0;
  return budget;
}

PrintedLines table(int number) {
  return printed_table("chirila2025", fmt::format("Table {}", number));
}

PrintedLines table_of_section() { return printed_table("chirila2025", "Section 5.1.3"); }

PrintedLines gpu_table(int number) { return table(number); }

}  // namespace nz::lab::chirila2025
