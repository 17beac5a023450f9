#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <png.h>

#include "lab/bench/source.hpp"
#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/spy.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using Picture = std::vector<std::string>;

int ink_of(char digit) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto at = digits.find(digit);
  return at == digits.npos ? 0 : static_cast<int>(at);
}

}  // namespace

std::string picture_png(const Picture& picture) {
  std::size_t width = 1;
  for (const std::string& line : picture) width = std::max(width, line.size());
  std::vector<png_byte> pixels;
  for (const std::string& line : picture)
    for (std::size_t x = 0; x < width; ++x)
      pixels.push_back(static_cast<png_byte>(x < line.size() ? ink_of(line[x]) : 0));
  std::array<png_byte, 4 * 16> colours{};
  for (std::size_t i = 0; i < 16; ++i) {
    constexpr std::array<png_byte, 3> blue{0x2a, 0x7f, 0xcc};
    std::copy(blue.begin(), blue.end(), colours.begin() + static_cast<std::ptrdiff_t>(4 * i));
    colours[4 * i + 3] = static_cast<png_byte>(17 * i);
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(picture.size());
  image.format = PNG_FORMAT_RGBA_COLORMAP;
  image.colormap_entries = 16;
  const auto failed = [&] { return BadInput(fmt::format("a picture as PNG: {}", image.message)); };
  png_alloc_size_t size = 0;
  const auto stride = static_cast<png_int_32>(width);
  if (!png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), stride, colours.data()))
    throw failed();
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), stride,
                                 colours.data()))
    throw failed();
  bytes.resize(size);
  return bytes;
}

void add_pictures(Run& run) {
  constexpr std::int64_t quickly_made = 6'000'000;
  for (const Result* r : matrices(run)) {
    auto& pictures = run.record.pictures;
    auto& lengths = run.record.row_lengths;
    if (pictures.contains(r->matrix) && lengths.contains(r->matrix)) continue;
    if (r->nnz > quickly_made || !is_generated(r->source)) continue;
    try {
      const Source s = load(r->source);
      // What this program makes of the words need not be what was measured.
      if (s.matrix.rows != r->rows || s.matrix.cols != r->cols || s.matrix.nnz() != r->nnz)
        continue;
      if (!pictures.contains(r->matrix)) pictures[r->matrix] = thumbnail(s.matrix.view());
      if (lengths.emplace(r->matrix, row_lengths(s.matrix.view())).second)
        run.made_again.insert(r->matrix);
    } catch (const std::exception&) {
      // A specification of another version: no picture.
    }
  }
}

FigureList spy_figures(const Run& run) {
  constexpr double gap = 12, columns = 4;
  const double side = (run.style.width - (columns - 1) * gap) / columns, high = side + 36;
  std::vector<const Result*> shown;
  std::int64_t missing = 0;
  for (const Result* r : matrices(run)) {
    const auto at = run.record.pictures.find(r->matrix);
    if (at != run.record.pictures.end() && !at->second.empty())
      shown.push_back(r);
    else
      ++missing;
  }
  if (shown.empty()) return {};
  Drawing d(run.style, 100);
  const double top = add_title(
      d, "The matrices",
      fmt::format("{} of {}",
                  plural(static_cast<std::int64_t>(shown.size()), "picture", "pictures"),
                  plural(static_cast<std::int64_t>(matrices(run).size()), "matrix", "matrices")));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Result& r = *shown[i];
    const auto c = static_cast<double>(i % static_cast<std::size_t>(columns));
    const auto l = static_cast<double>(i / static_cast<std::size_t>(columns));
    const Point corner{c * (side + gap), top + l * high};
    const PictureSize s = picture_size(static_cast<index_t>(r.rows), static_cast<index_t>(r.cols),
                                       static_cast<int>(side));
    const double width = s.width, height = s.height;
    d.image(corner, width, height, picture_png(run.record.pictures.at(r.matrix)),
            fmt::format("{}\n{}\n{} x {}, {}", r.matrix, r.source, count_text(r.rows),
                        count_text(r.cols), plural(r.nnz, "nonzero", "nonzeros")));
    d.frame(corner, width, height, {.ink = Ink::axis, .width = 0.7});
    d.text({corner.x, corner.y + side + 12}, fitted_text(r.matrix, 10, side), {.size = 10});
    d.text({corner.x, corner.y + side + 23},
           fmt::format("{} nonzeros", tick_text(static_cast<double>(r.nnz))),
           {.ink = Ink::soft, .size = 8.5});
  }
  const auto lines = static_cast<double>((shown.size() + 3) / static_cast<std::size_t>(columns));
  d.resize(top + lines * high);
  FigureList figures;
  figures.push_back(
      {.kind = "spy",
       .variant = "",
       .label = fmt::format("Where the nonzeros of {} are",
                            plural(static_cast<std::int64_t>(shown.size()), "matrix", "matrices")),
       .caption = fmt::format(
           "Where the nonzeros are: darker is denser.{}",
           missing == 0
               ? ""
               : fmt::format(" The record has no picture of {}, and making {} again would "
                             "take long or is not possible.",
                             plural(missing, "matrix", "matrices"), missing == 1 ? "it" : "them")),
       .drawing = std::move(d)});
  return figures;
}

}  // namespace nz::lab
