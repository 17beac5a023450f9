#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "simt/backend.hpp"
#include "solve/block_vectors.hpp"
#include "solve/operator_inside.hpp"
#include "solve/preconditioner.hpp"
#include "solve/system.hpp"

// Knyazev's method: Rayleigh and Ritz on the block X of vectors so far, P of the last directions
// and W of preconditioned residuals. The basis stays orthonormal, as Duersch, Shao, Yang and Gu
// found necessary: P is chosen among the coefficients (Hetmaniuk and Lehoucq), W is projected and
// then made orthonormal by its Gram matrix (Stathopoulos and Wu), and what depends on others goes.
namespace nz::solve {
namespace {

template <RealValue T>
void check(const LinearOperator<T>& a, const DenseView<T>& x, const EigenOptions<T>& o) {
  if (a.rows() != a.cols() || a.rows() == 0)
    throw InvalidArgument(fmt::format(
        "eigenvalues need a square matrix with rows, this one is {} x {}", a.rows(), a.cols()));
  if (!a.supports(Op::none))
    throw InvalidArgument(a.name() + " has no product but the transposed one");
  check_settings(o.tolerance, o.max_iterations, 0);
  if (o.guard < 0) throw InvalidArgument("lobpcg needs a guard of at least 0");
  if (x.rows() != a.rows())
    throw InvalidArgument(fmt::format("x has {} rows, needs {}", x.rows(), a.rows()));
  if (x.columns() < 1 || x.columns() > a.rows())
    throw InvalidArgument(
        fmt::format("x has {} columns: a matrix of {} rows has 1 to {} eigenpairs", x.columns(),
                    a.rows(), a.rows()));
  if (x.leading() < (x.layout() == Layout::row_major ? x.columns() : x.rows()))
    throw InvalidArgument(fmt::format("x has a leading dimension of {}", x.leading()));
  if (a.device() != cpu_device && simt::backend(a.device()).owns(x.data()))
    throw InvalidArgument("lobpcg takes x in host memory, this one is on " + a.device().name());
  if (const auto* p = o.preconditioner.inside()) {
    if (p->rows != a.rows())
      throw InvalidArgument(
          fmt::format("the preconditioner is of {} rows, the matrix of {}", p->rows, a.rows()));
    if (p->device != a.device())
      throw InvalidArgument(
          fmt::format("the preconditioner is on {}, the {} on {}", p->device.name(),
                      a.inside()->is_plan() ? "plan" : "operator", a.device().name()));
  }
}

// Between -1 and 1, by the place alone: a start that has something of every eigenvector.
double start_number(std::uint64_t row, std::uint64_t column) {
  std::uint64_t h = (row + 1) * 0x9e3779b97f4a7c15u ^ (column + 1) * 0xd1b54a32d192ed03u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>(static_cast<std::int64_t>(h ^ (h >> 31))) * 0x1p-63;
}

template <RealValue T>
class Lobpcg {
 public:
  Lobpcg(const LinearOperator<T>& a, const DenseView<T>& x, const EigenOptions<T>& o)
      : a_(a),
        o_(o),
        n_(a.rows()),
        wanted_(static_cast<std::size_t>(x.columns())),
        block_(std::min(wanted_ + static_cast<std::size_t>(o.guard), static_cast<std::size_t>(n_))),
        s_(n_, 3 * block_, a.threads()),
        as_(n_, 3 * block_, a.threads()) {
    for (index_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < block_; ++j) {
        s_(i, j) = o.from_x && j < wanted_
                       ? x(i, static_cast<index_t>(j))
                       : static_cast<T>(start_number(static_cast<std::uint64_t>(i), j));
        finite_ &= std::isfinite(s_(i, j));
      }
  }

  void iterate();
  Eigenpairs result(const DenseView<T>& x);

 private:
  Columns x() const { return {0, block_}; }
  void multiply(const LinearOperator<T>& by, const BlockVectors<T>& from, BlockVectors<T>& to,
                Columns c);
  std::size_t orthonormalise(Columns w);
  void estimate_scale();
  void start();
  void ritz(std::size_t basis);
  void residuals();
  bool converged() const;
  std::size_t directions();
  SmallMatrix old_directions(const SmallMatrix& next_x) const;
  void end(Stop reason, std::string why = {});

