#pragma once
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

namespace nz::test {

// Matrices of whole numbers, so that every kernel must give exactly the same.
inline Csr<double, std::int32_t> whole(const std::string& spec) {
  auto a = csr_cast<double, std::int32_t>(generate(spec).matrix.view());
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = 1 + static_cast<int>(k % 7);
  return a;
}

inline std::vector<double> product(const CsrView<double, std::int32_t>& a, Op op) {
  std::vector<double> y(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols));
  for (index_t i = 0; i < a.rows; ++i)
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const index_t j = a.columns[k];
      if (op == Op::none)
        y[static_cast<std::size_t>(i)] += a.values[k] * (1 + j % 5);
      else
        y[static_cast<std::size_t>(j)] += a.values[k] * (1 + i % 5);
    }
  return y;
}

inline std::vector<double> product(const Plan<double>& p, Op op) {
  std::vector<double> x(static_cast<std::size_t>(op == Op::none ? p.cols() : p.rows()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + static_cast<double>(i % 5);
  std::vector<double> y(static_cast<std::size_t>(op == Op::none ? p.rows() : p.cols()), -1);
  p.multiply(1, x, 0, y, op);
  return y;
}

inline void expect_right(const Plan<double>& p, const CsrView<double, std::int32_t>& a) {
  for (const Op op : all_ops) EXPECT_EQ(product(p, op), product(a, op)) << name(op);
}

// The CPU, and the emulator where it was built in.
inline std::vector<std::string> places() {
  std::vector<std::string> all{"cpu"};
  for (const DeviceInfo& d : devices())
    if (d.device == emulator_device) all.push_back("emu");
  return all;
}

}  // namespace nz::test
