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

// Whether a number between these texts is a place: "row 3", "rows 3 to 5", "outside 0 to 5",
// "(3, 5)".
bool is_place(std::string_view before, std::string_view after) {
  if (!after.empty() && std::string_view(" ,):").find(after.front()) == std::string_view::npos)
    return false;
  for (const std::string_view word : {"row ", "rows ", "node ", "column ", "entry ", "index ",
                                      "slot ", " not follow ", " outside "})
    if (before.ends_with(word)) return true;
  if (before.ends_with(" to ")) {
    const auto first = without_number(before.substr(0, before.size() - 4));
    return first.ends_with("rows ") || first.ends_with(" outside ");
  }
  // A pair.
  if (before.ends_with('(') && after.starts_with(", ")) {
    after.remove_prefix(2);
    const auto end = after.find_first_not_of("0123456789");
    return end != after.npos && end > 0 && after[end] == ')';
  }
  return before.ends_with(", ") && after.starts_with(')') &&
         without_number(before.substr(0, before.size() - 2)).ends_with('(');
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
        end > i && is_place(out, std::string_view(message).substr(end)) &&
        std::from_chars(message.data() + i, message.data() + end, number).ec == std::errc{};
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
