#pragma once
#include <array>
#include <string>
#include <vector>

#include "lab/bench/cachegrind.hpp"
#include "lab/papers/campaign.hpp"
#include "lab/papers/pictures.hpp"

// dinoia2025: COO on a CPU and, by atomics and by prefix sums, on a GPU; single precision.
namespace nz::lab::dinoia2025 {

struct Kernel {
  const char* label;  // of the paper
  const char* id;
};
inline constexpr Kernel coo{"COO", "cpu/coo/scatter"}, csr{"CSR", "cpu/csr/serial"},
    csr_printed{"CSR, adding to y", "cpu/csr/scatter"},  // algorithm 2; CSR sums in a register
    baseline{"baseline", "gpu/coo/thread-per-entry"};
// §VI-B; table V calls the last two warp_jump and block_jump.
inline constexpr std::array maps{
    Kernel{"1 size", "gpu/coo/map-1"}, Kernel{"threads size", "gpu/coo/map-threads"},
    Kernel{"warp size", "gpu/coo/map-warp"}, Kernel{"block size", "gpu/coo/map-block"}};
// Figure 15.
inline constexpr std::array sums{Kernel{"ps 32", "gpu/coo/ps-32"},
                                 Kernel{"ps 1024", "gpu/coo/ps-1024"},
                                 Kernel{"ps 32 equals", "gpu/coo/ps-32-equals"},
                                 Kernel{"ps 1024 equals", "gpu/coo/ps-1024-equals"},
                                 Kernel{"ps 32 warp", "gpu/coo/ps-32-warp"},
                                 Kernel{"ps 1024 warp", "gpu/coo/ps-1024-warp"},
                                 Kernel{"ps 32 warp equals", "gpu/coo/ps-32-warp-equals"},
                                 Kernel{"ps 1024 warp equals", "gpu/coo/ps-1024-warp-equals"},
                                 Kernel{"ps work efficient", "gpu/coo/ps-work-efficient"},
                                 Kernel{"ps 32 work efficient", "gpu/coo/ps-32-work-efficient"}};
// Those of figure 15 that do something else in the paper's program than its text says, and what
// they are called with the program's settings: "ps 1024, as the program".
inline constexpr std::array other_in_program{sums[1], sums[3], sums[8], sums[9]};
std::string in_program(const Kernel& k);
// Figure 16.
inline constexpr std::array jumps{
    Kernel{"ps 32 warp jump_block", "gpu/coo/ps-32-warp-jump-block"},
    Kernel{"ps 32 warp jump_block unroll", "gpu/coo/ps-32-warp-jump-block-unroll"}};
// The paper's rule of §VII, and our own.
inline constexpr Kernel rule{"by row density", "gpu/coo/by-row-density"},
    own{"gpu/coo/segmented", "gpu/coo/segmented"};
// What §VII leaves open: the rule with the rows counted before every product, and once.
inline constexpr Kernel counted{"counted before each", "gpu/coo/by-row-density-counted"};
inline constexpr const char *figure_places = "Figure 8", *counted_once = "counted once",
                            *check_table = "§VII: the density check",
                            *printed_study = "Study: algorithm 2 as printed",
                            *program_study = "Study: figure 15 with the program's scans",
                            *program_verdicts = "Study: conclusions with the program's scans";

// Figures 11 and 12, one launch each: threads a block on 256 blocks, and blocks of 1024 threads.
inline constexpr int block_sizes[] = {32, 64, 128, 256, 512, 1024};
inline constexpr int block_counts[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
inline constexpr int most_blocks = 256;  // of the paper's figure 12; the rest is beyond it
inline constexpr const char* swept = "delaunay";
std::string with_threads(const char* map, int threads);  // "warp size, 64 threads"
std::string with_blocks(const char* map, int blocks);    // "warp size, 64 blocks"

inline constexpr double bytes_per_nonzero = 6 * 4;  // as the paper counts for either format
inline constexpr int products = 500;                // of table IV

// All that was measured; names of matrices are the paper's short ones.
struct AllFigures {
  std::vector<MatrixShots> matrices;
  std::optional<CacheCounts> coo_counts, csr_counts;  // of one product
  std::string why_no_counts;
  DeviceInfo device;  // the CPU's where there is no GPU
  Pictures spies;     // figure 8
  // A record of before the sums over 32 in shared memory worked in place.
  bool other_half = false;
};

const MatrixShots* find(const AllFigures& f, std::string_view name);
double rate(const MatrixShots& m, std::string_view kernel, bool hot = false);  // GB/s
// The fastest of some; nullptr where none has a time.
template <class Kernels>
const Kernel* fastest(const MatrixShots& m, const Kernels& of, bool hot = false) {
  const Kernel* best = nullptr;
  for (const Kernel& k : of)
    if (const double t = m.time(k.label, hot); t == t && (!best || t < m.time(best->label, hot)))
      best = &k;
  return best;
}
// Of all the paper's for GPUs, but for the baseline and the rule.
std::vector<Kernel> gpu_kernels();

// The mean over the matrices but model7 of the time of one over that of another.
double mean_gain(const AllFigures& f, const std::string& slow, const std::string& quick,
                 bool hot = false);

std::vector<Comparison> tables(const AllFigures& f);
std::vector<Claim> claims(const AllFigures& f, bool hot = false);

}  // namespace nz::lab::dinoia2025
