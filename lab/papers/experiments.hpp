#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <nonzero/device.hpp>

#include "lab/papers/comparison.hpp"
#include "lab/papers/trials.hpp"

namespace nz::lab {

struct ExperimentOptions {
  double scale = 1;        // of the paper's matrix: its rows and columns
  bool all = false;        // also what takes minutes and many gigabytes
  Device device{};         // where it runs
  std::string matrices{};  // folder with those that a paper names; stand-ins for what is not there
  Budget budget{.warm_up_seconds = 0, .seconds = 0.4, .min_samples = 5, .noise = 0.01};
  Tell tell{};
};

// An experiment of a paper that this program can repeat.
struct Experiment {
  std::string_view name;  // "chirila2025-cpu"
  std::string_view summary;
  Reproduction (*run)(const ExperimentOptions& options);
  Device::Kind runs_on = Device::Kind::cpu;  // what runs on CUDA runs on the emulator, too
  double seconds = 0.4;                      // of a figure, when nobody says
};

std::span<const Experiment> experiments();

// Throws InvalidArgument with the names there are.
const Experiment& find_experiment(std::string_view name);

Reproduction reproduce_chirila2025_cpu(const ExperimentOptions& options);
// On the emulator everything is verified and nothing timed.
Reproduction reproduce_chirila2025_gpu(const ExperimentOptions& options);
Reproduction reproduce_dinoia2025_cpu(const ExperimentOptions& options);
// Likewise.
Reproduction reproduce_izawa2023(const ExperimentOptions& options);

}  // namespace nz::lab
