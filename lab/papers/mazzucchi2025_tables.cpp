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

std::string yes_or_no(bool it_is) { return it_is ? "yes" : "no"; }

Words printed_typology(const std::string& matrix) {
  for (const auto& [name, words] : printed_words(paper, "Table I"))
    if (name == matrix) return words;
  return {};
}

Comparison table_i(const AllFigures& f) {
  Comparison c{.title = "Table I: the matrices and the times of one product (ms)",
               .corner = "matrix",
               .columns = {"rows", "columns", "nonzeros", "symmetric", "typology", conversion,
                           shared_conversion}};
  for (const Kernel& k : all_kernels) c.columns.emplace_back(k.label);
  c.styles = {{"rows", Style::count}, {"columns", Style::count}, {"nonzeros", Style::count}};
  for (const MatrixShots& m : f.matrices) {
    Comparison::Line line{
        m.label, {{"rows", m.rows}, {"columns", m.cols}, {"nonzeros", m.nonzeros}}, {}};
    const auto converted = [&](const std::map<std::string, double>& all) {
      const auto found = all.find(m.name);
      return found == all.end() ? no_figure : found->second;
    };
    line.here[conversion] = converted(f.conversion_ms);
    line.here[shared_conversion] = converted(f.shared_conversion_ms);
    for (const Kernel& k : all_kernels) line.here[k.label] = 1e3 * m.time(k.label);
    for (const char* column : {"rows", "columns", "nonzeros", conversion})
      line.paper[column] = printed_size(m.name, column);
    for (const Kernel& k : paper_kernels) line.paper[k.label] = printed_ms(m.name, k.label);
    line.paper_words = printed_typology(m.name);
    line.paper_words["symmetric"] = yes_or_no(printed_size(m.name, "symmetric") > 0);
    c.lines.push_back(std::move(line));
  }
  c.notes.push_back(
      "The paper's nonzeros are those of the file, one half of symmetric matrices; both halves are "
      "multiplied there and here. Its OpenMP is figure 2's, of the same run. 'by density' is the "
      "choice that its conclusion proposes. The paper converts on one thread.");
  return c;
}

Comparison table_ii() {
  Comparison c{.title = "Table II: the paper's machines",
               .corner = "system",
               .columns = {"processor", "cores per socket", "RAM", "accelerator"}};
  for (const auto& [system, words] : printed_words(paper, "Table II"))
    c.lines.push_back({system, {}, {}, {}, words});
  return c;
}

// A line a matrix, `of` makes a figure of milliseconds and the size here; the paper's are those of
// its figure.
using Of = std::function<double(double ms, const MatrixShots& m)>;
Comparison figures(const AllFigures& f, const char* number, const std::string& what, const Of& of) {
  Comparison c{.title = fmt::format("{}: {}", number, what), .corner = "matrix", .columns = {}};
  for (const Kernel& k : all_kernels) c.columns.emplace_back(k.label);
  for (const MatrixShots& m : f.matrices) {
    Comparison::Line line{m.label, {}, {}};
    for (const Kernel& k : all_kernels) line.here[k.label] = of(1e3 * m.time(k.label), m);
    for (const Kernel& k : paper_kernels)
      line.paper[k.label] = printed_figure(paper, number, m.name, k.label);
    c.lines.push_back(std::move(line));
  }
  c.notes.push_back(
      "The paper's bars have no numbers: these are the results in its repository, the run of "
      "table I.");
  return c;
}

Comparison speedups(const AllFigures& f) {
  Comparison c{.title = "Study: times as fast as the naive CPU, from figure 2",
               .corner = "matrix",
               .columns = {}};
  for (const Kernel& k : all_kernels) c.columns.emplace_back(k.label);
  for (const MatrixShots& m : f.matrices) {
    Comparison::Line line{m.label, {}, {}};
    for (const Kernel& k : all_kernels) line.here[k.label] = m.time(naive.label) / m.time(k.label);
    for (const Kernel& k : paper_kernels)
      line.paper[k.label] = printed_figure(paper, "Figure 2", m.name, naive.label) /
                            printed_figure(paper, "Figure 2", m.name, k.label);
    c.lines.push_back(std::move(line));
  }
  return c;
}

Comparison checks(const AllFigures& f) {
  Comparison c{.title = "Check: largest difference from the result of Eigen, x between 0 and 1",
               .corner = "matrix",
               .columns = {}};
  for (const Kernel& k : all_kernels) c.columns.emplace_back(k.label);
  for (const MatrixShots& m : f.matrices) {
    Comparison::Line line{m.label, {}, {}};
    if (const auto found = f.from_eigen.find(m.name); found != f.from_eigen.end())
      for (const auto& [kernel, worst] : found->second) line.here[kernel] = worst;
    c.lines.push_back(std::move(line));
  }
  if (f.why_not_checked.empty())
    c.notes.push_back(
        fmt::format("The paper's program stops where a row differs by more than {}, whatever its "
                    "size; beside this check every product here was held to a bound of its own.",
                    eigen_tolerance));
  else
    c.notes.push_back(fmt::format("Not checked with Eigen: {}.", f.why_not_checked));
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
      table_i(f),
      table_ii(),
      figures(f, "Figure 2", "execution time (ms)",
              [](double ms, const MatrixShots&) { return ms; }),
      figures(f, "Figure 3", "memory throughput (GB/s), 12 bytes a nonzero, 8 a row, 8 a column",
              [](double ms, const MatrixShots& m) {
                return bytes_of_product(m.rows, m.cols, m.nonzeros) / ms / 1e6;
              }),
      figures(f, "Figure 4", "GFLOP/s, two operations a nonzero",
              [](double ms, const MatrixShots& m) { return 2 * m.nonzeros / ms / 1e6; }),
      speedups(f),
      checks(f)};
  explain_stars(all);
  return all;
}

}  // namespace nz::lab::mazzucchi2025
