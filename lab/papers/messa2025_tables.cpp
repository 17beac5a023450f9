#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "lab/papers/messa2025.hpp"
#include "lab/papers/printed.hpp"

namespace nz::lab::messa2025 {
namespace {

using Columns = std::vector<std::string>;
constexpr const char* paper = "messa2025";

Columns both_forms() {
  Columns all;
  for (const Kernel& k : kernels) {
    all.push_back(plain(k.label));
    all.push_back(k.label);
  }
  return all;
}

// Those that were measured, and the paper's in any case.
Columns with_peers(const std::vector<MatrixShots>& all, Columns columns) {
  columns.push_back(cusparse);
  for (const char* more : {cusparse_alg2, own})
    for (const MatrixShots& m : all)
      if (!std::isnan(m.time(more))) {
        columns.push_back(more);
        break;
      }
  return columns;
}

// The paper's milliseconds: of both forms, and of cuSPARSE.
double printed_ms(const std::string& matrix, const std::string& column) {
  const double form = printed_figure(paper, "Figure 3, times", matrix, column);
  return std::isnan(form) ? printed_figure(paper, "Figure 4, times", matrix, column) : form;
}

std::string version(int cuda) {
  return cuda > 0 ? fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10) : "";
}

Comparison software_table(const Place& place) {
  const std::string column = "version";
  Comparison c{
      .title = fmt::format("{} software", software), .corner = "software", .columns = {column}};
  const bool cuda = place.device.device.kind == Device::Kind::cuda;
  for (const auto& [label, words] : printed_words(paper, "Table I")) {
    Comparison::Line line{label, {}, {}, {}, words};
    if (label.starts_with("GCC")) line.here_words[column] = place.compiler;
    if (cuda && label.starts_with("CUDA")) line.here_words[column] = version(place.device.runtime);
    if (cuda && label.starts_with("NVIDIA"))
      line.here_words[column] = fmt::format("for CUDA {}", version(place.device.driver));
    c.lines.push_back(std::move(line));
  }
  return c;
}

Comparison gpu_specifications(const Place& place) {
  Comparison c{.title = fmt::format("{} the GPU", gpu_table),
               .corner = "component",
               .columns = {"max clock (GHz)", "warp size", "max threads/block", "SMs"}};
  for (const char* whole : {"warp size", "max threads/block", "SMs"})
    c.styles[whole] = Style::count;
  for (const auto& [label, figures] : printed_table(paper, "Table II"))
    c.lines.push_back({label, {}, figures});
  const DeviceInfo& d = place.device;
  if (d.device.kind == Device::Kind::cuda) {
    // Of every device of CUDA.
    c.lines.front().here = {{"max clock (GHz)", d.clock_mhz / 1e3},
                            {"warp size", 32},
                            {"max threads/block", 1024},
                            {"SMs", d.processors}};
    c.notes.push_back(fmt::format("Here: {}.", d.description));
  }
  return c;
}

// A line a matrix; `of` makes a figure of milliseconds and the matrix's size here. The paper's are
// those of its figure `printed`, or follow from its times where that is empty.
using Of = std::function<double(double ms, double rows, double nonzeros)>;
Comparison by_matrix(const std::vector<MatrixShots>& all, std::string title, Columns columns,
                     const Of& of, const char* printed = "") {
  Comparison c{.title = std::move(title), .corner = "matrix", .columns = std::move(columns)};
  for (const MatrixShots& m : all) {
    Comparison::Line line{m.label, {}, {}};
    const double rows = printed_figure(paper, "Table III", m.name, "rows"),
                 nonzeros = printed_figure(paper, "Table III", m.name, "nonzeros");
    for (const std::string& k : c.columns) {
      line.here[k] = of(1e3 * m.time(k), m.rows, m.nonzeros);
      if (*printed)
        line.paper[k] = printed_figure(paper, printed, m.name, k);
      else if (const double ms = printed_ms(m.name, k); !std::isnan(ms))
        line.paper[k] = of(ms, rows, nonzeros);
    }
    c.lines.push_back(std::move(line));
  }
  return c;
}

Comparison matrix_table(const std::vector<MatrixShots>& all) {
  Comparison c{.title = fmt::format("{} the matrices", matrices_table),
               .corner = "matrix",
               .columns = {"rows", "nonzeros", "mean", "shortest", "longest"}};
  for (const char* whole : {"rows", "nonzeros", "shortest", "longest"})
    c.styles[whole] = Style::count;
  for (const auto& [name, figures] : printed_table(paper, "Table III"))
    for (const MatrixShots& m : all)
      if (m.name == name)
        c.lines.push_back({m.label,
                           {{"rows", m.rows},
                            {"nonzeros", m.nonzeros},
                            {"mean", m.mean()},
                            {"shortest", m.shortest},
                            {"longest", m.longest}},
                           figures});
  return c;
}

// What the second forms gain. The text gives three figures, of bandwidth; with `by_times` the
// paper's are all recomputed from its times.
Comparison improvements(const std::vector<MatrixShots>& all, bool by_times) {
  Comparison c{
      .title = by_times ? fmt::format("{} the paper's recomputed from the times of its repository",
                                      improvement_by_times)
                        : fmt::format("{} what the optimised form gains in speed", improvement),
      .corner = "matrix",
      .columns = {},
      .histogram = !by_times};
  for (const Kernel& k : kernels) {
    c.columns.emplace_back(k.label);
    c.styles[k.label] = Style::percent;
  }
  for (const MatrixShots& m : all) {
    Comparison::Line line{m.label, {}, {}};
    for (const std::string& k : c.columns) {
      line.here[k] = m.time(plain(k)) / m.time(k) - 1;
      if (by_times)
        line.paper[k] = printed_ms(m.name, plain(k)) / printed_ms(m.name, k) - 1;
      else if (const double text = printed_figure(paper, "Section VII-A", m.name, k);
               !std::isnan(text))
        line.paper[k] = text;
    }
    c.lines.push_back(std::move(line));
  }
  c.notes.emplace_back(
      by_times
          ? "None of the paper's figures here is printed: they follow from the times of both "
            "forms. Ours are the same as above."
          : "The paper's are the three that its text gives (section VII-A). They are of bandwidth, "
            "and the first forms of bins and hybrid are counted with more bytes than the second; "
            "its bars have no numbers. Ours are of times, and the same of bandwidth, as both forms "
            "are counted alike here.");
  return c;
}

double registers(const MatrixShots& m, const std::string& column) {
  const auto found = m.by.find(column);
  if (found == m.by.end()) return no_figure;
  const auto fact = found->second.facts.find("registers");
  return fact == found->second.facts.end() ? no_figure : fact->second;
}

// One kernel with every launch bound, and with those of the program's rule.
Comparison bounds_of(const std::vector<MatrixShots>& all, const Kernel& k) {
  const char* by_rule = "as the program";
  Comparison c{.title = fmt::format("{} per SM, {} (ms)", bounds_study, k.label),
               .corner = "matrix",
               .columns = {}};
  for (const int n : bounds) c.columns.push_back(bound(n));
  c.columns.emplace_back(by_rule);
  // Where the kernel tells.
  const bool told = std::any_of(all.begin(), all.end(), [&](const MatrixShots& m) {
    return !std::isnan(registers(m, bound(k.label, bounds[0])));
  });
  const auto counted = [](int n) { return fmt::format("registers, {}", bound(n)); };
  if (told)
    for (const int n : bounds) {
      c.columns.push_back(counted(n));
      c.styles[c.columns.back()] = Style::count;
    }
  for (const MatrixShots& m : all) {
    Comparison::Line line{m.label, {}, {}};
    for (const int n : bounds) {
      line.here[bound(n)] = 1e3 * m.time(bound(k.label, n));
      if (told) line.here[counted(n)] = registers(m, bound(k.label, n));
    }
    line.here[by_rule] = 1e3 * m.time(k.label);
    c.lines.push_back(std::move(line));
  }
  c.notes.emplace_back(
      "The paper has this study as a picture elsewhere. The program takes no bounds for "
      "OneWarpPerRow and CoalescedBins; for the other two none below a mean of 8 entries a row, "
      "one "
      "block above 64, otherwise two.");
  if (!told) c.notes.emplace_back("No registers: the kernels did not tell, as on the emulator.");
  for (const MatrixShots& m : all)
    if (!std::isnan(m.time(k.label)) && std::isnan(m.time(bound(k.label, bounds[1]))))
      c.notes.push_back(fmt::format("{}: not measured with each bound, in this run.", m.name));
  return c;
}

// How many times as long one form takes as another, by kernel.
Comparison ratios(const std::vector<MatrixShots>& all, std::string title,
                  const std::function<double(const MatrixShots&, const char* label)>& of) {
  Comparison c{.title = std::move(title), .corner = "matrix", .columns = {}};
  for (const Kernel& k : kernels) c.columns.emplace_back(k.label);
  for (const MatrixShots& m : all) {
    Comparison::Line line{m.label, {}, {}};
    for (const Kernel& k : kernels) line.here[k.label] = of(m, k.label);
    c.lines.push_back(std::move(line));
  }
  return c;
}

Comparison loops_table(const std::vector<MatrixShots>& all) {
  Comparison c =
      ratios(all, fmt::format("{} kept rolled, time over that of the program's loop", loops_study),
             [](const MatrixShots& m, const char* label) {
               return m.time(rolled(label)) / m.time(bound(label, 0));
             });
  c.notes.emplace_back(
      "Ours goes by four and is not unrolled any further (rolled=1); the program's are unrolled as "
      "its compiler likes. Both without launch bounds.");
  return c;
}

Comparison shared_table(const std::vector<MatrixShots>& all) {
  Comparison c =
      ratios(all, fmt::format("{} sums in shared memory, time over that without", shared_study),
             [](const MatrixShots& m, const char* label) { return price_of_shared(m, label); });
  c.notes.emplace_back(
      "The paper says that this made all kernels slower and has no figures; its program has no "
      "such "
      "kernels. Of hybrid the form with two classes, as there. Both without launch bounds.");
  return c;
}

// Bins and a warp a row, on the matrix as it is and with its empty rows together.
Comparison together_table(const std::vector<MatrixShots>& all, const MatrixShots& together) {
  Comparison c{.title = fmt::format("{} together, and where they are (ms)", together_study),
               .corner = "matrix",
               .columns = {plain(warp_row), warp_row, plain(bins), bins},
               .lines = {}};
  const auto add = [&](const MatrixShots& m) {
    Comparison::Line line{m.label, {}, {}};
    for (const std::string& k : c.columns) line.here[k] = 1e3 * m.time(k);
    c.lines.push_back(std::move(line));
  };
  for (const MatrixShots& m : all)
    if (m.name == together_of) add(m);
  if (!together.name.empty()) add(together);
  c.notes.emplace_back(
      "The program's bins take along any number of empty rows, which a warp of the second form "
      "goes through one by one. Where the paper's matrix has its empty rows is not published.");
  return c;
}

}  // namespace

