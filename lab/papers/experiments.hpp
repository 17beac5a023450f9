#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonzero/device.hpp>

#include "lab/papers/comparison.hpp"
#include "lab/papers/trials.hpp"

namespace nz::lab {

class Recall;

struct ExperimentOptions {
  double scale = 1;         // of the paper's matrices: their rows and nonzeros
  bool all = false;         // also what takes minutes and many gigabytes
  int batch = 200;          // of chirila2025: products timed as a whole; 0: y = A x, one by one
  Device device{};          // the GPU or the emulator; the CPU where there is none
  std::string no_device{};  // why there is none
  std::string matrices{};   // folder with those that a paper names; stand-ins for what is not there
  std::string cache{};      // folder in which generated matrices are kept
  Budget budget{.warm_up_seconds = 0, .seconds = 0.4, .min_samples = 5, .noise = 0.01};
  Budget gpu_budget{.warm_up_seconds = 0, .seconds = 0.03, .min_samples = 5, .noise = 0.01};
  Tell tell{};
  InParts parts{};
  const Recall* recall = nullptr;  // a record to tell again instead of measuring; borrowed

  // Throws InvalidArgument unless scale is above 0 and at most 4.
  void check_scale() const;
};

// An experiment of a paper that this program can repeat.
struct Experiment {
  enum class Needs {
    cpu,
    gpu,    // or the emulator
    either  // the CPU; a GPU, where there is one, for part of its tables
  };
  std::string_view name;   // "chirila2025-cpu", or the paper's where it is all of it
  std::string_view paper;  // "chirila2025"
  std::string_view summary;
  Reproduction (*run)(const ExperimentOptions& options);
  Needs needs = Needs::cpu;
};

std::span<const Experiment> experiments();

// Those of a paper, one by its own name, or "all". Throws InvalidArgument with the names there are.
std::vector<const Experiment*> find_experiments(std::string_view name);

// On the emulator everything is verified and nothing timed.
Reproduction reproduce_chirila2025_cpu(const ExperimentOptions& options);
Reproduction reproduce_chirila2025_gpu(const ExperimentOptions& options);
Reproduction reproduce_messa2025(const ExperimentOptions& options);
Reproduction reproduce_dinoia2025(const ExperimentOptions& options);
Reproduction reproduce_mazzucchi2025(const ExperimentOptions& options);
Reproduction reproduce_izawa2023(const ExperimentOptions& options);

}  // namespace nz::lab
