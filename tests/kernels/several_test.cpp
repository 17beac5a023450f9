#include <array>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/battery.hpp"
#include "kernels/conform.hpp"
#include "kernels/several_given.hpp"
#include "simt/backend.hpp"
#include "support/devices.hpp"

// Products of several vectors: every kernel on every layout, judged column by column by the bound
// that holds for one vector.
namespace nz::test {
namespace {

const Shape shapes[] = {
    {1, Layout::row_major, Layout::column_major, 0, 0},
    {2, Layout::row_major, Layout::row_major, 0, 0},
    {3, Layout::column_major, Layout::row_major, 2, 1},
    {4, Layout::row_major, Layout::row_major, 4, 0},
    {5, Layout::row_major, Layout::column_major, 1, 3},
    {8, Layout::column_major, Layout::column_major, 0, 0},
    {12, Layout::row_major, Layout::row_major, 0, 4},
    {14, Layout::column_major, Layout::column_major, 1, 2},
    {33, Layout::column_major, Layout::column_major, 5, 0},
    {70, Layout::row_major, Layout::column_major, 2, 0},
    {130, Layout::row_major, Layout::row_major, 2, 0},
};

// Everybody gets some of the matrices with some of the shapes, other ones on every run.
template <class T>
void all_of(Device device) {
  std::mt19937_64 random(seed() + sizeof(T));
  const auto& matrices = shared_battery();
  const T scalars[] = {T(1), T(-0.5), T(0), std::numeric_limits<T>::quiet_NaN(),
                       std::numeric_limits<T>::infinity()};
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_on_device(device.kind) || !kernel.supports(value_type_of<T>)) continue;
    if (!kernel.prepare_for<T, std::int32_t>(device.kind)) continue;
    const int rounds = kernel.several ? 40 : 2;
    for (int k = 0; k < rounds; ++k) {
      const BatteryMatrix& m = matrices[random() % matrices.size()];
      const std::size_t most = kernel.several && device == cpu_device ? 200'000 : 20'000;
      const auto entries = static_cast<std::size_t>(m.matrix.nnz() + m.matrix.rows + m.matrix.cols);
      const Shape& s = shapes[random() % std::size(shapes)];
      if (entries * static_cast<std::size_t>(s.columns) > most) continue;
      const auto a = csr_cast<T, std::int32_t>(m.matrix.view());
      const auto filled =
          kernel.with_fill
              ? csr_cast<T, std::int32_t>(
                    kernel.with_fill(m.matrix.view(), kernel.resolve(without_limit(kernel))).view())
              : a;
      const Op op = kernel.transposes && random() % 3 == 0 ? Op::transpose : Op::none;
      const T alpha = random() % 4 != 0 ? T(1.5) : scalars[random() % std::size(scalars)];
      const T beta = random() % 2 == 0 ? T(0) : scalars[random() % 3];
      SCOPED_TRACE(m.name);
      several<T, std::int32_t>(kernel, device, a.view(), filled.view(), s, op, alpha, beta, random);
    }
  }
}

class Several : public ::testing::TestWithParam<Device> {};

TEST_P(Several, EveryKernelInFloat) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  all_of<float>(GetParam());
}
TEST_P(Several, EveryKernelInDouble) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  all_of<double>(GetParam());
}

