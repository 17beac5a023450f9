#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nonzero/version.hpp>

#include "lab/report/glyphs.hpp"
#include "lab/report/letters.hpp"
#include "lab/report/pixels.hpp"
#include "lab/report/print.hpp"

namespace nz::lab {
namespace {

// A text between brackets; other bytes than those of ASCII by their number.
std::string literal(std::string_view text) {
  std::string all = "(";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '(' || c == ')' || c == '\\')
      all.append("\\") += c;
    else if (byte < 32 || byte > 126)
      all += fmt::format("\\{:03o}", byte);
    else
      all += c;
  }
  return all + ')';
}

// As it is where it is ASCII, else in UTF-16, which is what PDF has for the rest.
std::string title_of(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c > 0; })) return literal(text);
  std::string hex = "<FEFF";
  for (const Letter& l : letters(text, false)) {
    if (l.code < 0x10000)
      hex += fmt::format("{:04X}", static_cast<unsigned>(l.code));
    else
      hex += fmt::format("{:04X}{:04X}", 0xD7C0 + (static_cast<unsigned>(l.code) >> 10),
                         0xDC00 | (static_cast<unsigned>(l.code) & 0x3FF));
  }
  return hex + '>';
}

// Paths of a letter of size 1: filled, or filled and its edge drawn, too.
std::string marks_of(const Glyph& g, char how) {
  std::string all;
  Point from{};
  for (const Glyph::Step& s : g.steps) {
    // A curve by one point is one by two, each two thirds on the way to it.
    const auto by = [&](Point end) {
      return Point{end.x + 2 * (s.by.x - end.x) / 3, end.y + 2 * (s.by.y - end.y) / 3};
    };
    if (s.kind == 'M') all += fmt::format("{:.3f} {:.3f} m\n", s.to.x, s.to.y);
    if (s.kind == 'L') all += fmt::format("{:.3f} {:.3f} l\n", s.to.x, s.to.y);
    if (s.kind == 'Q')
      all += fmt::format("{:.4f} {:.4f} {:.4f} {:.4f} {:.3f} {:.3f} c\n", by(from).x, by(from).y,
                         by(s.to).x, by(s.to).y, s.to.x, s.to.y);
    if (s.kind == 'Z') all += "h\n";
    from = s.to;
  }
  return g.steps.empty() ? "" : all + how + '\n';
}

// The marks of a page, y downward as in the drawing: the first operator turns it round.
class Page {
 public:
  Page(const Drawing& d, const Paper& paper)
      : palette_(paper.palette),
        margin_(paper.margin),
        scale_(paper.points_per_unit > 0 ? paper.points_per_unit : 0.75),
        width_((d.width() + 2 * margin_) * scale_),
        height_((d.height() + 2 * margin_) * scale_) {
    put("{:.5f} 0 0 {:.5f} {:.3f} {:.3f} cm\n1 J 1 j\n", scale_, -scale_, margin_ * scale_,
        height_ - margin_ * scale_);
    for (const Shape& s : d.shapes()) add(s);
  }

