#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>

#include "lab/papers/comparison.hpp"

// Chapter 4 of izawa2023: its figures on a TITAN RTX and an A100 as printed, and its tables from
// ours.
namespace nz::lab::izawa2023 {

struct Format {
  std::string_view label;  // of the paper's tables
  std::string_view kernel;
  bool by_block = false;  // its time depends on the size of its blocks
};
// In the order of the tables. The paper's eCSB is the one based on COO.
inline constexpr Format coo{"COO", "gpu/coo/scatter"}, ecsb{"eCSB", "gpu/ecsb/coo-based"},
    csr{"CSR", "gpu/csr/thread-per-row-scatter"},
    csb_baseline{"CSB-baseline", "gpu/csb-baseline/thread-per-block", true},
    gcsb{"GCSB", "gpu/gcsb/thread-per-block", true}, tile{"tile", "gpu/tile/balanced"};
inline constexpr std::array formats{coo, ecsb, csr, csb_baseline, gcsb, tile};  // the last is ours

inline constexpr int block_sizes[] = {128, 64, 32, 16, 8};
inline constexpr int chosen_block = 32;  // by the paper, from tables 4.5 to 4.7
inline constexpr std::string_view titan = "TITAN RTX", a100 = "A100";

// lab/papers/izawa2023.json.
const nlohmann::ordered_json& printed();

// A format on a matrix; what was not measured is no_figure.
struct Measured {
  double n = no_figure, t = no_figure;          // seconds, caches flushed
  double hot_n = no_figure, hot_t = no_figure;  // not flushed
  double bytes = no_figure;                     // of the matrix, padding included

  double both(bool hot = false) const { return hot ? hot_n + hot_t : n + t; }
};
using ByFormat = std::map<std::string, Measured, std::less<>>;  // by label

struct MatrixFigures {
  std::string name;
  bool stand_in = false;
  ByFormat by;
  double rows = no_figure, nonzeros = no_figure;
};

// All that was measured.
struct AllFigures {
  DeviceInfo device;
  std::map<int, ByFormat> ideal;  // by block size
  double ideal_rows = no_figure, ideal_nonzeros = no_figure;
  std::vector<MatrixFigures> named, random;
  std::map<std::string, double, std::less<>> misses;  // "GCSB N": sectors
  std::string why_no_misses;
};

// Columns and starts of titles of the tables.
std::string n_of(std::string_view format);     // "COO N"
std::string t_of(std::string_view format);     // "COO T"
std::string label_of(const MatrixFigures& m);  // with a star for a stand-in
inline constexpr const char *table_gpus = "Table 4.1", *table_ideal = "Table 4.2",
                            *table_named = "Table 4.3", *table_random = "Table 4.4",
                            *table_titan = "Table 4.5", *table_a100 = "Table 4.6",
                            *table_memory = "Table 4.7", *table_misses = "Table 4.8",
                            *named_speed = "Figures 4.3 and 4.4", *named_memory = "Figure 4.5",
                            *random_speed = "Figures 4.6 and 4.7", *random_memory = "Figure 4.8",
                            *study_hot = "Study: tables 4.5 and 4.6",
                            *study_named = "Study: figures 4.3 and 4.4",
                            *study_random = "Study: figures 4.6 and 4.7";

std::vector<Comparison> tables(const AllFigures& f);

// What the paper concludes, given those tables, and whether it holds. Its figures are the A100's
// where it has both, but for those that are said to be the TITAN's. `hot`: judged by the times
// without flushed caches.
std::vector<Claim> claims(const AllFigures& f, const std::vector<Comparison>& tables,
                          bool hot = false);

}  // namespace nz::lab::izawa2023