GeneratedMatrix empty_rows_first(const CsrView<double, std::int64_t>& a) {
  GeneratedMatrix b{a.rows, a.cols, Array<std::int64_t>(static_cast<std::size_t>(a.rows) + 1, 0),
                    Array<index_t>(std::span(a.columns, static_cast<std::size_t>(a.nnz))),
                    Array<double>(std::span(a.values, static_cast<std::size_t>(a.nnz)))};
  // Entries stay where they are, since rows with some keep their order.
  index_t to = a.rows;
  for (index_t i = a.rows; i-- > 0;)
    if (a.offsets[i + 1] > a.offsets[i])
      b.offsets[static_cast<std::size_t>(to--)] = a.offsets[i + 1];
  return b;
}

std::string plain(std::string_view label) { return fmt::format("{} plain", label); }
std::string rolled(std::string_view label) { return fmt::format("{} rolled", label); }
std::string shared(std::string_view label) { return fmt::format("{} shared", label); }
double price_of_shared(const MatrixShots& m, std::string_view label, bool hot) {
  return m.time(shared(label), hot) / m.time(label == hybrid ? plain(label) : bound(label, 0), hot);
}
std::string bound(int min_blocks) {
  return min_blocks == 0 ? "none" : fmt::format("at least {}", min_blocks);
}
std::string bound(std::string_view label, int min_blocks) {
  return fmt::format("{}, {}", label, bound(min_blocks));
}
double bytes_of_product(double rows, double nonzeros) { return 16 * nonzeros + 16 * rows; }