// Vectors whose rows are long, by each of the ways that a kernel offers for them: rows that are
// short and alike, none of them too long for a run, and rows of all lengths, some in pieces.
template <class T>
void every_way(Device device) {
  std::mt19937_64 random(seed() + sizeof(T));
  const auto rows_of = [&](index_t rows, auto&& entries_of) {
    index_t first = 0;
    return rows_with<T>(rows, 2200, random, entries_of, [&](index_t, index_t j) {
      if (j == 0) first = static_cast<index_t>(random() % 7);
      return first + 3 * j;
    });
  };
  const auto alike = rows_of(150, [&](index_t i) { return i < 5 ? 0 : index_t(random() % 9); });
  const auto unlike = rows_of(51, [&](index_t i) {
    return i % 25 == 24 ? 700 : i % 6 == 0 ? 0 : index_t(1 + random() % 90);
  });
  // Too long for tiles, all of them, and enough for a warp each.
  const int processors = device == cpu_device ? 1 : simt::backend(device).info().processors;
  const auto long_alike =
      rows_of(4 * processors + 1, [&](index_t) { return 260 + index_t(random() % 80); });
  for (const Kernel& kernel : kernels()) {
    const auto way = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                  [](const Parameter& p) { return p.name == "several"; });
    if (way == kernel.parameters.end() || !kernel.runs_on_device(device.kind)) continue;
    for (std::int64_t w = way->min; w <= way->max; ++w)
      for (const index_t columns : {4, 8, 11, 16, 18, 20, 35, 40, 132})
        for (const auto* a : {&alike, &unlike, &long_alike}) {
          if (a == &long_alike && columns > 20) continue;
          // Long rows in one piece, in several for a block each, or in many for a warp each.
          const std::int64_t piece = std::array{0, 64, 32}[random() % 3];
          SCOPED_TRACE(fmt::format("several={} piece={}", w, piece));
          several<T, std::int32_t>(kernel, device, a->view(), a->view(),
                                   {columns, Layout::row_major, Layout::row_major, 0, 0}, Op::none,
                                   T(1.5), random() % 2 ? T(0) : T(-0.5), random,
                                   {{"several", w}, {"piece", piece}});
        }
  }
}

// X and Y by columns, which one kernel takes as they lie: rows in tiles and in pieces, columns that
// fill groups and that do not.
template <class T>
void columns_as_they_lie(Device device) {
  std::mt19937_64 random(seed());
  const auto rows_in = [&](index_t rows, index_t columns, auto length) {
    return rows_with<T>(rows, columns, random, length, [&](index_t i, index_t j) {
      return length(i) > columns / 2 ? j : index_t((i + j * 3) % columns);
    });
  };
  const auto near = rows_in(700, 690, [](index_t i) { return i % 6; });
  const auto longer = rows_in(90, 300, [](index_t i) { return i % 11 ? 30 + i % 40 : 0; });
  const auto unlike = rows_in(150, 2000, [](index_t i) { return i % 70 == 1 ? 1900 : i % 4; });
  const Kernel& kernel = find_kernel("gpu/csr/balanced");
  for (const index_t columns : {2, 3, 4, 7, 8, 9, 17, 40})
    for (const auto* a : {&near, &longer, &unlike})
      for (const std::int64_t lanes : {0, 1, 4, 32}) {
        SCOPED_TRACE(fmt::format("column_lanes={}", lanes));
        const Shape shape{columns, Layout::column_major, Layout::column_major, int(random() % 3),
                          int(random() % 3)};
        several<T, std::int32_t>(kernel, device, a->view(), a->view(), shape, Op::none, T(1.5),
                                 random() % 2 ? T(0) : T(-0.5), random,
                                 {{"columns", 1}, {"column_lanes", lanes}});
      }
}

TEST_P(Several, ColumnsAsTheyLie) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  if (GetParam() == cpu_device) GTEST_SKIP() << "this is a way of a GPU kernel";
  columns_as_they_lie<float>(GetParam());
  columns_as_they_lie<double>(GetParam());
}

// Otherwise the tests of them could pass without them.
TEST_P(Several, TheWaysAddInOrdersOfTheirOwn) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  if (GetParam() == cpu_device) GTEST_SKIP() << "these are ways of a GPU kernel";
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<float> number(-1, 1);
  const index_t rows = 20, entries = 60, columns = 32;
  std::vector<index_t> row, column;
  std::vector<float> values;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < entries; ++j) {
      row.push_back(i);
      column.push_back(j);
      values.push_back(number(random));
    }
  const auto a = csr_from_triplets<float, std::int32_t>(rows, entries, row, column, values);
  Owned<float> x(entries, columns, Layout::row_major, 0);
  for (float& v : x.data) v = number(random);
  std::vector<std::vector<float>> results;
  const auto differs = [&](const Parameters& way, Owned<float>& from, Layout layout) {
    Owned<float> y(rows, columns, layout, 0);
    PlanOptions options{.kernel = "gpu/csr/balanced", .parameters = way};
    options.device = GetParam();
    multiply_there(plan(a.view(), options), Op::none, 1.0F, from, 0.0F, y);
    std::vector<float> all;
    for (index_t j = 0; j < columns; ++j)
      for (const float v : y.column(j)) all.push_back(v);
    for (const auto& other : results)
      EXPECT_FALSE(same_bits<float>(other, all))
          << way.begin()->first << "=" << way.begin()->second;
    results.push_back(all);
  };
  for (const std::int64_t way : {1, 2, 3}) differs({{"several", way}}, x, Layout::row_major);
  Owned<float> by_columns(entries, columns, Layout::column_major, 0);
  for (index_t i = 0; i < entries; ++i)
    for (index_t j = 0; j < columns; ++j) by_columns.view()(i, j) = x.view()(i, j);
  for (const std::int64_t lanes : {2, 8, 16})
    differs({{"column_lanes", lanes}, {"columns", 1}}, by_columns, Layout::column_major);
}

