#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include <nonzero/kernel.hpp>
#include <nonzero/threads.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"

// What the peers share. A library is asked only for products that have something to multiply: not
// all of them keep the promises that alpha = 0 reads neither A nor x and that empty is allowed.
namespace nz::lab::peers {

template <Value T>
class PeerProduct : public Product<T> {
 public:
  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const final {
    if (alpha == T(0) || empty())
      cpu::scale(beta, y);
    else
      run(op, alpha, x.data(), beta, y.data());
  }

  std::size_t traffic(Op op, bool reads_y) const final {
    const std::size_t again = reads_y ? length_out(op) : 0;
    return stored() + (length_in(op) + length_out(op) + again) * sizeof(T);
  }

 protected:
  // `slots`: how many values the library multiplies, fill included.
  PeerProduct(index_t rows, index_t cols, std::size_t slots)
      : rows_(rows), cols_(cols), slots_(slots), threads_(threads()) {}

  // y = alpha op(A) x + beta y, alpha not 0, nothing empty.
  virtual void run(Op op, T alpha, const T* x, T beta, T* y) const = 0;

  // The bytes of the matrix that one product reads.
  virtual std::size_t stored() const = 0;

  // y = beta y on the threads of this product, for libraries that only add to y.
  void scale(T beta, T* y, std::size_t n) const {
    on_ranges(n, [=](std::size_t begin, std::size_t end) {
      cpu::scale(beta, std::span<T>(y + begin, end - begin));
    });
  }

  // y = alpha t + beta y likewise, for libraries that take no factors.
  void combine(T alpha, const T* t, T beta, T* y, std::size_t n) const {
    on_ranges(n, [=](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) cpu::store(y[i], alpha, t[i], beta);
    });
  }

  bool empty() const { return slots_ == 0; }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  std::size_t slots() const { return slots_; }
  int thread_count() const { return threads_; }
  std::size_t length_in(Op op) const {
    return static_cast<std::size_t>(op == Op::none ? cols_ : rows_);
  }
  std::size_t length_out(Op op) const {
    return static_cast<std::size_t>(op == Op::none ? rows_ : cols_);
  }

 private:
  template <class Body>
  void on_ranges(std::size_t n, Body&& body) const {
    const ThreadScope scope(threads_);
    parallel_ranges(n, body);
  }

  index_t rows_;
  index_t cols_;
  std::size_t slots_;
  int threads_;
};

// `prepare` for a product type that takes float and double with any offsets, or with 32-bit ones.
template <template <class> class P, class T, class O>
std::unique_ptr<Product<T>> prepare_peer(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<P<T>>(a, p);
}

template <template <class> class P>
PrepareTable any_offsets() {
  return {prepare_peer<P, float, std::int32_t>, prepare_peer<P, float, std::int64_t>,
          prepare_peer<P, double, std::int32_t>, prepare_peer<P, double, std::int64_t>};
}

template <template <class> class P>
PrepareTable offsets_of_32_bits() {
  return {prepare_peer<P, float, std::int32_t>, nullptr, prepare_peer<P, double, std::int32_t>,
          nullptr};
}

}  // namespace nz::lab::peers
