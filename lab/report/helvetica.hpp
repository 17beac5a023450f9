#pragma once
#include <optional>

// What a PDF must know of a font that it does not bring along.
namespace nz::lab {

// The byte of a character in the encoding that PDF calls WinAnsi; nothing where it has none.
std::optional<unsigned char> win_ansi(char32_t code);

// How wide it is, for a text of size 1: in Helvetica, or in Helvetica-Bold.
double helvetica_width(unsigned char byte, bool bold);

}  // namespace nz::lab