TEST_P(Several, LongRowsOfVectorsEveryWay) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  every_way<float>(GetParam());
  every_way<double>(GetParam());
}

// Square blocks of every side, those at the edges not whole, lines without any and with many.
template <class T>
void square_blocks(Device device) {
  std::mt19937_64 random(seed() + sizeof(T));
  const Kernel& kernel = find_kernel("gpu/bsr/balanced");
  for (index_t side = 2; side <= 8; ++side) {
    const index_t rows = 12 * side - 1, columns = 40 * side - 2;
    const auto a = rows_with<T>(
        rows, columns, random,
        [&](index_t i) { return i / side % 5 == 3 ? 0
                                : i / side == 7   ? columns
                                                  : 3 * side; },
        [&](index_t i, index_t j) {
          if (i / side == 7) return j;
          return (i / side * 3 + j / side * 11 + 7) % 39 * side + j % side;
        });
    for (const index_t vectors : {2, 8, 11, 16, 24, 36, 72}) {
      SCOPED_TRACE(fmt::format("blocks of {} x {}", side, side));
      const Shape shape{vectors, Layout::row_major,
                        random() % 3 ? Layout::row_major : Layout::column_major, 0,
                        int(random() % 3)};
      several<T, std::int32_t>(kernel, device, a.view(), a.view(), shape, Op::none, T(1.5),
                               random() % 2 ? T(0) : T(-0.5), random,
                               {{"block_rows", side}, {"block_cols", side}});
    }
  }
}

TEST_P(Several, SquareBlocks) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  if (GetParam() == cpu_device) GTEST_SKIP() << "this is a way of a GPU kernel";
  square_blocks<float>(GetParam());
  square_blocks<double>(GetParam());
}

// Rows that go through several tiles, and pieces, meet in a second launch: long ones first, between
// short ones and last, and an empty one.
TEST_P(Several, RowsThroughSeveralTiles) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<index_t> rows, columns;
  for (index_t i = 0; i < 60; ++i) {
    const index_t entries = i == 0 || i == 30 || i == 59 ? 3000 : i == 31 ? 0 : 1 + i % 7;
    for (index_t j = 0; j < entries; ++j) {
      rows.push_back(i);
      columns.push_back(j);
    }
  }
  std::vector<double> values(rows.size());
  for (double& v : values) v = number(random);
  const auto a = csr_from_triplets<double, std::int32_t>(60, 3000, rows, columns, values);
  for (const Kernel& kernel : kernels())
    if (kernel.several && kernel.runs_on_device(GetParam().kind) && !kernel.with_fill)
      several<double, std::int32_t>(kernel, GetParam(), a.view(), a.view(),
                                    {5, Layout::row_major, Layout::row_major, 1, 0}, Op::none, 1.5,
                                    -0.5, random);
}

// X and Y in host memory, for a plan on a device; and what is between their columns stays.
TEST_P(Several, InHostMemory) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  const auto a = csr_cast<double, std::int32_t>(generate("rmat:scale=7,degree=6").matrix.view());
  const Plan<double> p = plan(a.view(), {.device = GetParam(), .vectors = 3});
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<double> number(-1, 1);
  Owned<double> x(a.cols, 3, Layout::column_major, 2), y(a.rows, 3, Layout::row_major, 1);
  for (index_t j = 0; j < 3; ++j) {
    for (index_t i = 0; i < a.cols; ++i) x.view()(i, j) = number(random);
    for (index_t i = 0; i < a.rows; ++i) y.view()(i, j) = number(random);
  }
  Owned<double> before = y;
  p.multiply(1.5, x.view(), -0.5, y.view());
  EXPECT_TRUE(y.gaps_intact());
  for (index_t j = 0; j < 3; ++j) {
    const auto v = check_product<double, std::int32_t>(a.view(), Op::none, 1.5, x.column(j), -0.5,
                                                       before.column(j), y.column(j));
    EXPECT_TRUE(v.right()) << v.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Everything, Several,
                         ::testing::Values(cpu_device, emulator_device,
                                           Device{Device::Kind::cuda, 0}),
                         [](const auto& place) {
                           const Device::Kind kind = place.param.kind;
                           return std::string(kind == Device::Kind::cuda       ? "all_on_cuda"
                                              : kind == Device::Kind::emulator ? "all_on_emu"
                                                                               : "all_on_cpu");
                         });

