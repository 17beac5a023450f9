#pragma once
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/solve.hpp>

#include "support/devices.hpp"

// Small systems to solve, and where.
namespace nz::test {

using Matrix = Csr<double, std::int64_t>;

inline Matrix laplace(int nx = 20, int ny = 17) {
  return generate("grid:points=5,nx=" + std::to_string(nx) + ",ny=" + std::to_string(ny)).matrix;
}

// Diffusion with a wind along x: not symmetric, diagonally dominant.
inline Matrix wind(int nx = 19, int ny = 13, double strength = 0.7) {
  Matrix a = laplace(nx, ny);
  for (index_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      if (a.columns[k] == i + 1) a.values[k] += strength;
      if (a.columns[k] == i - 1) a.values[k] -= strength;
      if (a.columns[k] == i) a.values[k] += 0.3 + 0.01 * (i % 7);
    }
  return a;
}

inline Matrix from_entries(index_t rows, index_t cols, const std::vector<index_t>& i,
                           const std::vector<index_t>& j, const std::vector<double>& v) {
  return csr_from_triplets<double, std::int64_t>(rows, cols, i, j, v);
}

// Tall and full of rank.
inline Matrix tall(index_t rows = 60, index_t cols = 25) {
  std::mt19937_64 random(7);
  std::vector<index_t> i, j;
  std::vector<double> v;
  for (index_t r = 0; r < rows; ++r) {
    i.push_back(r), j.push_back(r % cols), v.push_back(2 + 0.1 * (r % 5));
    for (int e = 0; e < 3; ++e) {
      i.push_back(r);
      j.push_back(static_cast<index_t>(random() % static_cast<std::uint64_t>(cols)));
      v.push_back(0.25 - 0.125 * static_cast<double>(random() % 5));
    }
  }
  return from_entries(rows, cols, i, j, v);
}

inline std::vector<double> numbers(std::size_t n, double shift = 0.3) {
  std::vector<double> b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = std::sin(1.7 * static_cast<double>(i + 1)) + shift;
  return b;
}

// The CPU, the emulator and the first GPU, as they are there.
inline std::vector<std::string> places() {
  std::vector<std::string> all;
  for (const DeviceInfo& d : devices())
    if (d.device.index == 0) all.push_back(d.device.name());
  return all;
}

template <class T>
std::vector<T> cast(const std::vector<double>& v) {
  return {v.begin(), v.end()};
}

}  // namespace nz::test
