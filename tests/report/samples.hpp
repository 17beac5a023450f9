#pragma once
#include <string>

#include "lab/bench/record.hpp"

namespace nz::test {

// A case as the bench would record it; times in seconds, 0: refused.
lab::Result sample_result(const std::string& matrix, const std::string& kernel,
                          const std::string& op, const std::string& type, double seconds,
                          bool planned = false);

// A record made up for tests, with everything that a report shows: six matrices, ours, a plan's
// choice and two peers, N and T, float and double, refused, failed and wrong cases, names that need
// escaping.
lab::Record sample_record();

// The same with what newer records have: pictures of two matrices, and of grid the lengths of its
// rows and what a plan thought of f64 N.
lab::Record explored_record();

}  // namespace nz::test
