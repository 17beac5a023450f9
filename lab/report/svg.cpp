#include "lab/report/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace nz::lab {
namespace {

constexpr std::string_view font =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Liberation Sans','DejaVu "
    "Sans',sans-serif";

// Two digits behind the point are finer than a screen.
std::string number(double v) {
  std::string s = fmt::format("{:.2f}", v);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

std::string stroke(const Pen& pen) {
  std::string s = fmt::format("class=\"k-{}\" fill=\"none\" stroke-width=\"{}\"", name(pen.ink),
                              number(pen.width));
  if (!pen.dash.empty()) s += fmt::format(" stroke-dasharray=\"{}\"", pen.dash);
  if (pen.opacity < 1) s += fmt::format(" opacity=\"{}\"", number(pen.opacity));
  return s;
}

std::string filled(const Fill& fill) {
  std::string s = fmt::format("class=\"{}f-{}\"", fill.tip.empty() ? "" : "m ", name(fill.ink));
  if (fill.opacity < 1) s += fmt::format(" opacity=\"{}\"", number(fill.opacity));
  return s;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string all;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      all += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return all;
}

namespace {

// How many bytes the character takes that the text begins with; 0 where it begins with none that a
// file of XML may have.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r';
  const std::size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (n == 0 || first > 0xF4) return 0;
  unsigned code = first & (0x7Fu >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool shortest = n == 2 || code >= (n == 3 ? 0x800u : 0x10000u);
  const bool half = code >= 0xD800 && code < 0xE000;
  return shortest && !half && code <= 0x10FFFF && code != 0xFFFE && code != 0xFFFF ? n : 0;
}

// The text with a replacement for every byte that is no character.
std::string characters(std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = character_bytes(text.substr(i));
    all += n ? text.substr(i, n) : "\uFFFD";
    i += std::max<std::size_t>(n, 1);
  }
  return all;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : characters(text)) switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      default:
        all += c;
    }
  return all;
}

double text_width(std::string_view text, double size) {
  constexpr std::string_view narrow = "fijlrtI.,:;|!'()[]/ -", wide = "mwMW@%";
  double ems = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // within a character
    ems += narrow.find(c) != narrow.npos ? 0.36 : wide.find(c) != wide.npos ? 0.9 : 0.62;
  }
  return ems * size;
}

namespace {

// The element's end, with what it says when pointed at.
std::string closed(std::string_view element, std::string_view tip) {
  if (tip.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(tip), element);
}

std::string svg_path(const Shape& s) {
  std::string all = "<path d=\"";
  char command = 'M';
  for (const Point& p : s.points) {
    all += fmt::format("{}{} {}", command, number(p.x), number(p.y));
    command = 'L';
  }
  return all + fmt::format("\" stroke-linejoin=\"round\" {}", stroke(s.pen)) +
         closed("path", s.fill.tip);
}

std::string svg_ring(const Shape& s) {
  const Point at = s.points[0];
  // Filled with paper, so that all of it can be pointed at.
  std::string all = fmt::format(
      "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}f-paper k-{}\" stroke-width=\"{}\"",
      number(at.x), number(at.y), number(s.radius), s.fill.tip.empty() ? "" : "m ", name(s.pen.ink),
      number(s.pen.width));
  if (s.pen.opacity < 1) all += fmt::format(" opacity=\"{}\"", number(s.pen.opacity));
  return all + closed("circle", s.fill.tip);
}

std::string svg_text(const Shape& s) {
  const auto element = [&](std::string_view classes, std::string_view more) {
    constexpr std::array anchors{"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{} class=\"{}\"{}>{}</text>\n",
                       number(s.points[0].x), number(s.points[0].y), number(s.type.size),
                       anchors[static_cast<std::size_t>(s.type.anchor)],
                       s.type.bold ? " font-weight=\"600\"" : "", classes, more, escaped(s.words));
  };
  std::string all;
  if (s.type.halo)
    all += element("f-paper k-paper",
                   " stroke-width=\"3\" stroke-linejoin=\"round\" aria-hidden=\"true\"");
  return all + element(fmt::format("f-{}", name(s.type.ink)), "");
}

std::string svg_of(const Shape& s) {
  const Point at = s.points[0];
  switch (s.kind) {
    case Shape::Kind::line:
      return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", number(at.x),
                         number(at.y), number(s.points[1].x), number(s.points[1].y), stroke(s.pen));
    case Shape::Kind::path:
      return svg_path(s);
    case Shape::Kind::box:
      return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1\" {}",
                         number(at.x), number(at.y), number(s.width), number(s.height),
                         filled(s.fill)) +
             closed("rect", s.fill.tip);
    case Shape::Kind::frame:
      return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", number(at.x),
                         number(at.y), number(s.width), number(s.height), stroke(s.pen));
    case Shape::Kind::dot:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}", number(at.x), number(at.y),
                         number(s.radius), filled(s.fill)) +
             closed("circle", s.fill.tip);
    case Shape::Kind::ring:
      return svg_ring(s);
    case Shape::Kind::text:
      return svg_text(s);
    case Shape::Kind::image:
      return fmt::format(
                 "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}"
                 "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                 "xlink:href=\"data:image/png;base64,{}\"",
                 number(at.x), number(at.y), number(s.width), number(s.height),
                 s.fill.tip.empty() ? "" : "class=\"m\" ", base64(s.words)) +
             closed("image", s.fill.tip);
  }
  return "";
}

