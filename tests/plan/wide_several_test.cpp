#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/truth.hpp>
#include <nonzero/wide.hpp>

#include "plan/planned.hpp"
#include "plan/wide_given.hpp"
#include "plan/wide_parts.hpp"
#include "support/message_of.hpp"

// Several vectors with wide matrices, against the truth of the same ordinary one.
namespace nz::test {
namespace {

// Vectors with what lies between and behind them; no number is to be read or written there.
template <Value T>
struct Block {
  std::int64_t rows;
  index_t columns;
  Layout layout;
  std::int64_t leading;
  std::vector<T> all;

  Block(std::int64_t r, index_t c, Layout l, int gap)
      : rows(r),
        columns(c),
        layout(l),
        leading((l == Layout::row_major ? c : r) + gap),
        all(static_cast<std::size_t>(leading * (l == Layout::row_major ? r : c)), marker) {}
  std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(layout == Layout::row_major ? i * leading + j
                                                                : i + j * leading);
  }
  void put(index_t j, const std::vector<T>& v) {
    for (std::int64_t i = 0; i < rows; ++i) all[place(i, j)] = v[static_cast<std::size_t>(i)];
  }
  std::vector<T> column(index_t j) const {
    std::vector<T> v(static_cast<std::size_t>(rows));
    for (std::int64_t i = 0; i < rows; ++i) v[static_cast<std::size_t>(i)] = all[place(i, j)];
    return v;
  }
  bool gaps_are_as_they_were() const {
    std::int64_t marked = 0;
    for (const T v : all) marked += v == marker;
    return marked == std::ssize(all) - rows * columns;
  }
  template <class P>
  WideDenseView<P> view(P* data) const {
    return {data, rows, columns, layout, leading};
  }

  static constexpr T marker = T(1 << 20);  // no product here is as large
};

// Where vectors lie in a call.
enum class Memory { host, device, only_y };

template <Value T>
void expect_right(const WidePlan<T>& p, const Csr<T, std::int32_t>& a, std::mt19937_64& random,
                  Op op, T alpha, T beta, int form, Memory memory) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const bool n = op == Op::none;
  const index_t columns = 2 + form % 3;
  const auto layout = [&](int bit) {
    return form & bit ? Layout::row_major : Layout::column_major;
  };
  Block<T> in(n ? p.cols() : p.rows(), columns, layout(1), form & 4 ? 3 : 0),
      out(n ? p.rows() : p.cols(), columns, layout(2), form & 4 ? 2 : 0);
  std::vector<std::vector<T>> x, before;
  for (index_t j = 0; j < columns; ++j) {
    x.push_back(numbers<T>(random, in.rows));
    before.push_back(numbers<T>(random, out.rows));
    // What is not to be read is no number.
    in.put(j, alpha == 0 ? std::vector<T>(x.back().size(), nan) : x.back());
    out.put(j, beta == 0 ? std::vector<T>(before.back().size(), nan) : before.back());
  }
  if (memory == Memory::host) {
    p.multiply(alpha, in.view(std::as_const(in).all.data()), beta, out.view(out.all.data()), op);
  } else {
    const Stream stream(p.device());
    const DeviceArray<T> far_x(p.device(), std::span<const T>(in.all));
    DeviceArray<T> far_y(p.device(), std::span<const T>(out.all));
    p.multiply(alpha,
               in.view(memory == Memory::only_y ? std::as_const(in).all.data()
                                                : std::as_const(far_x).data()),
               beta, out.view(far_y.data()), op, stream);
    stream.wait();
    far_y.download(out.all);
  }
  for (index_t j = 0; j < columns; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const Verdict v = check_product<T>(a.view(), op, alpha, x[at], beta, before[at], out.column(j));
    ASSERT_TRUE(v.right()) << fmt::format("{} alpha {} beta {} form {} vector {}: {}", name(op),
                                          alpha, beta, form, j, v.message());
  }
  EXPECT_TRUE(out.gaps_are_as_they_were()) << "form " << form;
}

