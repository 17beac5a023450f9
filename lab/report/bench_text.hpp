#pragma once
#include <string>

#include "lab/bench/record.hpp"

namespace nz::lab {

// A record for people: matrix by matrix and op by op, the fastest first, then what has no time and
// why. At most 110 columns wide, but for long reasons; with a width, tables are folded to it.
std::string bench_text(const Record& record, bool colour, std::size_t width = 0);

}  // namespace nz::lab