  double width() const { return width_; }
  double height() const { return height_; }
  const std::string& marks() const { return marks_; }
  const std::map<int, std::string>& opacities() const { return opacities_; }
  const std::vector<Pixels>& images() const { return images_; }
  const std::map<std::string, std::string>& letters_drawn() const { return letters_; }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    marks_ += fmt::format(format, std::forward<Args>(args)...);
  }

  std::string colour(Ink ink, const char* use) const {
    const Colour c = colour_of(ink, palette_);
    return fmt::format("{:.3f} {:.3f} {:.3f} {}\n", c.red / 255.0, c.green / 255.0, c.blue / 255.0,
                       use);
  }
  void opaque(double share) {
    const int percent = static_cast<int>(std::lround(100 * share));
    opacities_.try_emplace(percent, fmt::format("/O{}", percent));
    put("/O{} gs\n", percent);
  }
  void with(const Pen& pen) {
    opaque(pen.opacity);
    marks_ += colour(pen.ink, "RG");
    put("{:.3f} w [{}] 0 d\n", pen.width, pen.dash);
  }
  void with(const Fill& fill) {
    opaque(fill.opacity);
    marks_ += colour(fill.ink, "rg");
  }
  void circle(Point c, double r) {
    const double k = 0.5523 * r;  // four curves that are as good as a circle
    put("{:.3f} {:.3f} m\n", c.x + r, c.y);
    const auto curve = [&](double ax, double ay, double bx, double by, double x, double y) {
      put("{:.3f} {:.3f} {:.3f} {:.3f} {:.3f} {:.3f} c\n", c.x + ax, c.y + ay, c.x + bx, c.y + by,
          c.x + x, c.y + y);
    };
    curve(r, k, k, r, 0, r);
    curve(-k, r, -r, k, -r, 0);
    curve(-r, -k, -k, -r, 0, -r);
    curve(k, -r, r, -k, r, 0);
  }

  void add(const Shape& s) {
    const Point at = s.points[0];
    switch (s.kind) {
      case Shape::Kind::line:
      case Shape::Kind::path:
        with(s.pen);
        put("{:.3f} {:.3f} m\n", at.x, at.y);
        for (std::size_t i = 1; i < s.points.size(); ++i)
          put("{:.3f} {:.3f} l\n", s.points[i].x, s.points[i].y);
        marks_ += "S\n";
        break;
      case Shape::Kind::box:
        with(s.fill);
        put("{:.3f} {:.3f} {:.3f} {:.3f} re f\n", at.x, at.y, s.width, s.height);
        break;
      case Shape::Kind::frame:
        with(s.pen);
        put("{:.3f} {:.3f} {:.3f} {:.3f} re S\n", at.x, at.y, s.width, s.height);
        break;
      case Shape::Kind::dot:
        with(s.fill);
        circle(at, s.radius);
        marks_ += "f\n";
        break;
      case Shape::Kind::ring:
        with(s.pen);
        marks_ += colour(Ink::paper, "rg");
        circle(at, s.radius);
        marks_ += "B\n";
        break;
      case Shape::Kind::text:
        text(at, s);
        break;
      case Shape::Kind::image:
        if (Pixels p = decoded_png(s.words); p.width > 0) {
          // An image is a unit square whose first line is the upper one.
          put("q\n{:.3f} 0 0 {:.3f} {:.3f} {:.3f} cm\n/I{} Do\nQ\n", s.width, -s.height, at.x,
              at.y + s.height, images_.size());
          images_.push_back(std::move(p));
        }
        break;
    }
  }

  // Letters are shapes, drawn once each and put where they belong: a font that is not part of the
  // file is what journals refuse.
  void text(Point at, const Shape& s) {
    const auto all = placed_glyphs(s.words, at, s.type.size, s.type.anchor);
    opaque(1);
    // The edge is so wide in units of the page, or none.
    const auto show = [&](double edge) {
      for (const PlacedGlyph& p : all) {
        if (p.glyph->steps.empty()) continue;
        const std::string name =
            fmt::format("/{}{:X}", edge > 0 ? 'B' : 'F', static_cast<unsigned>(p.code));
        letters_.try_emplace(name, marks_of(*p.glyph, edge > 0 ? 'B' : 'f'));
        put("q {:.3f} 0 0 {:.3f} {:.3f} {:.3f} cm ", p.size, p.size, p.at.x, p.at.y);
        if (edge > 0) put("{:.4f} w [] 0 d ", edge / p.size);
        put("{} Do Q\n", name);
      }
    };
    if (s.type.halo) {
      marks_ += colour(Ink::paper, "RG") + colour(Ink::paper, "rg");
      show(3);
    }
    marks_ += colour(s.type.ink, "rg");
    if (s.type.bold) marks_ += colour(s.type.ink, "RG");
    show(s.type.bold ? 0.045 * s.type.size : 0);
  }

  Palette palette_;
  double margin_, scale_, width_, height_;
  std::string marks_;
  std::map<int, std::string> opacities_;
  std::vector<Pixels> images_;
  std::map<std::string, std::string> letters_;  // by name: F for filled, B for both
};

// Objects one after the other, and where each begins.
class File {
 public:
  File() : bytes_("%PDF-1.4\n%\xE2\xE3\xCF\xD3\n") {}
  void object(std::string_view body) {
    begins_.push_back(bytes_.size());
    bytes_ += fmt::format("{} 0 obj\n{}\nendobj\n", begins_.size(), body);
  }
  void stream(std::string_view about, std::string_view body) {
    object(fmt::format("<< {}/Length {} >>\nstream\n{}\nendstream", about, body.size(), body));
  }
  std::string done(int root, int info) {
    const std::size_t table = bytes_.size();
    bytes_ += fmt::format("xref\n0 {}\n0000000000 65535 f \n", begins_.size() + 1);
    for (const std::size_t at : begins_) bytes_ += fmt::format("{:010} 00000 n \n", at);
    return bytes_ +
           fmt::format("trailer\n<< /Size {} /Root {} 0 R /Info {} 0 R >>\nstartxref\n{}\n%%EOF\n",
                       begins_.size() + 1, root, info, table);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
};

}  // namespace

std::string pdf_file(const Drawing& d, std::string_view title, const Paper& paper) {
  const Page page(d, paper);
  std::string states, parts;
  for (const auto& [percent, name] : page.opacities())
    states +=
        fmt::format("{} << /ca {:.2f} /CA {:.2f} >> ", name, percent / 100.0, percent / 100.0);
  int number = 6;  // of the first part
  for (const auto& [name, marks] : page.letters_drawn())
    parts += fmt::format("{} {} 0 R ", name, number++);
  for (std::size_t i = 0; i < page.images().size(); ++i)
    parts += fmt::format("/I{} {} 0 R ", i, number++);
  File file;
  file.object("<< /Type /Catalog /Pages 2 0 R >>");
  file.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
  file.object(fmt::format(
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.3f} {:.3f}] /Contents 4 0 R /Resources << "
      "/ExtGState << {}>> /XObject << {}>> >> >>",
      page.width(), page.height(), states, parts));
  file.stream("", page.marks());
  file.object(fmt::format("<< /Title {} /Producer (nonzero {}) >>", title_of(title), version()));
  // Letters may reach below the line and beyond their own width; their edges a little further.
  for (const auto& [name, marks] : page.letters_drawn())
    file.stream("/Type /XObject /Subtype /Form /BBox [-1 -2 3 2] ", marks);
  for (const Pixels& p : page.images())
    file.stream(fmt::format("/Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace "
                            "/DeviceRGB /BitsPerComponent 8 ",
                            p.width, p.height),
                std::string_view(reinterpret_cast<const char*>(p.rgb.data()), p.rgb.size()));
  return file.done(1, 5);
}

}  // namespace nz::lab
