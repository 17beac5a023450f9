#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "gpu/problem.hpp"

namespace nz::test {

// A full first row and column, a diagonal, and some empty rows: whatever a kernel cuts, it cuts the
// long ones here, and puts them together in scratch memory. All numbers are small integers, so that
// products are exact in any order, and compared bit by bit.
template <class T>
struct Arrow {
  Csr<T, std::int32_t> a;

  explicit Arrow(index_t n) {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<int> number(1, 4);
    std::vector<std::int32_t> offsets = {0};
    std::vector<index_t> columns;
    std::vector<T> values;
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < n; ++j) {
        if (i != 0 && (i % 7 == 3 || (j != 0 && j != i))) continue;
        columns.push_back(j);
        values.push_back(static_cast<T>(number(random)));
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    a.rows = a.cols = n;
    a.offsets = Array<std::int32_t>(std::span<const std::int32_t>(offsets));
    a.columns = Array<index_t>(std::span<const index_t>(columns));
    a.values = Array<T>(std::span<const T>(values));
  }

  std::vector<T> x(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> number(-4, 4);
    std::vector<T> v(static_cast<std::size_t>(a.rows));
    for (T& e : v) e = static_cast<T>(number(random));
    return v;
  }

  // times op(A) x
  std::vector<T> product(Op op, const std::vector<T>& x, T times = T(1)) const {
    std::vector<T> y(x.size(), T(0));
    for (std::size_t row = 0; row < y.size(); ++row)
      for (auto k = static_cast<std::size_t>(a.offsets[row]);
           k < static_cast<std::size_t>(a.offsets[row + 1]); ++k) {
        const auto column = static_cast<std::size_t>(a.columns[k]);
        y[op == Op::none ? row : column] += times * a.values[k] * x[op == Op::none ? column : row];
      }
    return y;
  }
};

// As large as the device can take without long waiting.
inline index_t arrow_size(Device device) { return device.kind == Device::Kind::cuda ? 6000 : 1400; }

}  // namespace nz::test
