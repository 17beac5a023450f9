#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

// Floating-point operations for each byte that must move.
std::optional<double> intensity(const Result& r) {
  if (!r.timed() || !r.gflops || !r.bytes || *r.bytes <= 0 || r.nnz <= 0) return {};
  return 2 * static_cast<double>(r.nnz) / static_cast<double>(*r.bytes);
}

std::string tip(const Result& r) {
  std::string text = fmt::format("{}\n{}\n{:.1f} GFLOP/s at {:.3f} flop a byte", case_text(r),
                                 time_text(r), *r.gflops, *intensity(r));
  if (const auto rate = own_rate(r)) text += fmt::format("\n{:.1f} GB/s", *rate / 1e9);
  if (r.bandwidth_share) text += fmt::format(", {:.1f} % of read", 100 * *r.bandwidth_share);
  return text;
}

// There may be thousands of the others.
std::string short_tip(const Result& r) {
  return fmt::format("{}\n{}, {:.1f} GB/s", r.matrix, time_text(r), own_rate(r).value_or(0) / 1e9);
}

struct Ceiling {
  std::string name;
  double rate;  // bytes a second
};

// Read and copy of a GPU; of a CPU read and triad on the most threads, and read on the fewest.
std::vector<Ceiling> ceilings(const Run& run) {
  const auto& all = run.record.bandwidth;
  if (all.empty()) return {};
  const auto fewer = [](const Bandwidth& a, const Bandwidth& b) { return a.threads < b.threads; };
  const Bandwidth& most = *std::max_element(all.begin(), all.end(), fewer);
  const Bandwidth& least = *std::min_element(all.begin(), all.end(), fewer);
  if (most.device != "cpu") return {{"read", most.read}, {"copy", most.copy}};
  std::vector<Ceiling> lines{
      {fmt::format("read, {}", plural(most.threads, "thread", "threads")), most.read},
      {"triad", most.triad}};
  if (least.threads < most.threads)
    lines.push_back(
        {fmt::format("read, {}", plural(least.threads, "thread", "threads")), least.read});
  return lines;
}

class Roofline {
 public:
  // With a matrix: every kernel on it, by name.
  Roofline(const Run& run, const Variant& v, std::string matrix = {})
      : run_(run), v_(v), matrix_(std::move(matrix)), roofs_(ceilings(run)), d_(run.style, 330) {
    for (const Contest& c : contests(run, v)) {
      if (c.ours && has(*c.ours)) ours_.insert(c.ours);
      if (c.best_peer() && has(*c.best_peer())) peers_.insert(c.best_peer());
    }
    std::erase_if(roofs_, [](const Ceiling& c) { return !(c.rate > 0); });
  }

  std::optional<Figure> figure() {
    std::vector<double> across, up;
    for (const Result& r : run_.record.results)
      if (const auto i = intensity(r); i && has(r)) {
        across.push_back(*i);
        // The slowest of the others would leave little room for the rest.
        if (!matrix_.empty() || ours_.contains(&r) || peers_.contains(&r)) up.push_back(*r.gflops);
      }
    if (across.empty() || up.empty() || roofs_.empty()) return {};
    const Range xs = log_range(across, 0.1);
    for (const Ceiling& c : roofs_) up.push_back(c.rate / 1e9 * xs.high);
    Range ys = log_range(up, 0.04);
    ys.low /= 1.5;
    const double top = add_title(
        d_, matrix_.empty() ? "Roofline" : "Roofline of " + matrix_,
        fmt::format("{}{} on {}", matrix_.empty() ? "" : "every kernel, ", v_.text(), run_.place));
    a_ = {34, add_keys(top) + 20, d_.width() - 6, d_.height() - 34};
    const Scale x = Scale::logarithmic(xs.low, xs.high, a_.left, a_.right);
    const Scale y = Scale::logarithmic(ys.low, ys.high, a_.bottom, a_.top);
    add_y_axis(d_, a_, y, {.title = "GFLOP/s"});
    add_x_axis(d_, a_, x, {.title = "flop for each byte, by the kernel's byte model"});
    add_roofs(x, y);
    add_points(x, y);
    return Figure{
        .kind = "roofline",
        .variant = v_.text(),
        .label = fmt::format("Roofline of {}{} on {}", matrix_.empty() ? "" : matrix_ + ", ",
                             v_.text(), run_.place),
        .caption =
            "The lines are what memory gave when it was measured in the same run: nothing "
            "that comes from memory can be above them, what a cache holds can. Right is "
            "fewer bytes a nonzero, up is faster.",
        .drawing = std::move(d_),
        .name = matrix_};
  }

 private:
  bool has(const Result& r) const { return v_.has(r) && (matrix_.empty() || r.matrix == matrix_); }

