#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>

#include "lab/bench/ncu.hpp"
#include "lab/papers/izawa2023.hpp"
#include "lab/papers/izawa2023_l1.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/recall.hpp"

// izawa2023's tables: the figures that were typed in agree with the paper's equations and text, and
// tables and conclusions follow from made-up figures as they should.
namespace nz::test {
namespace {

using namespace lab;
using namespace lab::izawa2023;

constexpr double nonzeros = 3'406'208, rows = 8192;

double printed_mb(std::string_view format, const std::string& block) {
  return printed()["memory"][format][block];
}

TEST(Izawa, Table47IsFourTimesWhatTheEquationsGive) {
  const auto bytes = [](double extra) { return 4e-6 * (8 * nonzeros + 4 * extra); };
  EXPECT_NEAR(printed_mb("COO", "any"), 4e-6 * 12 * nonzeros, 0.005);  // 2.1
  EXPECT_NEAR(printed_mb("CSR", "any"), bytes(rows + 1), 0.005);       // 2.2
  for (const int block : block_sizes) {
    SCOPED_TRACE(block);
    const double blocks = std::pow(rows / block, 2), groups = blocks / 32;
    EXPECT_NEAR(printed_mb("CSB-baseline", std::to_string(block)), bytes(blocks + 1),
                0.005);  // 3.1
    // 3.2 without padding is what blocks of 128 have, in which the paper's matrix is balanced.
    // Smaller ones have some; with blocks of 8 the paper prints less than none.
    const double padding = printed_mb("GCSB", std::to_string(block)) - bytes(blocks + groups + 1);
    if (block == 128)
      EXPECT_NEAR(padding, 0, 0.005);
    else if (block == 8)
      EXPECT_LT(padding, -0.1);
    else
      EXPECT_GT(padding, 0.02);
  }
}

// Table 4.3 and the whole numbers of nonzeros are the same, and ratios follow from sizes.
TEST(Izawa, TablesOfMatricesAgree) {
  for (const auto& m : printed()["named"]["matrices"]) {
    const std::string name = m["name"];
    const double k = lab::printed_figure("izawa2023", table_named, name, "nonzeros (K)");
    EXPECT_NEAR(k, m["nonzeros"].get<double>() / 1000, 0.0051) << name;
    const double n = lab::printed_figure("izawa2023", table_named, name, "rows and columns (K)");
    const double ratio = 0.1 * k / (n * n);
    EXPECT_NEAR(lab::printed_figure("izawa2023", table_named, name, "ratio of nonzeros (%)"), ratio,
                0.015 * ratio + 0.005)
        << name;
  }
  EXPECT_EQ(lab::printed_table("izawa2023", table_random).size(), 11u);
}

TEST(Izawa, ThePapersFiguresSayWhatItsTextSays) {
  const auto both = [](std::string_view gpu, const char* format, const char* block) {
    const auto& f = printed()["times"][gpu][format][block];
    return f[0].get<double>() + f[1].get<double>();
  };
  for (const std::string_view gpu : {titan, a100}) {
    EXPECT_LT(both(gpu, "GCSB", "32"), both(gpu, "CSR", "any")) << gpu;
    EXPECT_LT(both(gpu, "GCSB", "16"), both(gpu, "GCSB", "128")) << gpu;
    EXPECT_LT(both(gpu, "eCSB", "any"), both(gpu, "GCSB", "16")) << gpu;
  }
  // "Both CSB-baseline and GCSB achieve a smaller total execution time than CSR": not on a TITAN.
  EXPECT_LT(both(a100, "CSB-baseline", "32"), both(a100, "CSR", "any"));
  EXPECT_GT(both(titan, "CSB-baseline", "32"), both(titan, "CSR", "any"));
  EXPECT_EQ(printed()["named"]["matrices"].size(), 18u);
  EXPECT_EQ(printed()["random"]["densities"].size(), 11u);
}

// GCSB takes 1 ms for N and 2 ms for T, the others a multiple of it; a megabyte each.
ByFormat made_up(double times_csr, double times_ecsb) {
  const auto times = [](double factor) {
    return Measured{1e-3 * factor, 2e-3 * factor, 5e-4 * factor, 1e-3 * factor, 1e6};
  };
  ByFormat by = {{"COO", times(3)},
                 {"eCSB", times(times_ecsb)},
                 {"CSR", times(times_csr)},
                 {"CSB-baseline", times(2)},
                 {"GCSB", times(1)}};
  by["COO"].bytes = by["eCSB"].bytes = 1.5e6;
  return by;
}

AllFigures made_up() {
  AllFigures f;
  for (const int block : block_sizes) f.ideal[block] = made_up(2.5, 0.5);
  for (const auto& m : printed()["named"]["matrices"])
    f.named.push_back(
        {m["name"], true, made_up(m["name"] == "olafu" ? 0.5 : 2.5, 0.5), 1000, 100'000});
  for (const auto& d : printed()["random"]["densities"])
    f.random.push_back({"random_" + d.get<std::string>(), false, made_up(2.5, 1.25), 8192, 1e6});
  f.misses = {{"CSB-baseline N", 3e6}, {"CSB-baseline T", 2e6}, {"GCSB N", 1e6}, {"GCSB T", 1e6}};
  return f;
}

const Comparison& table(const std::vector<Comparison>& all, std::string_view start) {
  for (const Comparison& c : all)
    if (c.title.starts_with(start)) return c;
  throw std::out_of_range(std::string(start));
}

const Claim& claim(const std::vector<Claim>& all, std::string_view part) {
  for (const Claim& c : all)
    if (c.text.find(part) != std::string::npos) return c;
  throw std::out_of_range(std::string(part));
}

TEST(Izawa, TablesHaveOurFiguresBesideThePapers) {
  const auto all = tables(made_up());
  ASSERT_EQ(all.size(), 22u);
  EXPECT_EQ(figure(table(all, table_gpus).line("SMs").paper, "A100"), 108);
  EXPECT_EQ(table(all, table_gpus).line("FP64 Cores / SM").paper_words.at("TITAN RTX"), "-");
  EXPECT_NEAR(figure(table(all, table_named).line("mouse_gene *").here, "ratio of nonzeros (%)"),
              10, 1e-9);
  EXPECT_EQ(figure(table(all, table_random).line("random_0.5").paper, "nonzeros (K)"), 33554.43);
  const auto& times = table(all, table_a100);
  EXPECT_EQ(times.columns.size(), 10u) << "no column for a format that was not measured";
  EXPECT_NEAR(figure(times.line("16").here, "CSR T"), 5, 1e-12);
  EXPECT_EQ(figure(times.line("16").paper, "GCSB N"), 0.14);
  EXPECT_EQ(figure(table(all, table_titan).line("8").paper, "CSR T"), 0.75);
  EXPECT_NEAR(figure(table(all, study_hot).line("8").here, "COO N"), 1.5, 1e-12);
  EXPECT_EQ(figure(table(all, table_memory).line("8").paper, "CSR"), 109.13) << "as printed";
  EXPECT_EQ(figure(table(all, table_misses).line("A100").here, "CSB-baseline N"), 3000);
  const auto& line = table(all, named_speed).line("mouse_gene *");
  EXPECT_NEAR(figure(line.here, "GCSB"), 2.5, 1e-12);
  EXPECT_NEAR(figure(line.here, "eCSB"), 5, 1e-12);
  EXPECT_EQ(figure(line.paper, "GCSB"), 2.75);
  EXPECT_EQ(figure(line.paper, "GCSB, TITAN RTX"), 1.23);
  EXPECT_NEAR(figure(table(all, random_memory).line("random_0.005").here, "eCSB"), 1.5, 1e-12);
  EXPECT_EQ(figure(table(all, random_memory).line("random_0.005").paper, "GCSB"), 1.09);
}

TEST(Izawa, OurOwnFormatGetsAColumnWhereItWasMeasured) {
  AllFigures f = made_up();
  for (MatrixFigures& m : f.random) m.by["tile"] = {1e-3, 1e-3, 1e-3, 1e-3, 8e5};
  const auto all = tables(f);
  EXPECT_NEAR(figure(table(all, random_speed).lines.front().here, "tile"), 7.5 / 2, 1e-12);
  EXPECT_NEAR(figure(table(all, random_memory).lines.front().here, "tile"), 0.8, 1e-12);
}

// §3.3.4 counts 3, 3, 4 and 2 misses without reordering in the words of figure 3.7, and one a loop
// with it.
TEST(Izawa, TheModelOfMissesCountsAsTheText) {
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(misses_by_blocks({4, 4, 3, 3}, {}), (Counts{3, 3, 4, 2}));
  EXPECT_EQ(misses_reordered({4, 4, 3, 3}, {}), (Counts{1, 1, 1, 1}));
  // With room for all lines each misses once; with none, every entry does.
  EXPECT_EQ(misses_by_blocks({4, 4, 4, 4}, {.lines = 4}), (Counts{4, 0, 0, 0}));
  EXPECT_EQ(misses_by_blocks({4, 4, 4, 4}, {.lines = 1}), (Counts{4, 4, 4, 4}));
  EXPECT_EQ(misses_by_blocks({}, {}), Counts{});
  EXPECT_EQ(misses_reordered({}, {}), Counts{});
}

TEST(Izawa, VariantsStandBesideGcsb) {
  AllFigures f = made_up();
  for (MatrixFigures& m : f.random) {
    m.by["GCSB"].fill = 1.25;
    m.by[std::string(jagged.label)] = {5e-4, 1e-3, 5e-4, 1e-3, 8e5};
  }
  f.ideal[32]["GCSB"].fill = 1;
  f.ideal[32][std::string(leaving.label)] = {2e-3, 2e-3, 2e-3, 2e-3, 1e6};
  f.ideal_nonzeros = 3'200'000;
  const auto all = tables(f);
  const Figures line = table(all, study_variants).lines.back().here;
  EXPECT_EQ(figure(line, "slots a nonzero of GCSB"), 1.25);
  EXPECT_NEAR(figure(line, jagged.label), 2, 1e-12);
  EXPECT_NEAR(figure(line, "GCSB, no padding, memory"), 0.8, 1e-12);
  EXPECT_NEAR(figure(line, csb_baseline.label), 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(figure(line, leaving.label)));
  EXPECT_NEAR(figure(table(all, study_ideal_variants).line("32").here, "GCSB, leaving (ms)"), 4,
              1e-12);
  // 100 thousand lines of 32 elements, of two arrays and four sectors each.
  const Figures model = table(all, "Study: the model").lines.front().here;
  EXPECT_NEAR(figure(model, "GCSB (lines)"), 100, 1e-9);
  EXPECT_NEAR(figure(model, "GCSB, places and values (sectors)"), 800, 1e-9);
  EXPECT_EQ(figure(model, "GCSB N, counted (sectors)"), 1000);

  // A record of before the kernel was as printed says so where GCSB is shown, and nowhere else.
  const auto says = [](const Comparison& c) {
    for (const std::string& note : c.notes)
      if (note.find("leaves a block at its padding, which") != note.npos) return true;
    return false;
  };
  EXPECT_FALSE(says(table(all, random_speed)));
  f.gcsb_leaves = true;
  EXPECT_TRUE(says(table(tables(f), random_speed)));
  EXPECT_TRUE(says(table(tables(f), table_a100)));
  EXPECT_FALSE(says(table(tables(f), table_named)));
}

TEST(Izawa, ConclusionsFollowFromTheTables) {
  AllFigures f = made_up();
  auto all = claims(f, tables(f));
  const auto judged = [&](bool holds) {
    return std::count_if(all.begin(), all.end(), [&](const Claim& c) { return c.holds == holds; });
  };
  EXPECT_EQ(judged(true), 32);
  // Two because blocks of all sizes are alike, the others because the sparsest gain and take less
  // memory than the others and than CSR, and GCSB gains on too many matrices, and not nearly three
  // times.
  EXPECT_EQ(judged(false), 12);
  // What is exactly twice is neither more nor less than that.
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Claim& c) { return c.undecided; }), 4);
  EXPECT_NEAR(claim(all, "TITAN RTX: GCSB with blocks of 32").paper, 0.96 / 0.46, 1e-9);
  EXPECT_EQ(claim(all, "TITAN RTX: with blocks of 32 CSB-baseline").holds, true);
  EXPECT_LT(claim(all, "TITAN RTX: with blocks of 32 CSB-baseline").paper, 1) << "the paper errs";
  EXPECT_EQ(claim(all, "TITAN RTX: GCSB is faster than CSR on the same four").paper, 1.23);
  EXPECT_EQ(claim(all, "TITAN RTX: above 5 %").holds, true);
  EXPECT_EQ(claim(all, "TITAN RTX: not at 0.5 %").holds, false);
  EXPECT_EQ(claim(all, "TITAN RTX: by nearly half").paper, 1.47);
  EXPECT_EQ(claim(all, "TITAN RTX: by more than half").paper, 1.59);
  EXPECT_EQ(claim(all, "GCSB with blocks of 32 is faster than CSR").holds, true);
  EXPECT_NEAR(claim(all, "GCSB with blocks of 32 is faster than CSR").paper, 0.65 / 0.44, 1e-9);
  EXPECT_NEAR(claim(all, "misses the L1").here, 2.5, 1e-12);
  EXPECT_EQ(claim(all, "on appu and the three genes").paper, 1.41);
  EXPECT_EQ(claim(all, "on no others").holds, false) << "2.5 times on all but olafu";
  EXPECT_EQ(claim(all, "from 0.5 % on (least").holds, true);
  EXPECT_EQ(claim(all, "not faster below").holds, false);
  EXPECT_EQ(claim(all, "slower than eCSB on all").holds, true);
  EXPECT_EQ(claim(all, "above 20 %").holds, true);

