#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/bsr_limit.hpp"
#include "kernels/conform.hpp"

// gpu/bsr/balanced: every shape of blocks, and lines of blocks that begin and end everywhere in
// what a warp takes at a time.
namespace nz::test {
namespace {

using Matrix = Csr<double, std::int64_t>;
using Lengths = std::vector<index_t>;  // how many blocks each line has

// What the matrix lacks in its last line and column of blocks.
struct Missing {
  index_t rows = 0, cols = 0;
};

// Blocks of rows x cols in lines of the lengths given: rows of blocks, or columns of them. One
// value in four is missing, but never a block's first one.
Matrix in_lines(const Lengths& lengths, index_t rows, index_t cols, Missing missing, Op op,
                std::mt19937_64& random) {
  const auto lines = static_cast<index_t>(lengths.size());
  const index_t across =
      std::max<index_t>(1, *std::max_element(lengths.begin(), lengths.end())) + 2;
  const bool turned = op == Op::transpose;
  const index_t m = (turned ? across : lines) * rows - missing.rows,
                n = (turned ? lines : across) * cols - missing.cols;
  std::vector<index_t> r, c, places(static_cast<std::size_t>(across));
  std::vector<double> v;
  std::uniform_real_distribution<double> value(-1, 1);
  for (index_t i = 0; i < across; ++i) places[static_cast<std::size_t>(i)] = i;
  for (index_t line = 0; line < lines; ++line) {
    std::shuffle(places.begin(), places.end(), random);
    for (index_t k = 0; k < lengths[static_cast<std::size_t>(line)]; ++k) {
      const index_t place = places[static_cast<std::size_t>(k)];
      const index_t top = (turned ? place : line) * rows, left = (turned ? line : place) * cols;
      for (index_t i = top; i < std::min(top + rows, m); ++i)
        for (index_t j = left; j < std::min(left + cols, n); ++j)
          if ((i == top && j == left) || random() % 4 != 0) {
            r.push_back(i);
            c.push_back(j);
            v.push_back(value(random));
          }
    }
  }
  return csr_from_triplets<double, std::int64_t>(m, n, r, c, v);
}

class GpuBsrBalanced : public ::testing::TestWithParam<Place> {
 protected:
  const Kernel& kernel() const { return *GetParam().kernel; }
  std::mt19937_64 random{seed()};

  template <class T>
  Plan<T> plan_of(const Csr<T, std::int32_t>& a, index_t rows, index_t cols) const {
    Parameters p = without_limit(kernel());
    p["block_rows"] = rows;
    p["block_cols"] = cols;
    return nz::plan(a.view(),
                    {.kernel = kernel().id(), .parameters = p, .device = GetParam().device});
  }

  // Both products, judged, their bits repeated; with infinities in x those of the filled-in zeros.
  template <class T>
  void check(const Matrix& matrix, index_t rows, index_t cols) {
    SCOPED_TRACE(fmt::format("{} x {} in blocks of {} x {}, {}, NZ_TEST_SEED={}", matrix.rows,
                             matrix.cols, rows, cols, name(value_type_of<T>), seed()));
    const auto a = csr_cast<T, std::int32_t>(matrix.view());
    const Plan<T> plan = plan_of(a, rows, cols);
    Csr<T, std::int32_t> filled;
    for (const Exercise<T>& e : {Exercise<T>{Op::none, Input::finite, T(1.5), T(0)},
                                 {Op::transpose, Input::finite, T(1), T(0)},
                                 {Op::none, Input::non_finite, T(-0.75), T(0.5)},
                                 {Op::transpose, Input::non_finite, T(2), T(-0.5)}}) {
      const bool turned = e.op == Op::transpose;
      auto x = numbers<T>(random, static_cast<std::size_t>(turned ? a.rows : a.cols), e.input);
      const auto before =
          numbers<T>(random, static_cast<std::size_t>(turned ? a.cols : a.rows), Input::finite);
      const bool fill = e.input == Input::non_finite;
      if (fill && !x.empty()) x.back() = std::numeric_limits<T>::infinity();  // beside padding
      if (fill && filled.rows == 0)
        filled =
            csr_cast<T, std::int32_t>(kernel().with_fill(matrix.view(), plan.parameters()).view());
      multiply_and_check(plan, e, x, before,
                         exact_product<T, std::int32_t>((fill ? filled : a).view(), e.op, e.alpha,
                                                        x, e.beta, before));
    }
  }

