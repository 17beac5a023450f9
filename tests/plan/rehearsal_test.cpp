#include "plan/rehearsal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <nonzero/nonzero.hpp>

#include "plan/features.hpp"
#include "plan/models.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz {
namespace {

using Matrix = Csr<double, std::int32_t>;

Matrix made(const char* spec) {
  return csr_cast<double, std::int32_t>(generate(spec).matrix.view());
}

struct Scene {
  explicit Scene(const Matrix& a) : features(look_at(a.view(), cpu_device, threads(), false)) {
    candidates = cpu_candidates(features, threads(), cpu_tuning());
    for (Candidate& c : candidates) pointers.push_back(&c);
  }
  Features features;
  std::vector<Candidate> candidates;
  std::vector<Candidate*> pointers;
  TrialVectors<double> vectors;
};

TEST(Rehearsal, TellsWhatWorkTakes) {
  const Matrix a = made("grid:points=9,nx=300,ny=300");
  Scene scene(a);
  const std::vector<Candidate> before = scene.candidates;
  ASSERT_TRUE(rehearse(a.view(), scene.features, scene.pointers, scene.vectors));
  int changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Candidate& c = scene.candidates[i];
    SCOPED_TRACE(c.kernel->id());
    EXPECT_TRUE(std::isfinite(c.n_seconds) && c.n_seconds > 0) << c.n_seconds;
    EXPECT_EQ(c.t_seconds, before[i].t_seconds);
    EXPECT_EQ(c.setup_seconds, before[i].setup_seconds);
    changed += c.n_seconds != before[i].n_seconds;
  }
  EXPECT_GE(changed, 4);
}

// What is prepared from the transpose multiplies as CSR does, and is the matrix's T.
TEST(Rehearsal, OfTheTransposeIsT) {
  const Matrix a = made("grid:points=9,nx=300,ny=300");
  Scene scene(a);
  for (Candidate& c : scene.candidates) c.transposed = true;
  const std::vector<Candidate> before = scene.candidates;
  ASSERT_TRUE(rehearse(a.view(), scene.features, scene.pointers, scene.vectors));
  EXPECT_NE(scene.candidates[0].t_seconds, before[0].t_seconds);
  EXPECT_EQ(scene.candidates[0].n_seconds, before[0].n_seconds);
}

TEST(Rehearsal, LeavesWhatIsSmallAsItWas) {
  // Few entries; few rows with many.
  for (const char* spec : {"grid:points=5,nx=40,ny=40", "random:rows=60,cols=40000,density=0.5"}) {
    SCOPED_TRACE(spec);
    const Matrix a = made(spec);
    Scene scene(a);
    const std::vector<Candidate> before = scene.candidates;
    EXPECT_FALSE(rehearse(a.view(), scene.features, scene.pointers, scene.vectors));
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(scene.candidates[i].n_seconds, before[i].n_seconds);
  }
}

