#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/papers/chirila2025.hpp"
#include "lab/papers/chirila2025_claims.hpp"
#include "lab/papers/dinoia2025.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/recall.hpp"
#include "support/temp_dir.hpp"

// Verdicts, one by one: figures as a paper has them or says them, and which of its conclusions they
// do not bear out.
namespace nz::test {
namespace {

using namespace lab;
using Texts = std::set<std::string>;

// A figure as near to a limit as two runs are to each other says nothing.
TEST(Limits, NearToALimitIsUndecided) {
  const auto judged = [](double v, const Limits& limits) {
    return verdict(Claim::judge("", no_figure, v, limits));
  };
  EXPECT_EQ(judged(1.254, below(1.25, 0.01)), "undecided");
  EXPECT_EQ(judged(1.27, below(1.25, 0.01)), "no");
  EXPECT_EQ(judged(1.2, below(1.25, 0.01)), "yes");
  EXPECT_EQ(judged(1.254, below(1.25)), "no") << "a count has no noise";
  EXPECT_EQ(judged(1.99, above(2, 0.01)), "undecided");
  EXPECT_EQ(judged(2.1, above(2, 0.01)), "yes");
  EXPECT_EQ(judged(0.9, between(1 / 1.1, 1.1, 0.02)), "undecided");
  EXPECT_EQ(judged(1.0, between(1 / 1.1, 1.1, 0.02)), "yes");
  EXPECT_EQ(judged(0.5, between(1 / 1.1, 1.1, 0.02)), "no");
  EXPECT_EQ(judged(no_figure, above(2, 0.01)), "not measured");
  EXPECT_EQ(verdict(Claim::unmeasured("", 2, "no such GPU")), "not measured: no such GPU");
  const Claim near = Claim::judge("", no_figure, 2, above(2, 0.01));
  EXPECT_TRUE(near.undecided);
  EXPECT_FALSE(near.holds.has_value());
  EXPECT_EQ(
      to_json(Reproduction{.title = "", .facts = {}, .claims = {near}})["claims"][0]["verdict"],
      "undecided");
}

Texts not_holding(const std::vector<Claim>& all) {
  Texts texts;
  for (const Claim& c : all) {
    EXPECT_TRUE(c.holds.has_value()) << "not judged: " << c.text;
    if (c.holds == false) texts.insert(c.text);
  }
  return texts;
}

// The tables of chapter 6 with the paper's figures as ours, too.
std::vector<Comparison> as_printed() {
  std::vector<Comparison> all;
  for (const int number : {1, 2, 3, 5, 6}) {
    Comparison c{.title = "Table " + std::to_string(number) + " of the paper"};
    for (const auto& [label, figures] : chirila2025::table(number)) {
      if (number != 5) {
        c.lines.push_back({label, figures, figures});
        continue;
      }
      // Its lines are the columns of ours.
      if (c.lines.empty())
        for (const auto& [threads, seconds] : figures) c.lines.push_back({threads, {}, {}});
      for (Comparison::Line& line : c.lines)
        line.here[label] = line.paper[label] = figure(figures, line.label);
    }
    for (const auto& [column, value] : c.lines.back().here) c.columns.push_back(column);
    all.push_back(std::move(c));
  }
  // The claim of as many tasks in all looks at the last column: the paper's own is the last here.
  std::erase(all[1].columns, "2048");
  all[1].columns.push_back("2048");
  return all;
}

// What its own tables do not bear out is what docs/papers/chirila2025.md names.
TEST(ChirilaCpu, ItsOwnFiguresBearOutAllButOneConclusion) {
  const auto all = chirila2025::claims(as_printed(), chirila2025::logical_cpus);
  EXPECT_EQ(all.size(), 38u);
  EXPECT_EQ(
      not_holding(all),
      (Texts{"table 3, as the text has it: Preprocessed slows down from 1024 to 2048 chunks"}));
  for (const Claim& c : all) EXPECT_EQ(c.here, c.paper) << c.text;
}

TEST(ChirilaCpu, VerdictsTurnWithTheFigures) {
  auto tables = as_printed();
  const auto set = [&](std::size_t table, const char* label, const char* column, double value) {
    for (Comparison::Line& l : tables[table].lines)
      if (l.label == label) l.here[column] = value;
  };
  set(0, "NumPy", "64", 4.5);
  set(0, "Improved Intra-Row Splits", "16", 1.2);
  set(1, "Fixed-Size Tasks", "128", 2.7);
  EXPECT_EQ(
      not_holding(chirila2025::claims(tables, chirila2025::logical_cpus)),
      (Texts{
          "and it slows down with more threads than processors (twice as many over as many)",
          "but gain no more beyond 8 threads (16 over 8)",
          "table 2: and is slower there than improved splits and Fixed Maximum Task Size (least)",
          "table 3, as the text has it: Preprocessed slows down from 1024 to 2048 chunks"}));
}

// A place among kernels is not told where another is so near that it may be the next one's.
TEST(ChirilaCpu, APlaceThatNoiseMayChangeIsUndecided) {
  auto tables = as_printed();
  const auto third = [&] {
    for (const Claim& c : chirila2025::claims(tables, chirila2025::logical_cpus))
      if (c.text.starts_with("Granular Row is the third best")) return verdict(c);
    return std::string("none");
  };
  const auto set = [&](const char* label, double seconds) {
    for (Comparison::Line& l : tables[0].lines)
      if (l.label == label) l.here["32"] = seconds;
  };
  EXPECT_EQ(third(), "yes");
  set("Fixed Maximum Task Size", 1.20);
  EXPECT_EQ(third(), "undecided") << "1.19 and 1.20 s";
  set("Fixed Maximum Task Size", 1.05);
  EXPECT_EQ(third(), "no");
}

// A conclusion that names several kernels is not judged by some of them.
TEST(ChirilaCpu, WhatIsMissingIsNotJudged) {
  auto tables = as_printed();
  for (Comparison::Line& l : tables[0].lines)
    if (l.label == "Fixed Maximum Task Size") l.here.clear();
  for (Comparison::Line& l : tables[1].lines)
    if (l.label == "Improved Intra-Row Splits") l.here.erase("128");
  Texts missing;
  for (const Claim& c : chirila2025::claims(tables, chirila2025::logical_cpus)) {
    const bool said = table_of(std::vector{c}).markdown().find("not measured") != std::string::npos;
    EXPECT_EQ(said, !c.holds) << c.text;
    if (!c.holds) missing.insert(c.text);
  }
  EXPECT_EQ(
      missing,
      (Texts{"on one thread all but the naive splits take no more than SciPy's time (worst share)",
             "and the naive splits are an outlier (their time on one thread over the slowest other "
             "sparse one's)",
             "Fixed Maximum Task Size gains from every processor (least gain of twice the threads)",
             "but less than linearly (speedup on all processors over their number)",
             "and loses slightly with more threads than processors (twice as many over as many)",
             "tasks beat nested loops (improved splits over Fixed Maximum Task Size, all "
             "processors)",
             "all but the naive splits beat the dense product on any threads (least gain)",
             "Granular Row is the third best on all processors (its place among the six)",
             "tasks of equal size are the fastest on all processors (best other over the slower)",
             "table 2: and is slower there than improved splits and Fixed Maximum Task Size "
             "(least)"}));
}

// Milliseconds that bear out every sentence of dinoia2025.
dinoia2025::AllFigures as_said() {
  using namespace dinoia2025;
  AllFigures f;
  for (const auto& [name, figures] : printed_table("dinoia2025", "Table II")) {
    MatrixShots m{.name = name, .label = name, .rows = 1e6, .cols = 1e6, .nonzeros = 1e7};
    const bool dense = name == "mouse" || name == "mycielskian", small = name == "model7",
               long_row = name == "mawi";
    if (small) m.nonzeros = 5e4;
    const auto set = [&m](const std::string& label, double ms) {
      m.by[label] = {.seconds = ms / 1e3};
    };
    set(csr.label, small || long_row ? 1 : 20);
    set(coo.label, m.time(csr.label) * 1e3 *
                       (name == "hugetrace"  ? 1
                        : name == "delaunay" ? 1.03
                                             : 3));
    set(baseline.label, dense ? 14 : 2.2);
    set(maps[0].label, 8);
    set(maps[1].label, 4);
    set(maps[2].label, long_row ? 1.9 : name == "europe" ? 2.2 : 2);
    set(maps[3].label, 2);
    for (const auto& k : sums) set(k.label, 1);
    set(sums[6].label, 0.8);
    set(sums[7].label, dense ? 0.3 : 0.9);
    set(sums[8].label, 1.2);
    set(sums[9].label, 1.2);
    for (const auto& k : jumps) set(k.label, long_row ? 0.2 : 0.5);
    if (name == swept) {
      for (const auto& k : maps) {
        for (const int n : block_sizes) set(with_threads(k.label, n), n == 1024 ? 2 : 3);
        for (const int n : block_counts) set(with_blocks(k.label, n), n == 256 ? 2 : 3);
      }
    }
    f.matrices.push_back(std::move(m));
  }
  f.coo_counts = CacheCounts{1000, 20, 1};
  f.csr_counts = CacheCounts{800, 10, 1};
  f.device.description = "NVIDIA A30";
  return f;
}

TEST(Dinoia, FiguresAsItSaysBearOutEveryConclusion) {
  auto f = as_said();
  const auto all = dinoia2025::claims(f);
  EXPECT_EQ(all.size(), 37u);
  EXPECT_EQ(not_holding(all), Texts{});
  // One turned around after the other.
  for (MatrixShots& m : f.matrices) {
    if (m.name == "model7") m.by[dinoia2025::baseline.label] = {.seconds = 1e-7};
    if (m.name == "mawi")
      m.by[dinoia2025::csr.label] = m.by[dinoia2025::coo.label] = {.seconds = 3e-3};
  }
  f.csr_counts = CacheCounts{1200, 10, 1};
  EXPECT_EQ(not_holding(dinoia2025::claims(f)),
            (Texts{"and refers to memory less often (COO's references over CSR's, model7)",
                   "nor, by atomics, on mawi (the best map over CSR)",
                   "the best map beats the baseline on every matrix (least gain)",
                   "the smallest matrix has the worst rate (the baseline: model7 over the least of "
                   "the others)"}));
}

TEST(Dinoia, OneOfSeveralMissingIsNotJudged) {
  auto f = as_said();
  for (MatrixShots& m : f.matrices) {
    m.by.erase(dinoia2025::maps[1].label);
    if (m.name == "mouse") m.by.erase(dinoia2025::jumps[0].label);
    if (m.name == dinoia2025::swept)
      m.by.erase(dinoia2025::with_threads(dinoia2025::maps[3].label, 64));
  }
  Texts missing;
  for (const Claim& c : dinoia2025::claims(f))
    if (!c.holds) missing.insert(c.text);
  EXPECT_EQ(missing,
            (Texts{"entries side by side for a thread are the worst map (slowest other over it)",
                   "all threads apart is about half of that (warp over threads)",
                   "1024 threads a block are best (their share of the best, a block apart)",
                   "figures 11 and 12 look alike: as many threads in all, as fast (farthest apart)",
                   "a block apart is the most reliable map (its worst share of the best over the "
                   "others', but model7)",
                   "sums over 1024 are best where rows are long (jump_block over them: mouse, "
                   "mycielskian)"}));
}

// Pages say how many conclusions hold: as many as in the record that they name, told again with the
// conclusions of today.
TEST(Pages, CountTheConclusionsOfTheirRecords) {
  const std::pair<const char*, const char*> all[] = {
      {"messa2025", "h200/messa2025"},
      {"dinoia2025", "h200/dinoia2025"},
      {"dinoia2025", "cpu/neoverse-2-dinoia2025-section-vi"},
      {"dinoia2025", "cpu/neoverse-v1-dinoia2025"},
      {"mazzucchi2025", "h200/mazzucchi2025"},
      {"mazzucchi2025", "cpu/neoverse-2-mazzucchi2025"},
      {"izawa2023", "h200/izawa2023"},
      {"chirila2025", "h200/chirila2025-cpu"},
      {"chirila2025", "h200/chirila2025-gpu"},
      {"chirila2025", "cpu/neoverse-2-chirila2025"}};
  for (const auto& [paper, name] : all) {
    const std::string file = fmt::format("{}/results/{}.json", NZ_SOURCE_DIR, name);
    const Recall recall(nlohmann::ordered_json::parse(read_file(file)), file);
    const auto found = find_experiments(recall.experiment());
    ASSERT_EQ(found.size(), 1u) << file;
    ExperimentOptions options{.scale = recall.scale(), .device = recall.device()};
    options.recall = &recall;
    const auto claims = found.front()->run(options).claims;
    const auto count = [&](auto&& of) { return std::count_if(claims.begin(), claims.end(), of); };
    const auto hold = count([](const Claim& c) { return c.holds == true; });
    const auto judged = count([](const Claim& c) { return c.holds.has_value(); });
    EXPECT_GT(judged, 1) << file;
    std::string page = read_file(fmt::format("{}/docs/papers/{}.md", NZ_SOURCE_DIR, paper));
    std::erase(page, '*');
    std::replace(page.begin(), page.end(), '\n', ' ');
    const auto says = [&](const char* words) {
      return page.find(fmt::format("{} of {} {}", hold, judged, words)) != page.npos;
    };
    EXPECT_TRUE(says("hold") || says("conclusions hold"))
        << paper << " does not say that " << hold << " of " << judged << " hold by " << file;
  }
}

}  // namespace
}  // namespace nz::test
