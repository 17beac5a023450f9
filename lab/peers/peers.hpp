#pragma once

// Other libraries behind the interface of our kernels, so that they are checked and timed like
// ours: registry entries peer/LIBRARY/FORMAT. docs/peers.md says which and how they are set up.
namespace nz::lab {

// Adds to the registry every peer that was found when this was built; again, it does nothing.
void add_peers();

}  // namespace nz::lab
