#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/formats/csr.hpp>

#include "lab/bench/trial.hpp"

namespace nz::lab {

// Hears of progress: so much done of so much, and what comes next.
using Tell = std::function<void(std::uint64_t done, std::uint64_t total, std::string_view what)>;

// One cell of a paper's table: a kernel, how many threads of the CPU, and its parameters; those
// that a kernel does not have are left out.
struct Setup {
  std::string kernel;
  int threads = 1;
  Parameters parameters{};

  friend auto operator<=>(const Setup&, const Setup&) = default;
};

class Recall;

// A run in parts: what the record of the part before has right is not measured again, and after a
// while, or once somebody asked for an end, nothing more is begun.
struct InParts {
  const Recall* before = nullptr;  // borrowed
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();

  bool (*stopped)() = nullptr;

  bool over() const { return (stopped && stopped()) || std::chrono::steady_clock::now() >= until; }
};
// Why a trial has no figures yet.
inline constexpr const char* left_for_later = "left for the next part of the run";

// The trials of many setups on one matrix, each once, or those that a record has of it. Borrows the
// matrix, which a record needs not, and the record.
template <Value T>
class Trials {
 public:
  Trials(const CsrView<T, std::int32_t>& a, std::string matrix, const Budget& budget,
         Device device = cpu_device, std::vector<Op> ops = {Op::none},
         const Recall* recall = nullptr)
      : a_(a),
        matrix_(std::move(matrix)),
        budget_(budget),
        device_(device),
        ops_(std::move(ops)),
        recall_(recall) {}

  // Products are timed as y = alpha A x + beta y; y = A x unless this was called.
  void scale_by(double alpha, double beta) {
    alpha_ = alpha;
    beta_ = beta;
  }

  void in_parts(const InParts& parts) { parts_ = parts; }

  void run(const std::vector<Setup>& setups, const Tell& tell);

  // Null for a setup and an op that were not run.
  const Trial* find(const Setup& setup, Op op = Op::none) const;

  // Median seconds of one product; NaN when there are none. On a GPU with the caches flushed,
  // unless the budget asks for batches.
  double seconds(const Setup& setup, Op op = Op::none) const;

  // Why a kernel has no figures: "not built", or what its trials said; empty when it has some.
  std::string missing(std::string_view kernel) const;

  // Appends one object a trial, with the keys of a bench record.
  void add_to(nlohmann::ordered_json& results) const;

 private:
  // In the order in which a record has them.
  void recall(const std::set<Setup>& setups);
  // Of the part before, where it has all ops of the setup right; empty otherwise.
  std::vector<Trial> measured_before(const Setup& setup) const;

  CsrView<T, std::int32_t> a_;
  std::string matrix_;
  Budget budget_;
  Device device_;
  std::vector<Op> ops_;
  double alpha_ = 1, beta_ = 0;
  const Recall* recall_;
  InParts parts_;
  std::unique_ptr<Stage<T, std::int32_t>> stage_;  // made when first needed
  std::map<Setup, std::vector<Trial>> done_;       // one for each op
  std::set<std::size_t> taken_;                    // of the record
};

}  // namespace nz::lab
