#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/host_matrix.hpp"
#include "solve/operator_inside.hpp"
#include "solve/operator_room.hpp"

namespace nz::solve {
namespace {

constexpr const char* who = "Chebyshev";
constexpr int lanczos_steps = 20;

struct Bounds {
  double lower = 0, upper = 0;
};

// The eigenvalue number `which`, from the smallest, of a symmetric tridiagonal matrix: by bisection
// with Sturm's count of those below.
double eigenvalue(std::span<const double> diagonal, std::span<const double> beside,
                  std::size_t which) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double reach = (i > 0 ? beside[i - 1] : 0) + (i + 1 < diagonal.size() ? beside[i] : 0);
    low = std::min(low, diagonal[i] - reach);
    high = std::max(high, diagonal[i] + reach);
  }
  for (int step = 0; step < 60; ++step) {
    const double middle = low + (high - low) / 2;
    std::size_t below = 0;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      pivot = diagonal[i] - middle - (i > 0 ? beside[i - 1] * beside[i - 1] / pivot : 0);
      if (pivot == 0) pivot = 1e-300;
      below += pivot < 0;
    }
    (below > which ? high : low) = middle;
  }
  return low + (high - low) / 2;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return dot_of(x.data(), y.data(), x.size());
}

// The extreme eigenvalues that a few steps of Lanczos see of A scaled to a diagonal of ones; scale:
// 1 / root of the diagonal.
Bounds seen_by_lanczos(const DoubleView& a, const Array<double>& scale) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> v(n), before(n, 0.0), w(n), diagonal, beside;
  for (std::size_t i = 0; i < n; ++i)  // nothing that a matrix is likely to be at right angles to
    v[i] = 1 + 0.5 * std::sin(1.7 * static_cast<double>(i) + 0.3);
  double norm = std::sqrt(dot(v, v));
  for (double& e : v) e /= norm;
  double beta = 0;
  for (int step = 0; step < lanczos_steps; ++step) {
    parallel_ranges(a.rows, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        double sum = 0;
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
          const auto j = static_cast<std::size_t>(a.columns[k]);
          sum += a.values[k] * scale[j] * v[j];
        }
        const auto row = static_cast<std::size_t>(i);
        w[row] = scale[row] * sum - beta * before[row];
      }
    });
    const double alpha = dot(v, w);
    diagonal.push_back(alpha);
    for (std::size_t i = 0; i < n; ++i) w[i] -= alpha * v[i];
    beta = std::sqrt(dot(w, w));
    if (!(beta > 1e-12 * std::abs(diagonal[0]))) break;  // all that the start has to show
    beside.push_back(beta);
    std::swap(before, v);
    for (std::size_t i = 0; i < n; ++i) v[i] = w[i] / beta;
  }
  return {eigenvalue(diagonal, beside, 0), eigenvalue(diagonal, beside, diagonal.size() - 1)};
}

// The largest sum of sizes in a row of A / D: no eigenvalue is larger.
double gershgorin(const DoubleView& a, const Array<double>& diagonal) {
  double largest = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) sum += std::abs(a.values[k]);
    largest = std::max(largest, sum / diagonal[static_cast<std::size_t>(i)]);
  }
  return largest;
}

Bounds bounds(const DoubleView& a, const Array<double>& diagonal, const ChebyshevOptions& o) {
  Bounds b{o.lower, o.upper};
  if (a.rows > 0 && (b.lower == 0 || b.upper == 0)) {
    Array<double> scale(diagonal);
    for (double& d : scale) d = 1 / std::sqrt(d);
    const Bounds seen = seen_by_lanczos(a, scale);
    if (!(seen.lower > 0) || !std::isfinite(seen.upper))
      throw BadInput(fmt::format(
          "{}: the matrix is not positive definite: divided by its diagonal it has an eigenvalue "
          "of at most {:.3g}",
          who, seen.lower));
    if (b.upper == 0) b.upper = std::min(1.05 * seen.upper, gershgorin(a, diagonal));
    const double steps = o.degree + 1;
    if (b.lower == 0) b.lower = std::max(seen.lower, b.upper / (2 * steps * steps));
    b.lower = std::min(b.lower, 0.9 * b.upper);  // a matrix with one eigenvalue
  }
  if (a.rows == 0) return {1, 2};
  if (!(b.lower < b.upper))
    throw InvalidArgument(
        fmt::format("{}: the lower bound {} is not below the upper one {}", who, b.lower, b.upper));
  return b;
}

// Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1, from zero with so many
// products. The transposed product is the same with the transpose of A.
template <RealValue T>
class Polynomial final : public OperatorInside<T> {
 public:
  Polynomial(OperatorInfo about, LinearOperator<T> a, Array<T> inverse, int degree, Bounds bounds)
      : OperatorInside<T>(std::move(about)),
        a_(std::move(a)),
        n_(inverse.size()),
        degree_(degree),
        middle_((bounds.upper + bounds.lower) / 2),
        half_((bounds.upper - bounds.lower) / 2),
        room_(this->info.device, this->info.threads, 3 * n_) {
    if (this->info.device == cpu_device)
      near_ = std::move(inverse);
    else
      far_ = DeviceArray<T>(this->info.device, std::span<const T>(inverse.data(), n_));
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    if (n_ == 0) return;
    room_.use(stream, [&](const auto& v) {
      if (alpha == T(0)) return v.update(n_, T(0), nullptr, beta, y.data());
      const bool plain = alpha == T(1) && beta == T(0);
      T *rest = v.temporary(), *step = rest + n_, *z = plain ? y.data() : step + n_;
      iterate(v, x, rest, step, z, op, stream);
      if (!plain) v.update(n_, alpha, z, beta, y.data());
    });
  }

 private:
  template <class Vectors>
  void iterate(const Vectors& v, std::span<const T> x, T* rest, T* step, T* z, Op op,
               StreamView stream) const {
    const T* d = near_.empty() ? far_.data() : near_.data();
    Sweep<T> s;
    s.n = static_cast<std::int64_t>(n_);
    s.updates = 3;
    s.update[0] = {.y = rest, .x = x.data(), .a = {1, -1}, .b = {0, -1}};
    s.update[1] = {.y = step, .x = x.data(), .d = d, .a = {1 / middle_, -1}, .b = {0, -1}};
    s.update[2] = {.y = z, .x = step, .a = {1, -1}, .b = {0, -1}};
    v.sweep(s);
    const double sigma = middle_ / half_;
    double rho = 1 / sigma;
    for (int k = 0; k < degree_; ++k) {
      a_.inside()->apply(T(-1), {step, n_}, T(1), {rest, n_}, op, stream);
      const double next = 1 / (2 * sigma - rho);
      s.updates = 2;
      s.update[0] = {
          .y = step, .x = rest, .d = d, .a = {2 * next / half_, -1}, .b = {next * rho, -1}};
      s.update[1] = {.y = z, .x = step, .a = {1, -1}, .b = {1, -1}};
      v.sweep(s);
      rho = next;
    }
  }

  LinearOperator<T> a_;
  std::size_t n_;
  int degree_;
  double middle_, half_;
  OperatorRoom<T> room_;
  Array<T> near_;       // the inverse of the diagonal
  DeviceArray<T> far_;  // or there
};

void check(const ChebyshevOptions& o) {
  if (o.degree < 1 || o.degree > 100)
    throw InvalidArgument(fmt::format("{}: a degree of 1 to 100, not {}", who, o.degree));
  if (!(o.lower >= 0 && std::isfinite(o.lower) && o.upper >= 0 && std::isfinite(o.upper)))
    throw InvalidArgument(
        fmt::format("{}: bounds of at least 0, not {} and {}", who, o.lower, o.upper));
}

}  // namespace

template <RealValue T, Offset O>
Preconditioner<T> chebyshev(const LinearOperator<std::type_identity_t<T>>& product,
                            const CsrView<T, O>& a, const ChebyshevOptions& options) try {
  check(options);
  const HostMatrix from(a, who);
  OperatorInfo info = product.info();
  if (info.rows != a.rows || info.cols != a.cols || !info.ops.n)
    throw InvalidArgument(
        fmt::format("{}: {} is {} x {}{}, the matrix {} x {}", who, info.name, info.rows, info.cols,
                    info.ops.n ? "" : " and has the transposed product alone", a.rows, a.cols));
  const Array<double> diagonal = positive_diagonal(from.view(), who);
  const Bounds within = bounds(from.view(), diagonal, options);
  Array<T> inverse(diagonal.size());
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    inverse[i] = static_cast<T>(1 / diagonal[i]);
    if (!std::isfinite(inverse[i]))
      throw BadInput(
          fmt::format("{}: row {} (counting from 0) has {} on the diagonal, whose "
                      "inverse is too large",
                      who, i, diagonal[i]));
  }
  info.name = who;
  return preconditioner(make_operator<T, Polynomial<T>>(
      std::move(info), product, std::move(inverse), options.degree, within));
}
NZ_OR_NO_MEMORY("a preconditioner")

#define NZ_INSTANTIATE(T, O)                                                           \
  template Preconditioner<T> chebyshev(const LinearOperator<T>&, const CsrView<T, O>&, \
                                       const ChebyshevOptions&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::solve
