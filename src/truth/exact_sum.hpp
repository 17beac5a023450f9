#pragma once
#include <cmath>
#include <limits>

namespace nz {

// A sum of products of doubles, carried as an unevaluated pair hi + lo, about 104 bits, times a
// power of two: enough to call the result exact next to sums in double, at any scale. What a double
// can be, multiplied twice, lies between 2^-3222 and 2^3072, so the power is kept apart, in steps:
// products of ordinary size need none. Where terms of very different scales meet, what lies below
// 2^-800 of the largest is lost. NaN and infinities are counted apart, because
// the pair's error terms would turn every infinity into NaN.
class ExactSum {
 public:
  // A double times 2^exponent.
  struct Scaled {
    double value = 0;
    int exponent = 0;
    double plain() const { return std::ldexp(value, exponent); }
  };

  void add_product(double a, double b) {
    const double p = a * b;
    const double size = std::abs(p);
    if (exponent_ == 0 && size >= ordinary_low && size <= ordinary_high)
      add(p, std::fma(a, b, -p), size);
    else
      add_rare_product(a, b);
  }

  // factor * this, for a finite factor other than 0.
  ExactSum scaled(double factor) const {
    ExactSum r;
    int exponent = 0;
    const double f = std::frexp(factor, &exponent);
    const double p = f * hi_;
    r.add_at(p, std::fma(f, hi_, -p) + f * lo_, std::abs(f) * magnitude_, exponent_ + exponent);
    r.nan_ = nan_;
    r.plus_ = factor < 0 ? minus_ : plus_;
    r.minus_ = factor < 0 ? plus_ : minus_;
    return r;
  }

  // Adds another sum.
  void add(const ExactSum& other) {
    add_at(other.hi_, other.lo_, other.magnitude_, other.exponent_);
    nan_ = nan_ || other.nan_;
    plus_ = plus_ || other.plus_;
    minus_ = minus_ || other.minus_;
  }

  Scaled high() const { return {hi_, exponent_}; }
  Scaled low() const { return {lo_, exponent_}; }
  double rounded() const { return std::ldexp(hi_ + lo_, exponent_); }
  Scaled magnitude() const { return {magnitude_, exponent_}; }  // sum of |a||b|, the finite ones

  void add_nan() { nan_ = true; }
  void add_infinity(bool positive) { (positive ? plus_ : minus_) = true; }
  bool finite() const { return !nan_ && !plus_ && !minus_; }
  // NaN or an infinity: what any order of summation ends in. Only when not finite().
  double limit() const {
    if (nan_ || (plus_ && minus_)) return std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    return plus_ ? inf : -inf;
  }

 private:
  // Products in this range, their rounding errors and sums of 2^60 of them are normal numbers.
  static constexpr double ordinary_low = 0x1p-256, ordinary_high = 0x1p256;
  static constexpr int step = 512;

  void add(double p, double error, double size) {
    const double s = hi_ + p;
    const double t = s - hi_;
    lo_ += ((hi_ - (s - t)) + (p - t)) + error;
    hi_ = s;
    magnitude_ += size;
  }

  void add_rare_product(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) {
      const double p = a * b;
      if (std::isnan(p))
        add_nan();
      else
        add_infinity(p > 0);
      return;
    }
    if (a == 0 || b == 0) return;
    int of_a = 0, of_b = 0;
    const double f = std::frexp(a, &of_a), g = std::frexp(b, &of_b);
    const double p = f * g;
    add_at(p, std::fma(f, g, -p), std::abs(p), of_a + of_b);
  }

  // Adds (p + error) 2^exponent, |p| <= size, of which size 2^exponent counts as magnitude.
  void add_at(double p, double error, double size, int exponent) {
    if (size == 0) return;
    const int scale = std::ilogb(size) + exponent + step / 2;
    const int own = (scale >= 0 ? scale / step : -((step - 1 - scale) / step)) * step;
    if (magnitude_ == 0) exponent_ = own;
    if (own > exponent_) {
      const int down = exponent_ - own;
      hi_ = std::ldexp(hi_, down);
      lo_ = std::ldexp(lo_, down);
      magnitude_ = std::ldexp(magnitude_, down);
      exponent_ = own;
    }
    const int shift = exponent - exponent_;
    add(std::ldexp(p, shift), std::ldexp(error, shift), std::ldexp(size, shift));
  }

  double hi_ = 0, lo_ = 0, magnitude_ = 0;
  int exponent_ = 0;  // a multiple of step
  bool nan_ = false, plus_ = false, minus_ = false;
};

}  // namespace nz
