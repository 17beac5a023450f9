#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"
#include "kernels/bsr_chunks.hpp"

// chirila2025's kernels for GPUs: how their tasks are cut, and shapes of blocks and of launches
// that the conformance test seldom draws.
namespace nz::test {
namespace {

using Places = std::vector<std::int64_t>;
using Lines = std::vector<index_t>;

// Blocks a line as offsets, cut and looked at.
struct Cut {
  std::vector<std::int32_t> offsets;
  std::int64_t block_size;
  BsrChunks chunks;

  Cut(std::vector<std::int32_t> o, std::int64_t size, std::int64_t n)
      : offsets(std::move(o)),
        block_size(size),
        chunks(cut_into_chunks(std::span<const std::int32_t>(offsets), size, n)) {}
  Places index() const { return {chunks.index.begin(), chunks.index.end()}; }
  Lines row() const { return {chunks.row.begin(), chunks.row.end()}; }
  Lines scaled_first() const {
    return lines_not_in_one_chunk(std::span<const std::int32_t>(offsets), block_size, chunks);
  }
};

TEST(BsrChunks, CutAsListing10Says) {
  // Lines of 2, 0, 3 and 1 blocks of 4 values end at values 8, 8, 20 and 24.
  const Cut five({0, 2, 2, 5, 6}, 4, 5);
  EXPECT_EQ(five.index(), Places({0, 4, 9, 14, 19, 24}));
  EXPECT_EQ(five.row(), Lines({0, 0, 2, 2, 2, 3}));
  const Cut three({0, 2, 2, 5, 6}, 4, 3);
  EXPECT_EQ(three.index(), Places({0, 8, 16, 24}));
  EXPECT_EQ(three.row(), Lines({0, 0, 2, 3}));
  // More pieces than values: some have none.
  const Cut many({0, 0, 1, 2}, 1, 4);
  EXPECT_EQ(many.index(), Places({0, 0, 1, 1, 2}));
  EXPECT_EQ(many.row(), Lines({0, 0, 1, 1, 2}));
  for (const auto& empty : {Cut({0}, 4, 5), Cut({0, 0, 0}, 4, 5)}) {
    EXPECT_EQ(empty.chunks.count(), 0);
    EXPECT_EQ(empty.index(), Places({0}));
    EXPECT_EQ(empty.row(), Lines({0}));
  }
}

TEST(BsrChunks, StartsAreExactForLargeMatrices) {
  const std::int64_t n = (std::int64_t{1} << 60) + 12345, chunks = 1'000'003;
  EXPECT_EQ(chunk_start(n, 0, chunks), 0);
  EXPECT_EQ(chunk_start(n, chunks, chunks), n);
  EXPECT_EQ(chunk_start(n, 1, chunks), 1152918045852);
  EXPECT_EQ(chunk_start(n, 77, chunks), 88774689530659);
  EXPECT_EQ(chunk_start(n, 500000, chunks), 576459022926360881);
  EXPECT_EQ(chunk_start(n, 1000002, chunks), 1152920351688813468);
}

TEST(BsrChunks, LinesThatNoPieceHasAsAWhole) {
  const std::vector<std::int32_t> offsets = {0, 2, 2, 5, 6};
  EXPECT_EQ(Cut(offsets, 4, 1).scaled_first(), Lines({1}));
  EXPECT_EQ(Cut(offsets, 4, 2).scaled_first(), Lines({1, 2}));
  EXPECT_EQ(Cut(offsets, 4, 3).scaled_first(), Lines({1, 2}));
  EXPECT_EQ(Cut(offsets, 4, 5).scaled_first(), Lines({0, 1, 2}));
  EXPECT_EQ(Cut(offsets, 4, 24).scaled_first(), Lines({0, 1, 2, 3}));
  EXPECT_EQ(Cut({0, 0, 0}, 4, 5).scaled_first(), Lines({0, 1}));
  EXPECT_EQ(Cut({0}, 4, 5).scaled_first(), Lines());
}

std::vector<Place> paper_places() {
  std::vector<Place> all;
  for (const char* strategy : {"row-major", "thread-private", "team", "vector"})
    for (const Place& p : places(fmt::format("gpu/bsr/{}", strategy))) all.push_back(p);
  return all;
}

// Rows that are long, short and empty, small integers: every order of summation is exact.
Csr<double, std::int32_t> uneven(index_t rows, index_t cols) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j)
      if (i == 3 || j == cols - 1 || (i < rows / 2 && (i * 7 + j * 5) % 29 == 0)) {
        if (i > rows - 45) continue;
        r.push_back(i);
        c.push_back(j);
        v.push_back((i * 3 + j) % 9 - 4);
      }
  return csr_from_triplets<double, std::int32_t>(rows, cols, r, c, v);
}

