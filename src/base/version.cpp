#include <nonzero/version.hpp>

#define NZ_TEXT_OF(x) #x
#define NZ_TEXT(x) NZ_TEXT_OF(x)

namespace nz {

std::string_view version() {
  return NZ_TEXT(NZ_VERSION_MAJOR) "." NZ_TEXT(NZ_VERSION_MINOR) "." NZ_TEXT(NZ_VERSION_PATCH);
}

}  // namespace nz
