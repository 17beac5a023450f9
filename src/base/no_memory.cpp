#include "base/no_memory.hpp"

#include <string>

#include <nonzero/error.hpp>

namespace nz {

// Made before memory can be short; copies of it share its message.
static const NoResource nothing_left("not enough memory, not even to say for what");

void throw_no_memory(std::string_view doing) {
  std::string text;
  try {
    text.append("not enough memory for ").append(doing);
    const NoResource error(text);
    throw error;
  } catch (const std::bad_alloc&) {
    throw nothing_left;
  }
}

}  // namespace nz
