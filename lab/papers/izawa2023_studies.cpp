#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "lab/papers/izawa2023.hpp"
#include "lab/papers/izawa2023_l1.hpp"

// Figure 3.7, and what the paper allows, prints without measuring, or leaves to future work.
namespace nz::lab::izawa2023 {
namespace {

using Line = Comparison::Line;

const Measured& of(const ByFormat& all, std::string_view label) {
  static const Measured nothing;
  const auto found = all.find(label);
  return found == all.end() ? nothing : found->second;
}

constexpr double ms = 1e3, mb = 1e-6, thousands = 1e-3;
constexpr int line_elements = 32, sectors_a_line = 4;

// The group of figure 3.7 is the first of figure 3.4: blocks of 4, 4, 3 and 3 entries.
Line example(const char* label, const std::vector<std::int64_t>& misses,
             const std::vector<double>& printed, const std::vector<std::string>& columns) {
  Line line{label, {}, {}};
  for (std::size_t k = 0; k < misses.size(); ++k) {
    line.here[columns[k]] = static_cast<double>(misses[k]);
    line.paper[columns[k]] = printed[k];
  }
  line.here["all"] =
      static_cast<double>(std::accumulate(misses.begin(), misses.end(), std::int64_t{0}));
  line.paper["all"] = std::accumulate(printed.begin(), printed.end(), 0.0);
  return line;
}

Comparison misses_of_example() {
  const std::vector<std::string> loops = {"loop 1", "loop 2", "loop 3", "loop 4"};
  Comparison c{.title = fmt::format("{}: L1 misses before and after reordering, by the model of "
                                    "§3.3.4",
                                    model_of_misses),
               .corner = "Entries of blocks",
               .columns = {"loop 1", "loop 2", "loop 3", "loop 4", "all"}};
  const std::vector<std::int64_t> lengths = {4, 4, 3, 3};
  c.lines = {example("block by block", misses_by_blocks(lengths, {}), {3, 3, 4, 2}, loops),
             example("reordered in the group", misses_reordered(lengths, {}), {1, 1, 1, 1}, loops)};
  for (const std::string& column : c.columns) c.styles[column] = Style::count;
  c.notes.push_back(
      "Two cache lines of four elements, and a group of four blocks. The paper does not say which "
      "line is replaced: with a place in the cache for each line of memory its counts come out; "
      "with the line that was used longest ago loop 2 would have four misses.");
  return c;
}

// The sums that §3.3.4 ends with, on the ideal matrix, beside what was counted.
Comparison misses_of_ideal(const AllFigures& f) {
  const std::string worst = "CSB-baseline, at worst (lines)", grouped = "GCSB (lines)",
                    sectors = "GCSB, places and values (sectors)",
                    counted_baseline = "CSB-baseline N, counted (sectors)",
                    counted = "GCSB N, counted (sectors)";
  Comparison c{.title = fmt::format("Study: the model of §3.3.4 on the ideal matrix (thousands), "
                                    "blocks of {}",
                                    chosen_block),
               .corner = "Matrix",
               .columns = {worst, grouped, sectors, counted_baseline, counted}};
  Line line{"ideal_matrix", {}, {}};
  const auto by = f.ideal.find(chosen_block);
  if (by != f.ideal.end()) {
    const double deep = of(by->second, gcsb.label).fill * f.ideal_nonzeros / line_elements;
    line.here[worst] = thousands * f.ideal_nonzeros;
    line.here[grouped] = thousands * deep;
    line.here[sectors] = thousands * deep * 2 * sectors_a_line;
  }
  for (const auto& [column, format] : {std::pair(counted_baseline, csb_baseline), {counted, gcsb}})
    if (const auto found = f.misses.find(n_of(format.label)); found != f.misses.end())
      line.here[column] = thousands * found->second;
  c.lines = {line};
  for (const std::string& column : c.columns) c.styles[column] = Style::count;
  c.notes.push_back(
      "By the model a warp without reordering misses once an entry, if its blocks have more lines "
      "than the cache, and with it once a row of the group. Places and values are two arrays, and "
      "a line of 128 bytes is four sectors, which is what is counted; counted are accesses of x "
      "and y, too.");
  return c;
}

// Variants beside what they vary.
constexpr std::array compared{csb_baseline, ordered, gcsb, leaving, jagged};

Comparison ideal_variants(const AllFigures& f) {
  Comparison c{.title = fmt::format("{}: N + T (ms) and memory (MB)", study_ideal_variants),
               .corner = "Block size",
               .columns = {}};
  for (const Format& format : compared) {
    c.columns.push_back(fmt::format("{} (ms)", format.label));
    c.columns.push_back(fmt::format("{} (MB)", format.label));
  }
  for (const int block : block_sizes) {
    Line line{std::to_string(block), {}, {}};
    if (const auto by = f.ideal.find(block); by != f.ideal.end())
      for (const Format& format : compared) {
        const Measured& m = of(by->second, format.label);
        line.here[fmt::format("{} (ms)", format.label)] = ms * m.both();
        line.here[fmt::format("{} (MB)", format.label)] = mb * m.bytes;
      }
    c.lines.push_back(std::move(line));
  }
  return c;
}

Comparison all_variants(const AllFigures& f) {
  const std::string slots = "slots a nonzero of GCSB";
  Comparison c{.title = fmt::format("{}: speed-up of N + T over GCSB, and memory against it, "
                                    "blocks of {}",
                                    study_variants, chosen_block),
               .corner = "Matrix",
               .columns = {slots}};
  const auto memory_of = [](const Format& format) {
    return fmt::format("{}, memory", format.label);
  };
  for (const Format& format : compared)
    if (format.label != gcsb.label) c.columns.emplace_back(format.label);
  for (const Format& format : {csb_baseline, ordered, jagged})
    c.columns.push_back(memory_of(format));
  for (const auto* matrices : {&f.named, &f.random})
    for (const MatrixFigures& m : *matrices) {
      Line line{label_of(m), {}, {}};
      const Measured& base = of(m.by, gcsb.label);
      line.here[slots] = base.fill;
      for (const Format& format : compared) {
        if (format.label == gcsb.label) continue;
        const Measured& one = of(m.by, format.label);
        line.here[std::string(format.label)] = base.both() / one.both();
        if (format.label != leaving.label) line.here[memory_of(format)] = one.bytes / base.bytes;
      }
      c.lines.push_back(std::move(line));
    }
  c.notes.push_back(
      "Leaving: a thread leaves its block where the padding begins, in the memory of GCSB. No "
      "padding: entries of a group without any between them, and no empty blocks. Fullest first: "
      "CSB-baseline with block_indices, in the order that GCSB has.");
  return c;
}

Comparison ell_study(const AllFigures& f) {
  const std::string slots = "slots a nonzero";
  Comparison c{
      .title = fmt::format("{}: figures 2.15 and 2.16 (ms), and with slots by columns", study_ell),
      .corner = "Matrix",
      .columns = {slots}};
  for (const Format& format : {csr, ell, ell_by_columns}) {
    c.columns.push_back(n_of(format.label));
    c.columns.push_back(t_of(format.label));
  }
  const auto add = [&](const std::string& name, const ByFormat& by) {
    Line line{name, {{slots, of(by, ell.label).fill}}, {}};
    for (const Format& format : {csr, ell, ell_by_columns}) {
      line.here[n_of(format.label)] = ms * of(by, format.label).n;
      line.here[t_of(format.label)] = ms * of(by, format.label).t;
    }
    c.lines.push_back(std::move(line));
  };
  if (const auto by = f.ideal.find(chosen_block); by != f.ideal.end())
    add("ideal_matrix", by->second);
  for (const MatrixFigures& m : f.random) add(label_of(m), m.by);
  c.notes.push_back(
      "The paper prints kernels for ELL and measures none. Matrices of the collection, with a few "
      "long rows, are left out.");
  return c;
}

}  // namespace

std::vector<Comparison> studies(const AllFigures& f) {
  return {misses_of_example(), misses_of_ideal(f), ideal_variants(f), all_variants(f),
          ell_study(f)};
}

}  // namespace nz::lab::izawa2023
