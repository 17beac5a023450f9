#include "kernels/battery.hpp"

#include <functional>
#include <limits>
#include <random>

#include <fmt/format.h>

namespace nz::test {
namespace {

using Random = std::mt19937_64;

double value(Random& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

// Keeps each place with the probability keep(i, j).
Csr<double, std::int64_t> pick(Random& random, index_t rows, index_t cols,
                               const std::function<double(index_t, index_t)>& keep) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  std::uniform_real_distribution<double> chance(0, 1);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j)
      if (chance(random) < keep(i, j)) {
        r.push_back(i);
        c.push_back(j);
        v.push_back(value(random));
      }
  return csr_from_triplets<double, std::int64_t>(rows, cols, r, c, v);
}

Csr<double, std::int64_t> uniform(Random& random, index_t rows, index_t cols, double density) {
  return pick(random, rows, cols, [=](index_t, index_t) { return density; });
}

Csr<double, std::int64_t> with_duplicates(Random& random) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  std::uniform_int_distribution<index_t> at(0, 19);
  for (int k = 0; k < 900; ++k) {
    r.push_back(at(random));
    c.push_back(at(random));
    v.push_back(value(random));
  }
  return csr_from_triplets<double, std::int64_t>(20, 20, r, c, v);
}

Csr<double, std::int64_t> with_non_finite(Random& random) {
  auto a = uniform(random, 37, 41, 0.2);
  const double inf = std::numeric_limits<double>::infinity();
  const double odd[] = {inf, -inf, std::numeric_limits<double>::quiet_NaN(), 0.0, -0.0};
  for (std::size_t k = 3; k < a.values.size(); k += 17) a.values[k] = odd[k % 5];
  return a;
}

// The same pattern with values that can be stored in fewer bytes.
Csr<double, std::int64_t> with_values(Csr<double, std::int64_t> a,
                                      const std::function<double(double)>& narrow) {
  for (double& v : a.values) v = narrow(v);
  return a;
}

// Nearby columns, and one far away in every fifth row: indices of every width.
Csr<double, std::int64_t> with_reach(Random& random, index_t rows, index_t cols, index_t reach) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  for (index_t i = 0; i < rows; ++i)
    for (index_t k = 0; k < 1 + i % 7; ++k) {
      const index_t far = i % 5 == 0 && k == 0 ? reach : 0;
      r.push_back(i);
      c.push_back(static_cast<index_t>((i * 3L + k * 17L * (i % 3) + k + far) % cols));
      v.push_back(value(random));
    }
  return csr_from_triplets<double, std::int64_t>(rows, cols, r, c, v);
}

}  // namespace

std::vector<BatteryMatrix> battery(std::uint64_t seed) {
  Random random(seed);
  std::vector<BatteryMatrix> all;
  const auto add = [&](std::string name, Csr<double, std::int64_t> a) {
    a.validate();
    all.push_back({std::move(name), std::move(a)});
  };
  for (const auto& [m, n] : {std::pair{0, 0}, {0, 7}, {7, 0}, {5, 9}})
    add(fmt::format("no entries {}x{}", m, n), uniform(random, m, n, 0));
  add("1x1", uniform(random, 1, 1, 1));
  add("one row", uniform(random, 1, 300, 0.5));
  add("one column", uniform(random, 300, 1, 0.5));
  add("first rows empty", pick(random, 50, 40, [](index_t i, index_t) { return i < 9 ? 0 : 0.2; }));
  add("last rows empty", pick(random, 50, 40, [](index_t i, index_t) { return i > 40 ? 0 : 0.2; }));
  add("middle rows empty",
      pick(random, 50, 40, [](index_t i, index_t) { return i > 11 && i < 39 ? 0 : 0.2; }));
  add("every other row empty",
      pick(random, 67, 40, [](index_t i, index_t) { return i % 2 ? 0.3 : 0; }));
  add("one dense row",
      pick(random, 150, 150, [](index_t i, index_t) { return i == 75 ? 1 : 0.01; }));
  add("one dense column",
      pick(random, 150, 150, [](index_t, index_t j) { return j == 75 ? 1 : 0.01; }));
  add("one very long row",
      pick(random, 3, 5000, [](index_t i, index_t) { return i == 1 ? 1 : 0.001; }));
  for (const index_t n : {31, 32, 33, 127, 128, 129}) {
    add(fmt::format("square {}", n), uniform(random, n, n, 0.1));
    add(fmt::format("dense rows {}", n), uniform(random, 9, n, 1));
  }
  add("wide", uniform(random, 20, 700, 0.05));
  add("tall", uniform(random, 700, 20, 0.05));
  add("diagonal", pick(random, 65, 65, [](index_t i, index_t j) { return i == j; }));
  add("tridiagonal",
      pick(random, 200, 200, [](index_t i, index_t j) { return std::abs(i - j) < 2; }));
  const auto five_point = pick(random, 130, 130, [](index_t i, index_t j) {
    return i == j || std::abs(i - j) == 13 || (std::abs(i - j) == 1 && std::max(i, j) % 13 != 0);
  });
  add("stencil", five_point);
  add("stencil of ones", with_values(five_point, [](double) { return 1.0; }));
  add("stencil of few values", with_values(five_point, [](double v) {
        return v < 0 ? -1.0 : v < 0.3 ? 1.0 / 3 : 4.0;
      }));
  add("stencil of floats",
      with_values(five_point, [](double v) { return static_cast<double>(static_cast<float>(v)); }));
  add("columns near", with_reach(random, 90, 200, 0));
  add("columns within 16 bits", with_reach(random, 90, 40'000, 20'000));
  add("columns far", with_reach(random, 90, 80'000, 70'000));
  add("blocks of 3 x 2",
      pick(random, 60, 50, [](index_t i, index_t j) { return (i / 3 + j / 2) % 4 == 0; }));
  add("row lengths like a power law",
      pick(random, 400, 400, [](index_t i, index_t) { return 1.0 / (1 + i); }));
  add("duplicates", with_duplicates(random));
  add("NaN and Inf in A", with_non_finite(random));
  add("few rows with entries",
      pick(random, 150, 9, [](index_t i, index_t) { return i < 4 || i > 145 ? 0.3 : 0; }));
  add("few columns with entries",
      pick(random, 9, 150, [](index_t, index_t j) { return j < 4 || j > 145 ? 0.3 : 0; }));
  add("only the first row", pick(random, 70, 60, [](index_t i, index_t) { return i == 0; }));
  add("only the last place",
      pick(random, 70, 60, [](index_t i, index_t j) { return i == 69 && j == 59; }));
  return all;
}

}  // namespace nz::test
