#pragma once
#include <string>

namespace nz::cli {

// The library counts rows from 0 and says so in its messages; people, and Matrix Market files,
// count from 1. Turns "row 0 (counting from 0)" into "row 1 (counting from 1)", and pairs of row
// and column alike; other messages stay as they are.
std::string counted_from_one(const std::string& message);

}  // namespace nz::cli
