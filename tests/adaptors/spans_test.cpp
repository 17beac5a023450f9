#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/array.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/spans.hpp>

#include "support/devices.hpp"

// Every kind of vector that a product takes.
namespace nz::test {
namespace {

// The part of std::mdspan that counts, for a compiler that does not have it.
template <class T>
struct View {
  T* at;
  std::size_t n, step = 1;
  static constexpr std::size_t rank() { return 1; }
  T* data_handle() const { return at; }
  std::size_t extent(std::size_t) const { return n; }
  std::size_t stride(std::size_t) const { return step; }
};

// Of two dimensions.
template <class T>
struct Table {
  T* at;
  std::size_t n, m;
  std::int64_t down, right;
  static constexpr std::size_t rank() { return 2; }
  T* data_handle() const { return at; }
  std::size_t extent(std::size_t d) const { return d == 0 ? n : m; }
  std::int64_t stride(std::size_t d) const { return d == 0 ? down : right; }
};

//  1  2  .
//  .  .  3
const std::vector<int> offsets{0, 2, 3};
const std::vector<index_t> columns{0, 1, 2};
const std::vector<double> values{1, 2, 3};
const CsrView<double, int> small{2, 3, 3, offsets.data(), columns.data(), values.data()};

TEST(Spans, OfEverythingOneHas) {
  const auto plan = nz::plan(small);
  const std::vector<double> x{1, 10, 100};
  std::vector<double> y(2);
  const auto holds = [&](auto&& v) {
    const bool is = v[0] == 21 && v[1] == 300;
    for (std::size_t i = 0; i < 2; ++i) v[i] = 0;
    return is;
  };
  plan.multiply(1, x, 0, y);
  EXPECT_TRUE(holds(y));
  plan.multiply(1, std::span(x), 0, std::span(y));
  EXPECT_TRUE(holds(y));
  std::array<double, 3> three{1, 10, 100};
  std::array<double, 2> two{};
  plan.multiply(1, three, 0, two);
  EXPECT_TRUE(holds(two));
  double plain_x[] = {1, 10, 100}, plain_y[2] = {};
  plan.multiply(1, plain_x, 0, plain_y);
  EXPECT_TRUE(holds(plain_y));
  Array<double> own_x{1, 10, 100}, own_y(2);
  plan.multiply(1, own_x, 0, own_y);
  EXPECT_TRUE(holds(own_y));
  plan.multiply(1, {x.data(), 3}, 0, {y.data(), 2});
  EXPECT_TRUE(holds(y));
  plan.multiply(1, span_of(View<const double>{x.data(), 3}), 0, span_of(View<double>{y.data(), 2}));
  EXPECT_TRUE(holds(y));
}

TEST(Spans, SeveralVectorsOfViewsWithTwoDimensions) {
  const auto plan = nz::plan(small);
  // Rows and columns of two vectors, with and without gaps.
  std::vector<double> in_rows{1, 2, -1, 10, 20, -1, 100, 200, -1},
      in_columns{1, 10, 100, -1, 2, 20, 200};
  std::vector<double> y(6, -7);
  const auto holds = [&](std::size_t down, std::size_t right) {
    const bool is = y[0] == 21 && y[right] == 42 && y[down] == 300 && y[down + right] == 600;
    y.assign(6, -7);
    return is;
  };
  const Table<const double> by_rows{in_rows.data(), 3, 2, 3, 1},
      by_columns{in_columns.data(), 3, 2, 1, 4};
  plan.multiply(1, dense_view_of(by_rows), 0, dense_view_of(Table<double>{y.data(), 2, 2, 2, 1}));
  EXPECT_TRUE(holds(2, 1));
  plan.multiply(1, dense_view_of(by_columns), 0,
                dense_view_of(Table<double>{y.data(), 2, 2, 1, 3}));
  EXPECT_TRUE(holds(1, 3));
  plan.multiply(1, dense_view_of(by_rows), 0, dense_view_of(Table<double>{y.data(), 2, 2, 1, 2}));
  EXPECT_TRUE(holds(1, 2));
  EXPECT_EQ(dense_view_of(Table<double>{y.data(), 3, 1, 2, 9}).leading(), 2) << "one vector, apart";
  EXPECT_EQ(dense_view_of(Table<double>{y.data(), 1, 3, 9, 2}).layout(), Layout::column_major);
  for (const auto& wrong :
       {Table<double>{y.data(), 2, 2, 4, 2}, Table<double>{y.data(), 2, 3, 2, 1},
        Table<double>{y.data(), 2, 2, -1, 1}, Table<double>{y.data(), 2, 2, 0, 0}})
    EXPECT_THROW(dense_view_of(wrong), InvalidArgument);
}

TEST(Spans, PointersAreAsLongAsOpAsks) {
  const auto plan = nz::plan(small);
  std::vector<double> x{1, 10, 100}, y{-1, -1};
  const double* from = x.data();
  double* to = y.data();
  plan.multiply(1, from, 0, to);
  EXPECT_EQ(y, (std::vector<double>{21, 300}));
  plan.multiply(2, to, 1, x.data(), Op::transpose);
  EXPECT_EQ(x, (std::vector<double>{43, 94, 1900}));
  EXPECT_THROW(plan.multiply(1, from, 0, x.data() + 1), InvalidArgument);  // they overlap
}

TEST(Spans, OfDeviceMemory) {
  NZ_NEEDS_EMULATOR();
  const auto plan = nz::plan(small, {.device = emulator_device});
  const std::vector<double> x{1, 10, 100};
  const DeviceArray<double> far_x(emulator_device, std::span(x));
  DeviceArray<double> far_y(emulator_device, 2);
  plan.multiply(1, span_of(far_x), 0, span_of(far_y));
  std::vector<double> y(2);
  far_y.download(y);
  EXPECT_EQ(y, (std::vector<double>{21, 300}));
}

TEST(Spans, ElementsLieBehindEachOther) {
  std::vector<double> x{1, 2, 3, 4};
  EXPECT_THROW(span_of(View<double>{x.data(), 2, 2}), InvalidArgument);
  EXPECT_EQ(span_of(View<double>{x.data(), 1, 2}).size(), 1u);
  EXPECT_EQ(span_of(View<double>{x.data(), 4}).data(), x.data());
}

}  // namespace
}  // namespace nz::test