  // With caches that are not flushed CSR has become as fast as GCSB on one.
  for (MatrixFigures& m : f.random)
    if (m.name == "random_0.1") m.by["CSR"].hot_n = m.by["CSR"].hot_t = 7e-4;
  EXPECT_EQ(claim(claims(f, tables(f)), "from 0.5 % on (least").holds, true);
  const auto hot = claims(f, tables(f), true);
  EXPECT_NEAR(claim(hot, "from 0.5 % on (least").here, 1.4 / 1.5, 1e-12);
  EXPECT_EQ(claim(hot, "from 0.5 % on (least").holds, false);

  // Nor are two formats judged by one of them.
  EXPECT_EQ(claim(all, "as much as COO and eCSB").holds, false) << "two thirds of theirs";
  EXPECT_EQ(claim(all, "less than COO and eCSB").holds, true);
  for (const char* missing : {"COO", "eCSB"}) {
    AllFigures without = f;
    for (MatrixFigures& m : without.random) m.by.erase(missing);
    const auto rest = claims(without, tables(without));
    EXPECT_EQ(claim(rest, "as much as COO and eCSB").holds, std::nullopt) << missing;
    EXPECT_EQ(claim(rest, "less than COO and eCSB").holds, std::nullopt) << missing;
    EXPECT_TRUE(std::isnan(claim(rest, "less than COO and eCSB").here)) << missing;
  }

