#pragma once
#include <string>

namespace nz {

// What kind of CPU this is, as far as the system says, and the instructions in use.
std::string processor();

}  // namespace nz
