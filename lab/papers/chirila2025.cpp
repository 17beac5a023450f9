#include "lab/papers/chirila2025.hpp"

#include <fmt/format.h>

#include "lab/papers/chirila2025_gpu.hpp"
#include "lab/report/text.hpp"

namespace nz::lab::chirila2025 {

Budget in_batches(Budget budget, int batch, int fewest_runs) {
  budget.runs_per_sample = batch;
  budget.min_samples = fewest_runs;
  budget.max_samples = runs;
  budget.noise = 0;
  return budget;
}

std::string about_batches(int batch) {
  std::string text = fmt::format("{} runs of {}", runs, plural(batch, "product", "products"));
  if (batch != products)
    text += fmt::format(", times {:.3g}", static_cast<double>(products) / batch);
  return text + fmt::format(", y = {} A x + {} y", alpha, beta);
}

PrintedLines table(int number) {
  return printed_table("chirila2025", fmt::format("Table {}", number));
}

PrintedLines table_of_section() { return printed_table("chirila2025", "Section 5.1.3"); }

PrintedLines gpu_table(int number) { return table(number); }

}  // namespace nz::lab::chirila2025
