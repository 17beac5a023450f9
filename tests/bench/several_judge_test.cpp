#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>

#include "lab/bench/several_judge.hpp"

namespace nz::test {
namespace {

// Plain sums of op(A) X, in the order of the entries.
template <class T>
void multiply(const CsrView<T, std::int32_t>& a, Op op, const DenseView<const T>& x,
              const DenseView<T>& y) {
  for (index_t j = 0; j < y.columns(); ++j) {
    for (index_t i = 0; i < y.rows(); ++i) y(i, j) = 0;
    for (index_t i = 0; i < a.rows; ++i)
      for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        const index_t c = a.columns[k];
        op == Op::none ? y(i, j) += a.values[k] * x(c, j) : y(c, j) += a.values[k] * x(i, j);
      }
  }
}

template <class T>
void finds_one_wrong_element() {
  const auto a =
      csr_cast<T, std::int32_t>(generate("random:rows=40,cols=30,density=0.2").matrix.view());
  constexpr index_t k = 9;
  lab::SeveralJudge<T, std::int32_t> judge(a.view());
  for (const Op op : all_ops)
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      index_t in = a.cols, out = a.rows;
      if (op == Op::transpose) std::swap(in, out);
      std::vector<T> x(static_cast<std::size_t>(in * k)), y(static_cast<std::size_t>(out * k));
      const DenseView<T> xs(x.data(), in, k, layout), ys(y.data(), out, k, layout);
      judge.fill_x(xs);
      multiply<T>(a.view(), op, xs, ys);
      const auto look = [&](std::int64_t most) { return judge.judge({.op = op}, ys, 0, most); };
      EXPECT_TRUE(look(1'000'000).right) << look(1'000'000).message;
      EXPECT_EQ(look(1'000'000).exact_columns, k);
      EXPECT_TRUE(look(1).right) << look(1).message;
      EXPECT_EQ(look(1).exact_columns, 4) << "the others by sums";
      // Columns of both kinds, and numbers that are none.
      for (const index_t j : {0, 3, k - 1})
        for (const T wrong : {ys(5, j) * T(1.01) + T(0.01), std::numeric_limits<T>::quiet_NaN()}) {
          const T was = ys(5, j);
          ys(5, j) = wrong;
          for (const std::int64_t most : {std::int64_t{1'000'000}, std::int64_t{1}}) {
            const auto v = look(most);
            EXPECT_FALSE(v.right);
            EXPECT_TRUE(v.message.starts_with("column " + std::to_string(j) + ": row 5 "))
                << v.message;
          }
          ys(5, j) = was;
        }
      // Two columns in each other's place.
      for (index_t i = 0; i < out; ++i) std::swap(ys(i, 3), ys(i, 4));
      EXPECT_FALSE(look(1).right);
      EXPECT_FALSE(look(1'000'000).right);
    }
}

TEST(SeveralJudge, FindsOneWrongElement) {
  finds_one_wrong_element<float>();
  finds_one_wrong_element<double>();
}

}  // namespace
}  // namespace nz::test