  // What was not measured is not judged.
  f.misses.clear();
  f.named.pop_back();
  f.random.clear();
  all = claims(f, tables(f));
  EXPECT_EQ(claim(all, "misses the L1").holds, std::nullopt);
  EXPECT_EQ(claim(all, "on appu and the three genes").holds, std::nullopt);
  EXPECT_EQ(claim(all, "slower than eCSB on all").holds, true);
  EXPECT_EQ(claim(all, "above 20 %").holds, std::nullopt);
}

TEST(Ncu, TheLastLaunchCounts) {
  const std::string csv =
      "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\"\n"
      "\"0\",\"scale y\",\"misses.sum\",\"sector\",\"12\"\n"
      "\"1\",\"run<A, B>(C)\",\"misses.sum\",\"sector\",\"1,521,034\"\n"
      "\"1\",\"run<A, B>(C)\",\"other.sum\",\"sector\",\"7\"\n";
  EXPECT_EQ(last_figure(csv, "misses.sum"), 1521034);
  EXPECT_EQ(last_figure(csv, "other.sum"), 7);
  EXPECT_EQ(last_figure(csv, "none.sum"), std::nullopt);
  EXPECT_EQ(last_figure("\"misses.sum\"", "misses.sum"), std::nullopt);
  EXPECT_EQ(last_figure("\"misses.sum\",\"\",\"n/a\"", "misses.sum"), std::nullopt);
}

// Figures 4.1 and 4.2: what is drawn and counted, and told again from a record.
TEST(Izawa, PicturesAndBlocksOfTheIdealMatrix) {
  AllFigures f;
  const auto ideal = generate("ideal:n=1024,block=128,nnz=52224").matrix;
  f.ideal_blocks = block_rows(csr_cast<float, std::int32_t>(ideal.view()).view(), 128);
  ASSERT_EQ(f.ideal_blocks.size(), 8u);
  double nonzeros_of_blocks = 0, high = 0, low = 52224;
  for (const BlockRow& row : f.ideal_blocks) {
    EXPECT_EQ(row.least, row.most);
    nonzeros_of_blocks += 8 * row.least;
    high = std::max(high, row.most);
    low = std::min(low, row.least);
  }
  EXPECT_EQ(nonzeros_of_blocks, 52224);
  EXPECT_GT(high, 2 * low) << "block rows differ";
  // A last block row and a last block that the matrix does not fill.
  const Csr<float, std::int32_t> odd{3, 5, {0, 2, 4, 5}, {0, 1, 1, 4, 4}, {1, 1, 1, 1, 1}};
  const auto rows_of_odd = block_rows(odd.view(), 2);
  ASSERT_EQ(rows_of_odd.size(), 2u);
  EXPECT_EQ(rows_of_odd[0].least, 0);
  EXPECT_EQ(rows_of_odd[0].most, 3);
  EXPECT_EQ(rows_of_odd[1].most, 1);

  f.named = {{.name = "heart1", .stand_in = true, .by = {}},
             {.name = "heart2", .stand_in = false, .by = {}}};
  f.pictures = {{"heart1", picture_of(ideal.view())}, {"heart2", "* *\n"}};
  const Reproduction r{.title = "", .facts = {}, .tables = {places(f), ideal_blocks(f)}};
  EXPECT_EQ(r.tables[0].notes.size(), 2u);
  auto record = to_json(r);
  record["schema"] = "nonzero-reproduction/1";
  record["experiment"] = "izawa2023";
  record["scale"] = 1;
  record["machine"] = nlohmann::ordered_json::object();
  const Recall recall(record, "r.json");
  for (const auto& [name, picture] : f.pictures)
    EXPECT_EQ(recalled_picture(recall, figure_places, name), picture) << name;
  EXPECT_EQ(recalled_picture(recall, figure_places, "heart"), "");
  const auto again = recalled_block_rows(recall);
  ASSERT_EQ(again.size(), 8u);
  for (std::size_t k = 0; k < again.size(); ++k) EXPECT_EQ(again[k].least, f.ideal_blocks[k].least);
  EXPECT_NE(places({}).notes.front().find("Not drawn"), std::string::npos);
}

}  // namespace
}  // namespace nz::test
