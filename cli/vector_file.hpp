#pragma once
#include <string>

#include <nonzero/array.hpp>
#include <nonzero/types.hpp>

namespace nz::cli {

// A vector from the file that the option --WHICH names, of that length. Throws BadInput.
template <Value T>
Array<T> vector_of_length(const std::string& path, index_t length, const char* which);

}  // namespace nz::cli
