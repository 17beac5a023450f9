#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>

#include "lab/papers/dinoia2025.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/mazzucchi2025.hpp"
#include "lab/papers/messa2025.hpp"
#include "lab/papers/printed.hpp"

// The papers' figures as data: what is there is whole, and agrees with what the papers say
// elsewhere.
namespace nz::test {
namespace {

using namespace lab;

TEST(Printed, EveryPaperOfAnExperimentHasItsFigures) {
  const auto papers = printed_papers();
  for (const Experiment& e : experiments())
    EXPECT_EQ(std::count(papers.begin(), papers.end(), e.paper), 1) << e.paper;
  EXPECT_THROW(printed("nobody1999"), std::out_of_range);
  EXPECT_THROW(printed_table("messa2025", "Table XL"), std::out_of_range);
  EXPECT_TRUE(std::isnan(printed_figure("messa2025", "Table III", "F1", "no column")));
}

TEST(Printed, EveryTableHasAFigureInEveryCellOrSaysNothing) {
  int tables = 0;
  for (const std::string& paper : printed_papers()) {
    const auto& all = printed(paper);
    EXPECT_FALSE(all["about"].get<std::string>().empty()) << paper;
    ASSERT_TRUE(all.contains("tables")) << paper;
    for (const auto& [name, table] : all["tables"].items()) {
      SCOPED_TRACE(paper + ", " + name);
      ++tables;
      EXPECT_FALSE(table["about"].get<std::string>().empty());
      ASSERT_GT(table["lines"].size(), 0u);
      for (const auto& [label, cells] : table["lines"].items()) {
        EXPECT_EQ(cells.size(), table["columns"].size()) << label;
        EXPECT_TRUE(std::any_of(cells.begin(), cells.end(), [](const auto& c) {
          return c.is_number() || c.is_string();
        })) << label;
      }
    }
  }
  EXPECT_EQ(tables, 14 + 8 + 9 + 5 + 4);
}

TEST(Printed, MatricesAreThoseThatCanBeMade) {
  std::set<std::string_view> known;
  for (const NamedMatrix& m : named_matrices()) known.insert(m.name);
  for (const char* paper : {"messa2025", "dinoia2025"})
    for (const auto& m : printed(paper)["matrices"])
      EXPECT_TRUE(known.contains(m["name"].get<std::string>())) << m;
  for (const auto& [name, figures] : printed_table("mazzucchi2025", "Table I"))
    EXPECT_TRUE(known.contains(name)) << name;
}

// The figures of messa2025's repository are those of the paper: its text and its table agree.
TEST(Printed, Messa) {
  using namespace messa2025;
  const auto of = [](const char* table, const char* matrix, const std::string& column) {
    return printed_figure("messa2025", table, matrix, column);
  };
  for (const auto& [matrix, figures] : printed_table("messa2025", "Figure 4"))
    for (const char* kernel : {thread_row, warp_row, cusparse}) {
      const double rows = of("Table III", matrix.c_str(), "rows"),
                   nonzeros = of("Table III", matrix.c_str(), "nonzeros");
      EXPECT_NEAR(figure(figures, kernel),
                  messa2025::bytes_of_product(rows, nonzeros) /
                      of("Figure 4, times", matrix.c_str(), kernel) / 1e6,
                  0.01 * figure(figures, kernel))
          << matrix << ", " << kernel;
    }
  const auto gain = [&](const char* matrix, const char* kernel) {
    return of("Figure 3", matrix, kernel) / of("Figure 3", matrix, plain(kernel)) - 1;
  };
  for (const auto& [matrix, figures] : printed_table("messa2025", "Section VII-A"))
    for (const auto& [kernel, said] : figures)
      EXPECT_NEAR(gain(matrix.c_str(), kernel.c_str()), said, 0.02) << matrix << ", " << kernel;
  for (const auto& [matrix, f] : printed_table("messa2025", "Table III"))
    EXPECT_NEAR(figure(f, "mean"), figure(f, "nonzeros") / figure(f, "rows"), 0.01) << matrix;
}

TEST(Printed, Dinoia) {
  using namespace dinoia2025;
  // Rates are 24 bytes a nonzero over the time: so times and rates tell the nonzeros, to the two
  // digits that table II has; but for circuit5M_dc, where they fit the mean that it prints.
  for (const auto& [label, f] : printed_table("dinoia2025", "Table III")) {
    const double told = figure(f, "CSR (ms)") * figure(f, "CSR (GB/s)") * 1e6 / bytes_per_nonzero;
    const double nonzeros = printed_figure("dinoia2025", "Table II", label, "nonzeros");
    if (label == "circuit")
      EXPECT_NEAR(told, 19.194e6, 2e3);
    else
      EXPECT_NEAR(told, nonzeros, 0.02 * nonzeros) << label;
  }
  for (const NamedMatrix& m : named_matrices())
    if (m.name == "circuit5M_dc") {
      const MatrixSize size = estimate(m.spec);
      EXPECT_NEAR(size.nonzeros, 19.194e6, 2e3);
      EXPECT_NEAR(size.nonzeros / static_cast<double>(size.rows),
                  printed_figure("dinoia2025", "Table II", "circuit", "mean"), 0.05);
    }
  EXPECT_EQ(printed_words("dinoia2025", "Table VI").front().second.at("Best kernel"),
            "ps 32 warp jump_block");
  // Table IV cuts off what is below a million, and of CSR's references a digit more; its rates are
  // those of the unrounded counts.
  for (const char* label : {"COO", "CSR"}) {
    const auto of = [&](const char* table, const char* column) {
      return printed_figure("dinoia2025", table, label, column);
    };
    const double references = std::floor(of("Report, table IV", "D Refs") / 1e6);
    EXPECT_EQ(of("Table IV", "D Refs") / 1e6,
              label == std::string("CSR") ? std::floor(references / 10) : references);
    EXPECT_NEAR(of("Table IV", "D1 misses"), of("Report, table IV", "D1 misses"), 5e3);
    EXPECT_NEAR(of("Table IV", "D1 miss rate"),
                of("Report, table IV", "D1 misses") / of("Report, table IV", "D Refs"), 5e-4);
  }
  // "10x for mawi, 20x for Mouse and 30x for Mycielskian".
  for (const char* label : {"mouse", "mycielskian"}) {
    const double gain = printed_figure("dinoia2025", "Table VI", label, "GB/s") /
                        printed_figure("dinoia2025", "Table V", label, "Baseline (GB/s)");
    const double said = printed_figure("dinoia2025", "Section VI",
                                       std::string("best over baseline, ") + label, "value");
    EXPECT_NEAR(gain, said, 0.15 * said) << label;
  }
}

TEST(Printed, Mazzucchi) {
  using namespace mazzucchi2025;
  EXPECT_EQ(printed_ms("pkustk14", naive.label), 80.83);
  EXPECT_EQ(printed_ms("pkustk14", openmp.label), 27.2717);
  EXPECT_EQ(printed_ms("bcsstk13", openmp.label), 6.13341);
  EXPECT_TRUE(std::isnan(printed_ms("pkustk14", by_density.label)));
  EXPECT_EQ(multiplied("pkustk14"), 2 * 7'494'215);
  EXPECT_EQ(multiplied("wiki-Talk"), 5'021'410);
  EXPECT_EQ(printed_words("mazzucchi2025", "Table I")[3].second.at("typology"), "circuit");
}

// The numbers of figures 2 to 4 are of the run of table I, and follow from each other.
TEST(Printed, MazzucchisFiguresAreOfTheRunOfTableI) {
  using namespace mazzucchi2025;
  const auto of = [](const char* table, const std::string& matrix, const char* column) {
    return printed_figure("mazzucchi2025", table, matrix, column);
  };
  int compared = 0;
  for (const auto& [matrix, times] : printed_table("mazzucchi2025", "Figure 2"))
    for (const auto& k : paper_kernels) {
      SCOPED_TRACE(matrix + ", " + k.label);
      const double ms = figure(times, k.label), printed = of("Table I", matrix, k.label);
      if (!std::isnan(printed)) {
        EXPECT_NEAR(ms, printed, 0.0051);  // two digits are printed
      }
      const double nonzeros = multiplied(matrix);
      const double rate =
          mazzucchi2025::bytes_of_product(of("Table I", matrix, "rows"),
                                          of("Table I", matrix, "columns"), nonzeros) /
          ms / 1e6;
      EXPECT_NEAR(of("Figure 3", matrix, k.label), rate, 1e-4 * rate);
      const double flops = 2 * nonzeros / ms / 1e6;
      EXPECT_NEAR(of("Figure 4", matrix, k.label), flops, 1e-4 * flops);
      ++compared;
    }
  EXPECT_EQ(compared, 40);
}

}  // namespace
}  // namespace nz::test
