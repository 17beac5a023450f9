#pragma once
#include <cstdint>
#include <string>

#include "brutal/rounds.hpp"

namespace nz::brutal {

// Each command of the program with each of its resources failing, `most` points of a kind at most:
// an exit code of those documented with a last line that says why, no partial and no temporary
// file.
void run_commands(Table& table, std::int64_t most, const std::string& only,
                  const std::string& folder);

}  // namespace nz::brutal
