#include <algorithm>
#include <cmath>

#include "lab/report/canvas.hpp"
#include "lab/report/dashes.hpp"
#include "lab/report/glyphs.hpp"
#include "lab/report/print.hpp"

namespace nz::lab {
namespace {

// The letter's outlines, its curves as a few lines each.
std::vector<Outline> outlines_of(const PlacedGlyph& letter) {
  std::vector<Outline> all;
  const auto placed = [&](Point p) {
    return Point{letter.at.x + p.x * letter.size, letter.at.y + p.y * letter.size};
  };
  for (const Glyph::Step& step : letter.glyph->steps) switch (step.kind) {
      case 'M':
        all.push_back({placed(step.to)});
        break;
      case 'L':
        all.back().push_back(placed(step.to));
        break;
      case 'Q': {
        const Point from = all.back().back(), by = placed(step.by), to = placed(step.to);
        constexpr int steps = 4;
        for (int i = 1; i <= steps; ++i) {
          const double t = static_cast<double>(i) / steps, s = 1 - t;
          all.back().push_back({s * s * from.x + 2 * s * t * by.x + t * t * to.x,
                                s * s * from.y + 2 * s * t * by.y + t * t * to.y});
        }
        break;
      }
      default:  // Z: an outline closes by itself
        break;
    }
  return all;
}

// Closed, without corners that a line of some width does not show.
std::vector<Point> thinned(const Outline& outline, double apart) {
  std::vector<Point> all{outline.front()};
  for (const Point& p : outline)
    if (std::hypot(p.x - all.back().x, p.y - all.back().y) >= apart) all.push_back(p);
  all.push_back(outline.front());
  return all;
}

class Painter {
 public:
  Painter(const Drawing& d, const Paper& paper, double dots_per_inch)
      : palette_(paper.palette),
        margin_(paper.margin),
        scale_((paper.points_per_unit > 0 ? paper.points_per_unit : 0.75) * dots_per_inch / 72),
        canvas_(pixels(d.width()), pixels(d.height()), colour_of(Ink::paper, paper.palette)) {}

  void paint(const Shape& s) {
    const Point at = place(s.points[0]);
    const Colour ink = colour_of(s.pen.ink, palette_), filling = colour_of(s.fill.ink, palette_);
    switch (s.kind) {
      case Shape::Kind::line:
      case Shape::Kind::path:
        for (const auto& piece : dashed(s.points, s.pen.dash)) stroke(piece, s.pen);
        break;
      case Shape::Kind::box:
        canvas_.fill({box(at, s)}, filling, s.fill.opacity);
        break;
      case Shape::Kind::frame: {
        const Point p = s.points[0];
        stroke({p, {p.x + s.width, p.y}, {p.x + s.width, p.y + s.height}, {p.x, p.y + s.height}, p},
               s.pen);
        break;
      }
      case Shape::Kind::dot:
        canvas_.fill({circle(at, s.radius * scale_)}, filling, s.fill.opacity);
        break;
      case Shape::Kind::ring: {
        const double half = s.pen.width * scale_ / 2;
        canvas_.fill({circle(at, s.radius * scale_ + half)}, ink, s.pen.opacity);
        canvas_.fill({circle(at, s.radius * scale_ - half)}, colour_of(Ink::paper, palette_), 1);
        break;
      }
      case Shape::Kind::text:
        text(at, s);
        break;
      case Shape::Kind::image:
        image(at, s);
        break;
    }
  }

  Pixels done() const { return canvas_.pixels(); }

 private:
  int pixels(double units) const {
    return std::max(1, static_cast<int>(std::lround((units + 2 * margin_) * scale_)));
  }
  Point place(Point p) const { return {(p.x + margin_) * scale_, (p.y + margin_) * scale_}; }

  Outline box(Point at, const Shape& s) const {
    const double w = s.width * scale_, h = s.height * scale_;
    return {at, {at.x + w, at.y}, {at.x + w, at.y + h}, {at.x, at.y + h}};
  }

  void stroke(const std::vector<Point>& line, const Pen& pen) {
    std::vector<Point> placed;
    for (const Point& p : line) placed.push_back(place(p));
    canvas_.stroke(placed, pen.width * scale_, colour_of(pen.ink, palette_), pen.opacity);
  }

  void text(Point at, const Shape& s) {
    const double size = s.type.size * scale_;
    std::vector<std::vector<Outline>> drawn;
    for (const PlacedGlyph& letter : placed_glyphs(s.words, at, size, s.type.anchor))
      drawn.push_back(outlines_of(letter));
    const auto around = [&](double wide, const Colour& colour) {
      for (const auto& outlines : drawn)
        for (const Outline& o : outlines) canvas_.stroke(thinned(o, wide / 3), wide, colour, 1);
    };
    if (s.type.halo) around(3 * scale_, colour_of(Ink::paper, palette_));
    const Colour ink = colour_of(s.type.ink, palette_);
    for (const auto& outlines : drawn) canvas_.fill(outlines, ink, 1);
    if (s.type.bold) around(0.045 * size, ink);
  }

  void image(Point at, const Shape& s) {
    const Pixels p = decoded_png(s.words);
    if (p.width == 0 || p.height == 0) return;
    const int w = static_cast<int>(std::lround(s.width * scale_)),
              h = static_cast<int>(std::lround(s.height * scale_));
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const auto from = 3 * (static_cast<std::size_t>(y * std::int64_t{p.height} / h) *
                                   static_cast<std::size_t>(p.width) +
                               static_cast<std::size_t>(x * std::int64_t{p.width} / w));
        canvas_.set(static_cast<int>(at.x) + x, static_cast<int>(at.y) + y,
                    {p.rgb[from], p.rgb[from + 1], p.rgb[from + 2]});
      }
  }

  Palette palette_;
  double margin_, scale_;
  Canvas canvas_;
};

}  // namespace

std::string png_file(const Drawing& d, const Paper& paper, double dots_per_inch) {
  Painter painter(d, paper, dots_per_inch);
  for (const Shape& s : d.shapes()) painter.paint(s);
  return encoded_png(painter.done(), dots_per_inch);
}

}  // namespace nz::lab
