#pragma once
#include "cli/session.hpp"
#include "lab/bench/runner.hpp"

namespace nz::cli {

// `nonzero bench --complex`: products of complex numbers with the structure of each matrix that is
// named. Returns the exit code.
int bench_complex(const Session& session, const lab::Order& order);

}  // namespace nz::cli
