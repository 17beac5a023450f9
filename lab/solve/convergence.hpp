#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "lab/report/report.hpp"

namespace nz::lab {

struct Convergence {
  std::string title;                // "CG on cant"
  std::string about;                // "converged after 212 iterations"
  double tolerance = 0;             // drawn as a line; 0: none
  std::span<const double> history;  // the initial residual first
};

// Throws InvalidArgument for a name that does not say how a picture is written.
void check_plot_name(const std::filesystem::path& path);
// The residual over the iterations. What is written, the name's ending says.
void write_plot(const std::filesystem::path& path, const Convergence& c, const FigureStyle& style,
                const FigureFiles& how);
// iteration,residual: a line each, with a header.
std::string history_text(std::span<const double> history);

}  // namespace nz::lab
