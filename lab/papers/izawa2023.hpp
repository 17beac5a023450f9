#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>

#include "lab/papers/comparison.hpp"
#include "lab/papers/pictures.hpp"

// Chapter 4 of izawa2023: its figures on a TITAN RTX and an A100 as printed, and its tables from
// ours.
namespace nz::lab::izawa2023 {

struct Format {
  std::string_view label;  // of the paper's tables
  std::string_view kernel;
  bool by_block = false;         // its time depends on the size of its blocks
  std::string_view parameter{};  // of the kernel that tells it from others on the same
  std::int64_t value = 0;
};
// In the order of the tables. The paper's eCSB is the one based on COO.
inline constexpr Format coo{"COO", "gpu/coo/scatter"}, ecsb{"eCSB", "gpu/ecsb/coo-based"},
    csr{"CSR", "gpu/csr/thread-per-row-scatter"},
    csb_baseline{"CSB-baseline", "gpu/csb-baseline/thread-per-block", true, "order", 0},
    gcsb{"GCSB", "gpu/gcsb/thread-per-block", true, "leave", 0}, tile{"tile", "gpu/tile/balanced"};
inline constexpr std::array formats{coo, ecsb, csr, csb_baseline, gcsb, tile};  // the last is ours

// What the studies set beside them: the order of blocks that §3.2.1 allows, GCSB whose threads
// leave at the padding, and GCSB without padding (§5.2).
inline constexpr Format ordered{"CSB-baseline, fullest first", csb_baseline.kernel, true, "order",
                                1},
    leaving{"GCSB, leaving", gcsb.kernel, true, "leave", 1},
    jagged{"GCSB, no padding", "gpu/gcsb/jagged", true};
inline constexpr std::array variants{ordered, leaving, jagged};
// Figures 2.15 and 2.16, and the same with slots by columns.
inline constexpr Format ell{"ELL", "gpu/ell/thread-per-row-row-major"},
    ell_by_columns{"ELL by columns", "gpu/ell/thread-per-row"};
inline constexpr std::array ells{ell, ell_by_columns};

inline constexpr int block_sizes[] = {128, 64, 32, 16, 8};
inline constexpr int balanced_block = 128;  // of the ideal matrix
inline constexpr int chosen_block = 32;     // by the paper, from tables 4.5 to 4.7
inline constexpr std::string_view titan = "TITAN RTX", a100 = "A100";

// lab/papers/izawa2023.json.
const nlohmann::ordered_json& printed();

// A format on a matrix; what was not measured is no_figure.
struct Measured {
  double n = no_figure, t = no_figure;          // seconds, caches flushed
  double hot_n = no_figure, hot_t = no_figure;  // not flushed
  double bytes = no_figure;                     // of the matrix, padding included
  double fill = no_figure;                      // slots a nonzero, where it says

  double both(bool hot = false) const { return hot ? hot_n + hot_t : n + t; }
};
using ByFormat = std::map<std::string, Measured, std::less<>>;  // by label

struct MatrixFigures {
  std::string name;
  bool stand_in = false;
  ByFormat by;
  double rows = no_figure, nonzeros = no_figure;
};

// Figure 4.2: of the blocks side by side, the nonzeros of the emptiest and of the fullest.
struct BlockRow {
  double least = no_figure, most = no_figure;
};

// All that was measured.
struct AllFigures {
  DeviceInfo device;
  std::map<int, ByFormat> ideal;  // by block size
  double ideal_rows = no_figure, ideal_nonzeros = no_figure;
  std::vector<MatrixFigures> named, random;
  std::map<std::string, double, std::less<>> misses;  // "GCSB N": sectors
  std::string why_no_misses;
  Pictures pictures{};                   // figure 4.1
  std::vector<BlockRow> ideal_blocks{};  // figure 4.2
  bool gcsb_leaves = false;              // a record of before GCSB's kernel was as printed
};

// Columns and starts of titles of the tables.
std::string n_of(std::string_view format);     // "COO N"
std::string t_of(std::string_view format);     // "COO T"
std::string label_of(const MatrixFigures& m);  // with a star for a stand-in
inline constexpr const char *table_gpus = "Table 4.1", *table_ideal = "Table 4.2",
                            *table_named = "Table 4.3", *table_random = "Table 4.4",
                            *table_titan = "Table 4.5", *table_a100 = "Table 4.6",
                            *table_memory = "Table 4.7", *table_misses = "Table 4.8",
                            *figure_places = "Figure 4.1", *figure_ideal = "Figure 4.2",
                            *named_speed = "Figures 4.3 and 4.4", *named_memory = "Figure 4.5",
                            *random_speed = "Figures 4.6 and 4.7", *random_memory = "Figure 4.8",
                            *study_hot = "Study: tables 4.5 and 4.6",
                            *study_named = "Study: figures 4.3 and 4.4",
                            *study_random = "Study: figures 4.6 and 4.7",
                            *model_of_misses = "Figure 3.7",
                            *study_ideal_variants = "Study: variants on the ideal matrix",
                            *study_variants = "Study: variants on all matrices",
                            *study_ell = "Study: ELL";

std::vector<Comparison> tables(const AllFigures& f);

// Figures 4.1 and 4.2, and what the second is made of.
Comparison places(const AllFigures& f);
Comparison ideal_blocks(const AllFigures& f);
std::vector<BlockRow> block_rows(const CsrView<float, std::int32_t>& a, index_t block);
std::vector<BlockRow> recalled_block_rows(const Recall& from);

// The last of them: figure 3.7 and the studies of variants.
std::vector<Comparison> studies(const AllFigures& f);

// What the paper concludes, given those tables, and whether it holds. Its figures are the A100's
// where it has both, but for those that are said to be the TITAN's. `hot`: judged by the times
// without flushed caches.
std::vector<Claim> claims(const AllFigures& f, const std::vector<Comparison>& tables,
                          bool hot = false);

}  // namespace nz::lab::izawa2023
