#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "plan/modelled_h200.hpp"
#include "plan/models.hpp"
#include "plan/selection.hpp"
#include "plan/tuning/cpu_tuning.hpp"
#include "plan/tuning/h200.hpp"

// What is predicted of several vectors.
namespace nz {
namespace {

// Blocks are read once for all vectors at little more than one product; others are dearer for two,
// and by as much as each further vector moves; those without such a product take one after another.
// CSR in place, a warp a row, may take less for eight than tiles for two, and so may square blocks.
TEST(SeveralModels, SeveralVectorsOnAGpu) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  Features fem{.rows = 30'600,
               .cols = 30'600,
               .nnz = 3'560'950,
               .value_bytes = 4,
               .offset_bytes = 4,
               .entries = 10'000,
               .row_length = 116,
               .compact_bytes = 6,
               .narrow_value_bytes = 4,
               .lines = 0.1,
               .longest_row = 135};
  fem.block_rows = fem.block_cols = 5;
  fem.block_fill = 1;
  fem.sell_slots = 1.1;
  for (const std::size_t value : {4, 8}) {
    fem.value_bytes = value;
    fem.narrow_value_bytes = static_cast<double>(value);
    double best[3] = {1, 1, 1};
    std::string whose[3];
    for (const Candidate& c : gpu_candidates(fem, h200, h200_tuning)) {
      SCOPED_TRACE(c.kernel->id());
      const bool at_once = c.kernel->several;
      const double two = gpu_several_seconds(c, fem, 2, Layout::row_major, at_once, h200_tuning),
                   eight = gpu_several_seconds(c, fem, 8, Layout::row_major, at_once, h200_tuning);
      EXPECT_GT(gpu_several_seconds(c, fem, 2, Layout::row_major, false, h200_tuning),
                2 * c.n_seconds);
      EXPECT_GE(two, c.n_seconds);
      EXPECT_GT(gpu_several_seconds(c, fem, 16, Layout::row_major, at_once, h200_tuning), eight);
      const bool has_ways = c.kernel->format == "csr" || c.kernel->format == "bsr";
      EXPECT_TRUE(eight > two || has_ways) << eight << ", " << two;
      if (!at_once) {
        // Six products more, and passes over 6 vectors of 61,200 elements twice.
        EXPECT_NEAR(
            eight - two,
            6 * c.n_seconds + 734'400e-18 * static_cast<double>(value) * h200_tuning.megabyte,
            1e-12);
      } else {
        EXPECT_LT(eight, 4 * two);
      }
      const double of[] = {c.n_seconds, two, eight};
      for (int i = 0; i < 3; ++i)
        if (of[i] < best[i]) {
          best[i] = of[i];
          whose[i] = c.kernel->id();
        }
    }
    EXPECT_EQ(whose[1], "gpu/bsr/balanced");
    EXPECT_EQ(whose[2], "gpu/bsr/balanced");
  }
  // Nothing has blocks: slots for short rows, which tiles would take, and CSR in place for others.
  fem.block_rows = fem.block_cols = 1;
  const auto csr_is_faster = [&] {
    double slots = 0, csr = 0;
    for (const Candidate& c : gpu_candidates(fem, h200, h200_tuning)) {
      if (c.kernel->id() == "gpu/coo/slots")
        slots = gpu_several_seconds(c, fem, 6, Layout::row_major, true, h200_tuning);
      if (c.kernel->id() == "gpu/csr/balanced")
        csr = gpu_several_seconds(c, fem, 6, Layout::row_major, true, h200_tuning);
    }
    EXPECT_GT(slots, 0);
    return csr < slots;
  };
  EXPECT_TRUE(csr_is_faster());
  fem.rows = fem.cols = 300'000;
  fem.row_length = 12;
  fem.longest_row = 20;
  EXPECT_FALSE(csr_is_faster());
}

// Square blocks of sides that have kernels of their own take less for many vectors than others do.
TEST(SeveralModels, SquareBlocksForSeveralVectors) {
  if (match_kernels("gpu/bsr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  Features f{.rows = 100'000,
             .cols = 100'000,
             .nnz = 6'000'000,
             .value_bytes = 8,
             .offset_bytes = 4,
             .entries = 10'000,
             .row_length = 60,
             .lines = 0.05,
             .longest_row = 70};
  f.block_fill = 1;
  const auto seconds = [&](int side, int vectors) {
    f.block_rows = f.block_cols = side;
    for (const Candidate& c : gpu_candidates(f, h200, h200_tuning))
      if (c.kernel->format == "bsr")
        return gpu_several_seconds(c, f, vectors, Layout::row_major, true, h200_tuning);
    ADD_FAILURE() << "no blocks";
    return 0.0;
  };
  EXPECT_LT(seconds(8, 32), 0.7 * seconds(9, 32));
  EXPECT_LT(seconds(6, 32), 0.8 * seconds(7, 32));
  EXPECT_LT(seconds(4, 32), seconds(3, 32));
  EXPECT_LT(seconds(4, 32), seconds(6, 32));  // which loads rows of X once for three
  EXPECT_GT(seconds(4, 64), 1.3 * seconds(4, 32));
}

// Rows of X that are no whole packs are copied first.
TEST(SeveralModels, SeveralVectorsThatAreNoWholePacks) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  const Features f{.rows = 100'000,
                   .cols = 100'000,
                   .nnz = 3'000'000,
                   .value_bytes = 8,
                   .offset_bytes = 4,
                   .entries = 10'000,
                   .row_length = 30,
                   .lines = 0.3,
                   .longest_row = 40};
  const auto seconds = [&](int vectors) {
    const Candidate c = gpu_candidates(f, h200, h200_tuning).front();
    return gpu_several_seconds(c, f, vectors, Layout::row_major, true, h200_tuning);
  };
  EXPECT_EQ(gpu_candidates(f, h200, h200_tuning).front().kernel->id(), "gpu/csr/balanced");
  for (const int k : {3, 17, 63}) {
    EXPECT_GT(seconds(k), seconds(k + 1)) << k;
    EXPECT_LT(seconds(k), 1.6 * seconds(k + 1)) << k;
  }
}

// A few vectors in registers take little more than one; by columns they are taken as they lie
// unless rows beside each other share too little.
TEST(SeveralModels, FewVectorsInRegisters) {
  if (match_kernels("gpu/coo/slots").empty()) GTEST_SKIP() << "no GPU kernels";
  Features f{.rows = 300'000,
             .cols = 300'000,
             .nnz = 9'000'000,
             .value_bytes = 4,
             .offset_bytes = 4,
             .entries = 10'000,
             .row_length = 30,
             .lines = 0.03,
             .longest_row = 40};
  const auto slots = [&] {
    for (const Candidate& c : gpu_candidates(f, h200, h200_tuning))
      if (c.kernel->id() == "gpu/coo/slots") return c;
    return Candidate{};
  };
  const auto seconds = [&](int k, Layout layout) {
    return gpu_several_seconds(slots(), f, k, layout, true, h200_tuning);
  };
  const auto told = [&](int k) {
    return gpu_several_parameters(slots(), f, k, Layout::column_major, h200_tuning);
  };
  ASSERT_NE(slots().kernel, nullptr);
  EXPECT_LT(seconds(2, Layout::row_major), 1.4 * slots().n_seconds);
  EXPECT_GT(seconds(4, Layout::row_major), seconds(3, Layout::row_major));
  EXPECT_GT(seconds(5, Layout::row_major), 1.2 * seconds(4, Layout::row_major));
  EXPECT_LT(seconds(2, Layout::column_major), 1.5 * slots().n_seconds);
  EXPECT_EQ(told(2), (Parameters{{"columns", 1}}));
  EXPECT_EQ(told(4), (Parameters{{"columns", 1}}));
  EXPECT_TRUE(told(5).empty()) << "more do not fit into registers";
  const auto told_by_rows = [&](int k) {
    return gpu_several_parameters(slots(), f, k, Layout::row_major, h200_tuning);
  };
  EXPECT_TRUE(told_by_rows(4).empty());
  EXPECT_EQ(told_by_rows(3), (Parameters{{"columns", 1}})) << "three floats are no whole pack";
  f.lines = 0.9;
  EXPECT_TRUE(told(4).empty());
  EXPECT_TRUE(told_by_rows(3).empty());
  EXPECT_GT(seconds(4, Layout::column_major), seconds(4, Layout::row_major));
  EXPECT_GT(seconds(3, Layout::row_major), 1.05 * seconds(2, Layout::row_major));
}

// By columns: as they lie where rows beside each other have columns beside each other; else through
// rows, or one by one.
TEST(SeveralModels, SeveralVectorsByColumns) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  Features f{.rows = 2'000'000,
             .cols = 2'000'000,
             .nnz = 6'000'000,
             .value_bytes = 8,
             .offset_bytes = 4,
             .entries = 10'000,
             .row_length = 3,
             .lines = 0.12,
             .longest_row = 5};
  const auto csr = [&] { return gpu_candidates(f, h200, h200_tuning).front(); };
  const auto seconds = [&](int k, Layout layout, bool at_once = true) {
    return gpu_several_seconds(csr(), f, k, layout, at_once, h200_tuning);
  };
  const auto told = [&](int k, Layout layout) {
    return gpu_several_parameters(csr(), f, k, layout, h200_tuning);
  };
  const auto rows = Layout::row_major, columns = Layout::column_major;
  ASSERT_EQ(csr().kernel->id(), "gpu/csr/balanced");
  EXPECT_EQ(told(32, columns), (Parameters{{"columns", 1}}));
  EXPECT_TRUE(told(32, rows).empty());
  EXPECT_LT(seconds(32, columns), 2 * seconds(32, rows));
  EXPECT_NEAR(seconds(32, columns, false), 32 * csr().n_seconds, 1e-12);
  for (const Candidate& c : gpu_candidates(f, h200, h200_tuning))
    if (c.kernel->id() != "gpu/csr/balanced") {
      EXPECT_TRUE(gpu_several_parameters(c, f, 32, columns, h200_tuning).empty());
    }
  // Not for rows that share nothing, and not where nobody looked.
  f.lines = 0.9;
  EXPECT_TRUE(told(32, columns).empty());
  EXPECT_GT(seconds(32, columns), 1.3 * seconds(32, rows));
  f.lines = 0.12;
  f.entries = 0;
  EXPECT_TRUE(told(32, columns).empty());
  // Rows that are long beside X take no longer into rows than one by one.
  f = {.rows = 20'000,
       .cols = 20'000,
       .nnz = 4'000'000,
       .value_bytes = 4,
       .offset_bytes = 4,
       .entries = 10'000,
       .row_length = 200,
       .lines = 0.5,
       .longest_row = 300};
  EXPECT_GT(seconds(32, columns), seconds(32, rows));
  EXPECT_LT(seconds(32, columns), 1.5 * seconds(32, rows));
}

