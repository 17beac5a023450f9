#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"

// An infinite value belongs to its own row and column, also where a format keeps a table of values
// and pads: what stands for nothing must not be multiplied.
namespace nz::test {
namespace {

constexpr index_t rows = 83, cols = 71;

// Few values, the first of them infinite; rows of different lengths, in runs and alone.
template <class T>
Csr<T, std::int32_t> few_values() {
  std::vector<index_t> row, column;
  std::vector<T> value;
  const T all[] = {std::numeric_limits<T>::infinity(), T(1.5), T(-2)};
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = i % 3; j < cols; j += 1 + (i * j) % 5) {
      if (j > 3 * (i % 7) && (i + j) % 4 != 0) continue;
      row.push_back(i);
      column.push_back(j);
      value.push_back(i % 17 == 4 ? all[0] : all[1 + (i + j) % 2]);
    }
  return csr_from_triplets<T, std::int32_t>(rows, cols, row, column, value);
}

class InfiniteValues : public ::testing::TestWithParam<Place> {};

template <class T>
void stay_in_their_rows(const Kernel& kernel, Device device) {
  if (!kernel.prepare_for<T, std::int32_t>(device.kind)) return;
  const auto a = few_values<T>();
  Plan<T> p;
  try {
    p = plan(a.view(), {.kernel = kernel.id(),
                        .parameters = without_limit(kernel),
                        .threads = 2,
                        .device = device});
  } catch (const Refused&) {
    return;
  }
  for (const Op op : all_ops) {
    if (!kernel.supports(op)) continue;
    const auto n = static_cast<std::size_t>(op == Op::none ? cols : rows);
    const auto m = static_cast<std::size_t>(op == Op::none ? rows : cols);
    std::vector<T> x(n), y(m, nan<T>);
    for (std::size_t i = 0; i < n; ++i) x[i] = T(1) + static_cast<T>(i % 5) / 8;
    p.multiply(T(-0.5), std::span<const T>(x), T(0), std::span<T>(y), op);
    auto exact = exact_product<T, std::int32_t>(a.view(), op, T(-0.5), x, T(0), y);
    if (op == Op::none && kernel.shared_rounding > 0)
      exact = widened<T, std::int32_t>(exact, a.view(), T(-0.5), x, kernel.shared_rounding);
    const Verdict v = exact.judge(y);
    EXPECT_TRUE(v.right()) << name(op) << ", " << name(value_type_of<T>) << ": " << v.message();
  }
}

TEST_P(InfiniteValues, StayInTheirRows) {
  NZ_NEEDS(GetParam().device);
  stay_in_their_rows<float>(*GetParam().kernel, GetParam().device);
  stay_in_their_rows<double>(*GetParam().kernel, GetParam().device);
}

INSTANTIATE_TEST_SUITE_P(Registry, InfiniteValues, ::testing::ValuesIn(places("?pu/*")), test_name);

}  // namespace
}  // namespace nz::test
