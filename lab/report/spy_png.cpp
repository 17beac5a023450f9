#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <png.h>

#include "io/output_file.hpp"
#include "lab/report/spy.hpp"

namespace nz::lab {
namespace {

// Ink in 256 steps: the paper, then from light to dark blue; three bytes a colour.
std::array<png_byte, 3 * 256> ink_colours() {
  constexpr std::array paper{250, 250, 248}, light{140, 180, 222}, dark{8, 29, 88};
  std::array<png_byte, 3 * 256> all{};
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      const double t = static_cast<double>(i) / 255;
      const double v = i == 0 ? paper[c] : light[c] + t * (dark[c] - light[c]);
      all[3 * i + c] = static_cast<png_byte>(v + 0.5);
    }
  return all;
}

std::vector<png_byte> pixels(const DensityGrid& g, const PictureSize& size) {
  std::vector<png_byte> all;
  all.reserve(static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width));
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const auto gy = static_cast<int>(std::int64_t{y} * g.height / size.height);
      const auto gx = static_cast<int>(std::int64_t{x} * g.width / size.width);
      const double ink = g.density.empty() ? 0 : g.ink(gy, gx);
      all.push_back(static_cast<png_byte>(ink * 255 + 0.5));
    }
  return all;
}

}  // namespace

PictureSize picture_size(index_t rows, index_t cols, int size) {
  if (rows == 0 || cols == 0) return {size, size};
  const int narrowest = std::max(1, size / 32);
  const auto follow = [&](index_t shorter, index_t longer) {
    return std::max(narrowest,
                    static_cast<int>(std::lround(size * (static_cast<double>(shorter) / longer))));
  };
  return rows >= cols ? PictureSize{size, follow(cols, rows)}
                      : PictureSize{follow(rows, cols), size};
}

PictureSize write_spy_png(const std::filesystem::path& path, const CsrView<double, std::int64_t>& a,
                          int size) {
  const PictureSize s = picture_size(a.rows, a.cols, size);
  const std::vector<png_byte> drawn = pixels(density_grid(a, s.height, s.width), s);
  const auto colours = ink_colours();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(s.width);
  image.height = static_cast<png_uint_32>(s.height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 256;

  const auto failed = [&](const char* why) {
    return BadInput(fmt::format("{}: {}", path.string(), why));
  };
  std::string png(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size_of_png = png.size();
  if (!png_image_write_to_memory(&image, png.data(), &size_of_png, 0, drawn.data(), s.width,
                                 colours.data()))
    throw failed(image.message);
  write_file(path, std::string_view(png).substr(0, size_of_png));
  return s;
}

}  // namespace nz::lab
