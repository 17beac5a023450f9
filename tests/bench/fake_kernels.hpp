#pragma once
#include <functional>
#include <memory>
#include <vector>

#include <nonzero/kernel.hpp>
#include <nonzero/registry.hpp>

// Kernels that misbehave, to see what the bench makes of them.
namespace nz::test {

// Plain CSR in double precision with 32-bit offsets; then `after` may spoil y.
class FakeProduct final : public Product<double> {
 public:
  using After = std::function<void(std::span<double>)>;
  FakeProduct(const CsrView<double, std::int32_t>& a, After after)
      : a_(a), after_(std::move(after)) {}

  void multiply(Op, double alpha, std::span<const double> x, double,
                std::span<double> y) const override {
    for (index_t i = 0; i < a_.rows; ++i) {
      double sum = 0;
      for (auto k = a_.offsets[i]; k < a_.offsets[i + 1]; ++k)
        sum += a_.values[k] * x[static_cast<std::size_t>(a_.columns[k])];
      y[static_cast<std::size_t>(i)] = alpha * sum;
    }
    after_(y);
  }
  std::size_t bytes() const override { return 100; }
  bool borrows() const override { return true; }
  std::size_t traffic(Op, bool) const override { return 1000; }
  Facts facts() const override { return {{"answer", 42}}; }

 private:
  CsrView<double, std::int32_t> a_;
  After after_;
};

using FakePrepare = Prepare<double, std::int32_t>;

inline Kernel fake_kernel(std::string_view strategy, FakePrepare prepare) {
  Kernel k{.family = "test", .format = "csr", .strategy = strategy, .source = "own"};
  std::get<FakePrepare>(k.prepare) = prepare;
  return k;
}

template <class After>
std::unique_ptr<Product<double>> fake_product(const CsrView<double, std::int32_t>& a, After after) {
  return std::make_unique<FakeProduct>(a, after);
}

}  // namespace nz::test