  void add_roofs(const Scale& x, const Scale& y) {
    for (std::size_t i = 0; i < roofs_.size(); ++i) {
      const Ceiling& c = roofs_[i];
      const auto height = [&](double flops) { return c.rate / 1e9 * flops; };
      // Where the line enters the area from below.
      const double from = std::max(x.low(), y.low() / (c.rate / 1e9));
      d_.path({{x(from), y(height(from))}, {x.to(), y(height(x.high()))}}, pen(i),
              fmt::format("{}: {:.1f} GB/s", c.name, c.rate / 1e9));
    }
  }

  // Above the area: within it, roofs and dots may be anywhere.
  double add_keys(double top) {
    const double below = add_legend(
        d_, top,
        {{Ink::ours, "ours"}, {Ink::peer, "best peer"}, {Ink::other, "all other kernels"}});
    double at = 0, y = below + 6;
    for (std::size_t i = 0; i < roofs_.size(); ++i) {
      const std::string text = fmt::format("{}, {:.0f} GB/s", roofs_[i].name, roofs_[i].rate / 1e9);
      const double width = 20 + text_width(text, small_type) + 12;
      if (at > 0 && at + width > d_.width()) at = 0, y += 14;
      d_.line({at, y - 3}, {at + 16, y - 3}, pen(i));
      d_.text({at + 20, y}, text, {.ink = Ink::soft, .size = small_type});
      at += width;
    }
    return y + 8;
  }
  static Pen pen(std::size_t i) {
    constexpr std::array dashes{"", "4 3", "1 3"};
    return {
        .ink = Ink::text, .width = i == 0 ? 1.6 : 1, .dash = dashes[std::min<std::size_t>(i, 2)]};
  }

  void add_points(const Scale& x, const Scale& y) {
    const auto draw = [&](const Result& r, Ink ink, double radius, double opacity) {
      const auto i = intensity(r);
      if (!i || *r.gflops < y.low()) return;
      d_.dot({x(*i), y(*r.gflops)}, radius,
             {.ink = ink, .tip = ink == Ink::other ? short_tip(r) : tip(r), .opacity = opacity});
    };
    for (const Result& r : run_.record.results)
      if (has(r) && !ours_.contains(&r) && !peers_.contains(&r))
        draw(r, Ink::other, matrix_.empty() ? 1.8 : 2.6, matrix_.empty() ? 0.45 : 0.8);
    for (const Result* r : peers_) draw(*r, Ink::peer, 3.6, 0.9);
    for (const Result* r : ours_) draw(*r, Ink::ours, 3.6, 0.9);
    if (!matrix_.empty()) add_names(x, y);
  }

  // The fastest first, where nothing else is.
  void add_names(const Scale& x, const Scale& y) {
    std::vector<const Result*> all;
    for (const Result& r : run_.record.results)
      if (has(r) && intensity(r)) all.push_back(&r);
    std::stable_sort(all.begin(), all.end(),
                     [](const Result* a, const Result* b) { return *a->gflops > *b->gflops; });
    Labels labels(a_);
    for (const Result* r : all) labels.occupy(Point{x(*intensity(*r)), y(*r->gflops)}, 3);
    // A roof is a straight line: no name lies across it.
    for (const Ceiling& c : roofs_)
      for (double at = a_.left; at <= a_.right; at += 3) {
        const double share = (at - a_.left) / (a_.right - a_.left);
        const double flops = x.low() * std::pow(x.high() / x.low(), share);
        labels.occupy(Point{at, y(c.rate / 1e9 * flops)}, 2);
      }
    std::set<std::string> named;
    for (const Result* r : all) {
      if (!named.insert(r->kernel).second) continue;
      const Point at{x(*intensity(*r)), y(*r->gflops)};
      const Type type{.ink = Ink::soft, .size = 7.5, .halo = true};
      if (!labels.place(d_, at, Labels::Side::right, short_name(r->kernel), type))
        labels.place(d_, at, Labels::Side::left, short_name(r->kernel), type);
    }
  }

  const Run& run_;
  const Variant& v_;
  std::string matrix_;
  std::vector<Ceiling> roofs_;
  std::set<const Result*> ours_, peers_;
  Drawing d_;
  Area a_{};
};

}  // namespace

FigureList roofline_figures(const Run& run) {
  FigureList figures;
  for (const Variant& v : variants(run))
    if (auto f = Roofline(run, v).figure()) figures.push_back(std::move(*f));
  return figures;
}

std::optional<Figure> roofline_of(const Run& run, const Variant& v, const std::string& matrix) {
  return Roofline(run, v, matrix).figure();
}

}  // namespace nz::lab