std::string body(const Drawing& d) {
  std::string all;
  for (const Shape& s : d.shapes()) all += svg_of(s);
  return all;
}

std::string open(const Drawing& d, std::string_view label, std::string_view more, double margin) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "viewBox=\"{0} {0} {1} {2}\" {3}role=\"img\" aria-label=\"{4}\">\n",
      number(-margin), number(d.width() + 2 * margin), number(d.height() + 2 * margin), more,
      escaped(label));
}

}  // namespace

void Drawing::line(Point from, Point to, const Pen& pen) {
  shapes_.push_back({.kind = Shape::Kind::line, .points = {from, to}, .pen = pen});
}

void Drawing::path(const std::vector<Point>& points, const Pen& pen, std::string_view tip) {
  if (points.empty()) return;
  shapes_.push_back(
      {.kind = Shape::Kind::path, .points = points, .pen = pen, .fill = {.tip = std::string(tip)}});
}

void Drawing::box(Point corner, double width, double height, const Fill& fill) {
  shapes_.push_back({.kind = Shape::Kind::box,
                     .points = {corner},
                     .width = std::max(0.0, width),
                     .height = std::max(0.0, height),
                     .fill = fill});
}

void Drawing::frame(Point corner, double width, double height, const Pen& pen) {
  shapes_.push_back({.kind = Shape::Kind::frame,
                     .points = {corner},
                     .width = width,
                     .height = height,
                     .pen = pen});
}

void Drawing::dot(Point centre, double radius, const Fill& fill) {
  shapes_.push_back({.kind = Shape::Kind::dot, .points = {centre}, .radius = radius, .fill = fill});
}

void Drawing::ring(Point centre, double radius, const Pen& pen, std::string_view tip) {
  shapes_.push_back({.kind = Shape::Kind::ring,
                     .points = {centre},
                     .radius = radius,
                     .pen = pen,
                     .fill = {.tip = std::string(tip)}});
}

void Drawing::text(Point at, std::string_view text, const Type& type) {
  shapes_.push_back(
      {.kind = Shape::Kind::text, .points = {at}, .type = type, .words = std::string(text)});
}

void Drawing::image(Point corner, double width, double height, std::string_view png,
                    std::string_view tip) {
  shapes_.push_back({.kind = Shape::Kind::image,
                     .points = {corner},
                     .width = width,
                     .height = height,
                     .fill = {.tip = std::string(tip)},
                     .words = std::string(png)});
}

std::string Drawing::inline_svg(std::string_view label) const {
  return open(*this, label, "", 0) + body(*this) + "</svg>\n";
}

std::string Drawing::file(std::string_view label, bool with_dark) const {
  constexpr double margin = 8;
  return svg_file(*this, label, {.margin = margin, .with_dark = with_dark});
}

std::string svg_file(const Drawing& d, std::string_view label, const Paper& paper) {
  const double margin = paper.margin;
  const std::string size =
      paper.points_per_unit > 0
          ? fmt::format("width=\"{}pt\" height=\"{}pt\" ",
                        number(paper.points_per_unit * (d.width() + 2 * margin)),
                        number(paper.points_per_unit * (d.height() + 2 * margin)))
          : fmt::format("width=\"{}\" height=\"{}\" ", number(d.width() + 2 * margin),
                        number(d.height() + 2 * margin));
  return open(d, label, size, margin) +
         fmt::format(
             "<style>text{{font-family:{0}}}{1}</style>\n"
             "<rect x=\"{2}\" y=\"{2}\" width=\"100%\" height=\"100%\" class=\"f-paper\"/>\n",
             font, ink_styles(paper.with_dark, paper.palette), number(-margin)) +
         body(d) + "</svg>\n";
}

}  // namespace nz::lab
