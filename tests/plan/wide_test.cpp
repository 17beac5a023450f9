#include <nonzero/wide.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/truth.hpp>

#include "plan/planned.hpp"
#include "plan/wide_given.hpp"
#include "plan/wide_parts.hpp"
#include "support/message_of.hpp"

// Matrices with more rows or columns than 32 bits count: the real size with few entries, and the
// same machinery with small parts against the truth of an ordinary matrix.
namespace nz::test {
namespace {

// Every alpha and beta, both ops, against the truth of the ordinary matrix.
template <Value T>
void expect_right(const WidePlan<T>& p, const Csr<T, std::int32_t>& a, std::mt19937_64& random,
                  bool there) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(),
              endless = std::numeric_limits<T>::infinity();
  for (const Op op : all_ops) {
    const bool n = op == Op::none;
    const auto x = numbers<T>(random, n ? p.cols() : p.rows());
    const auto before = numbers<T>(random, n ? p.rows() : p.cols());
    for (const auto& [alpha, beta] : {std::pair<T, T>{1, 0},
                                      {T(1.5), T(-0.5)},
                                      {-1, 1},
                                      {0, 2},
                                      {0, 0},
                                      {nan, 0},
                                      {1, nan},
                                      {endless, 0},
                                      {-endless, T(0.5)},
                                      {1, endless}}) {
      // What is not to be read is no number.
      auto in = x, y = before;
      if (alpha == 0) std::fill(in.begin(), in.end(), nan);
      if (beta == 0) std::fill(y.begin(), y.end(), nan);
      if (there && beta != T(1)) {  // and once from host memory
        const DeviceArray<T> far_x(p.device(), std::span<const T>(in));
        DeviceArray<T> far_y(p.device(), std::span<const T>(y));
        const Stream stream(p.device());
        p.multiply(alpha, {far_x.data(), in.size()}, beta, {far_y.data(), y.size()}, op, stream);
        stream.wait();
        far_y.download(y);
      } else {
        p.multiply(alpha, in, beta, y, op);
      }
      const Verdict v = check_product<T>(a.view(), op, alpha, x, beta, before, y);
      ASSERT_TRUE(v.right()) << fmt::format("{} alpha {} beta {}: {}, NZ_TEST_SEED={}", name(op),
                                            alpha, beta, v.message(), seed());
    }
  }
}

struct Case {
  std::int64_t rows, cols;
  int entries;
  WideCut cut;
  std::size_t fewest, most;  // parts
};
// Neighbours, and places far apart on either side and on both.
const Case cases[] = {{300, 300, 600, {128, 97}, 8, 12},   {120, 6000, 60, {1000, 2500}, 2, 3},
                      {6000, 120, 60, {2500, 1000}, 2, 3}, {6000, 6000, 60, {}, 1, 1},
                      {1, 9000, 30, {5, 3000}, 1, 3},      {7, 5, 0, {}, 0, 0}};

template <Value T>
void small_parts() {
  std::mt19937_64 random(seed());
  for (const std::string& device : places())
    for (const Case& c : cases) {
      SCOPED_TRACE(fmt::format("{} x {} on {}, parts of {} x {}, NZ_TEST_SEED={}", c.rows, c.cols,
                               device, c.cut.rows, c.cut.cols, seed()));
      const Both<T> both = drawn<T>(random, c.rows, c.cols, c.entries);
      const auto p =
          wide_plan(both.wide.view(), {.device = device_named(device), .op = both_ops}, c.cut);
      EXPECT_EQ(p.rows(), c.rows);
      EXPECT_EQ(p.cols(), c.cols);
      EXPECT_EQ(p.device().name(), device);
      EXPECT_GE(p.parts(), c.fewest);
      EXPECT_LE(p.parts(), c.most);
      expect_right(p, both.plain, random, device != "cpu");
    }
}
TEST(WidePlan, SmallPartsAreWithinTheBoundInFloat) { small_parts<float>(); }
TEST(WidePlan, SmallPartsAreWithinTheBoundInDouble) { small_parts<double>(); }

// Sides with few places of many keep those alone.
TEST(WidePlan, MemoryGoesWithTheEntries) {
  constexpr std::int64_t far = std::int64_t{1} << 40;
  const WideCoo<double> a{far, far, Array<std::int64_t>{0, 5, far - 1, 7},
                          Array<std::int64_t>{far - 1, 3, 0, far / 2}, Array<double>{1, 2, 3, 4}};
  for (const std::string& device : places()) {
    const auto p = wide_plan(a.view(), {.device = device_named(device)});
    EXPECT_EQ(p.parts(), 4u);
    EXPECT_LT(p.bytes(), std::size_t{1} << 20);
    EXPECT_NE(p.text().find("1099511627776 x 1099511627776 on " + device), std::string::npos);
  }
  const auto parts = cut_wide(a.view(), {far, far});  // as one, 4 places a side
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].rows.places, (Array<std::int64_t>{0, 5, 7, far - 1}));
  EXPECT_EQ(parts[0].cols.places, (Array<std::int64_t>{0, 3, far / 2, far - 1}));
}

