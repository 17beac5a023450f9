#include "lab/report/palette.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/error.hpp>

namespace nz::lab {
namespace {

struct Colours {
  Ink ink;
  std::string_view name, light, dark;
  std::array<std::string_view, 3>
      others;  // okabe-ito, tol, grey; "": as the standard on light paper
};
constexpr std::array inks{
    Colours{Ink::text, "text", "#1c2127", "#e8eaed", {}},
    Colours{Ink::soft, "soft", "#5b6570", "#a3adb8", {"", "", "#404040"}},
    Colours{Ink::axis, "axis", "#a9b1ba", "#56606b", {"", "", "#909090"}},
    Colours{Ink::grid, "grid", "#e5e8ec", "#2a3037", {"", "", "#e6e6e6"}},
    Colours{Ink::paper, "paper", "#ffffff", "#15191e", {}},
    Colours{Ink::ours, "ours", "#0a6ebd", "#55aef2", {"#0072b2", "#0077bb", "#1a1a1a"}},
    Colours{Ink::peer, "peer", "#d05a00", "#f79a4b", {"#d55e00", "#ee7733", "#8c8c8c"}},
    Colours{Ink::other, "other", "#9aa3ad", "#6c7782", {"#999999", "#bbbbbb", "#cfcfcf"}},
    Colours{Ink::green, "green", "#00875f", "#3fc797", {"#009e73", "#009988", "#4d4d4d"}},
    Colours{Ink::purple, "purple", "#a54a92", "#dd97cf", {"#cc79a7", "#ee3377", "#737373"}},
    Colours{Ink::gold, "gold", "#9a7400", "#dcbc4a", {"#e69f00", "#cc3311", "#a6a6a6"}},
    Colours{Ink::cyan, "cyan", "#007f9e", "#4cc3df", {"#56b4e9", "#33bbee", "#333333"}},
};
constexpr std::array palettes{"standard", "okabe-ito", "tol", "grey"};

const Colours& entry(Ink ink) {
  return *std::find_if(inks.begin(), inks.end(), [&](const Colours& c) { return c.ink == ink; });
}

std::string_view light(const Colours& c, Palette palette) {
  if (palette == Palette::standard) return c.light;
  const std::string_view other = c.others[static_cast<std::size_t>(palette) - 1];
  return other.empty() ? c.light : other;
}

std::string rule(const Colours& c, std::string_view colour) {
  return fmt::format(".f-{0}{{fill:{1}}}.k-{0}{{stroke:{1}}}", c.name, colour);
}

}  // namespace

std::string_view name(Ink ink) { return entry(ink).name; }

std::vector<std::string> palette_names() { return {palettes.begin(), palettes.end()}; }

Palette palette_named(const std::string& name) {
  const auto at = std::find(palettes.begin(), palettes.end(), name);
  if (at == palettes.end())
    throw InvalidArgument(
        fmt::format("no palette '{}'; there are {}", name, fmt::join(palettes, ", ")));
  return static_cast<Palette>(at - palettes.begin());
}

Colour colour_of(Ink ink, Palette palette) {
  const auto number = static_cast<int>(
      std::strtol(std::string(light(entry(ink), palette).substr(1)).c_str(), nullptr, 16));
  return {number >> 16, number >> 8 & 255, number & 255};
}

std::string hex(const Colour& c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

std::string ink_styles(bool with_dark, Palette palette) {
  std::string all, dark;
  for (const Colours& c : inks) {
    all += rule(c, light(c, palette));
    dark += rule(c, c.dark);
  }
  if (with_dark && palette == Palette::standard)
    all += fmt::format("@media (prefers-color-scheme:dark){{{}}}", dark);
  return all;
}

}  // namespace nz::lab
