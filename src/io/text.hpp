#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nz {

// Text held in memory and what to call it in messages.
struct NamedText {
  std::string name;
  std::span<const char> bytes;
};

// The line, counted from 1, that holds byte `at`.
std::size_t line_at(std::span<const char> bytes, std::size_t at);

// Throws BadInput "NAME:LINE: MESSAGE" for the line that holds byte `at`.
[[noreturn]] void fail_at(const NamedText& text, std::size_t at, const std::string& message);

// A piece of a file fit for a message: quoted, shortened, unprintable bytes as \xNN.
std::string quoted(std::string_view piece);

}  // namespace nz
