#include "io/text.hpp"

#include <fmt/format.h>

namespace nz {

void fail_line(const std::string& name, std::uint64_t line, const std::string& message) {
  throw BadText(fmt::format("{}:{}: {}", name, line, message));
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
