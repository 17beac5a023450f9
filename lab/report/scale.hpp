#pragma once
#include <span>
#include <string>
#include <vector>

namespace nz::lab {

// From values to places on the paper.
class Scale {
 public:
  static Scale linear(double low, double high, double from, double to);
  // Both ends above 0.
  static Scale logarithmic(double low, double high, double from, double to);

  double operator()(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  double from() const { return from_; }
  double to() const { return to_; }

  // Round values within the scale: about so many on a linear one; on a logarithmic one 1, 2, 5
  // where it is short, powers of ten or of a thousand where it is long.
  std::vector<double> ticks(int about = 5) const;
  // Its ticks are powers of ten, and not all of them short ones.
  bool has_powers_alone() const;

 private:
  Scale(bool log, double low, double high, double from, double to)
      : log_(log), low_(low), high_(high), from_(from), to_(to) {}
  bool log_;
  double low_, high_, from_, to_;
};

// The smallest and the largest value, a share of the way beyond both, by ratio; values that are not
// above 0 do not count. {1, 10} where there are none.
struct Range {
  double low = 1, high = 10;
};
Range log_range(std::span<const double> values, double beyond = 0.06);

// 0.5, 12, 4500 as "4.5k", 2e6 as "2M", 2e-5 as "2·10⁻⁵".
std::string tick_text(double value);
// "10³", "10⁻⁵", "1"; what is no power of ten as tick_text().
std::string power_text(double value);

}  // namespace nz::lab
