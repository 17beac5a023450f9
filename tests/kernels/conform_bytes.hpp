#pragma once
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats/csr.hpp>
#include <nonzero/plan.hpp>

// What the byte model of a kernel may say: at least what no format can do without, at most what it
// holds, written and read.
namespace nz::test {

// What the values take however they are stored: each that occurs at least once, as a float where
// that is exact.
template <class T, class O>
std::size_t fewest_value_bytes(const Csr<T, O>& a) {
  std::set<T> different;
  for (const T v : a.values)
    if (v == v && v != T(0)) different.insert(v);
  std::size_t bytes = 0;
  for (const T v : different)
    bytes += static_cast<T>(static_cast<float>(v)) == v ? sizeof(float) : sizeof(T);
  return bytes;
}

// Of each kind, how many have entries.
struct Nonempty {
  std::size_t rows = 0, cols = 0;
};
template <class T, class O>
Nonempty nonempty(const Csr<T, O>& a) {
  Nonempty n{.cols = std::set<index_t>(a.columns.begin(), a.columns.end()).size()};
  for (std::size_t i = 1; i < a.offsets.size(); ++i) n.rows += a.offsets[i] > a.offsets[i - 1];
  return n;
}

// y once, again where it is read, of x what meets entries, and of the matrix at least `fewest`.
// What another library holds, it alone knows.
template <class T, class O>
void check_bytes(const Plan<T>& plan, const Csr<T, O>& a, std::size_t fewest) {
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  const Product<T>& product = plan.product();
  const std::size_t vectors = (rows + cols) * sizeof(T);
  constexpr std::size_t arguments = 64;  // numbers that go along with a launch
  const std::size_t held = product.bytes() + (product.borrows() ? a.bytes() : 0) + arguments;
  for (const Op op : all_ops) {
    if (!plan.kernel().supports(op)) continue;
    const std::size_t once = product.traffic(op, false);
    EXPECT_EQ(product.traffic(op, true) - once, (op == Op::none ? rows : cols) * sizeof(T));
    const std::size_t met = op == Op::none ? rows + nonempty(a).cols : cols + nonempty(a).rows;
    EXPECT_GE(once, met * sizeof(T) + fewest) << name(op);
    if (plan.kernel().family != "peer") {
      EXPECT_LE(once, vectors + 2 * held) << name(op);  // room for sums is written, then read
    }
  }
}

// Random columns, ten in a row of 3000: to tell where they are takes 9.7 bits of each nonzero,
// however it is done (log2 of the ways to choose 2000 places of 600 000), and the values are all
// different: no format needs fewer bytes than its values and one byte for each nonzero.
template <class T, class O>
void check_bytes_of_random_matrix(const Kernel& kernel, const Parameters& parameters,
                                  Device device) {
  constexpr index_t rows = 200, cols = 3000;
  std::mt19937_64 random(9);
  std::set<std::pair<index_t, index_t>> places;
  while (places.size() < 10 * rows)
    places.insert({static_cast<index_t>(random() % rows), static_cast<index_t>(random() % cols)});
  std::vector<index_t> r, c;
  std::vector<T> v;
  for (const auto& [i, j] : places) {
    r.push_back(i);
    c.push_back(j);
    v.push_back(std::uniform_real_distribution<T>(1, 2)(random));
  }
  const auto a = csr_from_triplets<T, O>(rows, cols, r, c, v);
  SCOPED_TRACE(kernel.id() + " on random columns");
  const auto plan =
      nz::plan(a.view(), {.kernel = kernel.id(), .parameters = parameters, .device = device});
  check_bytes(plan, a, fewest_value_bytes(a) + a.columns.size());
}

}  // namespace nz::test
