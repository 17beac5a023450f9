#pragma once
#include <string>
#include <string_view>

#include "io/compress.hpp"

namespace nz {

inline std::string gzip(std::string_view text) { return pack(std::string(text), Packing::gzip); }
inline std::string zstd(std::string_view text) { return pack(std::string(text), Packing::zstd); }

}  // namespace nz
