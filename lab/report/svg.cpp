#include "lab/report/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace nz::lab {
namespace {

struct Colours {
  Ink ink;
  std::string_view name, light, dark;
};
// Ours and peer after Okabe and Ito's colours, adjusted to have contrast on either paper.
constexpr std::array inks{
    Colours{Ink::text, "text", "#1c2127", "#e8eaed"},
    Colours{Ink::soft, "soft", "#5b6570", "#a3adb8"},
    Colours{Ink::axis, "axis", "#a9b1ba", "#56606b"},
    Colours{Ink::grid, "grid", "#e5e8ec", "#2a3037"},
    Colours{Ink::paper, "paper", "#ffffff", "#15191e"},
    Colours{Ink::ours, "ours", "#0a6ebd", "#55aef2"},
    Colours{Ink::peer, "peer", "#d05a00", "#f79a4b"},
    Colours{Ink::other, "other", "#9aa3ad", "#6c7782"},
    Colours{Ink::green, "green", "#00875f", "#3fc797"},
    Colours{Ink::purple, "purple", "#a54a92", "#dd97cf"},
    Colours{Ink::gold, "gold", "#9a7400", "#dcbc4a"},
    Colours{Ink::cyan, "cyan", "#007f9e", "#4cc3df"},
};

constexpr std::string_view font =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Liberation Sans','DejaVu "
    "Sans',sans-serif";

std::string rules(std::string_view Colours::*paper) {
  std::string all;
  for (const Colours& c : inks)
    all += fmt::format(".f-{0}{{fill:{1}}}.k-{0}{{stroke:{1}}}", c.name, c.*paper);
  return all;
}

// Two digits behind the point are finer than a screen.
std::string number(double v) {
  std::string s = fmt::format("{:.2f}", v);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

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

std::string_view name(Ink ink) {
  return std::find_if(inks.begin(), inks.end(), [&](const Colours& c) { return c.ink == ink; })
      ->name;
}

std::string ink_styles(bool with_dark) {
  std::string all = rules(&Colours::light);
  if (with_dark)
    all += fmt::format("@media (prefers-color-scheme:dark){{{}}}", rules(&Colours::dark));
  return all;
}

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) switch (c) {
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

void Drawing::close_with(std::string_view element, std::string_view tip) {
  if (tip.empty())
    body_ += "/>\n";
  else
    body_ += fmt::format("><title>{}</title></{}>\n", escaped(tip), element);
}

void Drawing::line(Point from, Point to, const Pen& pen) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", number(from.x),
                       number(from.y), number(to.x), number(to.y), stroke(pen));
}

void Drawing::path(const std::vector<Point>& points, const Pen& pen, std::string_view tip) {
  if (points.empty()) return;
  body_ += "<path d=\"";
  char command = 'M';
  for (const Point& p : points) {
    body_ += fmt::format("{}{} {}", command, number(p.x), number(p.y));
    command = 'L';
  }
  body_ += fmt::format("\" stroke-linejoin=\"round\" {}", stroke(pen));
  close_with("path", tip);
}

void Drawing::box(Point corner, double width, double height, const Fill& fill) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1\" {}",
                       number(corner.x), number(corner.y), number(std::max(0.0, width)),
                       number(std::max(0.0, height)), filled(fill));
  close_with("rect", fill.tip);
}

void Drawing::frame(Point corner, double width, double height, const Pen& pen) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", number(corner.x),
                  number(corner.y), number(width), number(height), stroke(pen));
}

void Drawing::dot(Point centre, double radius, const Fill& fill) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}", number(centre.x),
                       number(centre.y), number(radius), filled(fill));
  close_with("circle", fill.tip);
}

void Drawing::ring(Point centre, double radius, const Pen& pen, std::string_view tip) {
  // Filled with paper, so that all of it can be pointed at.
  body_ += fmt::format(
      "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}f-paper k-{}\" stroke-width=\"{}\"",
      number(centre.x), number(centre.y), number(radius), tip.empty() ? "" : "m ", name(pen.ink),
      number(pen.width));
  if (pen.opacity < 1) body_ += fmt::format(" opacity=\"{}\"", number(pen.opacity));
  close_with("circle", tip);
}

void Drawing::text(Point at, std::string_view text, const Type& type) {
  const auto element = [&](std::string_view classes, std::string_view more) {
    constexpr std::array anchors{"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{} class=\"{}\"{}>{}</text>\n",
                         number(at.x), number(at.y), number(type.size),
                         anchors[static_cast<std::size_t>(type.anchor)],
                         type.bold ? " font-weight=\"600\"" : "", classes, more, escaped(text));
  };
  if (type.halo)
    element("f-paper k-paper",
            " stroke-width=\"3\" stroke-linejoin=\"round\" aria-hidden=\"true\"");
  element(fmt::format("f-{}", name(type.ink)), "");
}

void Drawing::image(Point corner, double width, double height, std::string_view png,
                    std::string_view tip) {
  body_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{}\"",
      number(corner.x), number(corner.y), number(width), number(height),
      tip.empty() ? "" : "class=\"m\" ", base64(png));
  close_with("image", tip);
}

std::string Drawing::open(std::string_view label, std::string_view more, double margin) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "viewBox=\"{0} {0} {1} {2}\" {3}role=\"img\" aria-label=\"{4}\">\n",
      number(-margin), number(width_ + 2 * margin), number(height_ + 2 * margin), more,
      escaped(label));
}

std::string Drawing::inline_svg(std::string_view label) const {
  return open(label, "", 0) + body_ + "</svg>\n";
}

std::string Drawing::file(std::string_view label, bool with_dark) const {
  constexpr double margin = 8;
  const std::string size = fmt::format("width=\"{}\" height=\"{}\" ", number(width_ + 2 * margin),
                                       number(height_ + 2 * margin));
  return open(label, size, margin) +
         fmt::format(
             "<style>text{{font-family:{0}}}{1}</style>\n"
             "<rect x=\"{2}\" y=\"{2}\" width=\"100%\" height=\"100%\" class=\"f-paper\"/>\n",
             font, ink_styles(with_dark), -margin) +
         body_ + "</svg>\n";
}

}  // namespace nz::lab
