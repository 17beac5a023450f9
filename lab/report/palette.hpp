#pragma once
#include <string>
#include <string_view>
#include <vector>

// What colours shapes have, decided in one place, for light and for dark paper.
namespace nz::lab {

// What a shape stands for. Ours and peer can be told apart by colour-blind readers.
enum class Ink { text, soft, axis, grid, paper, ours, peer, other, green, purple, gold, cyan };
std::string_view name(Ink ink);

// standard: after Okabe and Ito, with contrast on either paper; okabe-ito and tol as they were
// published, for readers with any kind of colour vision; grey, for print without colour.
enum class Palette { standard, okabe_ito, tol, grey };
std::vector<std::string> palette_names();
// Throws InvalidArgument with the names there are.
Palette palette_named(const std::string& name);

struct Colour {
  int red = 0, green = 0, blue = 0;  // 0 to 255
};
Colour colour_of(Ink ink, Palette palette);  // on light paper
std::string hex(const Colour& c);            // "#0a6ebd"

// The style sheet of all inks: light paper, and dark where the reader prefers it, which only the
// standard colours have.
std::string ink_styles(bool with_dark, Palette palette = Palette::standard);

}  // namespace nz::lab
