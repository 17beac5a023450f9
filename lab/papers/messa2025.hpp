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
};
inline constexpr std::array kernels{
    Kernel{"OneThreadPerRow", "gpu/csr/one-thread-per-row-plain", "gpu/csr/one-thread-per-row"},
    Kernel{"OneWarpPerRow", "gpu/csr/one-warp-per-row-plain", "gpu/csr/one-warp-per-row"},
    Kernel{"CoalescedBins", "gpu/csr/coalesced-bins-plain", "gpu/csr/coalesced-bins"},
    Kernel{"Hybrid", "gpu/csr/hybrid-plain", "gpu/csr/hybrid"}};
inline constexpr const char *thread_row = kernels[0].label, *warp_row = kernels[1].label,
                            *bins = kernels[2].label, *hybrid = kernels[3].label,
                            *cusparse = "cuSPARSE", *cusparse_alg2 = "cuSPARSE, ALG2",
                            *own = "gpu/csr/balanced";
std::string plain(std::string_view label);  // "Hybrid plain"

// The launch bounds of the first kernel that are tried: blocks a multiprocessor must hold.
inline constexpr int bounds[] = {2, 4, 6, 8};
std::string bound(int min_blocks);  // "at least 2"

// Where it was measured.
struct Place {
  DeviceInfo device;
  std::string compiler;  // of the host
};

inline constexpr const char *software = "Table I:", *gpu_table = "Table II:",
                            *matrices_table = "Table III:", *bandwidth_forms = "Figure 3:",
                            *improvement = "Figure 3, improvement:", *times = "Times:",
                            *bandwidth_peers = "Figure 4:", *rates = "GFLOP/s:",
                            *bounds_study = "Study: minimum blocks";

// What the paper counts a product to move: 16 bytes a nonzero and 16 a row.
double bytes_of_product(double rows, double nonzeros);

std::vector<Comparison> tables(const std::vector<MatrixShots>& all, const Place& place = {});
std::vector<Claim> claims(const std::vector<MatrixShots>& all, bool hot = false);

}  // namespace nz::lab::messa2025
