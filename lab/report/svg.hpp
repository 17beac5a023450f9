#pragma once
#include <string>
#include <string_view>
#include <vector>

// Pictures as SVG: a few shapes in a few inks, whose colours are decided in one place for light and
// for dark paper.
namespace nz::lab {

// What a shape stands for. Ours and peer can be told apart by colour-blind readers and in grey.
enum class Ink { text, soft, axis, grid, paper, ours, peer, other, green, purple, gold, cyan };
std::string_view name(Ink ink);

// The style sheet of all inks: light paper, and dark where the reader prefers it.
std::string ink_styles(bool with_dark);

// Makes a text safe between tags and within quotes.
std::string escaped(std::string_view text);

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

class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}
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
  std::string open(std::string_view label, std::string_view more, double margin) const;
  void close_with(std::string_view element, std::string_view tip);

  double width_, height_;
  std::string body_;
};

}  // namespace nz::lab