// All entries in one part of the rows, which windows spread over all of them mostly miss: what is
// timed is little or nothing, and predictions stay numbers.
TEST(Rehearsal, EntriesMayBeElsewhere) {
  const index_t rows = 1'000'000, entries = 40'000;
  Matrix a;
  a.rows = a.cols = rows;
  a.offsets = Array<std::int32_t>(static_cast<std::size_t>(rows) + 1);
  for (index_t i = 0; i <= rows; ++i) a.offsets[i] = std::clamp(i - 500'000, 0, entries);
  a.columns = Array<index_t>(static_cast<std::size_t>(entries), index_t{7});
  a.values = Array<double>(static_cast<std::size_t>(entries), 1.0);
  a.validate();
  Scene scene(a);
  rehearse(a.view(), scene.features, scene.pointers, scene.vectors);
  for (const Candidate& c : scene.candidates)
    EXPECT_TRUE(std::isfinite(c.n_seconds) && c.n_seconds > 0) << c.kernel->id();
}

// Blocks almost everywhere, but for the rows that the sample begins with: those alone are refused,
// the sample is not.
TEST(Rehearsal, TheFirstRowsMayBeRefused) {
  const ThreadScope scope(2);
  const index_t rows = 24'000, scattered = 4'800, side = 4, blocks = 4;
  Matrix a;
  a.rows = a.cols = rows;
  std::vector<index_t> columns;
  a.offsets = Array<std::int32_t>(static_cast<std::size_t>(rows) + 1);
  a.offsets[0] = 0;
  for (index_t i = 0; i < rows; ++i) {
    const index_t first = i / side * side;
    if (i < scattered)
      columns.push_back(i * 5);
    else
      for (index_t b = blocks; b-- > 0;)
        for (index_t k = 0; k < side; ++k) columns.push_back(first - 16 * b + k);
    a.offsets[i + 1] = static_cast<std::int32_t>(columns.size());
  }
  a.columns = Array<index_t>(std::span<const index_t>(columns));
  a.values = Array<double>(columns.size(), 0.5);
  a.validate();
  Scene scene(a);
  scene.features.block_rows = scene.features.block_cols = side;
  scene.features.block_fill = 1.2;
  scene.candidates = cpu_candidates(scene.features, threads(), cpu_tuning());
  scene.pointers.clear();
  double* predicted = nullptr;
  for (Candidate& c : scene.candidates) {
    scene.pointers.push_back(&c);
    if (c.kernel->id() == "cpu/bsr/unrolled") predicted = &c.n_seconds;
  }
  ASSERT_TRUE(predicted);
  *predicted = 123;
  ASSERT_TRUE(rehearse(a.view(), scene.features, scene.pointers, scene.vectors));
  EXPECT_LT(*predicted, 1);
}

// What a rehearsal has to know of a kernel stands in its entry, not in a list of formats.
TEST(Rehearsal, KernelsTellHowRowsEnd) {
  for (const char* id :
       {"cpu/sell/gather", "cpu/packed/slices", "cpu/bsr/unrolled", "cpu/esb/slices"})
    EXPECT_TRUE(find_kernel(id).rows_end_together) << id;
  for (const char* id :
       {"cpu/csr/balanced", "cpu/compact/balanced", "cpu/dcsr/balanced", "cpu/csb/balanced"})
    EXPECT_FALSE(find_kernel(id).rows_end_together) << id;
}

// Plans on the way through it multiply right, and one that refuses the sample is still a candidate.
TEST(Rehearsal, PlansAreRight) {
  for (const char* spec :
       {"grid:points=9,nx=200,ny=200", "rmat:scale=13,degree=12", "banded:n=20000"}) {
    SCOPED_TRACE(spec);
    const Matrix a = made(spec);
    for (const Effort effort : {Effort::balanced, Effort::thorough}) {
      PlanOptions options;
      options.effort = effort;
      options.cache.use = false;
      const auto p = plan(a, options);
      std::vector<double> x(a.cols), y(a.rows, NAN);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + 0.001 * static_cast<double>(i % 97);
      p.multiply(1.0, x, 0.0, y);
      EXPECT_TRUE(
          (check_product<double, std::int32_t>(a.view(), Op::none, 1.0, x, 0.0, y, y).right()));
    }
  }
}

// The arrays of a compact matrix come from far away in its first product, plain CSR's do not.
TEST(Rehearsal, CountsWhatRowsEndsTakeAsPlainCsrHasThem) {
  const Kernel& compact = find_kernel("cpu/compact/balanced");
  EXPECT_DOUBLE_EQ(sample_seconds(compact, 9, 4, 1, 2), 5);
  EXPECT_DOUBLE_EQ(sample_seconds(compact, 4.5, 4, 1, 2), 4.5) << "no longer than its own first";
  EXPECT_DOUBLE_EQ(sample_seconds(find_kernel("cpu/csr/balanced"), 5, 4, 1, 2), 5);
  // The shortest, for those that have few rows' ends or none.
  const double slices = sample_seconds(find_kernel("cpu/sell/gather"), 9, 4, 1, 2);
  const double blocks = sample_seconds(find_kernel("cpu/csb/balanced"), 9, 4, 1, 2);
  EXPECT_LT(slices, 5);
  EXPECT_GT(slices, 4);
  EXPECT_LT(blocks, 4) << "fuller ones take less";
  EXPECT_GT(sample_seconds(find_kernel("cpu/csb/balanced"), 9, 4, 1, 16), 4)
      << "of many threads, from further away";
}

// Of plain CSR, and of no other, whose first product may take longer for other reasons or not at
// all; the shortest of several copies.
TEST(Rehearsal, RowsEndsArePlainCsrsToTell) {
  const auto of = [](const char* id) { return Candidate{.kernel = &find_kernel(id)}; };
  const Candidate plain = of("cpu/csr/balanced"), compact = of("cpu/compact/balanced"),
                  empty = of("cpu/dcsr/balanced"), none = of("cpu/csb/balanced");
  ASSERT_TRUE(is_plain(plain));
  const SampleTimes all[] = {{&compact, 9, 4},   {&empty, 4.25, 4}, {&plain, 6, 4},
                             {&compact, 9.5, 3}, {&plain, 5, 4},    {&empty, 3.5, 3.25}};
  EXPECT_DOUBLE_EQ(shortest_sample_seconds(compact, all, 2), 4) << "3, and 1 of plain CSR";
  EXPECT_DOUBLE_EQ(shortest_sample_seconds(plain, all, 2), 5);
  EXPECT_DOUBLE_EQ(shortest_sample_seconds(empty, all, 2), 3.5);
  EXPECT_EQ(shortest_sample_seconds(none, all, 2), INFINITY);
  // Without plain CSR nobody knows: the first product counts.
  EXPECT_DOUBLE_EQ(shortest_sample_seconds(compact, std::span(all).first(2), 2), 9);
  // A first product that was faster than those after it has learnt nothing.
  const SampleTimes fast[] = {{&plain, 3, 4}, {&compact, 9, 4}};
  EXPECT_DOUBLE_EQ(shortest_sample_seconds(compact, fast, 2), 4);
}

// What is near a core before the clock runs: x where it fits, and of plain CSR the sample.
TEST(Rehearsal, PlainCsrsSampleIsNear) {
  const Csr<double, std::int64_t> sample{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const std::vector<double> x(3, 1.0);
  const auto view = sample.view();
  using Bytes = std::pair<const void*, std::size_t>;
  const Bytes its_x{x.data(), 3}, values{view.values, 3}, columns{view.columns, 3};
  for (const char* id : {"cpu/csr/balanced", "cpu/compact/balanced"})
    for (const bool near : {true, false}) {
      SCOPED_TRACE(id);
      const Candidate c{.kernel = &find_kernel(id)};
      std::vector<Bytes> brought, wanted;
      if (near) wanted.push_back(its_x);
      if (is_plain(c)) wanted.insert(wanted.end(), {values, columns});
      const double seconds[] = {7, 4, 5};
      std::size_t products = 0;
      const SampleTimes t = time_sample<double>(
          c, view, x, near,
          [&](const auto* data, std::size_t n) {
            EXPECT_EQ(products, 0u);
            brought.push_back({data, n});
          },
          [&] { return seconds[products++]; });
      EXPECT_EQ(brought, wanted);
      EXPECT_EQ(products, 3u);
      EXPECT_EQ(t.candidate, &c);
      EXPECT_EQ(t.first, 7);
      EXPECT_EQ(t.again, 4);
    }
}

TEST(Rehearsal, TheCacheGivesWhatIsMeasuredOfIt) {
  EXPECT_DOUBLE_EQ(cache_gain(45e9, 30e9), 1.5);
  EXPECT_DOUBLE_EQ(cache_gain(20e9, 30e9), 1) << "no less than memory";
  EXPECT_DOUBLE_EQ(cache_gain(900e9, 30e9), 3);
  EXPECT_DOUBLE_EQ(cache_gain(0, 30e9), 3) << "nobody knows";
}

}  // namespace
}  // namespace nz
