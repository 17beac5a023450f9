#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nz {

// A sum of products carried as an unevaluated pair hi + lo, about 104 bits: enough to call the
// result exact next to sums in double. NaN and infinities are counted apart, because the pair's
// error terms would turn every infinity into NaN.
class ExactSum {
 public:
  void add_product(double a, double b) {
    const double p = a * b;
    if (!std::isfinite(p)) {
      add_non_finite(p, std::isfinite(a) && std::isfinite(b));
      return;
    }
    add(p, std::fma(a, b, -p));
    magnitude_ += std::abs(p);
  }

  // factor * this.
  ExactSum scaled(double factor) const {
    ExactSum r;
    const double p = factor * hi_;
    if (std::isfinite(p)) r.add(p, std::fma(factor, hi_, -p) + factor * lo_);
    r.magnitude_ = std::abs(factor) * magnitude_;
    r.nan_ = nan_;
    r.plus_ = factor < 0 ? minus_ : plus_;
    r.minus_ = factor < 0 ? plus_ : minus_;
    r.overflow_ = overflow_ || !std::isfinite(p);
    return r;
  }

  double high() const { return hi_; }
  double low() const { return lo_; }
  double magnitude() const { return magnitude_; }  // sum of |a||b| over the finite products

  bool finite() const { return !nan_ && !plus_ && !minus_; }
  // NaN or an infinity: what any order of summation ends in. Only when not finite().
  double limit() const {
    if (nan_ || (plus_ && minus_)) return std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    return plus_ ? inf : -inf;
  }
  // A finite product was too large for double.
  bool overflowed() const { return overflow_; }

 private:
  void add(double p, double error) {
    const double s = hi_ + p;
    const double t = s - hi_;
    lo_ += ((hi_ - (s - t)) + (p - t)) + error;
    hi_ = s;
  }
  void add_non_finite(double p, bool from_finite) {
    if (from_finite)
      overflow_ = true;
    else if (std::isnan(p))
      nan_ = true;
    else
      (p > 0 ? plus_ : minus_) = true;
  }

  double hi_ = 0, lo_ = 0, magnitude_ = 0;
  bool nan_ = false, plus_ = false, minus_ = false, overflow_ = false;
};

}  // namespace nz
