#include "lab/bench/vectors.hpp"

#include <cmath>
#include <cstddef>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"

namespace nz::lab {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a counter in, 64 mixed bits out.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

template <Value T>
void fill_random(std::span<T> v, std::uint64_t seed) {
  const std::uint64_t start = mix(seed);
  // 23 bits fill a float's fraction exactly, so that both types get the same numbers.
  parallel_ranges(v.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      v[i] = static_cast<T>(mix(start + i) >> 41) * static_cast<T>(0x1p-22) - T(1);
  });
}

template <Value T>
double norm(std::span<const T> v) {
  double sum = 0;
  for (const T e : v) sum += static_cast<double>(e) * static_cast<double>(e);
  return std::sqrt(sum);
}

#define NZ_INSTANTIATE(T)                                 \
  template void fill_random(std::span<T>, std::uint64_t); \
  template double norm(std::span<const T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::lab
