#pragma once
#include <filesystem>
#include <string_view>

namespace nz::lab {

// Makes a PNG of an SVG picture, so many times as large, with librsvg's program rsvg-convert.
// Throws NoResource where that is not installed, BadInput where it fails.
void write_png(const std::filesystem::path& path, std::string_view svg, double zoom);

}  // namespace nz::lab
