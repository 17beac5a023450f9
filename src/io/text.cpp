#include "io/text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {

std::size_t line_at(std::span<const char> bytes, std::size_t at) {
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes.size()));
  return 1 + static_cast<std::size_t>(std::count(bytes.begin(), end, '\n'));
}

void fail_at(const NamedText& text, std::size_t at, const std::string& message) {
  throw BadInput(fmt::format("{}:{}: {}", text.name, line_at(text.bytes, at), message));
}

std::string quoted(std::string_view piece) {
  constexpr std::size_t most = 32;
  std::string out = "'";
  for (const char c : piece.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      out += c;
    else
      out += fmt::format("\\x{:02x}", byte);
  }
  return out + (piece.size() > most ? "...'" : "'");
}

}  // namespace nz
