#include "lab/report/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nz::lab {

Canvas::Canvas(int width, int height, const Colour& paper) : width_(width), height_(height) {
  rgb_.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::int64_t i = 0; i < std::int64_t{width} * height; ++i)
    for (const int c : {paper.red, paper.green, paper.blue}) rgb_.push_back(static_cast<float>(c));
}

// The edge changes what is covered to the right of it. A pixel that it passes gets the area right
// of it there, and the next one the rest; summing up along the line then gives the share of each.
void Canvas::add_edge(Cover& c, Point a, Point b) {
  if (a.y == b.y) return;
  const double sign = a.y < b.y ? 1 : -1;
  if (a.y > b.y) std::swap(a, b);
  const double slope = (b.x - a.x) / (b.y - a.y);
  const int first = std::max(0, static_cast<int>(std::floor(a.y)));
  const int last = std::min(c.height - 1, static_cast<int>(std::ceil(b.y)) - 1);
  for (int y = first; y <= last; ++y) {
    const double from = std::max<double>(a.y, y), to = std::min<double>(b.y, y + 1);
    if (to <= from) continue;
    double x0 = a.x + (from - a.y) * slope, x1 = a.x + (to - a.y) * slope;
    const double high = sign * (to - from);
    if (x0 > x1) std::swap(x0, x1);
    float* line = c.change.data() + static_cast<std::ptrdiff_t>(y) * c.width;
    const auto add = [&](int x, double v) {
      line[std::clamp(x, 0, c.width - 1)] += static_cast<float>(v);
    };
    const int begin = static_cast<int>(std::floor(x0)), end = static_cast<int>(std::floor(x1));
    if (begin == end) {
      const double middle = (x0 + x1) / 2 - begin;
      add(begin, high * (1 - middle));
      add(begin + 1, high * middle);
      continue;
    }
    // Within each pixel the covered area grows as a parabola; its differences are summed up later.
    const double per_pixel = high / (x1 - x0);
    const auto area = [&](double x) {  // right of the edge, left of x, from x0 on
      const double inside = std::clamp(x, x0, x1) - x0, beyond = std::max(0.0, x - x1);
      return per_pixel * inside * inside / 2 + high * beyond;
    };
    double before = 0, covered = 0;
    for (int x = begin; x <= end + 1; ++x) {
      const double now = area(x + 1) - before;
      before = area(x + 1);
      add(x, now - covered);
      covered = now;
    }
  }
}

Canvas::Cover Canvas::cover_of(const std::vector<Outline>& outlines) const {
  double left = width_, top = height_, right = 0, bottom = 0;
  for (const Outline& o : outlines)
    for (const Point& p : o) {
      left = std::min(left, p.x), right = std::max(right, p.x);
      top = std::min(top, p.y), bottom = std::max(bottom, p.y);
    }
  Cover c;
  c.left = std::clamp(static_cast<int>(std::floor(left)), 0, width_);
  c.top = std::clamp(static_cast<int>(std::floor(top)), 0, height_);
  c.width = std::clamp(static_cast<int>(std::ceil(right)), 0, width_) - c.left + 2;
  c.height = std::clamp(static_cast<int>(std::ceil(bottom)), 0, height_) - c.top;
  if (c.width <= 2 || c.height <= 0) return {};
  c.change.assign(static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height), 0);
  for (const Outline& o : outlines)
    for (std::size_t i = 0; i < o.size(); ++i) {
      const Point a = o[i], b = o[(i + 1) % o.size()];
      add_edge(c, {a.x - c.left, a.y - c.top}, {b.x - c.left, b.y - c.top});
    }
  return c;
}

void Canvas::blend(int x, int y, const Colour& colour, double share) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  float* at = rgb_.data() + 3 * (static_cast<std::ptrdiff_t>(y) * width_ + x);
  for (const int c : {colour.red, colour.green, colour.blue}) {
    *at += static_cast<float>(share) * (static_cast<float>(c) - *at);
    ++at;
  }
}

void Canvas::fill(const std::vector<Outline>& outlines, const Colour& colour, double opacity) {
  const Cover c = cover_of(outlines);
  for (int y = 0; y < c.height; ++y) {
    float sum = 0;
    for (int x = 0; x < c.width; ++x) {
      sum += c.change[static_cast<std::size_t>(y) * static_cast<std::size_t>(c.width) +
                      static_cast<std::size_t>(x)];
      const double share = std::min(1.0, std::abs(static_cast<double>(sum)));
      if (share > 1e-3) blend(c.left + x, c.top + y, colour, share * opacity);
    }
  }
}

void Canvas::stroke(const std::vector<Point>& points, double width, const Colour& colour,
                    double opacity) {
  const double half = width / 2;
  std::vector<Outline> parts;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point a = points[i], b = points[i + 1];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length == 0) continue;
    const double dx = half * (b.y - a.y) / length, dy = -half * (b.x - a.x) / length;
    parts.push_back(
        {{a.x + dx, a.y + dy}, {b.x + dx, b.y + dy}, {b.x - dx, b.y - dy}, {a.x - dx, a.y - dy}});
    if (i > 0) parts.push_back(circle(a, half));
  }
  // The largest share of any part, over the pixels that all of them lie in.
  Cover all = cover_of(parts);
  std::fill(all.change.begin(), all.change.end(), 0.0F);
  const auto at = [&all](int x, int y) -> float& {
    return all.change[static_cast<std::size_t>(y) * static_cast<std::size_t>(all.width) +
                      static_cast<std::size_t>(x)];
  };
  for (const Outline& o : parts) {
    const Cover c = cover_of({o});
    for (int y = 0; y < c.height; ++y) {
      float sum = 0;
      for (int x = 0; x < c.width; ++x) {
        sum += c.change[static_cast<std::size_t>(y) * static_cast<std::size_t>(c.width) +
                        static_cast<std::size_t>(x)];
        const int mine = c.left + x - all.left;
        if (mine >= all.width) continue;
        float& most = at(mine, c.top + y - all.top);
        most = std::max(most, std::min(1.0F, std::abs(sum)));
      }
    }
  }
  for (int y = 0; y < all.height; ++y)
    for (int x = 0; x < all.width; ++x)
      if (const float most = at(x, y); most > 1e-3F)
        blend(all.left + x, all.top + y, colour, static_cast<double>(most) * opacity);
}

void Canvas::set(int x, int y, const Colour& colour) { blend(x, y, colour, 1); }

Pixels Canvas::pixels() const {
  Pixels p{width_, height_, {}};
  p.rgb.reserve(rgb_.size());
  for (const float v : rgb_) p.rgb.push_back(static_cast<unsigned char>(std::lround(v)));
  return p;
}

Outline circle(Point centre, double radius) {
  constexpr int corners = 32;
  Outline o;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    o.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return o;
}

}  // namespace nz::lab