  // Lines along the rows, and along the columns.
  template <class T>
  void check_lines(const Lengths& lengths, index_t rows, index_t cols, Missing missing = {}) {
    SCOPED_TRACE(fmt::format(
        "lines of {}",
        fmt::join(lengths.begin(), std::min(lengths.end(), lengths.begin() + 12), ", ")));
    for (const Op op : all_ops)
      check<T>(in_lines(lengths, rows, cols, missing, op, random), rows, cols);
  }

  Facts facts(index_t rows, index_t cols) {
    const auto a = csr_cast<double, std::int32_t>(
        in_lines({3, 0, 1}, rows, cols, {rows / 2, cols / 3}, Op::none, random).view());
    return plan_of(a, rows, cols).product().facts();
  }
};

// Lines that are empty at the beginning, in the middle and at the end, one of many blocks, and what
// does not fill the last blocks.
TEST_P(GpuBsrBalanced, TakesEveryShape) {
  NZ_NEEDS(GetParam().device);
  std::vector<std::pair<index_t, index_t>> shapes = {{32, 32}, {33, 33}, {1, 7},   {7, 1},
                                                     {3, 8},   {8, 3},   {33, 2},  {2, 40},
                                                     {40, 40}, {1, 200}, {200, 1}, {64, 64}};
  for (index_t n = 1; n <= 17; ++n) shapes.emplace_back(n, n);
  for (const auto& [rows, cols] : shapes) {
    const index_t many = std::clamp(3000 / (rows * cols), 3, 200);
    const Matrix a =
        in_lines({0, 2, 1, 0, many, 1, 3}, rows, cols, {rows - 1, cols / 2}, Op::none, random);
    const Matrix b =
        in_lines({1, 1, many, 0, 2, 5, 0}, rows, cols, {rows / 3, cols - 1}, Op::transpose, random);
    check<double>(a, rows, cols);
    check<float>(a, rows, cols);
    check<double>(b, rows, cols);
    check<float>(b, rows, cols);
    if (HasFailure()) return;
  }
}

// Stages are powers of two. On the emulator 16 shares are the most: some of these have several
// stages in a share, others less than one.
TEST_P(GpuBsrBalanced, EndsLinesWhereStagesAndSharesEnd) {
  NZ_NEEDS(GetParam().device);
  for (const auto& [rows, cols] : {std::pair{5, 5}, {3, 3}, {4, 4}, {2, 3}}) {
    const auto s = static_cast<index_t>(facts(rows, cols).at("stage_blocks"));
    ASSERT_GE(s, 1);
    check_lines<double>(Lengths(5, s), rows, cols);
    check_lines<double>({s, s - 1, 1, s + 1, 0, 2 * s - 1, 1, s / 2, s / 2}, rows, cols);
    if (HasFailure()) return;
  }
  check_lines<double>(Lengths(24, 64), 5, 5);
  check_lines<float>(Lengths(18, 128), 3, 3);
}

TEST_P(GpuBsrBalanced, TakesLinesOfOneBlock) {
  NZ_NEEDS(GetParam().device);
  for (const auto& [rows, cols] : {std::pair{1, 1}, {2, 2}, {5, 5}, {3, 4}}) {
    check_lines<double>(Lengths(150, 1), rows, cols, {rows - 1, cols - 1});
    check_lines<float>(Lengths(33, 1), rows, cols);
  }
}

TEST_P(GpuBsrBalanced, PutsLinesTogetherFromManyShares) {
  NZ_NEEDS(GetParam().device);
  check_lines<double>({1, 0, 2500, 2, 0, 3}, 2, 2);
  check_lines<float>({2, 2100, 1, 0}, 3, 3, {1, 2});
  check_lines<double>({65, 96, 0, 159, 1}, 5, 5);  // two to six shares each
  check_lines<double>({1500}, 1, 1);
  check_lines<float>({31, 40, 33}, 9, 9);
  check_lines<float>({70, 50}, 3, 17, {2, 16});
}

// The kernel for large blocks cuts lines where blocks together have enough values.
TEST_P(GpuBsrBalanced, PutsLinesOfLargeBlocksTogether) {
  NZ_NEEDS(GetParam().device);
  check_lines<double>({0, 9, 1, 0, 5, 0}, 3, 1024, {1, 1000});  // along rows: four blocks a piece
  check_lines<double>({4, 0, 3, 1}, 700, 33, {699, 32});        // along columns: one
  check_lines<float>({2, 1100}, 1, 33);                         // along columns: 1024
}

// Blocks reach beyond x; what lies there must not be multiplied with their filled-in zeros.
TEST_P(GpuBsrBalanced, LeavesAloneWhatLiesBeyondX) {
  NZ_NEEDS(GetParam().device);
  for (const auto& [rows, cols] :
       {std::pair{2, 2}, {5, 5}, {8, 8}, {3, 4}, {40, 40}, {2, 200}, {200, 2}})
    for (const Op op : all_ops) {
      SCOPED_TRACE(fmt::format("op {}, {} x {}, NZ_TEST_SEED={}", name(op), rows, cols, seed()));
      const auto a = csr_cast<double, std::int32_t>(
          in_lines({50, 0, 49, 1, 50}, rows, cols, {rows - 1, cols - 1}, op, random).view());
      const auto in = static_cast<std::size_t>(op == Op::none ? a.cols : a.rows);
      auto x = numbers<double>(random, in, Input::finite);
      std::vector<double> y(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols));
      x.resize(in + 256, nan<double>);
      const Device device = GetParam().device;
      const DeviceArray<double> there(device, std::span<const double>(x));
      DeviceArray<double> out(device, y.size());
      plan_of(a, rows, cols).multiply(1.5, there.span().first(in), 0.0, out.span(), op);
      wait_for(device);
      out.download(y);
      const Verdict v = check_product<double, std::int32_t>(
          a.view(), op, 1.5, std::span<const double>(x).first(in), 0.0, y, y);
      EXPECT_TRUE(v.right()) << v.message();
    }
}

TEST_P(GpuBsrBalanced, TakesMatricesWithoutBlocks) {
  NZ_NEEDS(GetParam().device);
  for (const auto& [rows, cols] : {std::pair{5, 5}, {2, 3}, {40, 40}, {1, 64}})
    for (const auto& [m, n] : {std::pair{0, 0}, {0, 9}, {9, 0}, {7, 11}, {100, 90}})
      check<double>(csr_from_triplets<double, std::int64_t>(m, n, {}, {}, {}), rows, cols);
}

// Counters must be as they were when the next product begins, whichever it is.
TEST_P(GpuBsrBalanced, GivesTheSameBitsAfterOtherProducts) {
  NZ_NEEDS(GetParam().device);
  for (const auto& [rows, cols] : {std::pair{5, 5}, {2, 7}, {40, 200}}) {
    SCOPED_TRACE(fmt::format("{} x {}, NZ_TEST_SEED={}", rows, cols, seed()));
    const index_t many = rows == 40 ? 50 : 500;
    const auto a = csr_cast<float, std::int32_t>(
        in_lines({1, many, 0, 3, many / 2}, rows, cols, {1, 1}, Op::none, random).view());
    const auto plan = plan_of(a, rows, cols);
    std::vector<float> x[2];
    std::vector<float> first[2];
    for (int turn = 0; turn < 6; ++turn) {
      const int which = turn % 2;
      const Op op = which == 0 ? Op::none : Op::transpose;
      if (turn < 2)
        x[which] = numbers<float>(random, static_cast<std::size_t>(which == 0 ? a.cols : a.rows),
                                  Input::finite);
      Guarded<float> y(
          std::vector<float>(static_cast<std::size_t>(which == 0 ? a.rows : a.cols), nan<float>));
      multiply<float>(plan, op, 1.25F, x[which], 0.0F, y);
      if (turn < 2)
        first[which].assign(y.span().begin(), y.span().end());
      else
        EXPECT_TRUE(same_bits<float>(first[which], y.span())) << "turn " << turn;
    }
    const auto again = plan_of(a, rows, cols);  // another plan, another order of warps
    Guarded<float> y(std::vector<float>(first[0].size(), nan<float>));
    multiply<float>(again, Op::none, 1.25F, x[0], 0.0F, y);
    EXPECT_TRUE(same_bits<float>(first[0], y.span()));
  }
}

// As many blocks as give every warp of the device several stages, some not full.
TEST_P(GpuBsrBalanced, KeepsEveryWarpForSeveralStages) {
  NZ_NEEDS(GetParam().device);
  const Facts f = facts(5, 5);
  int processors = 0;
  for (const DeviceInfo& d : devices())
    if (d.device == GetParam().device) processors = d.processors;
  ASSERT_GT(processors, 0);
  const auto stage = static_cast<index_t>(f.at("stage_blocks"));
  std::int64_t left =
      static_cast<std::int64_t>(processors * f.at("resident_blocks") * 4) * stage * 5 / 2;
  Lengths lengths;
  for (std::size_t i = 0; left > 0; ++i) {
    const index_t some[] = {stage, 1, 7 * stage / 2, 0, stage - 1, 3, 5 * stage, stage / 2};
    lengths.push_back(some[i % std::size(some)]);
    left -= lengths.back();
  }
  const Matrix a = in_lines(lengths, 5, 5, {3, 0}, Op::none, random);
  check<double>(a, 5, 5);
  const auto plan = plan_of(csr_cast<double, std::int32_t>(a.view()), 5, 5);
  const double shares = plan.product().facts().at("shares");
  EXPECT_EQ(shares, processors * f.at("resident_blocks") * 4);
  EXPECT_GT(plan.product().facts().at("blocks"), 2 * stage * shares);
}

// A task has many large blocks of a line; one for each block and eight rows would take far more.
TEST_P(GpuBsrBalanced, PutsManyLargeBlocksIntoATask) {
  NZ_NEEDS(GetParam().device);
  constexpr index_t blocks = 100, rows = 40;
  const auto a =
      csr_cast<double, std::int32_t>(in_lines({blocks}, rows, 1, {}, Op::none, random).view());
  const std::size_t values = sizeof(double) * rows * blocks;
  EXPECT_LT(plan_of(a, rows, 1).product().bytes(), values + 32 * (rows / 8) * blocks);
}

TEST(BsrLimit, BlocksHave31Bits) {
  EXPECT_NO_THROW(require_31_bits(0x7fffffff));
  try {
    require_31_bits(0x80000000);
    FAIL() << "not refused";
  } catch (const Refused& e) {
    EXPECT_EQ(std::string(e.what()).rfind("gpu/bsr/balanced: 2147483648 blocks, more than", 0), 0u)
        << e.what();
  }
}

TEST_P(GpuBsrBalanced, TellsItsBlocksAndItsLaunch) {
  NZ_NEEDS(GetParam().device);
  const Facts f = facts(5, 3);
  EXPECT_EQ(f.at("block_rows"), 5);
  EXPECT_EQ(f.at("block_cols"), 3);
  EXPECT_EQ(f.at("blocks"), 4);
  EXPECT_EQ(f.at("padding_rows"), 2);
  EXPECT_EQ(f.at("padding_cols"), 1);
  EXPECT_GE(f.at("fill_ratio"), 1);
  EXPECT_EQ(f.at("shares"), 1);  // less than a stage
  EXPECT_GE(f.at("stage_blocks"), 4);
  // A share has a whole stage at least, even where it could begin within one.
  const auto stage = static_cast<index_t>(facts(7, 7).at("stage_blocks"));
  const auto three =
      csr_cast<double, std::int32_t>(in_lines({3 * stage}, 7, 7, {}, Op::none, random).view());
  EXPECT_EQ(plan_of(three, 7, 7).product().facts().at("shares"), 3);
  EXPECT_GE(f.at("resident_blocks"), 1);
  const bool emulated = GetParam().device.kind == Device::Kind::emulator;  // it has no registers
  EXPECT_GE(f.at("registers"), emulated ? 0 : 16);
  const Facts large = facts(64, 64);
  EXPECT_EQ(large.at("block_rows"), 64);
  EXPECT_EQ(large.count("shares"), 0u);  // another kernel's, which cuts them otherwise
}

INSTANTIATE_TEST_SUITE_P(Own, GpuBsrBalanced, ::testing::ValuesIn(places("gpu/bsr/balanced")),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuBsrBalanced);

}  // namespace
}  // namespace nz::test
