#pragma once
#include <memory>
#include <type_traits>
#include <utility>

#include <nonzero/error.hpp>
#include <nonzero/kernel.hpp>
#include <nonzero/threads.hpp>

#include "kernels/cpu/cpu_product.hpp"

namespace nz::cpu {

// CpuProduct for strategies that spread over threads and take care of beta themselves.
// Strategy is a type with
//   static Format convert(const CsrView<T, O>&, const Parameters&, int threads)   or the view
//   itself static void multiply(view, threads, alpha, x, beta, y)               pointers, alpha !=
//   0 static void multiply_transposed(view, threads, alpha, x, beta, y)    only where it transposes
// The format's bytes() are all it holds; its view's bytes() are what a multiply reads.
template <Value T, Offset O, class Strategy>
class ThreadedProduct final : public Product<T> {
 public:
  ThreadedProduct(const CsrView<T, O>& a, const Parameters& p)
      : threads_(nz::threads()), stored_(Strategy::convert(a, p, threads_)) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    const auto v = view();
    if (alpha == T(0)) {
      scale(beta, y);
    } else if (op == Op::none) {
      Strategy::multiply(v, threads_, alpha, x.data(), beta, y.data());
    } else {
      if constexpr (requires {
                      Strategy::multiply_transposed(v, threads_, alpha, x.data(), beta, y.data());
                    })
        Strategy::multiply_transposed(v, threads_, alpha, x.data(), beta, y.data());
      else
        throw InvalidArgument("this kernel has no transposed product");
    }
  }
  std::size_t bytes() const override { return borrows() ? 0 : stored_.bytes(); }
  bool borrows() const override { return std::is_same_v<Stored, CsrView<T, O>>; }
  std::size_t traffic(Op op, bool reads_y) const override {
    const auto v = view();
    const std::size_t vectors = static_cast<std::size_t>(v.rows) + static_cast<std::size_t>(v.cols);
    const auto again = static_cast<std::size_t>(op == Op::none ? v.rows : v.cols);
    return v.bytes() + (vectors + (reads_y ? again : 0)) * sizeof(T);
  }

 private:
  using Stored = decltype(Strategy::convert(std::declval<const CsrView<T, O>&>(),
                                            std::declval<const Parameters&>(), 1));
  auto view() const {
    if constexpr (std::is_same_v<Stored, CsrView<T, O>>)
      return stored_;
    else
      return stored_.view();
  }

  int threads_;
  Stored stored_;
};

template <class Strategy, Value T, Offset O>
std::unique_ptr<Product<T>> prepare_threaded_one(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<ThreadedProduct<T, O, Strategy>>(a, p);
}

// `prepare` for all four types.
template <class Strategy>
PrepareTable prepare_threaded() {
  return {prepare_threaded_one<Strategy, float, std::int32_t>,
          prepare_threaded_one<Strategy, float, std::int64_t>,
          prepare_threaded_one<Strategy, double, std::int32_t>,
          prepare_threaded_one<Strategy, double, std::int64_t>};
}

}  // namespace nz::cpu
