#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nonzero/kernel.hpp>
#include <nonzero/truth.hpp>

#include "kernels/battery.hpp"

namespace nz::test {

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

enum class Input { finite, non_finite, nan };

template <class T>
std::vector<T> numbers(std::mt19937_64& random, std::size_t n, Input kind) {
  if (kind == Input::nan) return std::vector<T>(n, nan<T>);
  std::uniform_real_distribution<T> value(T(-1), T(1));
  std::vector<T> v(n);
  for (T& e : v) e = value(random);
  if (kind == Input::non_finite) {
    const T odd[] = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                     nan<T>};
    for (std::size_t i = 1; i < n; i += 11) v[i] = odd[(i / 11) % 3];
  }
  return v;
}

template <class T>
struct Exercise {
  Op op;
  Input input;
  T alpha;
  T beta;
};

// The products that a kernel must make of one matrix. Their exact results are worked out once,
// however many numbers of threads and sets of parameters they judge.
template <class T, class O>
class Exercises {
 public:
  Exercises(const BatteryMatrix& entry, std::mt19937_64& random)
      : entry_(entry), matrix_(csr_cast<T, O>(entry.matrix.view())) {
    constexpr std::array values = {T(0), T(1), T(-0.5)};
    for (const Op op : all_ops) {
      const auto in = op == Op::none ? matrix_.cols : matrix_.rows;
      const auto out = op == Op::none ? matrix_.rows : matrix_.cols;
      for (const Input kind : {Input::finite, Input::non_finite, Input::nan})
        x_[{op, kind}] = numbers<T>(random, static_cast<std::size_t>(in), kind);
      before_[op] = numbers<T>(random, static_cast<std::size_t>(out), Input::finite);
      const std::size_t shift = random() % values.size();
      for (std::size_t i = 0; i < values.size(); ++i) {
        for (const T beta : values) all_.push_back({op, Input::finite, values[i], beta});
        // Each alpha and each beta once, in pairs that the battery passes through.
        all_.push_back({op, Input::non_finite, values[i], values[(i + shift) % values.size()]});
      }
      // alpha = 0 reads neither A nor x; the battery's NaN in A and this x would show.
      all_.push_back({op, Input::nan, T(0), T(-0.5)});
    }
  }

  const std::string& name() const { return entry_.name; }
  const Csr<T, O>& matrix() const { return matrix_; }
  const std::vector<Exercise<T>>& all() const { return all_; }
  const std::vector<T>& x(const Exercise<T>& e) const { return x_.at({e.op, e.input}); }
  const std::vector<T>& before(const Exercise<T>& e) const { return before_.at(e.op); }

  // The result of exercise `i`. With an infinite x, stored zeros count: truth is then the matrix as
  // the kernel's format fills it. The bounds are wider for kernels whose rows share their rounding.
  const Reference<T>& exact(std::size_t i, const Kernel& kernel, const Parameters& parameters) {
    const Exercise<T>& e = all_[i];
    const bool fill = kernel.with_fill && e.input == Input::non_finite;
    const int chunk = e.op == Op::none ? kernel.shared_rounding : 0;
    const auto [at, fresh] = exact_.try_emplace({i, chunk, fill ? parameters : Parameters{}});
    if (fresh) {
      const auto make = [&](const Csr<T, O>& truth) {
        return exact_product<T, O>(truth.view(), e.op, e.alpha, x(e), e.beta, before(e));
      };
      at->second =
          fill ? make(csr_cast<T, O>(kernel.with_fill(entry_.matrix.view(), parameters).view()))
               : make(matrix_);
      if (chunk > 0) at->second = widened<T, O>(at->second, matrix_.view(), e.alpha, x(e), chunk);
    }
    return at->second;
  }

 private:
  const BatteryMatrix& entry_;
  Csr<T, O> matrix_;
  std::vector<Exercise<T>> all_;
  std::map<std::pair<Op, Input>, std::vector<T>> x_;
  std::map<Op, std::vector<T>> before_;
  std::map<std::tuple<std::size_t, int, Parameters>, Reference<T>> exact_;
};

}  // namespace nz::test
