#pragma once
#include "cli/session.hpp"
#include "lab/bench/cache.hpp"
#include "lab/bench/runner.hpp"

namespace nz::cli {

// `nonzero bench --complex`: products of complex numbers with the structure of each matrix that is
// named. Generated matrices are kept in the cache. Returns the exit code.
int bench_complex(const Session& session, const lab::Order& order, const lab::MatrixCache& cache);

}  // namespace nz::cli
