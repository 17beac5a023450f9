#pragma once
#include <string>
#include <string_view>

#include "io/decompress.hpp"

namespace nz {

// One complete gzip member or zstd frame, or the text itself. Members and frames written one after
// another are one file of that kind, so pieces of a text can be packed on their own.
std::string pack(std::string text, Packing packing);

}  // namespace nz