// Runs of two vectors take less than rows of X entry by entry, of many more. Packed slices and SELL
// take no longer for a few than as many products with their copies.
TEST(SeveralModels, SeveralVectorsOnACpu) {
  Features grid{.rows = 100'000,
                .cols = 100'000,
                .nnz = 498'000,
                .value_bytes = 8,
                .offset_bytes = 4,
                .entries = 10'000,
                .row_length = 5,
                .compact_bytes = 10,
                .narrow_value_bytes = 8,
                .lines = 0.1,
                .longest_row = 5};
  grid.sell_slots = 1;
  grid.packed_bytes = 9;
  grid.run_share = 1;
  const CpuTuning tuning{};
  const auto seconds_of = [&](const Candidate& c, int vectors, Layout layout = Layout::row_major) {
    return cpu_several_seconds(*c.kernel, c.n_seconds, grid, vectors, layout, c.kernel->several, 2,
                               tuning);
  };
  const auto best_of = [&](int vectors) {
    double best = 1;
    std::string whose;
    for (const Candidate& c : cpu_candidates(grid, 2, tuning)) {
      const double seconds = seconds_of(c, vectors);
      if (seconds < best) {
        best = seconds;
        whose = c.kernel->id();
      }
    }
    return whose;
  };
  EXPECT_EQ(best_of(2), "cpu/packed/slices");
  EXPECT_NE(best_of(64), "cpu/packed/slices");
  for (const Candidate& c : cpu_candidates(grid, 2, tuning)) {
    SCOPED_TRACE(c.kernel->id());
    const double copy = 2 * 8.0 * grid.cols / tuning.rate(2);
    const bool streams = c.kernel->format == "packed" || c.kernel->format == "sell";
    double before = c.n_seconds;
    for (int k = 2; k <= 64; ++k) {
      const double now = seconds_of(c, k);
      // SELL goes another way from 4 on.
      EXPECT_TRUE(now > before || (k == cpu::few_gathers_of_rows + 1 && c.kernel->format == "sell"))
          << k;
      if (k <= 8 && streams) {
        EXPECT_LE(now, k * (c.n_seconds + copy) * (1 + 1e-12)) << k;
      }
      before = now;
    }
    EXPECT_EQ(
        cpu_several_seconds(*c.kernel, c.n_seconds, grid, 3, Layout::row_major, false, 2, tuning),
        3 * c.n_seconds);
    // Who reads X as it lies has nothing to copy; slices of runs read either, and few columns are
    // taken one by one by CSB.
    const bool csb = c.kernel->format == "csb";
    const int k = csb ? cpu::few_columns + 1 : 2;
    if (csb) {
      EXPECT_EQ(seconds_of(c, 2, Layout::column_major), 2 * c.n_seconds);
    }
    const double by_columns = seconds_of(c, k, Layout::column_major) - seconds_of(c, k);
    const bool one_by_one = !c.kernel->several, either = c.kernel->format == "packed";
    if (one_by_one || either)
      EXPECT_EQ(by_columns, 0);
    else
      EXPECT_NEAR(by_columns, (streams ? -k : k) * copy, 1e-9 * copy);
  }
}

