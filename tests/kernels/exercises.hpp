#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nonzero/kernel.hpp>
#include <nonzero/truth.hpp>

#include "kernels/battery.hpp"
#include "kernels/conform_bytes.hpp"
#include "kernels/extremes.hpp"

namespace nz::test {

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

template <class T>
constexpr std::array<T, 3> odd_numbers = {std::numeric_limits<T>::infinity(),
                                          -std::numeric_limits<T>::infinity(), nan<T>};

enum class Input { finite, non_finite, nan, extreme };

template <class T>
std::vector<T> numbers(std::mt19937_64& random, std::size_t n, Input kind) {
  if (kind == Input::nan) return std::vector<T>(n, nan<T>);
  std::uniform_real_distribution<T> value(T(-1), T(1));
  std::vector<T> v(n);
  for (T& e : v) e = value(random);
  for (std::size_t i = 5; i < n; i += 13) v[i] = 0;  // infinity times 0 is NaN
  if (kind == Input::non_finite) {
    for (std::size_t i = 1; i < n; i += 11) v[i] = odd_numbers<T>[(i / 11) % 3];
  }
  return v;
}

template <class T>
struct Exercise {
  Op op;
  Input input;
  T alpha;
  T beta;
  bool finite_scalars() const { return std::isfinite(alpha) && std::isfinite(beta); }
};

// The products that a kernel must make of one matrix. Their exact results are worked out once,
// however many numbers of threads and sets of parameters they judge.
template <class T, class O>
class Exercises {
 public:
  Exercises(const BatteryMatrix& entry, std::mt19937_64& random) : Exercises(entry) {
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
      // Scalars that are not finite: one of each kind, drawn, with any of the other.
      const auto odd = [&] { return odd_numbers<T>[random() % 3]; };
      const auto any = [&] { return random() % 4 == 0 ? odd() : values[random() % 3]; };
      all_.push_back({op, Input::finite, odd(), any()});
      all_.push_back({op, Input::finite, any(), odd()});
    }
  }

  // Two products of each operation at the ends of the type: the same matrix with its values, the
  // vectors and the scalars scaled.
  static Exercises extreme(const BatteryMatrix& entry, std::mt19937_64& random) {
    Exercises r(entry);
    const Extremes<T> at = extremes_for(r.matrix_, random);
    // The same power for all keeps constant values constant, and floats floats.
    const bool alike = random() % 2 == 0;
    for (T& v : r.matrix_.values)
      v = at.at(alike ? typename Extremes<T>::Range{at.a.high, at.a.high} : at.a, v, random);
    std::uniform_real_distribution<double> below_one(-1, 1);
    for (const Op op : all_ops) {
      const auto in = op == Op::none ? r.matrix_.cols : r.matrix_.rows;
      const auto out = op == Op::none ? r.matrix_.rows : r.matrix_.cols;
      auto& x = r.x_[{op, Input::extreme}];
      for (index_t i = 0; i < in; ++i) x.push_back(at.at(at.x, below_one(random), random));
      auto& before = r.before_[op];
      for (index_t i = 0; i < out; ++i) before.push_back(at.at(at.y, below_one(random), random));
      const T alpha = at.at(at.alpha, random);
      r.all_.push_back({op, Input::extreme, alpha, at.at(at.beta, random)});
      r.all_.push_back({op, Input::extreme, -alpha, T(0)});
    }
    return r;
  }

  const std::string& name() const { return entry_.name; }
  const Csr<T, O>& matrix() const { return matrix_; }
  std::size_t value_bytes() {
    if (!value_bytes_) value_bytes_ = fewest_value_bytes(matrix_);
    return *value_bytes_;
  }
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
  explicit Exercises(const BatteryMatrix& entry)
      : entry_(entry), matrix_(csr_cast<T, O>(entry.matrix.view())) {}

  const BatteryMatrix& entry_;
  Csr<T, O> matrix_;
  std::optional<std::size_t> value_bytes_;
  std::vector<Exercise<T>> all_;
  std::map<std::pair<Op, Input>, std::vector<T>> x_;
  std::map<Op, std::vector<T>> before_;
  std::map<std::tuple<std::size_t, int, Parameters>, Reference<T>> exact_;
};

}  // namespace nz::test
