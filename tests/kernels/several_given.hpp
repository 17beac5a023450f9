#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/device.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "kernels/battery.hpp"
#include "kernels/conform.hpp"

// Products of several vectors for tests: X and Y in every layout, judged column by column by the
// bound that holds for one vector.
namespace nz::test {

struct Shape {
  index_t columns;
  Layout x, y;
  int x_gap, y_gap;  // elements between rows, or columns, that belong to nobody
};

template <class T>
inline constexpr T nobodys = T(-7.25);

// Several vectors with gaps between them, in host memory.
template <class T>
struct Owned {
  index_t rows, columns;
  Layout layout;
  std::int64_t leading;
  std::vector<T> data;

  Owned(index_t r, index_t c, Layout l, int gap)
      : rows(r), columns(c), layout(l), leading((l == Layout::row_major ? c : r) + gap) {
    data.assign(static_cast<std::size_t>((l == Layout::row_major ? r : c) * leading), nobodys<T>);
  }
  DenseView<T> view(T* at) { return {at, rows, columns, layout, leading}; }
  DenseView<T> view() { return view(data.data()); }
  std::vector<T> column(index_t j) {
    std::vector<T> v(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i) v[static_cast<std::size_t>(i)] = view()(i, j);
    return v;
  }
  bool gaps_intact() {
    std::vector<T> copy = data;
    DenseView<T> v{copy.data(), rows, columns, layout, leading};
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j) v(i, j) = nobodys<T>;
    return std::all_of(copy.begin(), copy.end(), [](T e) { return e == nobodys<T>; });
  }
};

template <class T>
void multiply_there(const Plan<T>& plan, Op op, T alpha, Owned<T>& x, T beta, Owned<T>& y) {
  if (plan.device() == cpu_device) return plan.multiply(alpha, x.view(), beta, y.view(), op);
  const DeviceArray<T> from(plan.device(), std::span<const T>(x.data));
  DeviceArray<T> to(plan.device(), std::span<const T>(y.data));
  const DenseView<const T> in{from.data(), x.rows, x.columns, x.layout, x.leading};
  plan.multiply(alpha, in, beta, y.view(to.data()), op);
  wait_for(plan.device());
  to.download(y.data);
}

template <class T, class O>
void several(const Kernel& kernel, Device device, const CsrView<T, O>& a,
             const CsrView<T, O>& truth, const Shape& s, Op op, T alpha, T beta,
             std::mt19937_64& random, const Parameters& asked = {}) {
  SCOPED_TRACE(
      fmt::format("{} on {}, {}, op {}, {} columns, X by {}, Y by {}, alpha {}, beta {}, "
                  "NZ_TEST_SEED={}",
                  kernel.id(), device.name(), name(value_type_of<T>), name(op), s.columns,
                  s.x == Layout::row_major ? "rows" : "columns",
                  s.y == Layout::row_major ? "rows" : "columns", alpha, beta, seed()));
  PlanOptions options{.kernel = kernel.id(), .parameters = without_limit(kernel), .threads = 3};
  // Small matrices have several parts, too, which may share rows.
  for (const Parameter& q : kernel.parameters)
    if (q.name == "grain" && random() % 2 == 0) options.parameters["grain"] = q.min;
  for (const auto& [name, value] : asked) options.parameters[name] = value;
  options.device = device;
  options.op = op;
  options.vectors = s.columns;
  const Plan<T> p = plan(a, options);
  EXPECT_EQ(p.product().has_several(Op::none), kernel.several);
  const index_t in = op == Op::none ? a.cols : a.rows, out = op == Op::none ? a.rows : a.cols;
  Owned<T> x(in, s.columns, s.x, s.x_gap), y(out, s.columns, s.y, s.y_gap);
  std::uniform_real_distribution<T> number(T(-1), T(1));
  for (index_t j = 0; j < s.columns; ++j) {
    for (index_t i = 0; i < in; ++i) x.view()(i, j) = number(random);
    for (index_t i = 0; i < out; ++i)
      y.view()(i, j) = beta == T(0) ? std::numeric_limits<T>::quiet_NaN() : number(random);
  }
  Owned<T> before = y;
  const std::vector<T> given = x.data;
  multiply_there(p, op, alpha, x, beta, y);
  EXPECT_TRUE(same_bits<T>(given, x.data)) << "changed X";
  EXPECT_TRUE(y.gaps_intact()) << "wrote between the columns of Y";
  for (index_t j = 0; j < s.columns; ++j) {
    const std::vector<T> from = x.column(j), start = before.column(j), end = y.column(j);
    auto exact = exact_product<T, O>(truth, op, alpha, from, beta, start);
    if (kernel.shared_rounding > 0 && op == Op::none)
      exact = widened<T, O>(exact, truth, alpha, from, kernel.shared_rounding);
    if (kernel.flushes(op, value_type_of<T>, device.kind))
      exact = flushed<T, O>(exact, truth, op, alpha);
    const Verdict v = exact.judge(end);
    ASSERT_TRUE(v.right()) << "column " << j << ": " << v.message();
  }
  if (!kernel.repeats(op)) return;
  Owned<T> again = before;
  multiply_there(p, op, alpha, x, beta, again);
  EXPECT_TRUE(same_bits<T>(y.data, again.data)) << "called deterministic, but differs";
}

// Row i has length(i) entries, the j-th of them in the column place(i, j); values are drawn.
template <class T, class Length, class Place>
Csr<T, std::int32_t> rows_with(index_t rows, index_t columns, std::mt19937_64& random,
                               Length&& length, Place&& place) {
  std::vector<index_t> row, column;
  std::vector<T> values;
  for (index_t i = 0; i < rows; ++i) {
    const index_t entries = length(i);
    for (index_t j = 0; j < entries; ++j) {
      row.push_back(i);
      column.push_back(place(i, j));
      values.push_back(std::uniform_real_distribution<T>(T(-1), T(1))(random));
    }
  }
  return csr_from_triplets<T, std::int32_t>(rows, columns, row, column, values);
}

}  // namespace nz::test
