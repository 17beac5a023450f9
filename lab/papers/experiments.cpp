#include "lab/papers/experiments.hpp"

#include <string>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz::lab {

std::span<const Experiment> experiments() {
  static constexpr Experiment all[] = {
      {"chirila2025-cpu", "BSR strategies with OpenMP: tables 1, 2, 3, 5 and 6",
       reproduce_chirila2025_cpu},
      {"chirila2025-gpu", "BSR strategies on a GPU: tables 7 to 13", reproduce_chirila2025_gpu,
       Device::Kind::cuda, 0.03},
      {"dinoia2025-cpu", "COO and CSR on one thread: table III", reproduce_dinoia2025_cpu},
      {"izawa2023", "A x and A' x from one copy on a GPU: tables 4.5 to 4.8, figures 4.3 to 4.8",
       reproduce_izawa2023, Device::Kind::cuda, 0.03}};
  return all;
}

const Experiment& find_experiment(std::string_view name) {
  std::string names;
  for (const Experiment& e : experiments()) {
    if (e.name == name) return e;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", e.name);
  }
  throw InvalidArgument(fmt::format("no experiment '{}'; there are: {}", name, names));
}

}  // namespace nz::lab
