#include "base/caches.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace nz {
namespace {

// "32768K", as sysfs writes it; 0 for anything else.
std::size_t parse_size(const std::string& text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{}) return 0;
  const char unit = end != text.data() + text.size() ? *end : ' ';
  return unit == 'K' ? n << 10 : unit == 'M' ? n << 20 : unit == 'G' ? n << 30 : n;
}

std::size_t look() noexcept {
  std::size_t largest = 0;
  try {
    for (const auto& entry :
         std::filesystem::directory_iterator("/sys/devices/system/cpu/cpu0/cache")) {
      std::ifstream file(entry.path() / "size");
      std::string text;
      if (file >> text) largest = std::max(largest, parse_size(text));
    }
  } catch (const std::exception&) {  // no such folder: nobody tells
  }
  return largest;
}

}  // namespace

std::size_t last_level_cache_bytes() {
  static const std::size_t bytes = look();
  return bytes;
}

}  // namespace nz
