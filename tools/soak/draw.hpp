#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace nz::trials {

// Where the choices of a case come from: a seed, which never ends, or the bytes of a fuzzer, after
// whose end every choice is the first one.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  explicit Draw(std::span<const unsigned char> bytes) : bytes_(bytes), from_bytes_(true) {}

  std::uint64_t bits() { return from_bytes_ ? take(8) : next(); }

  // 0 to n - 1. Of a fuzzer's bytes it takes as few as n needs, so that one byte is one choice.
  std::uint64_t below(std::uint64_t n) {
    if (n <= 1) return 0;
    if (!from_bytes_) return next() % n;
    int width = 1;
    while (width < 8 && (n - 1) >> (8 * width)) ++width;
    return take(width) % n;
  }
  // low to high, both included.
  template <class I>
  I between(I low, I high) {
    return low + static_cast<I>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool one_in(std::uint64_t n) { return below(n) + 1 == n; }
  template <class T, std::size_t N>
  const T& pick(const T (&from)[N]) {
    return from[below(N)];
  }
  // Up to n, small numbers more often: sizes.
  std::uint64_t size_up_to(std::uint64_t n) { return below(below(n + 1) + 1); }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  // For what is too much to be chosen number by number: values of vectors.
  Draw endless() { return Draw(from_bytes_ ? take(2) : next()); }
  bool ended() const { return from_bytes_ && bytes_.empty(); }

 private:
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t take(int width) {
    std::uint64_t v = 0;
    const auto n = std::min(bytes_.size(), static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < n; ++i) v |= std::uint64_t{bytes_[i]} << (8 * i);
    bytes_ = bytes_.subspan(n);
    return v;
  }

  std::uint64_t state_ = 0;
  std::span<const unsigned char> bytes_{};
  bool from_bytes_ = false;
};

}  // namespace nz::trials
