#pragma once
#include <memory>
#include <span>

#include <nonzero/error.hpp>
#include <nonzero/kernel.hpp>
#include <nonzero/threads.hpp>

#include "base/team_size.hpp"
#include "kernels/cpu/cpu_product.hpp"

namespace nz::cpu {

// A product by a strategy that spreads over threads and takes care of beta itself, a type with
// - static Format convert(const CsrView<T, O>&, const Parameters&, int threads): or the view itself
// - static void multiply(view, threads, alpha, x, beta, y): pointers, alpha finite and not 0;
//   `threads` may be fewer than convert() was told
// - static void multiply_transposed(view, threads, alpha, x, beta, y): only where it transposes
// The format's bytes() are all it holds; its view's bytes() are what a multiply reads.
template <Value T, Offset O, class Strategy>
class ThreadedProduct final : public StoredProduct<T, O, Converted<Strategy, T, O, int>> {
  using Base = StoredProduct<T, O, Converted<Strategy, T, O, int>>;

 public:
  ThreadedProduct(const CsrView<T, O>& a, const Parameters& p)
      : Base(Strategy::convert(a, p, nz::threads())), threads_(nz::threads()) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    const auto v = this->view();
    const TeamSize team(threads_);
    if (!is_transposed(op)) {
      Strategy::multiply(v, team.size(), alpha, x.data(), beta, y.data());
    } else {
      if constexpr (requires {
                      Strategy::multiply_transposed(v, threads_, alpha, x.data(), beta, y.data());
                    })
        Strategy::multiply_transposed(v, team.size(), alpha, x.data(), beta, y.data());
      else
        throw InvalidArgument("this kernel has no transposed product");
    }
  }

 private:
  int threads_;
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