TEST(WidePlan, TakesRowsToo) {
  const WideCsr<double> a{3, 5'000'000'000, Array<std::int64_t>{0, 2, 2, 3},
                          Array<std::int64_t>{4'999'999'999, 0, 7}, Array<double>{1, 2, 3}};
  EXPECT_EQ(wide_coo_from_csr(a).row_index, (Array<std::int64_t>{0, 0, 2}));
  const auto p = wide_plan(a, {.op = Op::transpose});
  const Mapped<double> y(a.cols);
  if (!y) GTEST_SKIP() << "the system maps no 40 GB";
  p.multiply(1, std::vector<double>{1, 10, 100}, 1, y.all(), Op::transpose);
  EXPECT_EQ(y[a.cols - 1], 1);
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[7], 300);
  EXPECT_EQ(y[8], 0);
  // Of real values that is the same.
  p.multiply(1, std::vector<double>{1, 10, 100}, 1, y.all(), Op::conjugate_transpose);
  EXPECT_EQ(y[a.cols - 1], 2);
  EXPECT_EQ(y[7], 600);
}

TEST(WidePlan, SaysWhatIsWrong) {
  const WideCoo<float> a{3, 4, Array<std::int64_t>{0, 2}, Array<std::int64_t>{1, 4},
                         Array<float>{1, 2}};
  EXPECT_EQ(message_of<BadInput>([&] { wide_plan(a.view()); }),
            "entry 1: row 2, column 4 is not in a matrix of 3 x 4 (counting from 0)");
  WideCoo<float> b = a;
  b.cols = 5;
  const auto p = wide_plan(b.view());
  std::vector<float> x(5), y(3);
  EXPECT_EQ(message_of<InvalidArgument>([&] { p.multiply(1, std::span(x).first(4), 0, y); }),
            "x has 4 elements, needs 5");
  EXPECT_EQ(message_of<InvalidArgument>([&] { p.multiply(1, x, 0, std::span(x).first(3)); }),
            "x and y overlap");
  EXPECT_THROW(wide_plan(b.view(), {.kernel = "none"}), InvalidArgument);
  EXPECT_THROW(wide_plan(b.view(), {.memory_limit = 1}), NoResource);
  b.values[1] = 1e6;
  EXPECT_EQ(
      message_of<Refused>([&] { wide_plan(b.view(), {.store_values_as = StoredValues::f16}); }),
      "in the part of rows 3 from 0 on and columns 4 from 1 on: row 2, column 3 (counting "
      "from 0): 1000000 would "
      "be infinite as f16");
  b.row_index = {};
  EXPECT_THROW(b.validate(), BadInput);
  const WideCsr<float> csr{2, 9, Array<std::int64_t>{0, 1, 3}, Array<std::int64_t>{8, 0, 9},
                           Array<float>{1, 2, 3}};
  EXPECT_EQ(message_of<BadInput>([&] { wide_plan(csr); }),
            "wide CSR: entry 2: column 9 is not below 9 (counting from 0)");
}

constexpr std::int64_t beyond = (std::int64_t{1} << 31) + (1 << 20);

// A cluster at the very end, one across the 2^31st, and some anywhere; in whole numbers.
WideCoo<float> few_of_many(bool many_rows) {
  std::vector<std::int64_t> small, large;
  std::vector<float> v;
  std::mt19937_64 random(seed());
  for (int k = 0; k < 600; ++k) {
    const auto place = static_cast<std::int64_t>(random() % 1000);
    small.push_back(static_cast<std::int64_t>(random() % 50));
    large.push_back(k % 3 == 0   ? beyond - 1 - place
                    : k % 3 == 1 ? (std::int64_t{1} << 31) - 500 + place
                                 : static_cast<std::int64_t>(random() % beyond));
    v.push_back(static_cast<float>(1 + random() % 7));
  }
  const auto array = [](const auto& from) { return Array(std::span(from)); };
  WideCoo<float> a{50, beyond, array(std::as_const(small)), array(std::as_const(large)),
                   array(std::as_const(v))};
  if (!many_rows) return a;
  return {a.cols, a.rows, std::move(a.col_index), std::move(a.row_index), std::move(a.values)};
}

TEST(WidePlan, MoreThan2To31ColumnsOrRows) {
  for (const std::string& device : places())
    for (const bool many_rows : {false, true}) {
      SCOPED_TRACE(fmt::format("on {}, NZ_TEST_SEED={}", device, seed()));
      const WideCoo<float> a = few_of_many(many_rows);
      const auto p = wide_plan(a.view(), {.device = device_named(device), .op = both_ops});
      EXPECT_LT(p.bytes(), std::size_t{16} << 20);
      const Mapped<float> x(beyond), y(beyond);
      if (!x || !y) GTEST_SKIP() << "the system maps no 8.6 GB";
      const auto& far = many_rows ? a.row_index : a.col_index;
      const auto& near = many_rows ? a.col_index : a.row_index;
      std::vector<float> wanted(50), sums(50, -1), in(50);
      for (std::size_t k = 0; k < far.size(); ++k) x[far[k]] = static_cast<float>(far[k] % 5);
      for (std::size_t k = 0; k < far.size(); ++k)
        wanted[static_cast<std::size_t>(near[k])] += a.values[k] * static_cast<float>(far[k] % 5);
      // The long vector is x, then y: with beta = 1, so that only what is touched is there.
      p.multiply(1, x.all(), 0, sums, many_rows ? Op::transpose : Op::none);
      EXPECT_EQ(sums, wanted);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(1 + i % 4);
      p.multiply(2, in, 1, y.all(), many_rows ? Op::none : Op::transpose);
      for (std::size_t k = 0; k < far.size(); ++k)
        y[far[k]] -= 2 * a.values[k] * in[static_cast<std::size_t>(near[k])];
      for (const std::int64_t place : far) ASSERT_EQ(y[place], 0) << place;
      EXPECT_EQ(y[beyond - 2000], 0);
    }
}

}  // namespace
}  // namespace nz::test
