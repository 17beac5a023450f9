#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <nonzero/device.hpp>

#include "soak/case.hpp"

namespace nz::trials {

// n numbers of that scale. Extreme ones lie around one power of two that the type can just hold.
template <class T>
std::vector<T> numbers(Draw random, std::size_t n, Scale scale) {
  using limits = std::numeric_limits<T>;
  std::vector<T> v(n);
  for (T& e : v) e = static_cast<T>(2 * random.unit() - 1);
  if (scale == Scale::extreme) {
    const int power = random.between(limits::min_exponent - limits::digits, limits::max_exponent);
    for (T& e : v) {
      e = std::ldexp(e, power + random.between(-3, 0));
      if (!std::isfinite(e)) e = limits::max();
    }
  }
  if (scale == Scale::non_finite) {
    const T odd[] = {limits::infinity(), -limits::infinity(), limits::quiet_NaN()};
    const auto step = random.between<std::size_t>(1, 20);
    for (std::size_t i = random.below(step); i < n; i += step) v[i] = odd[random.below(3)];
  }
  return v;
}

// A vector between two zones that nobody may write.
template <class T>
class Guarded {
 public:
  explicit Guarded(const std::vector<T>& v) : all_(v.size() + 2 * zone, mark), size_(v.size()) {
    std::copy(v.begin(), v.end(), all_.begin() + zone);
  }
  std::span<T> span() { return {all_.data() + zone, size_}; }
  std::span<T> all() { return all_; }
  std::span<T> inside(std::span<T> all) const { return all.subspan(zone, size_); }
  bool intact() const {
    const auto marked = [](T v) { return v == mark; };
    return std::all_of(all_.begin(), all_.begin() + zone, marked) &&
           std::all_of(all_.end() - zone, all_.end(), marked);
  }

 private:
  static constexpr std::ptrdiff_t zone = 37;
  static constexpr T mark = T(-7.25);
  std::vector<T> all_;
  std::size_t size_;
};

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace nz::trials
