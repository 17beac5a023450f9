#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/palette.hpp"

// Pictures: a few shapes in a few inks, kept as shapes, and written as SVG here, as PDF and PNG by
// print.hpp.
namespace nz::lab {

// Makes a text safe between tags and within quotes; what is no character of XML becomes U+FFFD.
std::string escaped(std::string_view text);

std::string base64(std::string_view bytes);

// About as wide as the text is drawn, for placing labels.
double text_width(std::string_view text, double size);

enum class Anchor { start, middle, end };

struct Pen {
  Ink ink = Ink::axis;
  double width = 1;
  std::string_view dash{};  // lengths of ink and gap, such as "3 2"
  double opacity = 1;
};

struct Type {
  Ink ink = Ink::text;
  double size = 10.5;
  Anchor anchor = Anchor::start;
  bool bold = false;
  bool halo = false;  // the paper shines around it, over lines
};

// What a filled shape looks like, and what it says when pointed at, lines apart by '\n'.
struct Fill {
  Ink ink = Ink::ours;
  std::string tip{};
  double opacity = 1;
};

struct Point {
  double x = 0, y = 0;
};

// One of what a drawing consists of; which of the members count depends on the kind.
struct Shape {
  enum class Kind { line, path, box, frame, dot, ring, text, image } kind = Kind::line;
  std::vector<Point> points{};  // the ends, all of a path, a corner or a centre
  double width = 0, height = 0;
  double radius = 0;
  Pen pen{};
  Fill fill{};
  Type type{};
  std::string words{};  // a text, or the bytes of a PNG
};

// How figures are laid out: their width, and whether they say what they are themselves.
struct FigureStyle {
  double width = 390;  // two fit beside each other on a desk, one on a phone
  bool titles = true;
};

class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}
  Drawing(const FigureStyle& style, double height)
      : width_(style.width), height_(height), titles_(style.titles) {}
  bool titles() const { return titles_; }
  const std::vector<Shape>& shapes() const { return shapes_; }
  double width() const { return width_; }
  double height() const { return height_; }
  void resize(double height) { height_ = height; }  // once it is known how much is drawn

  void line(Point from, Point to, const Pen& pen);
  void path(const std::vector<Point>& points, const Pen& pen, std::string_view tip = {});
  void box(Point corner, double width, double height, const Fill& fill);
  void frame(Point corner, double width, double height, const Pen& pen);
  void dot(Point centre, double radius, const Fill& fill);
  void ring(Point centre, double radius, const Pen& pen, std::string_view tip = {});
  void text(Point at, std::string_view text, const Type& type = {});
  // A PNG, its pixels kept apart where it is enlarged.
  void image(Point corner, double width, double height, std::string_view png,
             std::string_view tip = {});

  // For a page that has ink_styles() itself.
  std::string inline_svg(std::string_view label) const;
  // On its own, with a margin.
  std::string file(std::string_view label, bool with_dark = true) const;

 private:
  double width_, height_;
  bool titles_ = true;
  std::vector<Shape> shapes_;
};

// What a drawing is put on: how large, in which colours.
struct Paper {
  double points_per_unit = 0;  // of 1/72 inch; 0: three quarters, the pixel of a browser
  double margin = 8;           // in units
  Palette palette = Palette::standard;
  bool with_dark = true;  // in SVG, where the reader prefers it
};
std::string svg_file(const Drawing& d, std::string_view label, const Paper& paper);

}  // namespace nz::lab
