#pragma once
#include <string>

namespace nz::cli {

// The library's exceptions speak to those who call it; people have options. Puts these where a
// message names functions and settings of the library, and where an option helps.
std::string in_options(std::string message);

}  // namespace nz::cli