// Rehearsals time one vector: what was predicted for several is made that for one before, and for
// several after it.
TEST(SeveralModels, OneVectorAndSeveralAgainOnACpu) {
  const auto a = generate("grid:nx=300,ny=300,points=5").matrix;
  for (const Op op : {Op::none, Op::transpose})
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      Constraints w{.use = Use(op), .vectors = 4, .layout = layout, .may_transpose = true};
      Selection s = select(a.view(), cpu_device, w);
      w.vectors = 1;
      const Selection single = select(a.view(), cpu_device, w);
      w.vectors = 4;
      std::vector<Candidate*> all;
      for (Candidate& c : s.candidates)
        if (!c.transposed) all.push_back(&c);
      const std::vector<Candidate> before = s.candidates;
      expect_one(all, s.features);
      ASSERT_GT(all.size(), 3u);
      for (const Candidate* const c : all) {
        SCOPED_TRACE(c->kernel->id());
        const auto one = std::find_if(single.candidates.begin(), single.candidates.end(),
                                      [&](const Candidate& other) {
                                        return !other.transposed && other.kernel == c->kernel &&
                                               other.parameters == c->parameters;
                                      });
        ASSERT_NE(one, single.candidates.end());
        EXPECT_EQ(c->n_seconds, one->n_seconds);
        EXPECT_EQ(c->t_seconds, one->t_seconds);
      }
      for (Candidate* const c : all) expect_several(*c, s.features, cpu_device, w);
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(s.candidates[i].n_seconds, before[i].n_seconds);
        EXPECT_EQ(s.candidates[i].t_seconds, before[i].t_seconds);
      }
    }
}

}  // namespace
}  // namespace nz
