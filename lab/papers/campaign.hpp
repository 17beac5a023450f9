#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/papers/comparison.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/gpu_watch.hpp"
#include "lab/papers/matrices.hpp"

// What the papers that measure many kernels on many matrices have in common.
namespace nz::lab {

// What one kernel took; what was not measured is no_figure.
struct Shot {
  double seconds = no_figure;  // of a product; on a GPU with the caches flushed
  double hot = no_figure;      // not flushed
  Facts facts{};
};

// A matrix and what all kernels took on it, each by the name that the paper's tables have for it.
struct MatrixShots {
  std::string name;
  std::string label;  // for tables, marked where it is a stand-in
  bool stand_in = false;
  double rows = no_figure, cols = no_figure, nonzeros = no_figure;
  double shortest = no_figure, longest = no_figure;  // row
  std::map<std::string, Shot, std::less<>> by{};

  double mean() const { return nonzeros / rows; }
  // Seconds, hot or cold; on a CPU there is but one.
  double time(std::string_view kernel, bool hot = false) const;
};

// The name of a column, the kernel and where it runs.
struct Contender {
  std::string label;
  Setup setup;
  bool on_gpu = true;
};

// Runs contenders on one matrix after the other. Those for GPUs are left out where there is none.
template <Value T>
class Campaign {
 public:
  Campaign(const ExperimentOptions& options, std::size_t matrices);

  // The matrix of a paper, told of while it is loaded.
  PaperMatrix matrix(std::string_view name, double published, Symmetric symmetric);
  MatrixShots measure(const PaperMatrix& matrix, const std::vector<Contender>& all);
  // A matrix that is left out is a line without figures.
  MatrixShots left_out(std::string_view name, std::string reason);

  bool has_gpu() const { return options_.device != cpu_device; }
  bool emulated() const { return options_.device.kind == Device::Kind::emulator; }
  const std::optional<GpuWatch>& watch() const { return watch_; }

  // Adds the trials, the GPU's state, and facts: which matrices are stand-ins or left out, why
  // there are no figures of a GPU, how many products were right.
  void add_to(Reproduction& r) const;

 private:
  void tell(std::string_view what) const;

  const ExperimentOptions& options_;
  std::optional<GpuWatch> watch_;
  std::uint64_t begun_ = 0, total_ = 0;
  std::vector<std::string> stand_ins_, real_, left_out_;
  nlohmann::ordered_json results_ = nlohmann::ordered_json::array();
};

// The same with at least so many samples of a figure, as many as the paper took.
ExperimentOptions repeated(ExperimentOptions options, int on_cpu, int on_gpu);

// Adds the star's note to tables that have stand-ins among their lines.
void explain_stars(std::vector<Comparison>& tables);

// Facts: how many conclusions hold, and which are others by times without flushed caches. Where the
// matrices are not the paper's size, nothing is concluded: takes the verdicts away and says so.
void conclude(Reproduction& r, const ExperimentOptions& options, const std::vector<Claim>& hot);
// The same where there is but one kind of times.
void conclude(Reproduction& r, const ExperimentOptions& options);

}  // namespace nz::lab
