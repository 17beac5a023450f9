#pragma once
#include <string>

#include "lab/bench/measure.hpp"
#include "lab/papers/printed.hpp"

// Figures of chirila2025, as printed there.
namespace nz::lab::chirila2025 {

inline constexpr int block = 5;
inline constexpr int rows = 32'000;
inline constexpr int products = 200;  // a measurement; times are those of all
inline constexpr int runs = 5;
inline constexpr int logical_cpus = 32;
// The paper does not print its scalars. With these a y that is multiplied over and over stays
// bounded for rows whose sum is 1.
inline constexpr double alpha = 0.5, beta = 0.5;

// As §5.2 has it: so many calls are timed as a whole, in five runs.
Budget in_batches(Budget budget, int batch, int fewest_runs);
// "5 runs of 200 products, y = 0.5 A x + 0.5 y"; of another batch also what its times are
// multiplied by.
std::string about_batches(int batch);

struct Implementation {
  const char* label;
  const char* kernel;
  bool threaded;  // measured with every number of threads
  bool chunked;   // of tables 2 and 3
};
// In the order of table 1.
inline constexpr Implementation implementations[] = {
    {"SciPy", "peer/scipy/bsr", false, false},
    {"NumPy", "peer/openblas/dense", true, false},
    {"Granular Row", "cpu/bsr/granular-row", true, false},
    {"Naive Intra-Row Splits", "cpu/bsr/intra-row-naive", true, false},
    {"Improved Intra-Row Splits", "cpu/bsr/intra-row-improved", true, true},
    {"Fixed Maximum Task Size", "cpu/bsr/fixed-max-task", true, true},
    {"Fixed-Size Tasks", "cpu/bsr/fixed-size-tasks", true, true},
    {"Preprocessed Fixed-Size Tasks", "cpu/bsr/preprocessed-tasks", true, true}};
inline constexpr Implementation adapted = {"Adapted for GPU Porting", "cpu/bsr/flat-index", true,
                                           false};

// Tables 1, 2 and 3: a line an implementation, columns threads or chunks a thread. Table 5, with
// its two implementations as lines, columns threads. Table 6: lines "1 to 2", columns the two.
PrintedLines table(int number);
PrintedLines table_of_section();  // 5.1.3

}  // namespace nz::lab::chirila2025
