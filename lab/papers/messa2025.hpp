#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lab/papers/campaign.hpp"

// messa2025: four CSR kernels, each in a plain and in an optimised form, and cuSPARSE.
namespace nz::lab::messa2025 {

struct Kernel {
  const char* label;  // of the paper
  const char* plain;  // Deliverable 1
  const char* optimised;
  const char* shared;  // §V-C; of hybrid the form with two classes, as there
};
inline constexpr std::array kernels{
    Kernel{"OneThreadPerRow", "gpu/csr/one-thread-per-row-plain", "gpu/csr/one-thread-per-row",
           "gpu/csr/one-thread-per-row-shared"},
    Kernel{"OneWarpPerRow", "gpu/csr/one-warp-per-row-plain", "gpu/csr/one-warp-per-row",
           "gpu/csr/one-warp-per-row-shared"},
    Kernel{"CoalescedBins", "gpu/csr/coalesced-bins-plain", "gpu/csr/coalesced-bins",
           "gpu/csr/coalesced-bins-shared"},
    Kernel{"Hybrid", "gpu/csr/hybrid-plain", "gpu/csr/hybrid", "gpu/csr/hybrid-plain-shared"}};
inline constexpr const char *thread_row = kernels[0].label, *warp_row = kernels[1].label,
                            *bins = kernels[2].label, *hybrid = kernels[3].label,
                            *cusparse = "cuSPARSE", *cusparse_alg2 = "cuSPARSE, ALG2",
                            *own = "gpu/csr/balanced";
std::string plain(std::string_view label);   // "Hybrid plain"
std::string rolled(std::string_view label);  // "Hybrid rolled": our loop
std::string shared(std::string_view label);  // "Hybrid shared"
// Shared memory's time over that of the kernel without it and, like it, without launch bounds.
double price_of_shared(const MatrixShots& m, std::string_view label, bool hot = false);

// The launch bounds that are tried: blocks a multiprocessor must hold, 0 for none.
inline constexpr int bounds[] = {0, 1, 2, 3, 4};
std::string bound(int min_blocks);                          // "at least 2"
std::string bound(std::string_view label, int min_blocks);  // "Hybrid, at least 2"

// Where it was measured.
struct Place {
  DeviceInfo device;
  std::string compiler;  // of the host
};

inline constexpr const char *software = "Table I:", *gpu_table = "Table II:",
                            *matrices_table = "Table III:", *bandwidth_forms = "Figure 3:",
                            *improvement = "Figure 3, improvement:",
                            *improvement_by_times = "Figure 3, improvement by times:",
                            *times = "Times:", *bandwidth_peers = "Figure 4:", *rates = "GFLOP/s:",
                            *bounds_study = "Study: minimum blocks", *loops_study = "Study: loops",
                            *shared_study = "§V-C:", *together_study = "Study: empty rows";

// What the paper counts a product to move: 16 bytes a nonzero and 16 a row.
double bytes_of_product(double rows, double nonzeros);

// The program's bins take along any number of empty rows. The mawi matrix, which has millions of
// them, is also run with all of them first; the others keep their order.
inline constexpr const char *together_of = "mawi_201512012345",
                            *together_name = "mawi_201512012345 (empty rows first)";
GeneratedMatrix empty_rows_first(const CsrView<double, std::int64_t>& a);

// `together` is what was measured on that matrix, or nothing.
std::vector<Comparison> tables(const std::vector<MatrixShots>& all, const Place& place = {},
                               const MatrixShots& together = {});
std::vector<Claim> claims(const std::vector<MatrixShots>& all, bool hot = false);

}  // namespace nz::lab::messa2025
