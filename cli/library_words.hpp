#pragma once
#include <string>

namespace nz::cli {

// The library's exceptions speak to those who call it; people have options. Puts these where a
// message names functions and settings of the library.
std::string in_options(std::string message);

// The message of a matrix that could not be read; of a nan or inf, with the option that takes it.
std::string with_allow_nan(std::string message);

}  // namespace nz::cli
