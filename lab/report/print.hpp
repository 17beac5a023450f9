#pragma once
#include <string>
#include <string_view>

#include "lab/report/svg.hpp"

// Drawings for print, made here: no other program is asked.
namespace nz::lab {

// One page as large as the drawing, as vectors, its letters as shapes: no font is asked for.
std::string pdf_file(const Drawing& d, std::string_view title, const Paper& paper);

// Pixels, so many an inch; the file says how large it is meant to be.
std::string png_file(const Drawing& d, const Paper& paper, double dots_per_inch);

}  // namespace nz::lab
