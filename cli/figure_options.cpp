#include "cli/figure_options.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/error.hpp>

#include "cli/lists.hpp"
#include "cli/parser.hpp"
#include "lab/report/plot.hpp"

namespace nz::cli {
namespace {

constexpr double points_per_inch = 72;

// "88mm", "8.8cm", "3.5in", "250pt": in points.
double parse_length(const std::string& text, std::string_view option) {
  struct Unit {
    std::string_view name;
    double points;
  };
  constexpr std::array units{Unit{"mm", points_per_inch / 25.4}, Unit{"cm", points_per_inch / 2.54},
                             Unit{"in", points_per_inch}, Unit{"pt", 1}};
  double n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& u : units)
    if (error == std::errc() && unit == u.name && n * u.points >= points_per_inch / 2 &&
        n * u.points <= 100 * points_per_inch)
      return n * u.points;
  throw InvalidArgument(fmt::format(
      "{}: '{}' is not a width; write 88mm, 8.8cm, 3.5in or 250pt, half an inch at least", option,
      text));
}

}  // namespace

void FigureOptions::add_to(Command& command) {
  command.option("--width", "LENGTH", width, "Figures so wide, such as 88mm, 3.5in or 250pt")
      .option("--font", "POINTS", font, "With letters of that size, such as 8")
      .flag("--no-title", no_title, "Figures without a title: the paper has one beneath")
      .option(
          "--palette", "NAME", palette,
          fmt::format("Their colours: {} (default standard)", fmt::join(lab::palette_names(), ", "))
              .c_str())
      .number("--dpi", "N", dots_per_inch, 30, 2400, "Pixels an inch of PNG (default 300)");
}

void FigureOptions::add_formats_to(Command& command) {
  command.option("--formats", "LIST", formats, "Of svg,pdf,png (default: all of them)");
}

FigureOptions::Made FigureOptions::made() const {
  Made all;
  all.style.titles = !no_title;
  lab::Paper& paper = all.files.paper;
  paper.palette = lab::palette_named(palette);
  if (font != 0 && !(font >= 3 && font <= 40))
    throw InvalidArgument(fmt::format("--font: {} is not a size from 3 to 40 points", font));
  // For a page of its own a margin is good; a paper has its own.
  if (!width.empty()) paper.margin = 1;
  if (font > 0) paper.points_per_unit = font / lab::small_type;
  if (!width.empty()) {
    const double points = parse_length(width, "--width");
    const double margins = 2 * paper.margin;
    // With a size of letters there is more or less room; without, all grows or shrinks.
    if (font > 0)
      all.style.width = points / paper.points_per_unit - margins;
    else
      paper.points_per_unit = points / (all.style.width + margins);
    constexpr double narrowest = 200;  // names, marks and numbers need as much
    if (all.style.width < narrowest)
      throw InvalidArgument(
          fmt::format("--width {} --font {}: too narrow for letters of that size", width, font));
  }
  all.files.svg = all.files.pdf = all.files.png = false;
  for (const std::string& format : split_list(formats, "--formats"))
    if (format == "svg")
      all.files.svg = true;
    else if (format == "pdf")
      all.files.pdf = true;
    else if (format == "png")
      all.files.png = true;
    else
      throw InvalidArgument(fmt::format("--formats: '{}' is not one of svg, pdf, png", format));
  all.files.dots_per_inch = dots_per_inch;
  // On paper nobody prefers it dark.
  if (!width.empty() || font > 0) paper.with_dark = false;
  return all;
}

}  // namespace nz::cli
