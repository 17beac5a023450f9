#pragma once

namespace nz::solve {

// For tests: whether solvers let products bring their dot products along however short the vectors
// are.
void fuse_short_vectors(bool on);

}  // namespace nz::solve