std::string refusal(const Plan<double>& p, DenseView<const double> x, DenseView<double> y,
                    Op op = Op::none) {
  try {
    p.multiply(1.0, x, 0.0, y, op);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "none";
}

TEST(SeveralShapes, WrongOnesAreNamed) {
  const auto a = csr_from_triplets<double, std::int32_t>(
      2, 3, std::vector<index_t>{0, 1}, std::vector<index_t>{0, 2}, std::vector<double>{1, 2});
  const Plan<double> p = plan(a.view(), {.op = both_ops});
  std::vector<double> memory(64);
  double *const m = memory.data(), *const n = m + 32;
  EXPECT_EQ(refusal(p, row_major(m, 3, 4), row_major(n, 2, 4)), "none");
  EXPECT_EQ(refusal(p, row_major(m, 2, 4), row_major(n, 2, 4)), "X has 2 rows, needs 3");
  EXPECT_EQ(refusal(p, row_major(m, 3, 4), row_major(n, 3, 4)), "Y has 3 rows, needs 2");
  EXPECT_EQ(refusal(p, row_major(m, 2, 4), row_major(n, 3, 4), Op::transpose), "none");
  EXPECT_EQ(refusal(p, row_major(m, 3, 4), row_major(n, 2, 5)), "X has 4 columns, Y 5");
  EXPECT_EQ(refusal(p, row_major(m, 3, 4, 3), row_major(n, 2, 4)),
            "X is stored by rows of 4 elements, 3 apart");
  EXPECT_EQ(refusal(p, row_major(m, 3, 4), column_major(n, 2, 4, 1)),
            "Y is stored by columns of 2 elements, 1 apart");
  EXPECT_EQ(refusal(p, row_major(m, 3, 4), row_major(m + 11, 2, 4)), "X and Y overlap");
  double* const nothing = nullptr;
  EXPECT_EQ(refusal(p, row_major(nothing, 3, 4), row_major(n, 2, 4)), "X is a null pointer");
  EXPECT_EQ(refusal(p, row_major(m, 3, 4), row_major(nothing, 2, 4)), "Y is a null pointer");
  constexpr std::int64_t far = std::int64_t{1} << 62;
  EXPECT_EQ(refusal(p, row_major(m, 3, 4, far), row_major(n, 2, 4)),
            "X has 4 columns and a leading dimension of 4611686018427387904");
  constexpr index_t many = std::numeric_limits<index_t>::max();
  EXPECT_EQ(refusal(p, column_major(m, 3, many), column_major(n, 2, many)),
            "X has 2147483647 columns and a leading dimension of 3");
  EXPECT_EQ(refusal(p, row_major(m, 3, 4), row_major(m + 12, 2, 4)), "none");
  EXPECT_EQ(refusal(p, row_major(m, 3, 0), row_major(m, 2, 0)), "none");
  EXPECT_THROW(plan(a.view(), {.vectors = 0}), InvalidArgument);
}

// The same product, and so the same bits.
TEST(SeveralShapes, OneColumnIsAVector) {
  const auto a =
      csr_cast<double, std::int32_t>(generate("grid:points=5,nx=20,ny=20").matrix.view());
  const Plan<double> p = plan(a.view());
  std::vector<double> x(400, 1.0), one(400), several(400);
  p.multiply(1.5, x, 0.0, one);
  p.multiply(1.5, column_major<const double>(x.data(), 400, 1), 0.0,
             column_major(several.data(), 400, 1));
  EXPECT_TRUE(same_bits<double>(one, several));
}

}  // namespace
}  // namespace nz::test
