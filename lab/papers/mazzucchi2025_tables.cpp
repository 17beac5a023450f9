#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "lab/papers/mazzucchi2025.hpp"
#include "lab/papers/printed.hpp"

namespace nz::lab::mazzucchi2025 {
namespace {

constexpr const char* paper = "mazzucchi2025";

double printed_size(const std::string& matrix, const char* column) {
  return printed_figure(paper, "Table I", matrix, column);
}

Comparison table_i(const AllFigures& f) {
  Comparison c{.title = "Table I: the matrices and the times of one product (ms)",
               .corner = "matrix",
               .columns = {"rows", "nonzeros", conversion}};
  for (const Kernel& k : all_kernels) c.columns.emplace_back(k.label);
  c.styles = {{"rows", Style::count}, {"nonzeros", Style::count}};
  for (const MatrixShots& m : f.matrices) {
    Comparison::Line line{m.label, {{"rows", m.rows}, {"nonzeros", m.nonzeros}}, {}};
    const auto converted = f.conversion_ms.find(m.name);
    line.here[conversion] = converted == f.conversion_ms.end() ? no_figure : converted->second;
    for (const Kernel& k : all_kernels) line.here[k.label] = 1e3 * m.time(k.label);
    line.paper = {{"rows", printed_size(m.name, "rows")},
                  {"nonzeros", printed_size(m.name, "nonzeros")},
                  {conversion, printed_size(m.name, conversion)}};
    for (const Kernel& k : paper_kernels) line.paper[k.label] = printed_ms(m.name, k.label);
    c.lines.push_back(std::move(line));
  }
  c.notes.push_back(
      "The paper's nonzeros are those of the file, one half of symmetric matrices; both halves are "
      "multiplied there and here. Its OpenMP is of figure 2, from another run in its repository. "
      "'by density' is the choice that its conclusion proposes.");
  return c;
}

// A line a matrix, `of` makes a figure of milliseconds and the size there.
using Of = std::function<double(double ms, double rows, double cols, double nonzeros)>;
Comparison figures(const AllFigures& f, std::string title, const Of& of) {
  Comparison c{.title = std::move(title), .corner = "matrix", .columns = {}};
  for (const Kernel& k : all_kernels) c.columns.emplace_back(k.label);
  for (const MatrixShots& m : f.matrices) {
    Comparison::Line line{m.label, {}, {}};
    for (const Kernel& k : all_kernels) {
      line.here[k.label] = of(1e3 * m.time(k.label), m.rows, m.cols, m.nonzeros);
      if (const double ms = printed_ms(m.name, k.label); !std::isnan(ms))
        line.paper[k.label] = of(ms, printed_size(m.name, "rows"), printed_size(m.name, "columns"),
                                 multiplied(m.name));
    }
    c.lines.push_back(std::move(line));
  }
  c.notes.push_back("The paper's figures follow from its times: its bars have no numbers.");
  return c;
}

Comparison speedups(const AllFigures& f) {
  Comparison c = figures(f, "Figure 2: times as fast as the naive CPU",
                         [](double, double, double, double) { return no_figure; });
  for (std::size_t i = 0; i < f.matrices.size(); ++i) {
    const MatrixShots& m = f.matrices[i];
    for (const Kernel& k : all_kernels) {
      c.lines[i].here[k.label] = m.time(naive.label) / m.time(k.label);
      // OpenMP and its own naive run are of the repository.
      const char* run = k == openmp ? "Figure 2" : "Table I";
      const double one = printed_figure(paper, run, m.name, naive.label);
      c.lines[i].paper[k.label] = one / printed_ms(m.name, k.label);
    }
  }
  return c;
}

}  // namespace

double bytes_of_product(double rows, double cols, double nonzeros) {
  return 12 * nonzeros + 8 * rows + 8 * cols;
}

double multiplied(const std::string& matrix) {
  return printed_size(matrix, "nonzeros") * (1 + printed_size(matrix, "symmetric"));
}

double printed_ms(const std::string& matrix, const std::string& kernel) {
  return printed_figure(paper, kernel == openmp.label ? "Figure 2" : "Table I", matrix, kernel);
}

std::vector<Comparison> tables(const AllFigures& f) {
  std::vector<Comparison> all = {
      table_i(f), speedups(f),
      figures(f, "Figure 3: memory throughput (GB/s), 12 bytes a nonzero, 8 a row, 8 a column",
              [](double ms, double rows, double cols, double nonzeros) {
                return bytes_of_product(rows, cols, nonzeros) / ms / 1e6;
              }),
      figures(f, "Figure 4: GFLOP/s, two operations a nonzero",
              [](double ms, double, double, double nonzeros) { return 2 * nonzeros / ms / 1e6; })};
  explain_stars(all);
  return all;
}

}  // namespace nz::lab::mazzucchi2025
