#include "lab/report/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace nz::lab {
namespace {

constexpr double slack = 1e-9;  // an end of the scale is within it

std::vector<double> linear_ticks(double low, double high, int about) {
  const double rough = (high - low) / std::max(1, about);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= rough * (1 - slack)) {
      step = m * power;
      break;
    }
  std::vector<double> all;
  for (double i = std::ceil(low / step - slack); i * step <= high + slack * step; ++i)
    all.push_back(i == 0 ? 0 : i * step);  // not -0
  return all;
}

std::vector<double> log_ticks(double low, double high) {
  const double decades = std::log10(high / low);
  std::vector<double> all;
  const int first = static_cast<int>(std::floor(std::log10(low) - slack));
  const int last = static_cast<int>(std::ceil(std::log10(high) + slack));
  const int stride = decades > 9 ? 3 : decades > 5.5 ? 2 : 1;
  for (int e = first; e <= last; ++e) {
    if (decades > 2.5 && e % stride != 0) continue;
    const auto add = [&](double m) {
      const double v = m * std::pow(10, e);
      if (v >= low * (1 - slack) && v <= high * (1 + slack)) all.push_back(v);
    };
    add(1);
    if (decades > 2.5) continue;
    if (decades < 0.7) add(1.5);
    add(2);
    if (decades < 1.3) add(3);
    if (decades < 0.7) add(4);
    add(5);
    if (decades < 0.7) add(7);
  }
  return all;
}

}  // namespace

Scale Scale::linear(double low, double high, double from, double to) {
  if (!(high > low)) high = low + 1;
  return {false, low, high, from, to};
}

Scale Scale::logarithmic(double low, double high, double from, double to) {
  if (!(high > low)) high = low * 2;
  return {true, low, high, from, to};
}

double Scale::operator()(double value) const {
  const double t =
      log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return from_ + t * (to_ - from_);
}

std::vector<double> Scale::ticks(int about) const {
  // Less than a doubling looks almost the same either way.
  return log_ && high_ >= 2 * low_ ? log_ticks(low_, high_) : linear_ticks(low_, high_, about);
}

Range log_range(std::span<const double> values, double beyond) {
  Range r{0, 0};
  for (const double v : values) {
    if (!(v > 0) || !std::isfinite(v)) continue;
    if (r.low == 0 || v < r.low) r.low = v;
    r.high = std::max(r.high, v);
  }
  if (r.low == 0) return {};
  const double more = std::pow(std::max(r.high / r.low, 1.2), beyond);
  return {r.low / more, r.high * more};
}

bool Scale::has_powers_alone() const {
  if (!log_ || high_ < 2 * low_) return false;
  const std::vector<double> all = ticks();
  const auto is_power = [](double v) {
    return std::abs(std::log10(v) - std::round(std::log10(v))) < slack;
  };
  return std::all_of(all.begin(), all.end(), is_power) && (low_ < 0.01 || high_ >= 1000);
}

namespace {

std::string exponent_text(int n) {
  constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string all = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) all += digits[static_cast<std::size_t>(c - '0')];
  return all;
}

}  // namespace

std::string tick_text(double value) {
  constexpr std::array units{"", "k", "M", "G", "T"};
  constexpr double last = 999.5e12, first = 1e-3;
  const double size = std::abs(value);
  if (size >= last || (size > 0 && size < first)) {
    const int e = static_cast<int>(std::floor(std::log10(size) + slack));
    const std::string digits = fmt::format("{:.2g}", value / std::pow(10, e));
    return (digits == "1" ? "" : digits == "-1" ? "-" : digits + "·") + "10" + exponent_text(e);
  }
  std::size_t u = 0;
  while (std::abs(value) >= 999.5 && u + 1 < units.size()) value /= 1000, ++u;
  // A small number needs no third digit.
  return size < 0.1 ? fmt::format("{:.2g}", value) : fmt::format("{:.3g}{}", value, units[u]);
}

std::string power_text(double value) {
  if (!(value > 0)) return tick_text(value);
  const double e = std::log10(value);
  if (std::abs(e - std::round(e)) > slack) return tick_text(value);
  const int n = static_cast<int>(std::round(e));
  return n == 0 ? "1" : n == 1 ? "10" : "10" + exponent_text(n);
}

}  // namespace nz::lab
