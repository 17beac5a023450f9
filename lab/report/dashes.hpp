#pragma once
#include <string_view>
#include <vector>

#include "lab/report/svg.hpp"

namespace nz::lab {

// The pieces of a line that a dash, lengths of ink and gap, leaves; the line itself without one.
std::vector<std::vector<Point>> dashed(const std::vector<Point>& line, std::string_view dash);

}  // namespace nz::lab
