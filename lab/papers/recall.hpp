#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <nonzero/device.hpp>

#include "lab/bench/trial.hpp"
#include "lab/papers/comparison.hpp"

namespace nz::lab {

struct Setup;

// A record of an experiment to be told again: its trials are as they were, tables and conclusions
// are made anew, beside what is known of the paper today.
class Recall {
 public:
  // Throws BadInput, naming the file, unless it is the record of one experiment.
  Recall(nlohmann::ordered_json record, const std::string& file);

  const nlohmann::ordered_json& record() const { return record_; }
  std::string experiment() const { return record_["experiment"]; }
  double scale() const { return record_["scale"]; }
  Device device() const;
  // What the record knows of its GPU, and of the bytes a second that it read.
  DeviceInfo info() const;
  double read() const;
  int threads() const;  // the most that a trial on the CPU had

  // How the trials name a matrix: "like:NAME" where it was made, "NAME.mtx" where it was a file.
  // Empty where it is not among them.
  std::string source_of(std::string_view name) const;
  // The first of them that begins so.
  std::string source_beginning(std::string_view start) const;

  struct Size {
    double rows = no_figure, cols = no_figure, nonzeros = no_figure;
    bool stand_in = false;
  };
  Size size_of(std::string_view source) const;

  // Limits of what a kernel accepts ("max_ratio") do not tell trials apart, and parameters that it
  // lacks do not either; one that it has got since then is as if it had its first value. Of several
  // alike, which setups with and without a parameter's first value make, the first that is not
  // among those taken, then the first.
  std::optional<Trial> find(std::string_view source, const Setup& setup, Op op, bool on_gpu,
                            std::set<std::size_t>* taken = nullptr) const;

  // Whether its trials of a kernel say what that parameter was: it may be younger than the record.
  bool has_parameter(std::string_view kernel, std::string_view parameter) const;

  // Our figure in the first table of the record that begins so, or in any where that is empty;
  // no_figure where there is none.
  double here(std::string_view table, std::string_view line, std::string_view column) const;

  // The record with those tables, conclusions and facts.
  nlohmann::ordered_json retold(const Reproduction& r) const;

 private:
  nlohmann::ordered_json record_;
};

// The facts of the record with the new ones about conclusions in the place of its own.
std::vector<std::string> retold_facts(const Recall& recall, const std::vector<std::string>& anew);

}  // namespace nz::lab
