#pragma once
#include <map>
#include <string>
#include <vector>

#include "lab/report/runs.hpp"

namespace nz::lab {

// The times of one kernel on all matrices of a variant, each on the threads and with the parameters
// that suit it best.
struct Standing {
  std::string kernel;  // "plan" for what a plan chooses
  bool peer = false;
  // One a matrix, in the order of Standings::matrices; null where it has no time.
  std::vector<const Result*> results;
  std::size_t tried = 0;  // matrices it was measured on, or refused
  double score = 0;       // the mean of the best time over its own; 0 where it has none

  // The share of the matrices on which its time is at most `factor` of the best one.
  double within(double factor, const std::vector<double>& best) const;
};

struct Standings {
  std::vector<std::string> matrices;  // with a time of any kernel
  std::vector<double> best;           // the best time of each
  std::vector<Standing> kernels;      // the highest score first
};
Standings standings(const Run& run, const Variant& variant);

// The first few that were tried on every matrix, but at least one peer where there is any.
std::vector<const Standing*> leaders(const Standings& all, std::size_t most);

}  // namespace nz::lab
