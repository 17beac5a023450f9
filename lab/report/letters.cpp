#include "lab/report/letters.hpp"

#include <array>

#include "lab/report/combined.hpp"

namespace nz::lab {
namespace {

struct Raised {
  char32_t code;
  char plain;
};
constexpr std::array exponents{Raised{0x2070, '0'}, Raised{0xB9, '1'},   Raised{0xB2, '2'},
                               Raised{0xB3, '3'},   Raised{0x2074, '4'}, Raised{0x2075, '5'},
                               Raised{0x2076, '6'}, Raised{0x2077, '7'}, Raised{0x2078, '8'},
                               Raised{0x2079, '9'}, Raised{0x207B, '-'}};

Letter letter(char32_t code, bool raise) {
  if (!raise) return {code, false};
  for (const Raised& r : exponents)
    if (r.code == code) return {static_cast<char32_t>(r.plain), true};
  return {code, false};
}

}  // namespace

std::vector<Letter> letters(std::string_view text, bool raise) {
  std::vector<Letter> all;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int more = first < 0x80    ? 0
                     : first >= 0xF0 ? 3
                     : first >= 0xE0 ? 2
                     : first >= 0xC0 ? 1
                                     : -1;
    if (more < 0) continue;
    char32_t code = more == 0 ? first : first & (0x3Fu >> more);
    int left = more;
    for (; left > 0 && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
         --left)
      code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3Fu);
    if (left != 0) continue;
    if (is_mark(code) && !all.empty())
      all.back().code = combined(all.back().code, code);
    else
      all.push_back(letter(code, raise));
  }
  return all;
}

}  // namespace nz::lab
