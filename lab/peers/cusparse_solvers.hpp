#pragma once
#include <span>
#include <string>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

// The iterations that ours are compared with, written with cuSPARSE and cuBLAS as their users do:
// CSR, CUSPARSE_SPMV_CSR_ALG1 preprocessed, dots, axpys and scals. Scalars either visit the host,
// or stay on the device with the iteration captured as a CUDA graph.
namespace nz::lab::peers {

struct PeerRun {
  double seconds = 0;     // of the timed iterations
  std::vector<double> x;  // what it has come to
};

struct PeerHow {
  int iterations = 100;
  int uncounted = 50;             // of them, at the beginning
  bool graph = true;              // scalars on the device
  bool stored_transpose = false;  // BiCG: beside A, instead of CUSPARSE_OPERATION_TRANSPOSE
};

// Whether this build has both libraries; the rest throws NoResource where it has not.
bool has_cusparse_solvers();
std::string cusparse_solvers_version();

using PeerMatrix = CsrView<double, std::int32_t>;  // in host memory
PeerRun cusparse_cg(Device device, const PeerMatrix& a, std::span<const double> b,
                    const PeerHow& how);
PeerRun cusparse_bicg(Device device, const PeerMatrix& a, std::span<const double> b,
                      const PeerHow& how);
// x = damping P x + the rest to all alike, with the columns of P adding up to 1, or to 0 in dead
// ends.
PeerRun cusparse_pagerank(Device device, const PeerMatrix& p, double damping, const PeerHow& how);

}  // namespace nz::lab::peers