std::vector<Comparison> tables(const std::vector<MatrixShots>& all, const Place& place,
                               const MatrixShots& together) {
  const Of bandwidth = [](double ms, double rows, double nonzeros) {
    return bytes_of_product(rows, nonzeros) / ms / 1e6;
  };
  Columns optimised;
  for (const Kernel& k : kernels) optimised.emplace_back(k.label);
  std::vector<Comparison> made = {
      software_table(place),
      gpu_specifications(place),
      matrix_table(all),
      by_matrix(all, fmt::format("{} bandwidth of both forms (GB/s)", bandwidth_forms),
                both_forms(), bandwidth, "Figure 3"),
      improvements(all, false),
      improvements(all, true),
      by_matrix(all, fmt::format("{} bandwidth against cuSPARSE (GB/s)", bandwidth_peers),
                with_peers(all, optimised), bandwidth, "Figure 4"),
      by_matrix(all, fmt::format("{} one product (ms)", times), with_peers(all, both_forms()),
                [](double ms, double, double) { return ms; }),
      by_matrix(all, fmt::format("{} two operations a nonzero", rates),
                with_peers(all, both_forms()),
                [](double ms, double, double nonzeros) { return 2 * nonzeros / ms / 1e6; })};
  for (const Kernel& k : kernels) made.push_back(bounds_of(all, k));
  made.push_back(loops_table(all));
  made.push_back(shared_table(all));
  made.push_back(together_table(all, together));
  const auto note = [&](const char* start, const std::string& text) {
    for (Comparison& c : made)
      if (c.title.starts_with(start)) c.notes.push_back(text);
  };
  note(
      bandwidth_forms,
      "Ours as the paper counts for its optimised kernels, 16 bytes a nonzero and 16 a row. Its "
      "own are the results of both deliverables in its repository, since its bars have no numbers: "
      "for the first forms of bins and hybrid they count more bytes (crankseg_1, CoalescedBins "
      "plain: 279.23, where its time gives 160.46).");
  note(bandwidth_peers,
       fmt::format("'{}' is CUSPARSE_SPMV_CSR_ALG1 without preprocessing. No column: not built, or "
                   "not measured.",
                   cusparse));
  note(rates,
       "The paper's figures here follow from its times; those of its repository are twice as "
       "large.");
  explain_stars(made);
  return made;
}

}  // namespace nz::lab::messa2025
