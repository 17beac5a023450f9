#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nonzero/array.hpp>
#include <nonzero/kernel.hpp>

#include "base/complex.hpp"
#include "kernels/bsr_parameters.hpp"
#include "kernels/complex_product.hpp"

// What every CPU kernel shares, so that a kernel's file is its two loops and its entry.
namespace nz::cpu {

// y = alpha * sum + beta * y without reading y when beta = 0.
template <class T>
void store(T& y, FactorOf<T> alpha, T sum, T beta) {
  y = beta == T(0) ? alpha * sum : alpha * sum + beta * y;
}

// The byte model of all of them: what is read of the matrix, x and y once, y again where it is
// read.
template <class View>
std::size_t traffic_of(const View& a, std::size_t matrix_bytes, Op op, bool reads_y) {
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  const std::size_t again = !reads_y ? 0 : is_transposed(op) ? cols : rows;
  return matrix_bytes + (rows + cols + again) * sizeof(typename View::value_type);
}

// y = beta * y without reading y when beta = 0.
template <class T>
void scale(T beta, std::span<T> y) {
  if (beta == T(0))
    std::fill(y.begin(), y.end(), T(0));
  else if (beta != T(1))
    for (T& v : y) v *= beta;
}

// What every product does first: y = beta y where alpha is 0, and the formula on every element of y
// where alpha is not finite, so that no kernel need think of it. Only infinities allocate: the sums
// come first, because an infinite alpha times a part of a sum is not what it is times the whole.
// False: alpha is an ordinary number, and nothing was done.
template <Value T>
bool take_rare_alpha(const Product<T>& product, Op op, T alpha, std::span<const T> x, T beta,
                     std::span<T> y) {
  if (alpha == T(0)) {
    scale(beta, y);
    return true;
  }
  if (is_finite(alpha)) return false;
  if (is_nan(alpha)) {
    std::fill(y.begin(), y.end(), all_nan(alpha));
    return true;
  }
  Array<T> sums(y.size());
  product.multiply(op, T(1), x, T(0), {sums.data(), sums.size()});
  const FactorOf<T> factor = detail::KernelSide<T>::factor(alpha, false);
  for (std::size_t i = 0; i < y.size(); ++i) store(y[i], factor, sums[i], beta);
  return true;
}

// Holds what a strategy made of the matrix: an owner, or the view that it was given.
template <Value T, Offset O, class Stored>
class StoredProduct : public Product<T> {
 public:
  std::size_t bytes() const override {
    if constexpr (in_place)
      return 0;
    else
      return stored_.bytes();
  }
  bool borrows() const override { return in_place; }
  std::size_t traffic(Op op, bool reads_y) const override {
    return traffic_of(view(), view().bytes(), op, reads_y);
  }
  Facts facts() const override {
    if constexpr (requires(Stored s) { bsr_facts(s.view()); })
      return bsr_facts(view());
    else
      return {};
  }

 protected:
  explicit StoredProduct(Stored stored) : stored_(std::move(stored)) {}
  auto view() const {
    if constexpr (in_place)
      return stored_;
    else
      return stored_.view();
  }

 private:
  static constexpr bool in_place = std::is_same_v<Stored, CsrView<T, O>>;
  Stored stored_;
};

// What Strategy::convert makes of a matrix.
template <class Strategy, Value T, Offset O, class... More>
using Converted =
    decltype(Strategy::convert(std::declval<const CsrView<T, O>&>(),
                               std::declval<const Parameters&>(), std::declval<More>()...));

// A product by a strategy of one thread, a type with
// - static Format convert(const CsrView<T, O>&, const Parameters&): an owner, or the view itself
// - static void multiply(view, alpha, x, beta, y): pointers, alpha finite and not 0
// - static void multiply_transposed(view, alpha, x, y): adds to y, already scaled
// For complex values alpha and x come as FactorOf<T> and VectorOf<T>.
template <Value T, Offset O, class Strategy>
class CpuProduct final : public StoredProduct<T, O, Converted<Strategy, T, O>> {
  using Base = StoredProduct<T, O, Converted<Strategy, T, O>>;

 public:
  CpuProduct(const CsrView<T, O>& a, const Parameters& p) : Base(Strategy::convert(a, p)) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    using Side = detail::KernelSide<T>;
    const auto factor = Side::factor(alpha, is_conjugated(op));
    const auto from = Side::vector(x.data(), is_conjugated(op));
    if (!is_transposed(op)) {
      Strategy::multiply(this->view(), factor, from, beta, y.data());
    } else {
      scale(beta, y);
      Strategy::multiply_transposed(this->view(), factor, from, y.data());
    }
  }
};

template <class Strategy, Value T, Offset O>
std::unique_ptr<Product<T>> prepare_one(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<CpuProduct<T, O, Strategy>>(a, p);
}

// `prepare` for all four types.
template <class Strategy>
PrepareTable prepare_all() {
  return {prepare_one<Strategy, float, std::int32_t>, prepare_one<Strategy, float, std::int64_t>,
          prepare_one<Strategy, double, std::int32_t>, prepare_one<Strategy, double, std::int64_t>};
}
// And for the complex ones too.
template <class Strategy>
PrepareTable prepare_all_and_complex() {
  PrepareTable all = prepare_all<Strategy>();
  add_complex(all, []<class T, Offset O>(const CsrView<T, O>& a, const Parameters& p) {
    return prepare_one<Strategy>(a, p);
  });
  return all;
}

}  // namespace nz::cpu
