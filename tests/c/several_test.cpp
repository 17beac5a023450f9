#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "c/devices_here.hpp"
#include "c/given.hpp"

// Y = alpha op(A) X + beta Y with X and Y in every layout.
namespace nz::test {
namespace {

template <class T>
class CSeveral : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CSeveral, Types);

constexpr std::int32_t count = 5;
constexpr nz_layout layouts[] = {NZ_ROW_MAJOR, NZ_COLUMN_MAJOR};

// A matrix of `count` columns with a gap behind each of its rows or columns.
template <class T>
struct Block {
  nz_layout layout;
  std::size_t rows;
  std::vector<T> elements;

  Block(nz_layout layout_, std::size_t rows_, int from)
      : layout(layout_),
        rows(rows_),
        elements(numbers<T>(layout == NZ_ROW_MAJOR ? rows * leading() : count * leading(), from)) {}
  std::size_t leading() const { return layout == NZ_ROW_MAJOR ? count + 2 : rows + 3; }
  std::size_t place(std::size_t i, std::size_t j) const {
    return layout == NZ_ROW_MAJOR ? i * leading() + j : j * leading() + i;
  }
  std::vector<T> column(std::size_t j) const {
    std::vector<T> v(rows);
    for (std::size_t i = 0; i < rows; ++i) v[i] = elements[place(i, j)];
    return v;
  }
  // That everything but the elements themselves is as it is there.
  void expect_gaps_of(const Block& before) const {
    std::vector<bool> inside(elements.size());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < count; ++j) inside[place(i, j)] = true;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (inside[k]) continue;
      EXPECT_EQ(elements[k], before.elements[k]) << k;
    }
  }
};

template <class T, class Function>
nz_status call(Function f, const nz_plan* plan, nz_op op, T alpha, const Block<T>& x, T beta,
               Block<T>& y) {
  return f(plan, op, count, alpha, x.elements.data(), x.layout,
           static_cast<std::int64_t>(x.leading()), beta, y.elements.data(), y.layout,
           static_cast<std::int64_t>(y.leading()), nullptr);
}

TYPED_TEST(CSeveral, EveryLayoutOnDevices) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  nz_plan_options o = plan_options();
  o.op = NZ_BOTH;
  o.vectors = count;
  std::vector<const char*> devices = devices_here();
  devices.push_back("cpu");
  for (const char* device : devices) {
    o.device = device;
    const PlanHandle plan = planned(borrowed(a), &o);
    for (const nz_op op : {NZ_NONE, NZ_TRANSPOSE})
      for (const nz_layout from : layouts)
        for (const nz_layout to : layouts) {
          const Block<T> x(from, op == NZ_NONE ? 17 : 31, 1);
          const Block<T> before(to, op == NZ_NONE ? 31 : 17, 4);
          Block<T> y = before, z = before;
          ASSERT_EQ(call(C<T>::multiply_several, plan.get(), op, T(3), x, T(0.5), y), NZ_OK)
              << nz_last_error();
          ASSERT_EQ(call(C<T>::enqueue_several, plan.get(), op, T(3), x, T(0.5), z), NZ_OK);
          ASSERT_EQ(nz_plan_wait(plan.get(), nullptr), NZ_OK);
          for (const Block<T>& result : {y, z}) {
            for (std::size_t j = 0; j < count; ++j) {
              const Verdict v = check_product<T, std::int32_t>(
                  a.view(), op == NZ_NONE ? Op::none : Op::transpose, T(3), x.column(j), T(0.5),
                  before.column(j), result.column(j));
              EXPECT_TRUE(v.right()) << device << ' ' << v.message();
            }
            result.expect_gaps_of(before);
          }
        }
  }
}

