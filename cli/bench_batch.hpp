#pragma once
#include "cli/session.hpp"
#include "lab/bench/runner.hpp"

namespace nz::cli {

// `nonzero bench --batch N`: so many matrices with the structure of each one that is named, at once
// and one by one. Returns the exit code.
int bench_batch(const Session& session, const lab::Order& order, int matrices);

}  // namespace nz::cli
