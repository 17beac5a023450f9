#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>

#include "base/short_floats.hpp"
#include "kernels/conform.hpp"

// What tests of kernels that narrow values and columns share.
namespace nz::test {

enum class Values { ones, few, floats, halves, bfloats, any };

class CodedMatrices : public ::testing::TestWithParam<Place> {
 protected:
  std::mt19937_64 random{seed()};

  // Rows of up to 40 entries, few columns apart but for a jump in every 50, and a long row.
  template <class T>
  Csr<T, std::int32_t> matrix(index_t rows, index_t jump, int long_row, Values values) {
    std::vector<index_t> r, c;
    std::vector<T> v;
    std::uniform_int_distribution<int> length(0, 40), apart(1, 3), small(0, 99);
    std::uniform_real_distribution<double> number(-1, 1);
    index_t cols = 1;
    for (index_t i = 0; i < rows; ++i) {
      const int n = i == rows / 2 ? long_row : length(random);
      index_t column = i;
      for (int k = 0; k < n; ++k, column += k % 50 == 25 ? jump : apart(random)) {
        r.push_back(i);
        c.push_back(column);
        v.push_back(values == Values::ones     ? T(1)
                    : values == Values::few    ? T(small(random)) / T(7)
                    : values == Values::floats ? T(static_cast<float>(number(random)))
                    : values == Values::halves
                        ? T(half_value(half_bits(static_cast<float>(number(random)))))
                    : values == Values::bfloats
                        ? T(bfloat_value(bfloat_bits(static_cast<float>(number(random)))))
                        : T(number(random)));
        cols = std::max(cols, column + 1);
      }
    }
    return csr_from_triplets<T, std::int32_t>(rows, cols, r, c, v);
  }

  template <class T>
  Plan<T> plan_of(const CsrView<T, std::int32_t>& a, const Parameters& parameters = {}) const {
    return nz::plan(
        a,
        {.kernel = GetParam().kernel->id(), .parameters = parameters, .device = GetParam().device});
  }

  template <class T>
  Facts check(const Csr<T, std::int32_t>& a, const Parameters& parameters) {
    const Plan<T> plan = plan_of(a.view(), parameters);
    for (const Exercise<T>& e : {Exercise<T>{Op::none, Input::finite, T(1.5), T(0)},
                                 {Op::transpose, Input::finite, T(1), T(0)},
                                 {Op::none, Input::non_finite, T(-0.75), T(0.5)},
                                 {Op::none, Input::finite, T(1), T(2)}}) {
      const bool turned = e.op == Op::transpose;
      auto x = numbers<T>(random, static_cast<std::size_t>(turned ? a.rows : a.cols), e.input);
      const auto before =
          numbers<T>(random, static_cast<std::size_t>(turned ? a.cols : a.rows), Input::finite);
      const auto exact = exact_product<T, std::int32_t>(a.view(), e.op, e.alpha, x, e.beta, before);
      multiply_and_check(plan, e, x, before, exact);
    }
    return plan.product().facts();
  }
};

}  // namespace nz::test
