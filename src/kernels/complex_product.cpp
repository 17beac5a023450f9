#include "kernels/complex_product.hpp"

#include <utility>

namespace nz {
namespace {

template <class R>
class ComplexProduct final : public Product<std::complex<R>> {
  using T = std::complex<R>;
  using K = KernelComplex<R>;

 public:
  explicit ComplexProduct(std::unique_ptr<Product<K>> inside) : inside_(std::move(inside)) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    inside_->multiply(op, as_kernel(alpha), inner(x), as_kernel(beta), inner(y));
  }
  void multiply_on(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                   std::span<T> y) const override {
    inside_->multiply_on(stream, op, as_kernel(alpha), inner(x), as_kernel(beta), inner(y));
  }
  void multiply_several(StreamView stream, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const override {
    inside_->multiply_several(stream, op, as_kernel(alpha), inner<const K>(x), as_kernel(beta),
                              inner<K>(y));
  }
  bool has_several(Op op) const override { return inside_->has_several(op); }

  std::unique_ptr<BoundProduct<T>> bind(StreamView stream, Op op, std::size_t x_size,
                                        std::size_t y_size) const override {
    return std::make_unique<Bound>(*this, inside_->bind(stream, op, x_size, y_size));
  }

  Device device() const override { return inside_->device(); }
  std::size_t bytes() const override { return inside_->bytes(); }
  bool borrows() const override { return inside_->borrows(); }
  std::size_t traffic(Op op, bool reads_y) const override { return inside_->traffic(op, reads_y); }
  Facts facts() const override { return inside_->facts(); }

 private:
  class Bound final : public BoundProduct<T> {
   public:
    Bound(const ComplexProduct& to, std::unique_ptr<BoundProduct<K>> inside)
        : BoundProduct<T>(to), inside_(std::move(inside)) {}
    std::size_t bytes() const override { return inside_->bytes(); }

   private:
    void queue(T alpha, const T* x, T beta, T* y) override {
      inside_->enqueue(as_kernel(alpha), as_kernel(x), as_kernel(beta), as_kernel(y));
    }
    std::unique_ptr<BoundProduct<K>> inside_;
  };

  static std::span<const K> inner(std::span<const T> v) { return {as_kernel(v.data()), v.size()}; }
  static std::span<K> inner(std::span<T> v) { return {as_kernel(v.data()), v.size()}; }
  template <class V, class U>
  static DenseView<V> inner(const DenseView<U>& v) {
    return {as_kernel(v.data()), v.rows(), v.columns(), v.layout(), v.leading()};
  }

  std::unique_ptr<Product<K>> inside_;
};

}  // namespace

template <class R>
std::unique_ptr<Product<std::complex<R>>> as_complex(
    std::unique_ptr<Product<KernelComplex<R>>> product) {
  return std::make_unique<ComplexProduct<R>>(std::move(product));
}

template std::unique_ptr<Product<std::complex<float>>> as_complex(
    std::unique_ptr<Product<KernelComplex<float>>>);
template std::unique_ptr<Product<std::complex<double>>> as_complex(
    std::unique_ptr<Product<KernelComplex<double>>>);

}  // namespace nz
