#include "cli/library_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace nz::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> words[] = {
    {"a memory limit that is set to more allows it", "--memory-limit with more allows it"},
    {"nz::read_wide() reads such matrices", "the program takes no larger ones"},
    {"the file has complex values, and is read as real ones",
     "the file has complex values, and this command takes real ones alone"},
};

// Whether a word in quotes is what --allow-nan takes.
bool names_nan(std::string message) {
  std::transform(message.begin(), message.end(), message.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view word : {"'nan'", "'inf'", "'-inf'", "'infinity'", "'-infinity'"})
    if (message.ends_with(std::string("expected a number, found ").append(word)) ||
        message.ends_with(std::string(word).append(" is not a weight")))
      return true;
  return false;
}

}  // namespace

std::string in_options(std::string message) {
  for (const auto& [said, meant] : words)
    if (const auto at = message.find(said); at != message.npos)
      message.replace(at, said.size(), meant);
  return message;
}

std::string with_allow_nan(std::string message) {
  if (names_nan(message)) message += "; --allow-nan takes it among real values";
  return message;
}

}  // namespace nz::cli
