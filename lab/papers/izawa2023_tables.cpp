#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/papers/izawa2023.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/published.hpp"

namespace nz::lab::izawa2023 {
namespace {

using Json = nlohmann::ordered_json;
using Line = Comparison::Line;

const Measured& of(const ByFormat& all, std::string_view label) {
  static const Measured nothing;
  const auto found = all.find(label);
  return found == all.end() ? nothing : found->second;
}

// Our own formats have a column only where they were measured.
std::vector<Format> shown(const ByFormat& some) {
  std::vector<Format> all(formats.begin(), formats.end());
  if (std::isnan(of(some, tile.label).bytes)) all.pop_back();
  return all;
}

const ByFormat& first_of(const std::vector<MatrixFigures>& all) {
  static const ByFormat nothing;
  return all.empty() ? nothing : all.front().by;
}

// What the paper has of a format for a block size; null where it has nothing.
const Json* at(const Json& all, std::string_view label, int block) {
  const auto format = all.find(label);
  if (format == all.end()) return nullptr;
  const auto any = format->find("any");
  if (any != format->end()) return &*any;
  const auto found = format->find(std::to_string(block));
  return found == format->end() ? nullptr : &*found;
}

constexpr double ms = 1e3, mb = 1e-6;
constexpr const char* key = "izawa2023";

// Table 4.1, with what the driver says of the GPU here.
Comparison gpus(const AllFigures& f) {
  const std::string here = "here";
  Comparison c{.title = fmt::format("{}: the GPUs", table_gpus),
               .corner = "Parameter",
               .columns = {std::string(titan), std::string(a100), here}};
  const DeviceInfo& d = f.device;
  const bool known = d.device.kind == Device::Kind::cuda;
  // What the driver does not tell, by the names of the lines.
  const PublishedPeaks peaks = published_peaks(d);
  const PublishedProcessor sm = published_processor(d);
  const Figures published{{"FP32 Cores / SM", sm.fp32},
                          {"FP64 Cores / SM", sm.fp64},
                          {"FP32 Cores / GPU", sm.fp32 * d.processors},
                          {"FP64 Cores / GPU", sm.fp64 * d.processors},
                          {"Number of cores", sm.fp32 * d.processors},
                          {"Peak FP32 (TFLOPS)", 1e-12 * peaks.fp32},
                          {"Peak FP64 (TFLOPS)", 1e-12 * peaks.fp64},
                          {"L1 size (KB)", sm.l1_kib},
                          {"L1 line size (B)", sm.l1_line}};
  const auto words = printed_words(key, table_gpus);
  std::size_t k = 0;
  for (const auto& [label, figures] : printed_table(key, table_gpus)) {
    Line line{label, {}, figures, {}, words[k++].second};
    if (known && label == "SMs") line.here[here] = d.processors;
    if (known && label == "Architecture" && *sm.architecture)
      line.here_words[here] = sm.architecture;
    if (const double one = figure(published, label); known && one > 0) line.here[here] = one;
    if (known && label == "Compute capability")
      line.here_words[here] = fmt::format("{}.{}", d.major, d.minor);
    if (known && label == "Memory size (GB)" && d.memory_bytes > 0)
      line.here[here] = std::round(1e-9 * static_cast<double>(d.memory_bytes));
    if (known && label == "L2 size (KB)" && d.cache_bytes > 0)
      line.here[here] = static_cast<double>(d.cache_bytes >> 10);
    c.lines.push_back(std::move(line));
  }
  if (known)
    c.notes.emplace_back(
        "Here the number of multiprocessors, the compute capability, memory and L2 are what the "
        "driver tells; cores, peaks and L1 are what the maker publishes, L1 with the shared memory "
        "that it shares its place with, as the paper's A100 has it. The L2's line is not known "
        "here.");
  return c;
}

// Tables 4.2 to 4.4.
Comparison sizes(const char* title, const char* what, const std::vector<MatrixFigures>& all) {
  const std::string rows = "rows and columns (K)", nonzeros = "nonzeros (K)",
                    ratio = "ratio of nonzeros (%)";
  Comparison c{.title = fmt::format("{}: {}", title, what),
               .corner = "Name",
               .columns = {rows, nonzeros, ratio}};
  for (const auto& [name, figures] : printed_table(key, title)) {
    Line line{name, {}, figures};
    for (const MatrixFigures& m : all) {
      if (m.name != name) continue;
      line.label = label_of(m);
      line.here = {{rows, 1e-3 * m.rows},
                   {nonzeros, 1e-3 * m.nonzeros},
                   {ratio, 100 * m.nonzeros / (m.rows * m.rows)}};
    }
    c.lines.push_back(std::move(line));
  }
  return c;
}

template <class Here, class Paper>
Comparison by_block_size(const AllFigures& f, std::string title, std::vector<std::string> columns,
                         Here&& here, Paper&& paper) {
  Comparison c{.title = std::move(title), .corner = "Block size", .columns = std::move(columns)};
  static const ByFormat nothing;
  for (const int block : block_sizes) {
    const auto found = f.ideal.find(block);
    c.lines.push_back({std::to_string(block),
                       here(found == f.ideal.end() ? nothing : found->second), paper(block)});
  }
  return c;
}

std::vector<Format> shown_ideal(const AllFigures& f) {
  return shown(f.ideal.empty() ? ByFormat() : f.ideal.begin()->second);
}

// Tables 4.5 and 4.6, and the study without flushed caches, to which the paper has no figures.
Comparison times(const AllFigures& f, const char* title, std::string_view gpu, bool hot) {
  const auto all = shown_ideal(f);
  std::vector<std::string> columns;
  for (const Format& format : all) {
    columns.push_back(n_of(format.label));
    columns.push_back(t_of(format.label));
  }
  return by_block_size(
      f,
      !gpu.empty() ? fmt::format("{}: the ideal matrix by size of blocks (ms); the paper on {} {}",
                                 title, gpu == a100 ? "an" : "a", gpu)
                   : fmt::format("{} without flushing the caches (ms)", title),
      std::move(columns),
      [&](const ByFormat& by) {
        Figures figures;
        for (const Format& format : all) {
          const Measured& m = of(by, format.label);
          figures[n_of(format.label)] = ms * (hot ? m.hot_n : m.n);
          figures[t_of(format.label)] = ms * (hot ? m.hot_t : m.t);
        }
        return figures;
      },
      [&](int block) {
        Figures figures;
        if (gpu.empty()) return figures;
        for (const Format& format : all)
          if (const Json* both = at(printed()["times"][gpu], format.label, block)) {
            figures[n_of(format.label)] = (*both)[0];
            figures[t_of(format.label)] = (*both)[1];
          }
        return figures;
      });
}

Comparison memory(const AllFigures& f) {
  const auto all = shown_ideal(f);
  std::vector<std::string> columns;
  for (const Format& format : all) columns.emplace_back(format.label);
  Comparison c = by_block_size(
      f, fmt::format("{}: memory of the ideal matrix by size of blocks (MB)", table_memory),
      std::move(columns),
      [&](const ByFormat& by) {
        Figures figures;
        for (const Format& format : all)
          figures[std::string(format.label)] = mb * of(by, format.label).bytes;
        return figures;
      },
      [&](int block) {
        Figures figures;
        for (const Format& format : all)
          if (const Json* printed_mb = at(printed()["memory"], format.label, block))
            figures[std::string(format.label)] = *printed_mb;
        return figures;
      });
  c.notes.push_back(
      "The paper's figures are four times what its own equations give (COO: 12 bytes for each of "
      "3,406,208 nonzeros are 40.87 MB, not 163.50): compare ours with a quarter of them.");
  return c;
}

Comparison misses(const AllFigures& f) {
  Comparison c{
      .title = fmt::format("{}: sectors that missed the L1 cache (thousands), blocks of {}",
                           table_misses, chosen_block),
      .corner = "beside",
      .columns = {n_of(csb_baseline.label), t_of(csb_baseline.label), n_of(gcsb.label),
                  t_of(gcsb.label)}};
  for (const std::string_view gpu : {titan, a100}) {
    Line line{std::string(gpu), {}, {}};
    for (const Format& format : {csb_baseline, gcsb}) {
      const Json& paper = printed()["misses"][gpu][format.label];
      line.paper[n_of(format.label)] = paper[0];
      line.paper[t_of(format.label)] = paper[1];
    }
    for (const std::string& column : c.columns)
      if (const auto found = f.misses.find(column); found != f.misses.end())
        line.here[column] = found->second / 1000;
    c.lines.push_back(std::move(line));
  }
  for (const std::string& column : c.columns) c.styles[column] = Style::count;
  if (!f.why_no_misses.empty()) c.notes.push_back("Not counted here: " + f.why_no_misses + ".");
  return c;
}

// Only those that are there.
void take(const Json& all, const std::string& name, const std::string& column, Figures& to) {
  if (const auto found = all.find(name); found != all.end()) to[column] = *found;
}

// The paper's are beside ours with flushed caches; the study without has none.
Comparison speedups(const std::vector<MatrixFigures>& matrices, const char* title, bool hot) {
  const auto all = shown(first_of(matrices));
  const std::string on_titan = fmt::format("{}, {}", gcsb.label, titan), base = "CSR N + T (ms)";
  Comparison c{.title = fmt::format("{}{}: speed-up of N + T over CSR, blocks of {}{}", title,
                                    hot ? " without flushing the caches" : "", chosen_block,
                                    hot ? "" : "; the paper on an A100"),
               .corner = "Matrix",
               .columns = {}};
  for (const Format& format : all)
    if (format.label != csr.label) c.columns.emplace_back(format.label);
  if (!hot) c.columns.push_back(on_titan);
  c.columns.push_back(base);
  const Json& paper = printed()["speedup of GCSB"];
  for (const MatrixFigures& m : matrices) {
    Line line{label_of(m), {}, {}};
    const double baseline = of(m.by, csr.label).both(hot);
    for (const Format& format : all)
      if (format.label != csr.label)
        line.here[std::string(format.label)] = baseline / of(m.by, format.label).both(hot);
    line.here[base] = ms * baseline;
    if (!hot) {
      take(paper[a100], m.name, std::string(gcsb.label), line.paper);
      take(paper[titan], m.name, on_titan, line.paper);
    }
    c.lines.push_back(std::move(line));
  }
  return c;
}

Comparison memories(const std::vector<MatrixFigures>& matrices, std::string title) {
  const auto all = shown(first_of(matrices));
  Comparison c{.title = fmt::format("{}: memory against CSR, blocks of {}", title, chosen_block),
               .corner = "Matrix",
               .columns = {}};
  const Json& paper = printed()["memory against CSR"];
  for (const Format& format : all)
    if (format.label != csr.label) c.columns.emplace_back(format.label);
  for (const MatrixFigures& m : matrices) {
    Line line{label_of(m), {}, {}};
    for (const std::string& column : c.columns) {
      line.here[column] = of(m.by, column).bytes / of(m.by, csr.label).bytes;
      if (const auto found = paper.find(column); found != paper.end())
        take(*found, m.name, column, line.paper);
    }
    c.lines.push_back(std::move(line));
  }
  return c;
}

}  // namespace

const Json& printed() { return lab::printed("izawa2023"); }

std::string n_of(std::string_view format) { return fmt::format("{} N", format); }
std::string t_of(std::string_view format) { return fmt::format("{} T", format); }
std::string label_of(const MatrixFigures& m) { return m.name + (m.stand_in ? " *" : ""); }

std::vector<Comparison> tables(const AllFigures& f) {
  std::vector<Comparison> all = {gpus(f),
                                 sizes(table_ideal, "the ideal matrix",
                                       {{.name = "ideal_matrix",
                                         .stand_in = false,
                                         .by = {},
                                         .rows = f.ideal_rows,
                                         .nonzeros = f.ideal_nonzeros}}),
                                 sizes(table_named, "matrices of the collection", f.named),
                                 sizes(table_random, "random matrices", f.random),
                                 places(f),
                                 ideal_blocks(f),
                                 times(f, table_titan, titan, false),
                                 times(f, table_a100, a100, false),
                                 times(f, study_hot, "", true),
                                 memory(f),
                                 misses(f),
                                 speedups(f.named, named_speed, false),
                                 memories(f.named, named_memory),
                                 speedups(f.random, random_speed, false),
                                 memories(f.random, random_memory),
                                 speedups(f.named, study_named, true),
                                 speedups(f.random, study_random, true)};
  for (Comparison& c : studies(f)) all.push_back(std::move(c));
  if (f.gcsb_leaves)
    for (Comparison& c : all)
      if (std::find(c.columns.begin(), c.columns.end(), gcsb.label) != c.columns.end() ||
          std::find(c.columns.begin(), c.columns.end(), n_of(gcsb.label)) != c.columns.end())
        c.notes.push_back(
            "GCSB of this record leaves a block at its padding, which the paper's kernels "
            "multiply: it is older than the kernel as printed.");
  const auto stand_in = [](const MatrixFigures& m) { return m.stand_in; };
  if (std::any_of(f.named.begin(), f.named.end(), stand_in))
    for (Comparison& c : all)
      if (c.title.starts_with(table_named) || c.title.starts_with(figure_places) ||
          c.title.starts_with(named_speed) || c.title.starts_with(named_memory) ||
          c.title.starts_with(study_named) || c.title.starts_with(study_variants))
        c.notes.push_back(
            "* a stand-in with the published size and number of nonzeros; its rows and places are "
            "assumed.");
  return all;
}

}  // namespace nz::lab::izawa2023
