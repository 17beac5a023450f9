#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nonzero/error.hpp>

namespace nz {

// Text held in memory and what to call it in messages.
struct NamedText {
  std::string name;
  std::span<const char> bytes;
};

// What stands in a text is wrong, as opposed to the packing around it or its size.
struct BadText : BadInput {
  using BadInput::BadInput;
};

// Throws BadText "NAME:LINE: MESSAGE".
[[noreturn]] void fail_line(const std::string& name, std::uint64_t line,
                            const std::string& message);

// A piece of a file fit for a message: quoted, shortened, unprintable bytes as \xNN.
std::string quoted(std::string_view piece);

}  // namespace nz
