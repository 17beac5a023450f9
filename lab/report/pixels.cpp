#include "lab/report/pixels.hpp"

#include <array>
#include <cmath>
#include <cstdint>

#include <nonzero/error.hpp>
#include <png.h>
#include <zlib.h>

namespace nz::lab {
namespace {

constexpr std::size_t header_end = 33;  // the signature and the first chunk

void add_number(std::string& bytes, std::uint32_t n) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(n >> shift & 255u);
}

// The chunk that says how many pixels a metre has.
std::string size_chunk(double dots_per_inch) {
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dots_per_inch / 0.0254));
  std::string body = "pHYs";
  add_number(body, per_metre);
  add_number(body, per_metre);
  body += '\1';  // metres
  std::string chunk;
  add_number(chunk, static_cast<std::uint32_t>(body.size() - 4));
  chunk += body;
  add_number(chunk, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                     static_cast<uInt>(body.size()))));
  return chunk;
}

}  // namespace

Pixels decoded_png(std::string_view png) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, png.data(), png.size())) return {};
  image.format = PNG_FORMAT_RGB;
  Pixels p{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  p.rgb.resize(PNG_IMAGE_SIZE(image));
  const png_color white{255, 255, 255};
  if (!png_image_finish_read(&image, &white, p.rgb.data(), 0, nullptr)) return {};
  return p;
}

std::string encoded_png(const Pixels& pixels, double dots_per_inch) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(pixels.width);
  image.height = static_cast<png_uint_32>(pixels.height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  if (!png_image_write_to_memory(&image, nullptr, &size, 0, pixels.rgb.data(), 0, nullptr))
    throw NoResource(std::string("a picture: ") + image.message);
  std::string png(size, '\0');
  if (!png_image_write_to_memory(&image, png.data(), &size, 0, pixels.rgb.data(), 0, nullptr))
    throw NoResource(std::string("a picture: ") + image.message);
  const std::string chunk = size_chunk(dots_per_inch);
  png.insert(header_end, chunk);
  return png;
}

}  // namespace nz::lab
