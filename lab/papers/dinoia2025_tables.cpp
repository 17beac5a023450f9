#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "lab/papers/dinoia2025.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/published.hpp"

namespace nz::lab::dinoia2025 {
namespace {

constexpr const char* paper = "dinoia2025";
using Line = Comparison::Line;

std::string ms(const Kernel& k) { return fmt::format("{} (ms)", k.label); }
std::string gbs(const Kernel& k) { return fmt::format("{} (GB/s)", k.label); }

Figures printed_line(const char* table, const std::string& label) {
  for (const auto& [line, figures] : printed_table(paper, table))
    if (line == label) return figures;
  return {};
}
Words printed_names(const char* table, const std::string& label) {
  for (const auto& [line, words] : printed_words(paper, table))
    if (line == label) return words;
  return {};
}

// A line a matrix, with what `here` makes of it beside the paper's of that table, if it has one.
Comparison by_matrix(const AllFigures& f, const char* number, const std::string& what,
                     std::vector<std::string> columns,
                     const std::function<void(const MatrixShots&, Line&)>& fill) {
  Comparison c{.title = fmt::format("{}: {}", number, what),
               .corner = "dataset",
               .columns = std::move(columns)};
  for (const MatrixShots& m : f.matrices) {
    Line line{m.label, {}, {}};
    fill(m, line);
    c.lines.push_back(std::move(line));
  }
  return c;
}

// With what the driver says of the GPU here, where there is one.
Comparison table_i(const AllFigures& f) {
  const std::string value = "value";
  Comparison c{.title = "Table I: the GPU", .corner = "metric", .columns = {value}};
  const bool gpu = f.device.device.kind == Device::Kind::cuda;
  const PublishedPeaks peaks = published_peaks(f.device);
  for (const auto& [label, figures] : printed_table(paper, "Table I")) {
    Line line{label, {}, figures};
    if (gpu && label == "SM count") line.here[value] = f.device.processors;
    // Of every device of CUDA since 3.0.
    if (gpu && label == "Most threads a block") line.here[value] = 1024;
    if (gpu && label == "Most blocks a grid") line.here[value] = 2147483647;
    if (gpu && label == "Warp size") line.here[value] = 32;
    if (gpu && label == "Memory size (GB)" && f.device.memory_bytes > 0)
      line.here[value] = std::round(1e-9 * static_cast<double>(f.device.memory_bytes));
    if (gpu && label == "Peak FP32 compute (TFLOP/s)") line.here[value] = 1e-12 * peaks.fp32;
    if (gpu && label == "Peak memory bandwidth (GB/s)") line.here[value] = 1e-9 * peaks.memory;
    c.lines.push_back(std::move(line));
  }
  if (gpu)
    c.notes.emplace_back(
        std::isnan(peaks.memory)
            ? "No peaks here: the driver does not tell them, and what is "
              "published of this GPU is not known."
            : "Peaks are what the maker publishes: the driver does not tell them.");
  return c;
}

Comparison table_ii(const AllFigures& f) {
  const std::string density = "density (%)";
  Comparison c = by_matrix(f, "Table II", "the matrices", {density, "nonzeros", "mean", "longest"},
                           [&](const MatrixShots& m, Line& line) {
                             line.here = {{density, 100 * m.nonzeros / m.rows / m.cols},
                                          {"nonzeros", m.nonzeros},
                                          {"mean", m.mean()},
                                          {"longest", m.longest}};
                             line.paper = printed_line("Table II", m.name);
                           });
  c.styles = {{"nonzeros", Style::count}, {"longest", Style::count}};
  c.notes.push_back(
      "The paper's times and rates give 19.19 million nonzeros for circuit5M_dc, which fits its "
      "mean of 5.4; the 14M are without the explicit zeros of the file.");
  return c;
}

Comparison figure_8(const AllFigures& f) {
  Labels labels;
  for (const MatrixShots& m : f.matrices) labels.emplace_back(m.name, m.label);
  return picture_table(fmt::format("{}: the matrices", figure_places), "dataset", labels, f.spies);
}

Comparison table_iii(const AllFigures& f) {
  Comparison c =
      by_matrix(f, "Table III and figure 9", "CPU implementations",
                {ms(coo), gbs(coo), ms(csr), gbs(csr)}, [](const MatrixShots& m, Line& line) {
                  for (const Kernel& k : {coo, csr}) {
                    line.here[ms(k)] = 1e3 * m.time(k.label);
                    line.here[gbs(k)] = rate(m, k.label);
                  }
                  line.paper = printed_line("Table III", m.name);
                });
  c.layout = Comparison::Layout::beside;
  c.notes.push_back(
      "The paper's COO rate of mycielskian does not follow from its time, which gives 7.83 GB/s.");
  return c;
}

Comparison figure_10(const AllFigures& f) {
  const std::string column = "1 - rows over nonzeros";
  Comparison c = by_matrix(f, "Figure 10", "what CSR saves of COO's row array", {column},
                           [&](const MatrixShots& m, Line& line) {
                             line.here[column] = 1 - 1 / m.mean();
                             line.paper[column] =
                                 1 - 1 / figure(printed_line("Table II", m.name), "mean");
                           });
  c.layout = Comparison::Layout::beside;
  c.styles[column] = Style::percent;
  c.notes.push_back(
      "The figure has no numbers; the paper's here follow from the means of table II.");
  return c;
}

Comparison table_iv(const AllFigures& f) {
  Comparison c{.title = fmt::format(
                   "Table IV: data references and misses of {} products with model7", products),
               .corner = "type",
               .columns = {"D Refs", "D1 misses", "LLd misses", "D1 miss rate", "LLd miss rate"},
               .styles = {{"D Refs", Style::count},
                          {"D1 misses", Style::count},
                          {"LLd misses", Style::count},
                          {"D1 miss rate", Style::percent},
                          {"LLd miss rate", Style::percent}}};
  const auto add = [&](const Kernel& k, const std::optional<CacheCounts>& one) {
    Line line{k.label, {}, printed_line("Table IV", k.label)};
    if (one)
      line.here = {{"D Refs", products * one->references},
                   {"D1 misses", products * one->first_misses},
                   {"LLd misses", products * one->last_misses},
                   {"D1 miss rate", one->first_misses / one->references},
                   {"LLd miss rate", one->last_misses / one->references}};
    c.lines.push_back(std::move(line));
  };
  add(coo, f.coo_counts);
  add(csr, f.csr_counts);
  if (!f.why_no_counts.empty())
    c.notes.push_back(fmt::format("Not counted here: {}.", f.why_no_counts));
  else
    c.notes.push_back(fmt::format(
        "Of the products alone: the difference between runs with more and with fewer of "
        "them. The paper counts its whole program. Simulated here: {}.",
        f.coo_counts ? f.coo_counts->caches : ""));
  c.notes.emplace_back(
      "It is of the CPU's kernels, by valgrind: on a host of a GPU the same as anywhere, and "
      "nothing "
      "that is counted there says anything of the GPU. A record of a CPU with valgrind has it.");
  for (const auto& [label, counts] : printed_table(paper, "Report, table IV"))
    c.lines.push_back({fmt::format("{}, unrounded in the report", label), {}, counts});
  const auto unrounded = [](const char* label) {
    return printed_figure(paper, "Report, table IV", label, "D Refs");
  };
  c.notes.push_back(fmt::format(
      "The paper's 38M references of CSR have lost a digit: the first report in its program has "
      "the same table unrounded. There COO refers to memory {:.3f} times as often as CSR, not "
      "{:.1f} "
      "times.",
      unrounded(coo.label) / unrounded(csr.label),
      figure(printed_line("Table IV", coo.label), "D Refs") /
          figure(printed_line("Table IV", csr.label), "D Refs")));
  return c;
}

// What it costs to add each entry to y, as algorithm 2 does.
Comparison algorithm_2(const AllFigures& f) {
  const std::string cost = "over CSR";
  Comparison c = by_matrix(f, printed_study, "y is read and written for every entry",
                           {ms(csr_printed), ms(csr), cost}, [&](const MatrixShots& m, Line& line) {
                             line.here[ms(csr_printed)] = 1e3 * m.time(csr_printed.label);
                             line.here[ms(csr)] = 1e3 * m.time(csr.label);
                             line.here[cost] = m.time(csr_printed.label) / m.time(csr.label);
                           });
  c.notes.push_back(
      "CSR everywhere else keeps the sum of a row in a register, as a compiler may make of the "
      "paper's loop where it knows that y is apart from the matrix.");
  return c;
}

Comparison table_v(const AllFigures& f) {
  Comparison c = by_matrix(
      f, "Table V", "the baseline and the best of the four maps",
      {"Baseline (GB/s)", "Best kernel", "Improvement"}, [](const MatrixShots& m, Line& line) {
        line.here["Baseline (GB/s)"] = rate(m, baseline.label);
        if (const Kernel* best = fastest(m, maps)) {
          line.here_words["Best kernel"] = best->label;
          line.here["Improvement"] = m.time(baseline.label) / m.time(best->label);
        }
        line.paper = printed_line("Table V", m.name);
        line.paper_words = printed_names("Table V", m.name);
      });
  c.notes.push_back(
      "The paper's warp_jump and block_jump are its kernels of warp size and block size; its "
      "improvements are those of full_jump, all threads apart, in its figure 13.");
  return c;
}

Comparison table_vi(const AllFigures& f) {
  return by_matrix(
      f, "Table VI", "the best of all kernels",
      {"Best kernel", "GB/s", "times the baseline", own.label},
      [](const MatrixShots& m, Line& line) {
        const auto all = gpu_kernels();
        if (const Kernel* best = fastest(m, all)) {
          line.here_words["Best kernel"] = best->label;
          line.here["GB/s"] = rate(m, best->label);
          line.here["times the baseline"] = m.time(baseline.label) / m.time(best->label);
        }
        line.here[own.label] = rate(m, own.label);
        line.paper = printed_line("Table VI", m.name);
        line.paper_words = printed_names("Table VI", m.name);
        const double before = figure(printed_line("Table V", m.name), "Baseline (GB/s)");
        line.paper["times the baseline"] = figure(line.paper, "GB/s") / before;
      });
}

// How many times as fast as one of them each is.
template <class Kernels>
Comparison relative(const AllFigures& f, const char* number, const std::string& what,
                    const Kernels& all, const Kernel& to) {
  std::vector<std::string> columns;
  for (const Kernel& k : all) columns.emplace_back(k.label);
  return by_matrix(f, number, what, columns, [&](const MatrixShots& m, Line& line) {
    for (const Kernel& k : all) line.here[k.label] = m.time(to.label) / m.time(k.label);
  });
}

// Figure 15 is of the program, whose scans are not those of the text.
Comparison as_the_program(const AllFigures& f) {
  std::vector<Kernel> all;
  std::vector<std::string> labels;
  for (const Kernel& k : other_in_program) labels.push_back(in_program(k));
  for (const std::string& label : labels) all.push_back({label.c_str(), ""});
  Comparison c = relative(f, program_study, "", all, sums[0]);
  c.title = fmt::format("{}, times as fast as ps 32", program_study);
  c.notes.emplace_back(
      "There ps 1024 and ps 1024 equals have blocks of 128 threads, which they sum over, and so "
      "has "
      "the work-efficient scan, over 256 entries, without padding, a thread's two entries side by "
      "side, each level copied to the other half of the memory; in blocks of 32 it is without "
      "padding, too, entries side by side. Figure 15 above is as the text says.");
  return c;
}

// What follows from one and from the other.
Comparison program_claims(const AllFigures& f) {
  const std::string text = "by the text's", program = "by the program's";
  Comparison c{
      .title = fmt::format("{}, times as long, mean of the datasets but model7", program_verdicts),
      .corner = "scan",
      .columns = {text, program}};
  const auto add = [&](const Kernel& scan, const Kernel& shuffles) {
    c.lines.push_back({fmt::format("{} over {}", scan.label, shuffles.label),
                       {{text, mean_gain(f, scan.label, shuffles.label)},
                        {program, mean_gain(f, in_program(scan), shuffles.label)}},
                       {}});
  };
  add(sums[3], sums[7]);
  add(sums[8], sums[7]);
  add(sums[9], sums[6]);
  c.notes.emplace_back("The conclusions are judged by the text's.");
  return c;
}

// Of the paper table V has the best bar of each matrix.
Comparison figure_13(const AllFigures& f) {
  Comparison c =
      relative(f, "Figure 13", "the maps, times as fast as the baseline", maps, baseline);
  const char *full_jump = maps[1].label, *warp_jump = maps[2].label;
  for (std::size_t k = 0; k < c.lines.size(); ++k) {
    const std::string& name = f.matrices[k].name;
    const double gain = printed_figure(paper, "Table V", name, "Improvement");
    if (printed_names("Table V", name).at("Best kernel") == "warp_jump")
      c.lines[k].paper_words[warp_jump] = fmt::format("{}, void", figure_text(gain));
    else
      c.lines[k].paper[full_jump] = gain;
  }
  c.notes.push_back(
      "The paper's are the best bar of each matrix, from table V: those that it calls block_jump "
      "are full_jump's in this figure, all threads apart, and those of warp_jump are void, since "
      "its kernel leaves entries out. The other bars have no numbers.");
  return c;
}

Comparison sweep(const AllFigures& f, const char* number, const char* what,
                 std::span<const int> values, std::string (*label)(const char*, int)) {
  const MatrixShots* m = find(f, swept);
  Comparison c{.title = fmt::format("{}: GB/s by {}, on {}", number, what, m ? m->label : swept),
               .corner = "kernel",
               .columns = {}};
  for (const int n : values) c.columns.push_back(std::to_string(n));
  for (const Kernel& k : maps) {
    Line line{k.label, {}, {}};
    if (m)
      for (const int n : values) line.here[std::to_string(n)] = rate(*m, label(k.label, n));
    c.lines.push_back(std::move(line));
  }
  // A thread an entry, whatever the launch of the others.
  Line across{baseline.label, {}, {}};
  if (m)
    for (const int n : values) across.here[std::to_string(n)] = rate(*m, baseline.label);
  c.lines.push_back(std::move(across));
  return c;
}

Comparison figure_14(const AllFigures& f) {
  const std::string gpu = "best map on the GPU";
  return by_matrix(f, "Figure 14", "times as fast as COO on the CPU", {csr.label, gpu},
                   [&](const MatrixShots& m, Line& line) {
                     const double one = m.time(coo.label);
                     line.here[csr.label] = one / m.time(csr.label);
                     if (const Kernel* best = fastest(m, maps))
                       line.here[gpu] = one / m.time(best->label);
                     const Figures cpu = printed_line("Table III", m.name);
                     line.paper[csr.label] = figure(cpu, ms(coo)) / figure(cpu, ms(csr));
                     const Figures v = printed_line("Table V", m.name);
                     line.paper[gpu] = figure(v, "Baseline (GB/s)") * figure(v, "Improvement") /
                                       figure(cpu, gbs(coo));
                   });
}

Comparison figure_17(const AllFigures& f) {
  Comparison c{.title = "Figure 17: times as fast as the baseline, mean of the datasets but model7",
               .corner = "kernel",
               .columns = {"mean", "geometric mean"}};
  const auto add = [&](const Kernel& k) {
    double sum = 0, logs = 0, n = 0;
    for (const MatrixShots& m : f.matrices) {
      const double gain = m.time(baseline.label) / m.time(k.label);
      if (m.name == "model7" || std::isnan(gain)) continue;
      sum += gain;
      logs += std::log(gain);
      ++n;
    }
    c.lines.push_back({k.label,
                       {{"mean", n > 0 ? sum / n : no_figure},
                        {"geometric mean", n > 0 ? std::exp(logs / n) : no_figure}},
                       {}});
  };
  for (const Kernel& k : gpu_kernels()) add(k);
  add(rule);
  add(own);
  return c;
}

// The same kernel with the rows counted before every product and once: the difference is the check.
Comparison density_check(const AllFigures& f) {
  const std::string each = fmt::format("{} (ms)", counted.label),
                    once = fmt::format("{} (ms)", counted_once), check = "the check (ms)",
                    share = "over the product";
  Comparison c{.title = fmt::format("{}, counted on the device", check_table),
               .corner = "dataset",
               .columns = {once, each, check, share},
               .styles = {{share, Style::percent}}};
  for (const MatrixShots& m : f.matrices) {
    const double with = m.time(counted.label), without = m.time(counted_once);
    c.lines.push_back({m.label,
                       {{once, 1e3 * without},
                        {each, 1e3 * with},
                        {check, 1e3 * (with - without)},
                        {share, with / without - 1}},
                       {}});
  }
  c.notes.emplace_back(
      "The paper asks whether an O(n) look before the kernel is feasible and has no figures. "
      "Counted "
      "are the rows with entries, from the row of every entry; the product then takes sums over 32 "
      "or over 1024 by entries a row, without a word of the host. The mean over all rows, nonzeros "
      "over rows, needs no look.");
  return c;
}

}  // namespace

std::string in_program(const Kernel& k) { return fmt::format("{}, as the program", k.label); }
std::string with_threads(const char* map, int threads) {
  return fmt::format("{}, {} threads", map, threads);
}
std::string with_blocks(const char* map, int blocks) {
  return fmt::format("{}, {} blocks", map, blocks);
}

const MatrixShots* find(const AllFigures& f, std::string_view name) {
  for (const MatrixShots& m : f.matrices)
    if (m.name == name) return &m;
  return nullptr;
}

double rate(const MatrixShots& m, std::string_view kernel, bool hot) {
  return bytes_per_nonzero * m.nonzeros / m.time(kernel, hot) / 1e9;
}

std::vector<Kernel> gpu_kernels() {
  std::vector<Kernel> all(maps.begin(), maps.end());
  all.insert(all.end(), sums.begin(), sums.end());
  all.insert(all.end(), jumps.begin(), jumps.end());
  return all;
}

std::vector<Comparison> tables(const AllFigures& f) {
  const std::array last{sums[0], sums[6], jumps[0], jumps[1], rule, own};
  std::vector<Comparison> all = {
      table_i(f),
      table_ii(f),
      figure_8(f),
      table_iii(f),
      figure_10(f),
      table_iv(f),
      sweep(f, "Figure 11", "threads a block, 256 blocks", block_sizes, with_threads),
      sweep(f, "Figure 12", "blocks, 1024 threads each", block_counts, with_blocks),
      figure_13(f),
      table_v(f),
      figure_14(f),
      relative(f, "Figure 15", "prefix sums, times as fast as ps 32", sums, sums[0]),
      as_the_program(f),
      program_claims(f),
      relative(f, "Figure 16", "with jumps and unrolled, times as fast as ps 32", last, sums[0]),
      figure_17(f),
      table_vi(f),
      density_check(f),
      algorithm_2(f)};
  const auto note = [&](const char* start, const std::string& text) {
    for (Comparison& c : all)
      if (c.title.starts_with(start)) c.notes.push_back(text);
  };
  note("Figure 11", "The paper does not say which matrix its figures 11 and 12 are of.");
  note("Figure 12", fmt::format("The paper's figure ends at {} blocks.", most_blocks));
  if (f.other_half)
    note("Figure 15",
         "In this record ps 32 and ps 32 equals read one half of the shared memory and wrote the "
         "other (in_place=0). Now they work in place, as algorithms 5 and 6 and the program do.");
  note("Figure 14",
       "The paper's figures of the GPU follow from tables III and V; the figure has none. That of "
       "mycielskian rests on a rate of COO that is wrong: its time gives 7.83 GB/s, not 32.16.");
  explain_stars(all);
  return all;
}

}  // namespace nz::lab::dinoia2025
