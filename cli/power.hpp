#pragma once
#include "cli/solving.hpp"
#include "lab/bench/source.hpp"

// What pagerank and stationary share.
namespace nz::cli {

// Throws InvalidArgument, with the shape of the matrix itself, for one that is not square or has no
// rows; `what` is "a graph".
void require_square(const lab::Source& source, const char* what);

// The x that --x0 names, or room for one. Throws BadInput for what is no distribution.
Array<double> first_distribution(const IterationOptions& o, index_t length);

// All but the callback, for a plan of the transpose; `limit` where nobody says how many iterations.
void set_power_options(solve::PowerOptions& options, const IterationOptions& o, int limit);

}  // namespace nz::cli
