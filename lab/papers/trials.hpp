#pragma once
#include <functional>
#include <map>
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

// The trials of many setups on one matrix, each once. Borrows the matrix.
template <Value T>
class Trials {
 public:
  Trials(const CsrView<T, std::int32_t>& a, std::string matrix, const Budget& budget,
         Device device = cpu_device, std::vector<Op> ops = {Op::none})
      : a_(a),
        matrix_(std::move(matrix)),
        budget_(budget),
        device_(device),
        ops_(std::move(ops)),
        stage_(a) {}

  void run(const std::vector<Setup>& setups, const Tell& tell);

  // Null for a setup and an op that were not run.
  const Trial* find(const Setup& setup, Op op = Op::none) const;

  // Median seconds of one product; NaN when there are none. On a GPU with the caches flushed.
  double seconds(const Setup& setup, Op op = Op::none) const;

  // Why a kernel has no figures: "not built", or what its trials said; empty when it has some.
  std::string missing(std::string_view kernel) const;

  // Appends one object a trial, with the keys of a bench record.
  void add_to(nlohmann::ordered_json& results) const;

 private:
  CsrView<T, std::int32_t> a_;
  std::string matrix_;
  Budget budget_;
  Device device_;
  std::vector<Op> ops_;
  Stage<T, std::int32_t> stage_;
  std::map<Setup, std::vector<Trial>> done_;  // one for each op
};

}  // namespace nz::lab