TYPED_TEST(CSeveral, WithoutGapsAndWithoutVectors) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> x = numbers<T>(17 * 2);
  std::vector<T> y(31 * 2, std::numeric_limits<T>::quiet_NaN());  // beta = 0 never reads it
  ASSERT_EQ(C<T>::multiply_several(plan.get(), NZ_NONE, 2, T(1), x.data(), NZ_COLUMN_MAJOR, 0, T(0),
                                   y.data(), NZ_COLUMN_MAJOR, 0, nullptr),
            NZ_OK)
      << nz_last_error();
  for (std::size_t j = 0; j < 2; ++j) {
    const Verdict v = check_product<T, std::int32_t>(
        a.view(), Op::none, T(1), std::span(x).subspan(17 * j, 17), T(0), std::vector<T>(31),
        std::span<const T>(y).subspan(31 * j, 31));
    EXPECT_TRUE(v.right()) << v.message();
  }
  EXPECT_EQ(C<T>::multiply_several(plan.get(), NZ_NONE, 0, T(1), nullptr, NZ_ROW_MAJOR, 0, T(0),
                                   nullptr, NZ_ROW_MAJOR, 0, nullptr),
            NZ_OK);
}

TYPED_TEST(CSeveral, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> x = numbers<T>(17 * 2);
  std::vector<T> y = numbers<T>(31 * 2, 2);
  const std::vector<T> before = y;
  const auto several = [&](std::int32_t n, const T* from, nz_layout layout, std::int64_t leading,
                           T* to, std::int64_t y_leading) {
    return C<T>::multiply_several(plan.get(), NZ_NONE, n, T(1), from, layout, leading, T(1), to,
                                  NZ_ROW_MAJOR, y_leading, nullptr);
  };
  EXPECT_EQ(several(-1, x.data(), NZ_ROW_MAJOR, 2, y.data(), 2), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("count is -1"));
  EXPECT_EQ(several(2, x.data(), 7, 2, y.data(), 2), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("no layout has the number 7"));
  EXPECT_EQ(several(2, x.data(), NZ_COLUMN_MAJOR, 16, y.data(), 2), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("X is stored by columns of 17 elements, 16 apart"));
  EXPECT_EQ(several(2, x.data(), NZ_ROW_MAJOR, 2, y.data(), 1), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("Y is stored by rows of 2 elements, 1 apart"));
  EXPECT_EQ(several(2, x.data(), NZ_ROW_MAJOR, -2, y.data(), 2), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(several(2, nullptr, NZ_ROW_MAJOR, 2, y.data(), 2), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("x is NULL"));
  EXPECT_EQ(several(2, x.data(), NZ_ROW_MAJOR, 2, nullptr, 2), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("y is NULL"));
  EXPECT_EQ(several(2, y.data() + 20, NZ_ROW_MAJOR, 2, y.data(), 2), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("overlap"));
  EXPECT_EQ(C<T>::multiply_several(nullptr, NZ_NONE, 2, T(1), x.data(), NZ_ROW_MAJOR, 2, T(1),
                                   y.data(), NZ_ROW_MAJOR, 2, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::enqueue_several(plan.get(), NZ_BOTH, 2, T(1), x.data(), NZ_ROW_MAJOR, 2, T(1),
                                  y.data(), NZ_ROW_MAJOR, 2, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::enqueue_several(plan.get(), NZ_NONE, 2, T(1), x.data(), NZ_ROW_MAJOR, 2, T(1),
                                  y.data(), NZ_ROW_MAJOR, 2, &y),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("stream"));
  EXPECT_EQ(y, before);
}

// Programs that were compiled before there was nz_plan_options::vectors.
TEST(CSeveralOptions, AreForOneVectorInOldPrograms) {
  constexpr std::size_t old = offsetof(nz_plan_options, vectors);
  nz_plan_options o;
  o.vectors = 77;
  ASSERT_EQ(nz_plan_options_init(&o, old), NZ_OK);
  EXPECT_EQ(o.size, old);
  EXPECT_EQ(o.vectors, 77);  // beyond their struct
  o.vectors = -3;
  const auto a = uneven<double>(31, 17);
  expect_right(planned(borrowed(a), &o).get(), a);
  o = plan_options();
  EXPECT_EQ(o.vectors, 1);
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1} << 40}) {
    o.vectors = wrong;
    nz_plan* plan = nullptr;
    EXPECT_EQ(nz_plan_create(&plan, borrowed(a).get(), &o), NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says("vectors is " + std::to_string(wrong)));
  }
}

}  // namespace
}  // namespace nz::test
