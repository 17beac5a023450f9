#include <algorithm>

#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// Numbers are whole multiples of 2^-30.
constexpr std::int64_t one = std::int64_t{1} << 30;
constexpr std::int64_t pi = 3373259426;

__extension__ using int128 = __int128;

constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>((static_cast<int128>(a) * b) >> 30);
}
constexpr std::int64_t divided(std::int64_t a, std::int64_t b) {
  const int128 n = static_cast<int128>(a) << 30;
  const int128 q = n / b;
  return static_cast<std::int64_t>(q - (n % b != 0 && (n < 0) != (b < 0)));
}

// The sine of an angle in [0, pi / 2] by its series.
constexpr std::int64_t sine(std::int64_t x) {
  std::int64_t sum = 0, term = x;
  for (int k = 1; term != 0; k += 2) {
    sum += term;
    term = -times(times(term, x), x) / ((k + 1) * (k + 2));
  }
  return std::min(sum, one);
}

// Parallel beams through size x size pixels from `angles` directions over half a turn, `detectors`
// rays each, together as wide as the diagonal. A row is a ray, its entries the lengths within
// pixels (Siddon 1985), found line by line of pixels.
struct Scan {
  index_t size, angles, detectors, rays, pixels;

  explicit Scan(const Settings& all)
      : size(whole_index(all, "size")),
        angles(whole_index(all, "angles")),
        detectors(whole_index(all, "detectors")),
        rays(index_product("rays", angles, detectors)),
        pixels(index_product("pixels", size, size)) {}

  // The ray x cosine + y sine = offset from the middle, cosine >= 0 turned so that sine >= 0.
  struct Ray {
    std::int64_t cosine, sine, offset;
    bool mirrored;
  };
  Ray ray(index_t row) const {
    const index_t angle = row / detectors, detector = row % detectors;
    const std::int64_t full = pi / angles * angle, turned = full > pi / 2 ? pi - full : full;
    // 1449 / 1024 is just above the square root of 2. Rays go through the middles of detectors.
    const std::int64_t width = one / 1024 * 1449 * size;
    return {sine(pi / 2 - turned), sine(turned),
            width / (2 * detectors) * (2 * std::int64_t{detector} + 1 - detectors), full > pi / 2};
  }

  // visit(line, pixel in the line, length) line by line, pixels from the left or from the right.
  template <class Visit>
  void for_pixels(const Ray& r, Visit&& visit) const {
    // A ray that is all but along the lines is taken for one.
    const bool along = r.cosine <= one / 4096;
    const std::int64_t width = one * size, half = width / 2;
    const std::int64_t slope = along ? width : divided(r.sine, r.cosine);
    const std::int64_t start =
        along ? width : divided(r.offset + times(half, r.sine), r.cosine) + half;
    for (index_t line = 0; line < size; ++line) {
      // Where the ray leaves and enters the line of pixels.
      const std::int64_t b = along ? width : start - line * slope, a = b - slope;
      if (along && (r.offset < line * one - half || r.offset >= (line + 1) * one - half)) continue;
      const std::int64_t left = std::max<std::int64_t>(a, 0), right = std::min(b, width - 1);
      for (std::int64_t x = left >> 30; x <= right >> 30 && left <= right; ++x) {
        const std::int64_t part = std::min(b, (x + 1) << 30) - std::max(a, x << 30);
        // Both are whole numbers, so that the quotient is the same everywhere.
        const double length = slope == 0 ? static_cast<double>(one) / static_cast<double>(r.cosine)
                                         : static_cast<double>(std::max<std::int64_t>(part, 1)) /
                                               static_cast<double>(r.sine);
        visit(line, static_cast<index_t>(r.mirrored ? size - 1 - x : x), length);
      }
    }
  }

  std::int64_t length(index_t row) const {
    std::int64_t count = 0;
    for_pixels(ray(row), [&](index_t, index_t, double) { ++count; });
    return count;
  }
};

GeneratedMatrix make_tomography(const Settings& all) {
  const Scan scan(all);
  return from_rows(
      scan.rays, scan.pixels, [&](index_t i) { return scan.length(i); },
      [&](index_t i, index_t* columns, double* values, std::int64_t n) {
        const Scan::Ray ray = scan.ray(i);
        std::int64_t k = 0;
        scan.for_pixels(ray, [&](index_t line, index_t pixel, double length) {
          columns[k] = line * scan.size + pixel;
          values[k++] = length;
        });
        if (!ray.mirrored) return;
        // Lines of pixels were gone through from the right.
        for (std::int64_t first = 0, end = 0; first < n; first = end) {
          while (end < n && columns[end] / scan.size == columns[first] / scan.size) ++end;
          std::reverse(columns + first, columns + end);
          std::reverse(values + first, values + end);
        }
      });
}

// Counted where that is quick; otherwise expected: a pixel is met by as many rays as its shadow is
// wide, 4 / pi on average.
MatrixSize size_tomography(const Settings& all) {
  const Scan scan(all);
  double nonzeros = 4 / 3.14159265 * 1024 / 1449 * scan.size * scan.rays;
  if (static_cast<double>(scan.rays) * scan.size < 3e7) {
    nonzeros = 0;
    for (index_t i = 0; i < scan.rays; ++i) nonzeros += static_cast<double>(scan.length(i));
  }
  return size_by_rows(scan.rays, scan.pixels, nonzeros);
}

}  // namespace

Family tomography_family() {
  return {"tomography",
          "parallel-beam tomography: rays by pixels, lengths within pixels, long rows that slant",
          "own",
          "tomography:size=48,angles=30,detectors=68",
          {{"size", "pixels along an edge of the image; a column a pixel", 128, 1, 46340},
           {"angles", "directions, over half a turn", 90, 1, 1 << 20},
           {"detectors", "rays of a direction; a row a ray", 181, 1, 1 << 20}},
          make_tomography,
          size_tomography};
}

}  // namespace nz
