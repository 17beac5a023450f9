#pragma once
#include <string>
#include <vector>

#include "lab/bench/record.hpp"
#include "lab/bench/sweep.hpp"

namespace nz::lab {

// The results of one kernel over its parameters, a table for each matrix, type and op: rows are the
// first parameter, columns the second, cells GB/s (or the time), the best one marked. Further
// parameters: a table for each of their values. With a width, tables are folded to it.
std::string sweep_text(const Record& record, const std::vector<Swept>& swept, bool times,
                       bool colour, std::size_t width = 0);

}  // namespace nz::lab
