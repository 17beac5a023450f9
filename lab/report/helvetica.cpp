#include "lab/report/helvetica.hpp"

#include <array>

namespace nz::lab {
namespace {

// From space to ~, in thousandths, as Adobe published them.
constexpr std::array<short, 95> plain_widths{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
constexpr std::array<short, 95> bold_widths{
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584};

struct Other {
  char32_t code;
  unsigned char byte;
  short plain, bold;
};
constexpr std::array others{
    Other{0x2026, 0x85, 1000, 1000}, Other{0x2013, 0x96, 556, 556}, Other{0x2014, 0x97, 1000, 1000},
    Other{0x2212, '-', 333, 333},    Other{0xA7, 0xA7, 556, 556},   Other{0xB1, 0xB1, 584, 584},
    Other{0xB5, 0xB5, 556, 611},     Other{0x3BC, 0xB5, 556, 611},  Other{0xB7, 0xB7, 278, 278},
    Other{0xD7, 0xD7, 584, 584},     Other{0xE4, 0xE4, 556, 556},   Other{0xE9, 0xE9, 556, 556},
    Other{0xF6, 0xF6, 556, 611},     Other{0xFC, 0xFC, 556, 611}};

}  // namespace

std::optional<unsigned char> win_ansi(char32_t code) {
  if (code >= 32 && code < 127) return static_cast<unsigned char>(code);
  for (const Other& o : others)
    if (o.code == code) return o.byte;
  return {};
}

double helvetica_width(unsigned char byte, bool bold) {
  if (byte >= 32 && byte < 127)
    return (bold ? bold_widths : plain_widths)[static_cast<std::size_t>(byte) - 32] / 1000.0;
  for (const Other& o : others)
    if (o.byte == byte) return (bold ? o.bold : o.plain) / 1000.0;
  return 0.556;
}

}  // namespace nz::lab
