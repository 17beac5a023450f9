#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include <nonzero/device.hpp>

#include "lab/papers/printed.hpp"

// Chapter 8 of chirila2025: its figures on a P100 as printed, and its tables from ours.
namespace nz::lab::chirila2025 {

struct GpuKernel {
  const char* label;  // of table 13
  const char* id;
  int table;                   // the one with its best launches
  std::int64_t registers = 0;  // most a thread may have, 0: the compiler's choice
};
// In the order of the text.
inline constexpr GpuKernel row_major{"Row-Major Access Order", "gpu/bsr/row-major", 7, 32},
    thread_private{"Row-Major with Thread-Private Accumulation", "gpu/bsr/thread-private", 8, 32},
    team{"Row-Major with Team-Based Accumulation", "gpu/bsr/team", 10, 32},
    unrolled{"Vector Accumulation with Unrolled Loops", "gpu/bsr/vector", 12};
inline constexpr std::array gpu_kernels{row_major, thread_private, team, unrolled};

inline constexpr int block_sizes[] = {1024, 512, 256, 128, 64, 32};
inline constexpr int oversubscriptions[] = {1, 2, 4, 8, 16};
inline constexpr int rows_at_once = 8;  // of table 12
inline constexpr int listed_calls = 4;  // of what is done with a line of blocks, in listing 12
inline constexpr int rows_at_once_tried[] = {1, 2, 4, 5, 8, 16};  // the paper names no others

// Rows and columns of a block. The paper says of the vector kernel that it does not mind them, wide
// or tall, and names 16 x 1.
struct Shape {
  int rows, cols;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};
inline constexpr Shape shapes[] = {{5, 5}, {16, 1}, {1, 16}, {2, 8}, {8, 2}, {3, 7}};
inline constexpr int shape_block_sizes[] = {256, 128, 64, 32};  // table 12: larger ones lose
std::string name(const Shape& shape);                           // "16 x 1"

// Columns of the tables.
namespace column {
inline constexpr const char *max_blocks = "Max Blocks per SM", *blocks = "Blocks per SM",
                            *oversubscription = "Oversubscription", *occupancy = "Occupancy",
                            *grid = "Grid size", *warps = "Warps per Block", *time = "Time (s)",
                            *workers = "Workers", *proportion = "Workers Proportion",
                            *per_sm = "Workers Per SM", *contention = "Grade of Contention",
                            *registers = "Registers", *speedup = "Speedup (over cuSPARSE)",
                            *rate = "Throughput (GB/s)", *of_peak = "Efficiency",
                            *of_read = "of read", *hot = "back to back (s)",
                            *gain = "P100's time over ours", *separate = "separate (s)",
                            *fused = "fused (s)", *threads = "Block Size",
                            *fill = "values a nonzero", *stored_rate = "Stored (GB/s)",
                            *of_square = "of 5 x 5";
}

// Lines of table 13 beside the kernels.
inline constexpr const char *cusparse = "cuSPARSE", *cusparse_generic = "cuSPARSE, BSR_ALG1",
                            *own = "gpu/bsr/balanced";
// Of the study of registers, and the columns with their times.
inline constexpr int register_limits[] = {64, 32};
std::string limited_time(int limit);

// The GPU of the paper.
struct P100 {
  static constexpr int processors = 56, clock_mhz = 1303, l1_kib = 24;
  static constexpr double peak = 732.2e9;
};

// Lines of tables 4 and 7 to 13, labelled by block size or implementation. Shares are given as
// shares.
PrintedLines gpu_table(int number);

// A launch and what it took; what was not measured is no_figure.
struct Launch {
  double max_blocks = no_figure;  // a multiprocessor holds at a time, says the calculator
  double oversubscription = no_figure, grid = no_figure;
  double registers = no_figure;
  double seconds = no_figure;      // of all products
  double hot_seconds = no_figure;  // without flushed caches, where `seconds` has them flushed
  double bytes = no_figure;        // of one product, by the kernel's byte model
  double fill = no_figure;         // stored values a nonzero
};
using Launches = std::map<int, Launch>;  // by block size

// All that was measured.
struct GpuFigures {
  std::map<std::string, Launches> best;  // by kernel, over all oversubscriptions
  Launches low;                          // table 9
  std::map<int, Launches> limited;       // the vector kernel by limit of registers
  std::map<int, Launch> rows_at_once;    // the vector kernel's best launch by it
  std::map<Shape, Launches> by_shape;    // the vector kernel on other blocks
  std::map<std::string, std::pair<double, double>> scaling;  // by kernel: separate, fused
  std::map<std::string, Launch> others;                      // the other lines of table 13
  double bytes = no_figure;                                  // of a product, as the paper counts
  double peak = no_figure, read = no_figure;                 // bytes a second
  DeviceInfo device;
};

// The fastest of them; one without a time where none has one.
const Launch& fastest(const Launches& all);

// What values, block columns, block offsets, x and y take, each once: the paper's count.
double bytes_of_product(std::int64_t n, std::int64_t nonzeros);

// Tables 4 and 7 to 13, then the studies that the paper has in words, or not at all: registers,
// ROWS_AT_ONCE, shapes of blocks, scaling.
std::vector<Comparison> gpu_tables(const GpuFigures& f);

// What the paper concludes, given those tables, and whether it holds.
std::vector<Claim> gpu_claims(const std::vector<Comparison>& tables);

}  // namespace nz::lab::chirila2025
