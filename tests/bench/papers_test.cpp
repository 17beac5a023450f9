#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "lab/papers/chirila2025.hpp"
#include "lab/papers/chirila2025_gpu.hpp"
#include "lab/papers/published.hpp"

// The tables of chirila2025's GPU chapter: the paper's figures agree with each other, and tables
// and conclusions follow from made-up figures as they should.
namespace nz::test {
namespace {

using namespace lab;
using namespace lab::chirila2025;

double paper(int table, const std::string& label, const char* name) {
  for (const auto& [line, figures] : gpu_table(table))
    if (line == label) return figure(figures, name);
  ADD_FAILURE() << "table " << table << " has no line " << label;
  return no_figure;
}

TEST(ChirilaGpu, ThePapersLaunchesAgreeWithEachOther) {
  for (const int table : {7, 8, 9, 10, 12}) {
    const auto lines = gpu_table(table);
    ASSERT_EQ(lines.size(), 6u);
    for (const auto& [label, f] : lines) {
      if (std::isnan(figure(f, column::time))) continue;
      SCOPED_TRACE("table " + std::to_string(table) + ", " + label);
      EXPECT_EQ(figure(f, column::grid), 56 * figure(f, column::blocks));
      const double share =
          table == 9 ? figure(f, column::occupancy) : figure(f, column::oversubscription);
      EXPECT_EQ(figure(f, column::blocks), share * figure(f, column::max_blocks));
    }
  }
  EXPECT_EQ(paper(7, "1024", column::time), 10.053);
  EXPECT_EQ(paper(8, "64", column::time), 1.511);
  EXPECT_EQ(paper(9, "32", column::time), 0.707);
  EXPECT_EQ(paper(12, "1024", column::max_blocks), 0);
  EXPECT_TRUE(std::isnan(paper(12, "1024", column::time)));
}

TEST(ChirilaGpu, Table13FollowsFromThePapersOtherTables) {
  const double bytes = bytes_of_product(32'000, 51'200'000);
  EXPECT_EQ(bytes, 418'329'604);
  for (const auto& [label, f] : gpu_table(13)) {
    SCOPED_TRACE(label);
    const double seconds = figure(f, column::time), rate = 200 * bytes / seconds;
    EXPECT_NEAR(figure(f, column::rate), rate / 1e9, 0.02);  // printed times are rounded
    EXPECT_NEAR(figure(f, column::of_peak), rate / P100::peak, 0.001);
    EXPECT_NEAR(figure(f, column::speedup), 0.337 / seconds, 0.005);
  }
  EXPECT_EQ(paper(13, team.label, column::time), paper(10, "128", column::time));
  EXPECT_EQ(paper(13, unrolled.label, column::time), paper(12, "64", column::time));
  EXPECT_EQ(paper(13, thread_private.label, column::time), paper(9, "32", column::time));
}

// As the paper's P100 had been measured here, but ten times as fast.
GpuFigures made_up() {
  GpuFigures f;
  f.device = {.device = {Device::Kind::cuda, 0},
              .description = "NVIDIA H200",
              .processors = 56,
              .clock_mhz = 1980,
              .major = 9,
              .runtime = 13000};
  f.bytes = bytes_of_product(32'000, 51'200'000);
  f.peak = published_peaks(f.device).memory;
  f.read = 4400e9;
  const auto launches = [](int table) {
    Launches all;
    for (const auto& [label, p] : gpu_table(table))
      all[std::stoi(label)] = {.max_blocks = figure(p, column::max_blocks),
                               .oversubscription = figure(p, column::oversubscription),
                               .grid = figure(p, column::grid),
                               .registers = 32,
                               .seconds = figure(p, column::time) / 10,
                               .hot_seconds = figure(p, column::time) / 11};
    return all;
  };
  for (const GpuKernel& k : gpu_kernels) f.best[k.id] = launches(k.table);
  for (auto& [threads, l] : f.best[unrolled.id]) l.registers = 77;
  f.low = launches(9);
  f.limited[32] = f.limited[64] = launches(12);
  for (const int n : rows_at_once_tried) f.rows_at_once[n] = {.seconds = n < 5 ? 0.03 : 0.02};
  for (const Shape& s : shapes)
    f.by_shape[s] = {{64, {.seconds = 0.0155, .bytes = f.bytes, .fill = 1}},
                     {32, {.seconds = 0.0165, .bytes = f.bytes, .fill = 1}}};
  f.scaling[team.id] = {0.0178, 0.0170};
  f.others[cusparse] = {.seconds = 0.0337};
  f.others[cusparse_generic] = {.seconds = 0.05};
  return f;
}

const Comparison& table(const std::vector<Comparison>& all, const std::string& start) {
  for (const Comparison& c : all)
    if (c.title.starts_with(start)) return c;
  throw std::out_of_range(start);
}

TEST(ChirilaGpu, TablesHaveThePapersLayout) {
  const auto all = gpu_tables(made_up());
  ASSERT_EQ(all.size(), 12u);  // 4, 7 to 13 and four studies
  for (const int n : {7, 8, 9, 10, 11, 12}) {
    // Ours are a tenth of the paper's in time and the same in all else.
    const Comparison& c = table(all, "Table " + std::to_string(n) + ":");
    EXPECT_EQ(c.columns.size(), 5u);
    for (const auto& line : c.lines)
      for (const std::string& name : c.columns) {
        SCOPED_TRACE(c.title + ", " + line.label + ", " + name);
        const double theirs = figure(line.paper, name), ours = figure(line.here, name);
        ASSERT_EQ(std::isnan(theirs), std::isnan(ours));
        if (std::isnan(theirs)) continue;
        EXPECT_NEAR(ours, name == column::time ? theirs / 10 : theirs, 0.005);
      }
  }
  const std::string text = table_of(table(all, "Table 12:")).markdown();
  EXPECT_NE(text.find("| 512 | here | 1 | 8 | 8 | 448 | 0.0231 |\n"
                      "|  | paper | 1 | 8 | 8 | 448 | 0.231 |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| 1024 | here | 0 |  |  |  |  |"), std::string::npos) << text;
}

// The rule of §8.2.2 gives the launches that the paper prints.
TEST(ChirilaGpu, Table4FollowsFromTheRegisterFile) {
  const Comparison c = table(gpu_tables(made_up()), "Table 4:");
  ASSERT_EQ(c.lines.size(), 5u);
  for (const auto& line : c.lines)
    for (const std::string& name : c.columns)
      EXPECT_EQ(figure(line.here, name), figure(line.paper, name)) << line.label << ", " << name;
}

TEST(ChirilaGpu, Table13HasTheBestOfEach) {
  GpuFigures f = made_up();
  const Comparison before = table(gpu_tables(f), "Table 13 ");
  ASSERT_EQ(before.lines.size(), 6u);
  EXPECT_EQ(before.lines[1].label, cusparse_generic);
  const auto& best = before.line(unrolled.label).here;
  EXPECT_DOUBLE_EQ(figure(best, column::time), 0.0155);
  EXPECT_NEAR(figure(best, column::speedup), 2.17, 0.01);
  EXPECT_NEAR(figure(best, column::rate), 5397.8, 0.1);
  EXPECT_NEAR(figure(best, column::of_peak), 5397.8 / 4800, 1e-3);
  EXPECT_NEAR(figure(best, column::of_read), 5397.8 / 4400, 1e-3);
  EXPECT_NEAR(figure(best, column::hot), 0.155 / 11, 1e-9);
  EXPECT_NEAR(figure(best, column::gain), 10, 1e-9);
  // Of the thread-private kernel that of table 9.
  EXPECT_DOUBLE_EQ(figure(before.line(thread_private.label).here, column::time), 0.0707);
  // The generic call becomes the baseline when it is the faster one; ours is a line of its own.
  f.others[cusparse_generic].seconds = 0.031;
  f.others[own] = {.seconds = 0.01};
  const Comparison after = table(gpu_tables(f), "Table 13 ");
  EXPECT_DOUBLE_EQ(figure(after.line(unrolled.label).here, column::speedup), 2);
  EXPECT_DOUBLE_EQ(figure(after.line(own).here, column::speedup), 3.1);
  const std::string text = table_of(after).markdown();
  EXPECT_NE(text.find("gpu/bsr/balanced | here | 0.0100 | 3.10 |"), std::string::npos) << text;
}

// Batches are not flushed, and have no second time.
TEST(ChirilaGpu, BackToBackIsAColumnOnlyBesideFlushedTimes) {
  GpuFigures f = made_up();
  const auto has_column = [&] {
    const auto columns = table(gpu_tables(f), "Table 13 ").columns;
    return std::find(columns.begin(), columns.end(), column::hot) != columns.end();
  };
  EXPECT_TRUE(has_column());
  for (auto& [kernel, launches] : f.best)
    for (auto& [threads, l] : launches) l.hot_seconds = no_figure;
  for (auto& [threads, l] : f.low) l.hot_seconds = no_figure;
  EXPECT_FALSE(has_column());
}

TEST(ChirilaGpu, NotesSpeakOfThisGpu) {
  const auto all = gpu_tables(made_up());
  const auto has = [&](const char* start, const char* part) {
    for (const std::string& note : table(all, start).notes)
      if (note.find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(
      has("Table 7:", "CUDA 13.0 compiles the same loop for this GPU's compute capability 9.0"));
  EXPECT_TRUE(has("Table 7:", "6.6 times as much"));
  EXPECT_TRUE(has("Table 9:", "5 of 8 bytes each, take 80 KiB"));
  EXPECT_TRUE(has("Table 9:", "256 KiB"));
  EXPECT_TRUE(has("Table 12:", "77 registers"));
  EXPECT_TRUE(has("Table 13 ", "418.33 MB"));
}

TEST(ChirilaGpu, ConclusionsHoldForThePapersOwnFigures) {
  GpuFigures f = made_up();
  for (const Claim& c : gpu_claims(gpu_tables(f))) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(c.holds, true) << c.here;
    // Ratios are the paper's; the share of the peak is another GPU's.
    if (!std::isnan(c.paper) && c.text.find("share of the peak") == std::string::npos) {
      EXPECT_NEAR(c.here, c.paper, 1e-9);
    }
  }
  // Turned around: then not one of these.
  const auto verdict = [&](const char* part) {
    for (const Claim& c : gpu_claims(gpu_tables(f)))
      if (c.text.find(part) != std::string::npos) return c.holds;
    ADD_FAILURE() << part;
    return std::optional<bool>();
  };
  f.best[lab::chirila2025::row_major.id][32].seconds = 0.01;
  EXPECT_EQ(verdict("private sums lose"), true);
  EXPECT_EQ(verdict("teams are three times"), false);
  EXPECT_EQ(verdict("fastest of the four"), false);
  EXPECT_EQ(verdict("slower than cuSPARSE"), false);
  EXPECT_EQ(verdict("shape of blocks"), true);
  f.by_shape[{16, 1}][64].seconds = 0.02;
  EXPECT_EQ(verdict("shape of blocks"), true) << "32 threads are as good there";
  f.by_shape[{16, 1}][32].seconds = 0.0171;
  EXPECT_EQ(verdict("shape of blocks"), std::nullopt) << "as near to a tenth as two runs are";
  f.by_shape[{16, 1}][32].seconds = 0.018;
  EXPECT_EQ(verdict("shape of blocks"), false);
  f.by_shape.erase({3, 7});
  EXPECT_EQ(verdict("shape of blocks"), std::nullopt);
  f.low.clear();
  EXPECT_EQ(verdict("low occupancy helps"), std::nullopt);
  f.best[team.id][256].seconds = 0.001;
  EXPECT_EQ(verdict("128 threads suit"), false);
  EXPECT_EQ(verdict("fastest of the four"), false) << "teams are";
  f.best.erase(team.id);
  EXPECT_EQ(verdict("fastest of the four"), std::nullopt) << "by two of the other three";
}

TEST(ChirilaGpu, NothingMeasuredLeavesCellsEmpty) {
  GpuFigures f;
  f.device.processors = 2;
  const auto all = gpu_tables(f);
  for (const Comparison& c : all)
    for (const auto& line : c.lines) {
      EXPECT_TRUE(std::isnan(figure(line.here, column::time))) << c.title;
    }
  for (const Claim& c : gpu_claims(all)) EXPECT_EQ(c.holds, std::nullopt) << c.text;
}

// A compiler and a GPU whose code nobody looked at are not said to be like the others.
TEST(ChirilaGpu, NotesClaimNothingOfAnotherCompiler) {
  const auto says = [](int runtime, int major, int minor) {
    GpuFigures f = made_up();
    f.device.runtime = runtime;
    f.device.major = major;
    f.device.minor = minor;
    const std::string note = table(gpu_tables(f), "Table 7:").notes.front();
    const bool same = note.find("compiles the same loop") != note.npos;
    EXPECT_NE(same, note.find("was not looked at") != note.npos) << note;
    return same;
  };
  EXPECT_TRUE(says(13000, 9, 0));
  EXPECT_TRUE(says(13000, 10, 0));
  EXPECT_FALSE(says(12040, 9, 0));
  EXPECT_FALSE(says(13010, 9, 0)) << "only 13.0 was looked at";
  EXPECT_FALSE(says(13000, 12, 0));
}

}  // namespace
}  // namespace nz::test
