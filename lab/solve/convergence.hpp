#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace nz::lab {

struct Convergence {
  std::string title;                // "CG on cant"
  std::string about;                // "converged after 212 iterations"
  double tolerance = 0;             // drawn as a line; 0: none
  std::span<const double> history;  // the initial residual first
};

// The residual over the iterations, as an SVG picture.
std::string convergence_svg(const Convergence& c);
// Throws InvalidArgument for a name that ends neither in .svg nor in .png.
void check_plot_name(const std::filesystem::path& path);
void write_plot(const std::filesystem::path& path, const Convergence& c);
// iteration,residual: a line each, with a header.
std::string history_text(std::span<const double> history);

}  // namespace nz::lab
