#pragma once
#include <string_view>

#include <nonzero/export.hpp>

// The version of these headers. CHANGELOG.md says what a change of each number means.
#define NZ_VERSION_MAJOR 0
#define NZ_VERSION_MINOR 1
#define NZ_VERSION_PATCH 0

namespace NZ_API nz {

// Of the library that is linked: "0.1.0".
std::string_view version();

}  // namespace nz
