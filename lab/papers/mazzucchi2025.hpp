#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/papers/campaign.hpp"

// mazzucchi2025: CSR with a thread and with a warp a row, and on a CPU; double precision.
namespace nz::lab::mazzucchi2025 {

struct Kernel {
  const char* label;  // of table I
  const char* id;
  bool on_gpu = true;

  friend constexpr bool operator==(const Kernel& l, const Kernel& r) {
    return std::string_view(l.label) == r.label;
  }
};
inline constexpr Kernel naive{"Naive CPU", "cpu/csr/serial", false},
    openmp{"OpenMP", "cpu/csr/omp-rows", false}, thread_row{"Thread/Row", "gpu/csr/thread-per-row"},
    warp_row{"Warp/Row", "gpu/csr/warp-per-row"}, by_density{"by density", "gpu/csr/by-density"},
    own{"gpu/csr/balanced", "gpu/csr/balanced"};
inline constexpr Kernel paper_kernels[] = {naive, openmp, thread_row, warp_row};
inline constexpr Kernel all_kernels[] = {naive, openmp, thread_row, warp_row, by_density, own};
// On one thread, as the paper's program does it, and on all.
inline constexpr const char *conversion = "COO to CSR", *shared_conversion = "on all threads";
inline constexpr int block_threads = 128;  // a block of both kernels, in the paper's program

// The largest difference of a kernel's y from Eigen's, by the kernel's label, for x between 0 and 1
// as in the paper's program.
using EigenCheck = std::map<std::string, double, std::less<>>;
inline constexpr double eigen_tolerance = 1e-2;  // the paper's: absolute, on every row

struct AllFigures {
  std::vector<MatrixShots> matrices;
  std::map<std::string, double> conversion_ms, shared_conversion_ms;  // by name
  std::map<std::string, EigenCheck> from_eigen;                       // by name
  std::string why_not_checked;                                        // why there are none of those
};

// Of the kernels for the CPU, and on that device of those for GPUs where it is none. Empty, with
// the reason, where Eigen was not built in.
EigenCheck check_with_eigen(const CsrView<double, std::int64_t>& a, Device device,
                            std::string& why_not);

// What the paper counts a product to move: 12 bytes a nonzero, 8 a row and 8 a column.
double bytes_of_product(double rows, double cols, double nonzeros);
// Nonzeros that were multiplied there: twice those of table I where the matrix is symmetric.
double multiplied(const std::string& matrix);
// Milliseconds of the paper: table I's, and of OpenMP, which it lacks, figure 2's, which is of the
// same run. no_figure where it has none.
double printed_ms(const std::string& matrix, const std::string& kernel);

std::vector<Comparison> tables(const AllFigures& f);
std::vector<Claim> claims(const AllFigures& f, bool hot = false);

}  // namespace nz::lab::mazzucchi2025