class GpuBsr : public ::testing::TestWithParam<Place> {
 protected:
  const Kernel& kernel() const { return *GetParam().kernel; }

  // All parameters that the kernel has.
  Parameters wanted(const Parameters& some) const {
    Parameters p = without_limit(kernel());
    for (const Parameter& q : kernel().parameters)
      if (const auto it = some.find(q.name); it != some.end()) p.emplace(*it);
    return p;
  }

  void check(const Csr<double, std::int32_t>& a, const Parameters& some) const {
    const Parameters p = wanted(some);
    SCOPED_TRACE(text(p));
    const PlanOptions options{
        .kernel = kernel().id(), .parameters = p, .device = GetParam().device};
    if (kernel().declines && !kernel().declines(kernel().resolve(p)).empty()) {
      EXPECT_THROW(nz::plan(a.view(), options), Refused);
      return;
    }
    const auto plan = nz::plan(a.view(), options);
    std::vector<double> x(static_cast<std::size_t>(a.cols)),
        before(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 7) - 3;
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<double>(i % 5) - 1;
    for (const double beta : {0.0, -0.5}) {
      Guarded<double> y(beta == 0 ? std::vector<double>(before.size(), nan<double>) : before);
      multiply<double>(plan, Op::none, 1.5, x, beta, y);
      EXPECT_TRUE(y.intact());
      const Verdict v =
          check_product<double, std::int32_t>(a.view(), Op::none, 1.5, x, beta, before, y.span());
      EXPECT_TRUE(v.right()) << "beta " << beta << ": " << v.message();
    }
  }
};

TEST_P(GpuBsr, TakesEveryShapeInEveryLaunch) {
  NZ_NEEDS(GetParam().device);
  const auto a = uneven(91, 83);
  const std::vector<Parameters> launches = {
      {{"threads", 32}, {"oversubscription", 1}, {"registers", 32}, {"rows_at_once", 1}},
      {{"threads", 64}, {"oversubscription", 64}, {"fused", 1}, {"rows_at_once", 4}},
      {{"threads", 100}, {"blocks_per_sm", 1}, {"registers", 64}, {"fused", 1}},
      {{"threads", 160}, {"oversubscription", 2}, {"rows_at_once", 16}, {"fused", 1}},
      {{"threads", 32}, {"blocks_per_sm", 64}, {"oversubscription", 1}, {"rows_at_once", 5}}};
  std::size_t turn = 0;
  for (const auto& [rows, cols] : {std::pair{1, 1},
                                   {1, 7},
                                   {7, 1},
                                   {5, 5},
                                   {3, 8},
                                   {33, 2},
                                   {2, 40},
                                   {40, 40},
                                   {11, 3},
                                   {1, 1024},
                                   {200, 1}})
    for (int k = 0; k < 2; ++k) {
      Parameters p = launches[turn++ % launches.size()];
      p["block_rows"] = rows;
      p["block_cols"] = cols;
      check(a, p);
      if (HasFailure()) return;
    }
  const bool emulated = GetParam().device.kind == Device::Kind::emulator;  // it has no registers
  for (const int registers : emulated ? std::vector{0} : std::vector{0, 32, 64})
    check(a, {{"threads", 1024}, {"block_rows", 5}, {"block_cols", 5}, {"registers", registers}});
}

// One line of blocks by many tasks, and a matrix that one task has.
TEST_P(GpuBsr, SharesLongLinesAndKeepsSmallMatricesWhole) {
  NZ_NEEDS(GetParam().device);
  for (const int fused : {0, 1}) {
    check(uneven(50, 400), {{"threads", 32},
                            {"block_rows", 6},
                            {"block_cols", 5},
                            {"oversubscription", 64},
                            {"fused", fused}});
    check(uneven(50, 3), {{"threads", 256}, {"block_rows", 4}, {"fused", fused}});
  }
}