// Neighbours, and places far apart on either side and on both.
struct SomeCase {
  std::int64_t rows, cols;
  int entries;
  WideCut cut;
  bool scattered;
};
const SomeCase cases[] = {{200, 200, 400, {90, 77}, false}, {60, 1500, 20, {40, 2000}, true},
                          {1500, 60, 20, {2000, 40}, true}, {1500, 1500, 20, {}, true},
                          {1, 1500, 12, {5, 2000}, true},   {7, 5, 0, {}, false}};

template <Value T>
void in_all_layouts() {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(),
              endless = std::numeric_limits<T>::infinity();
  const std::pair<T, T> scalars[] = {{1, 0},   {T(1.5), T(-0.5)},  {-1, 1}, {0, 2}, {0, 0},
                                     {nan, 0}, {-endless, T(0.5)}, {1, nan}};
  std::mt19937_64 random(seed());
  for (const std::string& device : places())
    for (const SomeCase& c : cases) {
      SCOPED_TRACE(fmt::format("{} x {} on {}, parts of {} x {}, NZ_TEST_SEED={}", c.rows, c.cols,
                               device, c.cut.rows, c.cut.cols, seed()));
      const Both<T> both = drawn<T>(random, c.rows, c.cols, c.entries, c.scattered);
      const auto p =
          wide_plan(both.wide.view(), {.device = device_named(device), .op = both_ops}, c.cut);
      EXPECT_EQ(p.text().find("not neighbours") != std::string::npos, c.scattered) << p.text();
      int turn = 0, round = 0;
      for (const Op op : all_ops)
        for (const auto& [alpha, beta] : scalars) {
          // To be quick: all forms in double, on the emulator of some scalars; otherwise one in
          // turn.
          const bool all = sizeof(T) == 8 && (device == "cpu" || beta * alpha < 0);
          const int only = round++ % 8;
          for (int form = all ? 0 : only; form <= (all ? 7 : only); ++form) {
            const Memory memory = device == "cpu" || turn % 5 == 0 ? Memory::host
                                  : turn % 5 == 1                  ? Memory::only_y
                                                                   : Memory::device;
            expect_right(p, both.plain, random, op, alpha, beta, form, memory);
            if (testing::Test::HasFatalFailure()) return;
            ++turn;
          }
        }
    }
}
TEST(WideSeveral, AllLayoutsAreWithinTheBoundInFloat) { in_all_layouts<float>(); }
TEST(WideSeveral, AllLayoutsAreWithinTheBoundInDouble) { in_all_layouts<double>(); }

// The real size, with memory only where it is touched: places beyond 2^32 elements in both layouts.
TEST(WideSeveral, MoreThan2To31Columns) {
  constexpr std::int64_t many = (std::int64_t{1} << 31) + 1000;
  const std::int64_t rows[] = {0, 1, 2, 2}, columns[] = {many - 1, many - 7, 5, many - 2};
  const float values[] = {1, 2, 3, 4};
  const Mapped<float> x(2 * many);
  if (!x) GTEST_SKIP() << "the system maps no 17 GB";
  for (const std::string& device : places())
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      const auto p = wide_plan(WideCooView<float>{3, many, 4, rows, columns, values},
                               {.device = device_named(device), .op = both_ops});
      const WideDenseView<float> all(x.all().data(), many, 2, layout);
      const auto at = [&](std::int64_t i, int j) -> float& {
        return x[i * all.row_stride() + j * all.column_stride()];
      };
      for (const std::int64_t i : columns) at(i, 0) = static_cast<float>(i % 5), at(i, 1) = 10;
      std::vector<float> y(6, -1), wanted(6);
      for (int k = 0; k < 4; ++k)
        for (const int j : {0, 1}) wanted[rows[k] * 2 + j] += values[k] * at(columns[k], j);
      p.multiply(1, all, 0, row_major(y.data(), 3, 2));
      EXPECT_EQ(y, wanted) << device;
      p.multiply(1, row_major(y.data(), 3, 2), 1, all, Op::transpose);
      for (int k = 0; k < 4; ++k)
        for (const int j : {0, 1}) {
          const float before = j == 1 ? 10 : static_cast<float>(columns[k] % 5);
          EXPECT_EQ(at(columns[k], j), before + values[k] * wanted[rows[k] * 2 + j]) << device;
          at(columns[k], j) = 0;
        }
    }
}

