#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "lab/report/canvas.hpp"
#include "lab/report/dashes.hpp"
#include "lab/report/letters.hpp"
#include "lab/report/print.hpp"

namespace nz::lab {
namespace {

struct GlyphText {
  char32_t code;
  int advance;
  const char* outline;
};
constexpr GlyphText glyph_texts[] = {
#include "lab/report/glyphs.inc"
};

// A letter of size 1, y downward from the line it stands on.
struct Glyph {
  double advance = 0;
  std::vector<Outline> outlines{};
};

Glyph parsed(const GlyphText& text) {
  Glyph g{text.advance / 1000.0, {}};
  const char* at = text.outline;
  const auto point = [&] {
    char* end = nullptr;
    const double x = static_cast<double>(std::strtol(at, &end, 10));
    const double y = static_cast<double>(std::strtol(end, &end, 10));
    at = end;
    return Point{x / 1000, -y / 1000};
  };
  while (*at) switch (*at++) {
      case 'M':
        g.outlines.push_back({point()});
        break;
      case 'L':
        g.outlines.back().push_back(point());
        break;
      case 'Q': {
        const Point from = g.outlines.back().back(), by = point(), to = point();
        constexpr int steps = 4;
        for (int i = 1; i <= steps; ++i) {
          const double t = static_cast<double>(i) / steps, s = 1 - t;
          g.outlines.back().push_back({s * s * from.x + 2 * s * t * by.x + t * t * to.x,
                                       s * s * from.y + 2 * s * t * by.y + t * t * to.y});
        }
        break;
      }
      default:  // Z: an outline closes by itself
        break;
    }
  return g;
}

// The letter, or a question mark for one that is not there.
const Glyph& glyph(char32_t code) {
  static const std::map<char32_t, Glyph> all = [] {
    std::map<char32_t, Glyph> made;
    for (const GlyphText& t : glyph_texts) made.emplace(t.code, parsed(t));
    return made;
  }();
  const auto found = all.find(code);
  return found == all.end() ? all.at(U'?') : found->second;
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
    const auto all = letters(s.words);
    double width = 0;
    for (const Letter& l : all) width += glyph(l.code).advance * (l.raised ? raised_size : 1);
    width *= size;
    double x = at.x - (s.type.anchor == Anchor::middle ? width / 2
                       : s.type.anchor == Anchor::end  ? width
                                                       : 0);
    std::vector<std::vector<Outline>> drawn;
    for (const Letter& l : all) {
      const Glyph& g = glyph(l.code);
      const double its = size * (l.raised ? raised_size : 1);
      const double y = at.y - (l.raised ? raised_by * size : 0);
      std::vector<Outline> outlines = g.outlines;
      for (Outline& o : outlines)
        for (Point& p : o) p = {x + p.x * its, y + p.y * its};
      drawn.push_back(std::move(outlines));
      x += g.advance * its;
    }
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
