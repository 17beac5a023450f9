#pragma once
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>

#include "lab/report/table.hpp"

namespace nz::lab {

inline constexpr const char* solver_record_schema = "nonzero-solve/1";

// What to measure: one iteration of CG and BiCG on a stencil and on a finite-element-like matrix,
// of PageRank on an R-MAT graph, all in f64.
struct SolverBench {
  Device device = cpu_device;
  bool small = false;             // matrices of a few rows, to see that all works
  std::string kernel;             // empty: the plan chooses
  std::vector<std::string> only;  // "cg", "bicg", "pagerank"; empty: all
  int samples = 5;
  int iterations = 100;  // a sample; the first half is not counted
};

// Each case is solved and checked by its true residual first; then the iterations are timed, ours
// and, on a GPU, those of cuSPARSE and cuBLAS in the same run, beside what the bytes of a product
// and of the vectors take at the measured bandwidth. `tell` gets the record so far after each case.
// The emulator is not timed.
nlohmann::ordered_json run_solver_bench(
    const SolverBench& what, const std::function<void(const nlohmann::ordered_json& record)>& tell);

// A table for people.
Table solver_table(const nlohmann::ordered_json& record);

}  // namespace nz::lab
