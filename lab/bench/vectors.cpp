#include "lab/bench/vectors.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

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

// 23 bits fill a float's fraction exactly, so that both types get the same numbers.
template <class T>
T number(std::uint64_t bits) {
  return static_cast<T>(bits >> 41) * static_cast<T>(0x1p-22) - T(1);
}

}  // namespace

std::uint64_t seed_of_column(std::uint64_t seed, index_t column) {
  return column == 0 ? seed : mix(seed + (static_cast<std::uint64_t>(column) << 32));
}

template <Value T>
void fill_random(std::span<T> v, std::uint64_t seed) {
  const std::uint64_t start = mix(seed);
  parallel_ranges(v.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) v[i] = number<T>(mix(start + i));
  });
}

template <Value T>
void fill_random(const DenseView<T>& v, std::uint64_t seed) {
  std::vector<std::uint64_t> start;
  for (index_t j = 0; j < v.columns(); ++j) start.push_back(mix(seed_of_column(seed, j)));
  const auto fill = [&](index_t i, index_t j) {
    v(i, j) = number<T>(mix(start[static_cast<std::size_t>(j)] + static_cast<std::uint64_t>(i)));
  };
  parallel_ranges(v.rows(), [&](index_t begin, index_t end) {
    if (v.layout() == Layout::row_major) {
      for (index_t i = begin; i < end; ++i)
        for (index_t j = 0; j < v.columns(); ++j) fill(i, j);
    } else {
      for (index_t j = 0; j < v.columns(); ++j)
        for (index_t i = begin; i < end; ++i) fill(i, j);
    }
  });
}

template <Value T>
double norm(std::span<const T> v) {
  double sum = 0;
  for (const T e : v) sum += static_cast<double>(e) * static_cast<double>(e);
  return std::sqrt(sum);
}

#define NZ_INSTANTIATE(T)                                        \
  template void fill_random(std::span<T>, std::uint64_t);        \
  template void fill_random(const DenseView<T>&, std::uint64_t); \
  template double norm(std::span<const T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::lab