// One vector, none, and the views of ordinary matrices.
TEST(WideSeveral, TakesOrdinaryViews) {
  const WideCoo<double> a{3, 4, Array<std::int64_t>{0, 2, 2}, Array<std::int64_t>{1, 0, 3},
                          Array<double>{1, 2, 3}};
  const auto p = wide_plan(a.view(), {.op = both_ops});
  EXPECT_TRUE(p.supports(Op::none) && p.supports(Op::transpose) && p.repeats(Op::none));
  std::vector<double> x{1, 10, 2, 20, 3, 30, 4, 40}, y(6, -1);
  p.multiply(1, row_major(std::as_const(x).data(), 4, 2), 0, row_major(y.data(), 3, 2));
  EXPECT_EQ(y, (std::vector<double>{2, 20, 0, 0, 14, 140}));
  p.multiply(1, row_major(x.data(), 4, 2), 1, column_major(y.data(), 3, 2));
  EXPECT_EQ(y, (std::vector<double>{4, 20, 14, 20, 14, 280}));
  // A column of a matrix by rows is one vector with gaps.
  std::vector<double> z(3, 7);
  p.multiply(1, row_major(x.data(), 4, 1, 2), 0, column_major(z.data(), 3, 1));
  EXPECT_EQ(z, (std::vector<double>{2, 0, 14}));
  p.multiply(1, row_major(x.data(), 4, 0), 0, row_major(z.data(), 3, 0));
  EXPECT_EQ(z, (std::vector<double>{2, 0, 14}));
  p.multiply(2, column_major(z.data(), 3, 1), 0, row_major(x.data(), 4, 1), Op::transpose);
  EXPECT_EQ(std::vector<double>(x.begin(), x.begin() + 4), (std::vector<double>{56, 4, 0, 84}));
}

TEST(WideSeveral, SaysWhatIsWrong) {
  constexpr std::int64_t many = 5'000'000'000;
  const WideCoo<float> a{3, many, Array<std::int64_t>{0, 2}, Array<std::int64_t>{1, many - 1},
                         Array<float>{1, 2}};
  const auto p = wide_plan(a.view());
  std::vector<float> v(64);
  float *x = v.data(), *y = v.data() + 32;
  using View = WideDenseView<float>;
  const auto said = [&](const View& from, const View& to) {
    return message_of<InvalidArgument>([&] { p.multiply(1, from, 0, to); });
  };
  const View right(y, 3, 2, Layout::row_major);
  EXPECT_EQ(said(row_major(x, 4, 2), right), "X has 4 rows, needs 5000000000");
  EXPECT_EQ(said({x, many, 2, Layout::column_major}, row_major(y, 4, 2)), "Y has 4 rows, needs 3");
  EXPECT_EQ(said({x, many, 3, Layout::column_major}, right), "X has 3 columns, Y 2");
  EXPECT_EQ(said({x, many, 2, Layout::column_major, many - 1}, right),
            "X is stored by columns of 5000000000 elements, 4999999999 apart");
  EXPECT_EQ(said({x, many, 2, Layout::row_major, 1}, right),
            "X is stored by rows of 2 elements, 1 apart");
  EXPECT_EQ(said({x, many, -1, Layout::row_major, 1}, right), "X has -1 columns");
  EXPECT_EQ(
      said({x, many, 2, Layout::row_major, std::numeric_limits<std::int64_t>::max() / 2}, right),
      "X has 2 columns and a leading dimension of 4611686018427387903");
  EXPECT_EQ(said({x, many, 2, Layout::row_major}, right), "X and Y overlap");
}

}  // namespace
}  // namespace nz::test