TEST_P(GpuBsr, TellsItsLaunch) {
  NZ_NEEDS(GetParam().device);
  const auto a = uneven(91, 83);
  const auto facts_of = [&](const Parameters& p) {
    Parameters all = wanted(p);
    all["block_rows"] = all["block_cols"] = 2;
    return nz::plan(a.view(),
                    {.kernel = kernel().id(), .parameters = all, .device = GetParam().device})
        .product()
        .facts();
  };
  Facts f = facts_of({{"threads", 64}, {"oversubscription", 3}});
  const Device device = GetParam().device;
  int processors = 0;
  for (const DeviceInfo& d : devices())
    if (d.device == device) processors = d.processors;
  EXPECT_EQ(f.at("threads"), 64);
  EXPECT_GE(f.at("resident_blocks"), 1);
  EXPECT_EQ(f.at("blocks_per_sm"), f.at("resident_blocks"));
  EXPECT_EQ(f.at("chunks"), f.at("grid"));
  EXPECT_EQ(f.at("block_rows"), 2);
  EXPECT_EQ(f.at("padding_rows"), 1);
  EXPECT_EQ(f.count("registers"), 1u);
  const double values = f.at("blocks") * 4;
  const auto grid = [&](double per_sm, double oversubscription) {
    return std::min(processors * per_sm * oversubscription, std::ceil(values / 64));
  };
  EXPECT_EQ(f.at("grid"), grid(f.at("resident_blocks"), 3));
  f = facts_of({{"threads", 64}, {"oversubscription", 2}, {"blocks_per_sm", 1}});
  EXPECT_EQ(f.at("blocks_per_sm"), 1);
  EXPECT_EQ(f.at("grid"), grid(1, 2));
}

// Listing 18 counts rows that do not divide evenly twice; whatever is taken at once, each row must
// count once.
TEST_P(GpuBsr, EveryRowOfABlockCountsOnce) {
  if (kernel().strategy != "vector") GTEST_SKIP() << "takes no rows at once";
  NZ_NEEDS(GetParam().device);
  for (index_t rows = 1; rows <= 21; ++rows)
    for (const int at_once : {1, 2, 3, 4, 6, 8, 16}) {
      check(uneven(rows + 50, 6),
            {{"threads", 32}, {"block_rows", rows}, {"block_cols", 2}, {"rows_at_once", at_once}});
      if (HasFailure()) return;
    }
}

// The best launches of tables 7, 8, 10 and 12, and --maxrregcount=32 but where a kernel is said to
// have 77 registers.
TEST_P(GpuBsr, BeginsWithThePapersLaunch) {
  const Parameters p = kernel().resolve({});
  const auto begins = [&](std::int64_t threads, std::int64_t times, std::int64_t registers) {
    EXPECT_EQ(p.at("threads"), threads);
    EXPECT_EQ(p.at("oversubscription"), times);
    EXPECT_EQ(p.at("registers"), registers);
    EXPECT_EQ(p.at("blocks_per_sm"), 0);
    EXPECT_EQ(p.at("fused"), 0);
  };
  if (kernel().strategy == "row-major") begins(32, 1, 32);
  if (kernel().strategy == "thread-private") begins(32, 16, 32);
  if (kernel().strategy == "team") begins(128, 1, 32);
  if (kernel().strategy == "vector") begins(64, 4, 0);
}

TEST_P(GpuBsr, TeamSaysWhichBlocksItCannotTake) {
  if (kernel().strategy != "team") GTEST_SKIP() << "takes every block";
  const auto why = [&](int rows, int cols, int threads) {
    return kernel().declines(
        kernel().resolve({{"block_rows", rows}, {"block_cols", cols}, {"threads", threads}}));
  };
  EXPECT_EQ(why(4, 8, 32), "");
  EXPECT_EQ(why(32, 32, 1024), "");
  EXPECT_EQ(why(6, 6, 32),
            "blocks of 6 x 6 have 36 values, more than the 32 threads that take one each; "
            "threads=64 would do");
  EXPECT_EQ(why(40, 40, 128),
            "blocks of 40 x 40 have 1600 values, more than the 128 threads that take one each; at "
            "most 1024 threads are possible, other kernels take any block");
  NZ_NEEDS(GetParam().device);
  const auto a = uneven(91, 83);
  const auto prepare = [&](int threads) {
    return nz::plan(
        a.view(),
        {.kernel = kernel().id(),
         .parameters = wanted({{"block_rows", 6}, {"block_cols", 6}, {"threads", threads}}),
         .device = GetParam().device});
  };
  try {
    prepare(32);
    ADD_FAILURE() << "not refused";
  } catch (const Refused& e) {
    EXPECT_NE(std::string(e.what()).find(why(6, 6, 32)), std::string::npos) << e.what();
  }
  EXPECT_NO_THROW(prepare(64));
}

INSTANTIATE_TEST_SUITE_P(Paper, GpuBsr, ::testing::ValuesIn(paper_places()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuBsr);

}  // namespace
}  // namespace nz::test
