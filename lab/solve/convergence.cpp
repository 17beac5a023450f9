#include "lab/solve/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/output_file.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/print.hpp"

namespace nz::lab {
namespace {

// As many points as can be told apart.
std::vector<std::size_t> picked(std::size_t n) {
  constexpr std::size_t most = 800;
  std::vector<std::size_t> all;
  const std::size_t step = std::max<std::size_t>(1, n / most);
  for (std::size_t i = 0; i < n; i += step) all.push_back(i);
  if (n > 0 && all.back() != n - 1) all.push_back(n - 1);
  return all;
}

}  // namespace

namespace {

Drawing drawn(const Convergence& c, const FigureStyle& style) {
  Drawing d(style, 260);
  const double top = add_title(d, c.title, c.about);
  const Area area{46, top + 16, d.width() - 8, 222};
  std::vector<double> shown(c.history.begin(), c.history.end());
  if (c.tolerance > 0) shown.push_back(c.tolerance);
  std::erase_if(shown, [](double v) { return !(v > 0) || !std::isfinite(v); });
  const Range range = log_range(shown);
  const auto last = static_cast<double>(std::max<std::size_t>(c.history.size(), 2) - 1);
  const Scale x = Scale::linear(0, last, area.left, area.right);
  const Scale y = Scale::logarithmic(range.low, range.high, area.bottom, area.top);
  add_x_axis(d, area, x, {.title = "iteration"});
  add_y_axis(d, area, y, {.title = "residual"});
  if (c.tolerance > 0) {
    const double at = y(c.tolerance);
    d.line({area.left, at}, {area.right, at}, {.ink = Ink::peer, .dash = "4 3"});
    d.text({area.left + 4, at - 4}, "tolerance", {.ink = Ink::soft, .size = small_type});
  }
  std::vector<Point> line;
  for (const std::size_t i : picked(c.history.size())) {
    const double v = c.history[i];
    if (v > 0 && std::isfinite(v)) line.push_back({x(static_cast<double>(i)), y(v)});
  }
  if (line.size() > 1) d.path(line, {.ink = Ink::ours, .width = 1.6});
  if (!line.empty())
    d.dot(line.back(), 3, {.ink = Ink::ours, .tip = fmt::format("{:.3g}", c.history.back())});
  return d;
}

std::string label_of(const Convergence& c) { return fmt::format("{}: {}", c.title, c.about); }

}  // namespace

void check_plot_name(const std::filesystem::path& path) {
  if (path.extension() != ".svg" && path.extension() != ".pdf" && path.extension() != ".png")
    throw InvalidArgument(
        fmt::format("{}: a plot is written as .svg, .pdf or .png", path.string()));
}

void write_plot(const std::filesystem::path& path, const Convergence& c, const FigureStyle& style,
                const FigureFiles& how) {
  check_plot_name(path);
  const Drawing d = drawn(c, style);
  write_file(path, path.extension() == ".png"   ? png_file(d, how.paper, how.dots_per_inch)
                   : path.extension() == ".pdf" ? pdf_file(d, label_of(c), how.paper)
                                                : svg_file(d, label_of(c), how.paper));
}

std::string history_text(std::span<const double> history) {
  std::string text = "iteration,residual\n";
  for (std::size_t i = 0; i < history.size(); ++i) text += fmt::format("{},{}\n", i, history[i]);
  return text;
}

}  // namespace nz::lab
