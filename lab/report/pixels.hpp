#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/palette.hpp"

namespace nz::lab {

// Red, green and blue of each pixel, line by line.
struct Pixels {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb{};
};

// Of the bytes of a PNG; empty where they are none.
Pixels decoded_png(std::string_view png);

// As a PNG that says how many pixels an inch has.
std::string encoded_png(const Pixels& pixels, double dots_per_inch);

}  // namespace nz::lab
