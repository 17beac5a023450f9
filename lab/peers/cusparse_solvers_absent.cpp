#include <nonzero/error.hpp>

#include "lab/peers/cusparse_solvers.hpp"

namespace nz::lab::peers {

bool has_cusparse_solvers() { return false; }
std::string cusparse_solvers_version() { return {}; }

namespace {
[[noreturn]] PeerRun absent() { throw NoResource("this build has no cuSPARSE and cuBLAS"); }
}  // namespace

PeerRun cusparse_cg(Device, const PeerMatrix&, std::span<const double>, const PeerHow&) {
  return absent();
}
PeerRun cusparse_bicg(Device, const PeerMatrix&, std::span<const double>, const PeerHow&) {
  return absent();
}
PeerRun cusparse_pagerank(Device, const PeerMatrix&, double, const PeerHow&) { return absent(); }

}  // namespace nz::lab::peers
