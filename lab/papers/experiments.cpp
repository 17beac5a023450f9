#include "lab/papers/experiments.hpp"

#include <string>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz::lab {

std::span<const Experiment> experiments() {
  using enum Experiment::Needs;
  static constexpr Experiment all[] = {
      {"chirila2025-cpu", "chirila2025",
       "BSR strategies with OpenMP: tables 1, 2, 3, 5 and 6, figures 1 to 5",
       reproduce_chirila2025_cpu, cpu},
      {"chirila2025-gpu", "chirila2025", "BSR strategies on a GPU: tables 4 and 7 to 13, figure 6",
       reproduce_chirila2025_gpu, gpu},
      {"messa2025", "messa2025",
       "CSR, four kernels in two forms against cuSPARSE: tables I to III, figures 3 and 4",
       reproduce_messa2025, gpu},
      {"dinoia2025", "dinoia2025",
       "COO by atomics and prefix sums, CPU and GPU: tables I to VI, figures 8 to 17",
       reproduce_dinoia2025, either},
      {"mazzucchi2025", "mazzucchi2025",
       "CSR by threads and by warps, CPU and GPU: tables I and II, figures 2 to 4",
       reproduce_mazzucchi2025, either},
      {"izawa2023", "izawa2023",
       "A x and A' x from one copy on a GPU: tables 4.1 to 4.8, figures 4.3 to 4.8",
       reproduce_izawa2023, gpu}};
  return all;
}

std::vector<const Experiment*> find_experiments(std::string_view name) {
  std::vector<const Experiment*> found;
  std::string names = "all";
  std::string_view last;
  for (const Experiment& e : experiments()) {
    if (name == "all" || e.name == name || e.paper == name) found.push_back(&e);
    if (e.paper != last && e.paper != e.name) names += fmt::format(", {}", e.paper);
    names += fmt::format(", {}", e.name);
    last = e.paper;
  }
  if (found.empty())
    throw InvalidArgument(fmt::format("no experiment '{}'; there are: {}", name, names));
  return found;
}

void ExperimentOptions::check_scale() const {
  if (!(scale > 0 && scale <= 4))
    throw InvalidArgument(fmt::format("scale {} is not between 0 and 4", scale));
}

}  // namespace nz::lab
