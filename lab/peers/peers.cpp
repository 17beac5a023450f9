#include "lab/peers/peers.hpp"

#include <mutex>
#include <vector>

#include <nonzero/registry.hpp>
#include <nz_peers_found.hpp>

// NZ_PEERS(X) has the entries of the libraries that cmake/peers.cmake found, NZ_PEER_LISTS(X) the
// functions that return several.
namespace nz::lab {

#define NZ_DECLARE(entry) Kernel entry();
namespace peers {
NZ_PEERS(NZ_DECLARE)
}
#undef NZ_DECLARE
#define NZ_DECLARE(list) std::vector<Kernel> list();
namespace peers {
NZ_PEER_LISTS(NZ_DECLARE)
}
#undef NZ_DECLARE

void add_peers() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::vector<Kernel> all;
#define NZ_ADD(entry) all.push_back(peers::entry());
    NZ_PEERS(NZ_ADD)
#undef NZ_ADD
#define NZ_ADD(list) \
  for (Kernel & k : peers::list()) all.push_back(std::move(k));
    NZ_PEER_LISTS(NZ_ADD)
#undef NZ_ADD
    add_kernels(std::move(all));
  });
}

}  // namespace nz::lab