  const LinearOperator<T>& a_;
  const EigenOptions<T>& o_;
  index_t n_;
  std::size_t wanted_, block_;
  BlockVectors<T> s_, as_;            // X, P, W beside each other, and A times them
  std::size_t p_ = 0;                 // columns of P
  bool fresh_ = true;                 // A X was multiplied, not combined
  double scale_ = 0;                  // |A|, as far as it has been seen
  std::vector<double> values_, off_;  // of X, and |A x - value x| / scale
  std::vector<bool> active_;
  bool finite_ = true;  // all that was met so far
  Eigenpairs e_;
};

template <RealValue T>
void Lobpcg<T>::multiply(const LinearOperator<T>& by, const BlockVectors<T>& from,
                         BlockVectors<T>& to, Columns c) {
  if (by.device() == cpu_device)
    return by.multiply(T(1), from.view(c), T(0), to.view(c), Op::none, o_.stream);
  // Operators of devices take columns whose elements follow each other.
  const auto k = static_cast<index_t>(c.count);
  const std::size_t size = static_cast<std::size_t>(n_) * c.count;
  std::vector<T> in(size), out(size);
  const auto there = column_major(in.data(), n_, k), back = column_major(out.data(), n_, k);
  for (index_t j = 0; j < k; ++j)
    for (index_t i = 0; i < n_; ++i) there(i, j) = from.view(c)(i, j);
  by.multiply(T(1), there, T(0), back, Op::none, o_.stream);
  for (index_t j = 0; j < k; ++j)
    for (index_t i = 0; i < n_; ++i) to.view(c)(i, j) = back(i, j);
}

// Makes them orthonormal, and at right angles to all columns before them. Those that depend on
// others go; how many are left.
template <RealValue T>
std::size_t Lobpcg<T>::orthonormalise(Columns w) {
  constexpr double rounding = std::numeric_limits<T>::epsilon();
  const Columns before{0, w.first};
  for (int round = 0; round < 4 && w.count > 0; ++round) {
    // What lies in the span of others but for rounding says nothing.
    std::vector<double> sizes(w.count);
    const SmallMatrix own = s_.products(w, s_, w);
    for (std::size_t j = 0; j < w.count; ++j) sizes[j] = own(j, j);
    if (before.count > 0) s_.subtract(before, s_.products(before, s_, w), w);
    SmallMatrix g = before.count > 0 ? s_.products(w, s_, w) : own;
    std::vector<double> by(w.count);
    double least = 1;
    for (std::size_t j = 0; j < w.count; ++j) {
      const double kept = g(j, j) / sizes[j];
      const bool there = kept > 1e4 * rounding * rounding && std::isfinite(1 / g(j, j));
      by[j] = there ? 1 / std::sqrt(g(j, j)) : 0;
      least = std::min(least, there ? kept : 0);
    }
    for (std::size_t j = 0; j < w.count; ++j)
      for (std::size_t i = 0; i < w.count; ++i) g(i, j) *= by[i] * by[j];
    std::vector<double> sizes_of;
    finite_ &= symmetric_eigen(g, sizes_of);
    if (!finite_) return 0;
    const double drop =
        std::max(10.0 * static_cast<double>(w.count) * 0x1p-52, 1e4 * rounding * rounding) *
        std::max(sizes_of.back(), 0.0);
    std::vector<std::size_t> kept;
    for (std::size_t j = w.count; j-- > 0;)  // the strongest first
      if (sizes_of[j] > drop) kept.push_back(j);
    SmallMatrix c(w.count, kept.size());
    for (std::size_t j = 0; j < kept.size(); ++j)
      for (std::size_t i = 0; i < w.count; ++i)
        c(i, j) = by[i] * g(i, kept[j]) / std::sqrt(sizes_of[kept[j]]);
    s_.combine(w, c, w.first);
    w.count = kept.size();
    if (!kept.empty()) least = std::min(least, sizes_of[kept.back()]);
    // Once more unless nothing was lost: what is taken off twice is off.
    if (round > 0 && least > 0.5) break;
  }
  return w.count;
}

// |A| from below, by power iteration on the first column behind X: a block near the smallest
// eigenvalues has seen nothing of it.
template <RealValue T>
void Lobpcg<T>::estimate_scale() {
  constexpr int products = 8;
  const Columns v{block_, 1};
  for (index_t i = 0; i < n_; ++i)
    s_(i, v.first) = static_cast<T>(start_number(static_cast<std::uint64_t>(i), 3 * block_));
  for (int step = 0; step <= products; ++step) {
    const double size = std::sqrt(s_.products(v, s_, v)(0, 0));
    if (step > 0 && std::isfinite(size)) scale_ = std::max(scale_, size);
    if (!(size > 0) || !std::isfinite(size) || step == products) return;
    for (index_t i = 0; i < n_; ++i)
      s_(i, v.first) = static_cast<T>(static_cast<double>(s_(i, v.first)) / size);
    multiply(a_, s_, as_, v);
    for (index_t i = 0; i < n_; ++i) s_(i, v.first) = as_(i, v.first);
  }
}

// A block of X that is orthonormal, its product, and its Ritz values.
template <RealValue T>
void Lobpcg<T>::start() {
  p_ = 0;
  fresh_ = true;
  if (!finite_) return;
  std::size_t there = orthonormalise(x());
  // What was given may depend on each other: other columns fill up.
  for (std::uint64_t more = 1; there < block_ && more < 8; ++more) {
    for (std::size_t j = there; j < block_; ++j)
      for (index_t i = 0; i < n_; ++i)
        s_(i, j) = static_cast<T>(start_number(static_cast<std::uint64_t>(i), j + more * block_));
    there += orthonormalise({there, block_ - there});
  }
  finite_ &= there == block_;
  if (!finite_) return;
  multiply(a_, s_, as_, x());
  ritz(block_);
}

// Rayleigh and Ritz on the first columns: X becomes the best block of their span, P what it gained
// from the others.
template <RealValue T>
void Lobpcg<T>::ritz(std::size_t basis) {
  if (!finite_) return;
  const double sign = o_.largest ? -1 : 1;
  const Columns all{0, basis};
  const SmallMatrix once = s_.products(all, as_, all);
  SmallMatrix h(basis, basis);
  for (std::size_t j = 0; j < basis; ++j)
    for (std::size_t i = 0; i < basis; ++i) h(i, j) = sign * (once(i, j) / 2 + once(j, i) / 2);
  std::vector<double> found;
  finite_ = symmetric_eigen(h, found);
  if (!finite_) return;
  scale_ = std::max({scale_, std::abs(found.front()), std::abs(found.back())});
  values_.assign(block_, 0.0);
  for (std::size_t j = 0; j < block_; ++j) values_[j] = sign * found[j];
  SmallMatrix next(basis, block_);
  std::copy_n(h.values.begin(), basis * block_, next.values.begin());
  const SmallMatrix p = old_directions(next);
  SmallMatrix both(basis, block_ + p.columns);
  std::copy(p.values.begin(), p.values.end(),
            std::copy(next.values.begin(), next.values.end(), both.values.begin()));
  s_.combine(all, both, 0);
  as_.combine(all, both, 0);
  p_ = p.columns;
}

// What the next X, in coefficients of the basis, has beside X, at right angles to it; of columns
// that have not converged.
template <RealValue T>
SmallMatrix Lobpcg<T>::old_directions(const SmallMatrix& next_x) const {
  const std::size_t m = next_x.rows;
  SmallMatrix p(m, 0);
  if (m == block_) return p;
  for (std::size_t j = 0; j < block_; ++j) {
    if (!active_[j]) continue;
    std::vector<double> d(next_x.column(j), next_x.column(j) + m);
    std::fill_n(d.begin(), block_, 0.0);
    const auto size = [&] {
      double sum = 0;
      for (const double v : d) sum += v * v;
      return std::sqrt(sum);
    };
    const double first = size();
    const auto take_off = [&](const SmallMatrix& from) {
      for (std::size_t c = 0; c < from.columns; ++c) {
        const double* u = from.column(c);
        double dot = 0;
        for (std::size_t i = 0; i < m; ++i) dot += u[i] * d[i];
        for (std::size_t i = 0; i < m; ++i) d[i] -= dot * u[i];
      }
    };
    for (int twice = 0; twice < 2; ++twice) {
      take_off(next_x);
      take_off(p);
    }
    const double left = size();
    if (!(left > 1e-8 * first) || !(left > 1e-200)) continue;
    for (double& v : d) v /= left;
    p.values.insert(p.values.end(), d.begin(), d.end());
    ++p.columns;
  }
  return p;
}

// A X - X values over |A|, in the place of W, and their lengths: squares stay numbers however large
// or small A is.
template <RealValue T>
void Lobpcg<T>::residuals() {
  const std::size_t w = block_ + p_;
  const double by = scale_ > 0 ? scale_ : 1;
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(s_.parts()));
  s_.each_part([&](index_t begin, index_t end, int part) {
    std::vector<double> sum(block_, 0.0);
    for (index_t i = begin; i < end; ++i) {
      T* s = s_.row(i);
      const T* as = as_.row(i);
      for (std::size_t j = 0; j < block_; ++j) {
        const double r =
            static_cast<double>(as[j]) / by - values_[j] / by * static_cast<double>(s[j]);
        s[w + j] = static_cast<T>(r);
        sum[j] += r * r;
      }
    }
    sums[static_cast<std::size_t>(part)] = std::move(sum);
  });
  off_.assign(block_, 0.0);
  active_.assign(block_, false);
  for (std::size_t j = 0; j < block_; ++j) {
    for (const auto& sum : sums) off_[j] += sum[j];
    off_[j] = std::sqrt(off_[j]);
    active_[j] = !(off_[j] <= o_.tolerance);
  }
}

template <RealValue T>
bool Lobpcg<T>::converged() const {
  return std::none_of(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(wanted_),
                      [](bool still) { return still; });
}

// W: residuals that have not converged, preconditioned, and A times them. How many there are.
template <RealValue T>
std::size_t Lobpcg<T>::directions() {
  const std::size_t first = block_ + p_;
  std::vector<std::size_t> from;
  for (std::size_t j = 0; j < block_; ++j)
    if (active_[j]) from.push_back(j);
  const auto* m = o_.preconditioner.inside();
  const T unit =
      scale_ > 0 ? static_cast<T>(scale_) : T(1);  // an inverse is small where A is large
  std::vector<T> near;
  if (m && !m->by) {
    near.resize(static_cast<std::size_t>(n_));
    if (m->device == cpu_device)
      std::copy_n(m->host.data(), near.size(), near.begin());
    else
      m->far.download(near);
  }
  s_.each_part([&](index_t begin, index_t end, int) {
    for (index_t i = begin; i < end; ++i) {
      T* w = s_.row(i) + first;
      const T by = near.empty() ? T(1) : unit * near[static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < from.size(); ++j) w[j] = by * w[from[j]];
    }
  });
  const Columns w{first, from.size()};
  if (m && m->by) {
    multiply(m->by, s_, as_, w);
    s_.each_part([&](index_t begin, index_t end, int) {
      for (index_t i = begin; i < end; ++i)
        for (std::size_t j = w.first; j < w.end(); ++j) s_.row(i)[j] = unit * as_.row(i)[j];
    });
  }
  const std::size_t left = orthonormalise(w);
  if (left > 0) multiply(a_, s_, as_, {first, left});
  return left;
}

template <RealValue T>
void Lobpcg<T>::end(Stop reason, std::string why) {
  e_.reason = reason;
  e_.residual = e_.history.empty() ? 0 : e_.history.back();
  e_.message = fmt::format("{} after {} iteration{}, residual {:.3g}{}", name(reason),
                           e_.iterations, e_.iterations == 1 ? "" : "s", e_.residual, why);
}

template <RealValue T>
void Lobpcg<T>::iterate() {
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  active_.assign(block_, true);
  estimate_scale();
  start();
  for (bool told = false;; e_.seconds = passed()) {
    double worst = std::numeric_limits<double>::quiet_NaN();
    if (finite_) {
      residuals();
      worst = 0;
      for (std::size_t j = 0; j < wanted_; ++j)
        if (!(off_[j] <= worst)) worst = off_[j];
    }
    // A block that was made anew takes the place of the one before it.
    if (e_.history.size() == static_cast<std::size_t>(e_.iterations) + 1)
      e_.history.back() = worst;
    else
      e_.history.push_back(worst);
    if (!std::isfinite(worst)) return end(Stop::not_a_number);
    if (converged() && fresh_) return end(Stop::converged);
    if (converged()) {  // as far as combinations can tell
      start();
      continue;
    }
    if (!told && o_.callback && !o_.callback(e_.iterations, worst)) return end(Stop::stopped);
    told = true;
    if (e_.iterations >= o_.max_iterations) return end(Stop::iteration_limit);
    const std::size_t more = directions();
    if (finite_ && more == 0 && p_ == 0) {
      if (fresh_) return end(Stop::breakdown, ": rounding leaves no direction to go on");
      start();
      continue;
    }
    ritz(block_ + p_ + more);
    fresh_ = told = false;
    ++e_.iterations;
  }
}

template <RealValue T>
Eigenpairs Lobpcg<T>::result(const DenseView<T>& x) {
  if (e_.reason != Stop::not_a_number) {
    e_.values.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(wanted_));
    e_.residuals.assign(off_.begin(), off_.begin() + static_cast<std::ptrdiff_t>(wanted_));
    for (index_t i = 0; i < n_; ++i)
      for (index_t j = 0; j < x.columns(); ++j) x(i, j) = s_(i, static_cast<std::size_t>(j));
  }
  return std::move(e_);
}

}  // namespace

template <RealValue T>
Eigenpairs lobpcg(const LinearOperator<T>& a, DenseView<std::type_identity_t<T>> x,
                  const EigenOptions<std::type_identity_t<T>>& options) try {
  check(a, x, options);
  if (options.check_symmetry) {
    SolverWorkspace<T> m(a.device(), a.threads(), {.stream = options.stream, .scalars = 2});
    if (const std::string why = why_not_symmetric(m, a); !why.empty()) {
      Eigenpairs e;
      e.reason = Stop::not_symmetric;
      e.message = "LOBPCG needs a symmetric matrix: " + why;
      return e;
    }
  }
  Lobpcg<T> method(a, x, options);
  method.iterate();
  return method.result(x);
}
NZ_OR_NO_MEMORY("lobpcg")

#define NZ_INSTANTIATE(T) \
  template Eigenpairs lobpcg(const LinearOperator<T>&, DenseView<T>, const EigenOptions<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
