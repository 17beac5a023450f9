#include "cli/counting.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace nz::cli {
namespace {

constexpr std::string_view from_zero = "counting from 0";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view without_number(std::string_view text) {
  while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
  return text;
}

// Whether a number that stands behind this text is a place: "row 3", "rows 3 to 5", "(3, 5)".
bool before_a_place(std::string_view text) {
  for (const std::string_view word : {"row ", "rows ", "node ", "column ", "("})
    if (text.ends_with(word)) return true;
  // The second one of two.
  if (text.ends_with(", ")) return without_number(text.substr(0, text.size() - 2)).ends_with('(');
  return text.ends_with(" to ") &&
         without_number(text.substr(0, text.size() - 4)).ends_with("rows ");
}

}  // namespace

std::string counted_from_one(const std::string& message) {
  const auto said = message.find(from_zero);
  if (said == message.npos) return message;
  std::string out;
  for (std::size_t i = 0; i < message.size();) {
    if (std::string_view(message).substr(i).starts_with(from_zero)) {
      out += "counting from 1";
      i += from_zero.size();
      continue;
    }
    std::size_t end = i;
    while (end < message.size() && is_digit(message[end])) ++end;
    std::int64_t number = 0;
    const bool place =
        end > i && before_a_place(out) &&
        std::from_chars(message.data() + i, message.data() + end, number).ec == std::errc{} &&
        (end == message.size() ||
         std::string_view(" ,):").find(message[end]) != std::string_view::npos);
    if (place) {
      out += std::to_string(number + 1);
      i = end;
    } else {
      end = std::max(end, i + 1);
      out += message.substr(i, end - i);
      i = end;
    }
  }
  return out;
}

}  // namespace nz::cli
