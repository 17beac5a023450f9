#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "formats/inspect.hpp"
#include "solve/complex_system.hpp"
#include "truth/exact_sum.hpp"

// CG, BiCGSTAB and GMRES of complex systems. Dot products conjugate their first vector.
namespace nz::solve {
namespace {

bool unusable(std::complex<double> z) {
  return z == 0.0 || !std::isfinite(z.real()) || !std::isfinite(z.imag());
}

// Why a matrix is not Hermitian; empty where it may be. A v and A^H v differ where a row and its
// column do, unless that cancels by chance.
template <ComplexValue T>
std::string why_not_hermitian(const ComplexSystem<T>& s, const Plan<T>& plan) {
  if (s.size() == 0 || !plan.supports(Op::conjugate_transpose)) return {};
  auto v = s.vector(), down = s.vector(), across = s.vector();
  for (std::size_t i = 0; i < v.size(); ++i) {
    std::uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
    const auto part = [](std::uint64_t bits) {
      return static_cast<real_of<T>>(0.5 + static_cast<double>(bits & 0xffffff) / (1 << 24));
    };
    v[i] = {part(h), part(h >> 32)};
  }
  s.multiply(v, down);
  s.multiply(v, across, Op::conjugate_transpose);
  const double total = s.norm(down);
  s.update(across, 1, down, -1);
  constexpr double rounding = std::is_same_v<real_of<T>, double> ? 1e-13 : 1e-5;
  if (!(s.norm(across) > rounding * total)) return {};
  const auto worst = std::max_element(across.begin(), across.end(), [](const T& a, const T& b) {
    return std::norm(a) < std::norm(b);
  });
  return fmt::format("row {}, counting from 0, is not the conjugate of column {}",
                     worst - across.begin(), worst - across.begin());
}

}  // namespace

template <ComplexValue T>
Result cg(const Plan<T>& plan, std::span<const std::type_identity_t<T>> b,
          std::span<std::type_identity_t<T>> x,
          const Options<std::type_identity_t<T>>& options) try {
  ComplexSystem<T> s("CG", plan, b, x, options);
  if (options.check_symmetry)
    if (const std::string why = why_not_hermitian(s, plan); !why.empty()) {
      s.stop(Stop::not_symmetric);
      return s.end("CG needs a Hermitian matrix: " + why);
    }
  if (!s.begin()) return s.end();
  auto p = s.r, q = s.vector();
  double rho = s.dot(s.r, s.r).real();
  for (;;) {
    s.multiply(p, q);
    const double curvature = s.dot(p, q).real();
    if (!(curvature > 0) || !std::isfinite(curvature)) {
      s.stop(std::isfinite(curvature) ? Stop::not_definite : Stop::not_a_number);
      return s.end();
    }
    const double alpha = rho / curvature;
    s.update(s.x, alpha, p);
    s.update(s.r, -alpha, q);
    const double next = s.dot(s.r, s.r).real();
    if (s.record(std::sqrt(next))) {
      s.update(p, 1, s.r, next / rho);
      rho = next;
    } else if (s.confirm()) {
      p = s.r;
      rho = s.dot(s.r, s.r).real();
    } else {
      return s.end();
    }
  }
}
NZ_OR_NO_MEMORY("cg")

template <ComplexValue T>
Result bicgstab(const Plan<T>& plan, std::span<const std::type_identity_t<T>> b,
                std::span<std::type_identity_t<T>> x,
                const Options<std::type_identity_t<T>>& options) try {
  using Scalar = typename ComplexSystem<T>::Scalar;
  ComplexSystem<T> s("BiCGSTAB", plan, b, x, options);
  if (!s.begin()) return s.end();
  auto shadow = s.r, p = s.r, v = s.vector(), t = s.vector();
  Scalar rho = s.dot(shadow, s.r);
  const auto breaks = [&](Scalar z) {
    if (!unusable(z)) return false;
    s.stop(z == 0.0 ? Stop::breakdown : Stop::not_a_number);
    return true;
  };
  for (;;) {
    s.multiply(p, v);
    const Scalar along = s.dot(shadow, v);
    if (breaks(rho) || breaks(along)) return s.end();
    const Scalar alpha = rho / along;
    s.update(s.x, alpha, p);
    s.update(s.r, -alpha, v);
    s.multiply(s.r, t);
    const double tt = s.dot(t, t).real();
    const Scalar omega = tt == 0 ? Scalar(0) : s.dot(t, s.r) / tt;
    s.update(s.x, omega, s.r);
    s.update(s.r, -omega, t);
    if (!s.record(s.norm(s.r))) {
      if (!s.confirm()) return s.end();
      p = shadow = s.r;
      rho = s.dot(shadow, s.r);
      continue;
    }
    if (breaks(omega)) return s.end();
    const Scalar next = s.dot(shadow, s.r);
    const Scalar beta = next / rho * (alpha / omega);
    s.update(p, -omega, v);
    s.update(p, 1, s.r, beta);
    rho = next;
  }
}
NZ_OR_NO_MEMORY("bicgstab")

// Saad and Schultz's, restarted; rotations keep the Hessenberg matrix triangular.
template <ComplexValue T>
Result gmres(const Plan<T>& plan, std::span<const std::type_identity_t<T>> b,
             std::span<std::type_identity_t<T>> x,
             const Options<std::type_identity_t<T>>& options) try {
  using Scalar = typename ComplexSystem<T>::Scalar;
  if (options.restart < 1) throw InvalidArgument("GMRES needs a restart of at least 1");
  ComplexSystem<T> s("GMRES", plan, b, x, options);
  if (!s.begin()) return s.end();
  const auto most = static_cast<std::size_t>(options.restart);
  std::vector<typename ComplexSystem<T>::Vector> basis;
  for (bool goes_on = true; goes_on;) {
    const double length = s.norm(s.r);
    if (!(length > 0)) {
      s.stop(length == 0 ? Stop::breakdown : Stop::not_a_number);
      return s.end();
    }
    basis.assign(1, s.vector());
    s.update(basis[0], 1 / length, s.r, 0);
    std::vector<std::vector<Scalar>> columns;  // of the triangular matrix
    std::vector<double> cosines;
    std::vector<Scalar> sines, right{length};
    bool ended = false;
    while (goes_on && columns.size() < most && !ended) {
      auto w = s.vector();
      s.multiply(basis.back(), w);
      std::vector<Scalar> h;
      for (const auto& v : basis) {
        h.push_back(s.dot(v, w));
        s.update(w, -h.back(), v);
      }
      const double next = s.norm(w);
      for (std::size_t k = 0; k < cosines.size(); ++k) {
        const Scalar upper = h[k], lower = h[k + 1];
        h[k] = cosines[k] * upper + sines[k] * lower;
        h[k + 1] = -std::conj(sines[k]) * upper + cosines[k] * lower;
      }
      // The rotation that turns (last, next) into (size, 0).
      const Scalar last = h.back();
      const double size = std::hypot(std::abs(last), next);
      if (!std::isfinite(size)) {
        s.stop(Stop::not_a_number);
        return s.end();
      }
      if (size == 0) {  // A is singular, and this direction leads nowhere
        s.stop(Stop::breakdown);
        goes_on = false;
        break;
      }
      const double cosine = std::abs(last) / size;
      const Scalar phase = last == 0.0 ? Scalar(1) : last / std::abs(last);
      const Scalar sine = phase * (next / size);
      h.back() = phase * size;
      cosines.push_back(cosine);
      sines.push_back(sine);
      right.push_back(-std::conj(sine) * right.back());
      right[right.size() - 2] *= cosine;
      columns.push_back(std::move(h));
      ended = next == 0;  // what there is to find is in the basis
      if (!ended) {
        s.update(w, 0, w, 1 / next);
        basis.push_back(std::move(w));
      }
      goes_on = s.record(std::abs(right.back()), ended || columns.size() == most);
    }
    // x += basis y, R y = right.
    std::vector<Scalar> y(columns.size());
    for (std::size_t k = columns.size(); k-- > 0;) {
      Scalar rest = right[k];
      for (std::size_t j = k + 1; j < columns.size(); ++j) rest -= columns[j][k] * y[j];
      y[k] = rest / columns[k][k];
    }
    for (std::size_t k = 0; k < y.size(); ++k) s.update(s.x, y[k], basis[k]);
    goes_on = goes_on ? s.again(length) : s.confirm();
  }
  return s.end();
}
NZ_OR_NO_MEMORY("gmres")

template <ComplexValue T, Offset O>
double true_residual(const CsrView<T, O>& a, std::span<const std::type_identity_t<T>> b,
                     std::span<const std::type_identity_t<T>> x) try {
  if (b.size() != static_cast<std::size_t>(a.rows) || x.size() != static_cast<std::size_t>(a.cols))
    throw InvalidArgument("b and x do not have the lengths of the matrix");
  inspect(a);
  double r2 = 0, b2 = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    ExactSum re, im;
    const T its = b[static_cast<std::size_t>(i)];
    re.add_product(-1, its.real());
    im.add_product(-1, its.imag());
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const T v = a.values[k], z = x[static_cast<std::size_t>(a.columns[k])];
      re.add_product(v.real(), z.real());
      re.add_product(-static_cast<double>(v.imag()), z.imag());
      im.add_product(v.real(), z.imag());
      im.add_product(v.imag(), z.real());
    }
    const double rest_re = re.finite() ? re.rounded() : NAN,
                 rest_im = im.finite() ? im.rounded() : NAN;
    r2 += rest_re * rest_re + rest_im * rest_im;
    b2 +=
        static_cast<double>(its.real()) * its.real() + static_cast<double>(its.imag()) * its.imag();
  }
  return b2 == 0 ? std::sqrt(r2) : std::sqrt(r2 / b2);
}
NZ_OR_NO_MEMORY("a residual")

#define NZ_INSTANTIATE(T)                                                                        \
  template Result cg(const Plan<T>&, std::span<const T>, std::span<T>, const Options<T>&);       \
  template Result bicgstab(const Plan<T>&, std::span<const T>, std::span<T>, const Options<T>&); \
  template Result gmres(const Plan<T>&, std::span<const T>, std::span<T>, const Options<T>&);
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T, O) \
  template double true_residual(const CsrView<T, O>&, std::span<const T>, std::span<const T>);
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::solve
