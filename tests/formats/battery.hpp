#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats/csr.hpp>

// Small matrices of every awkward kind. Values are small whole numbers, none of them zero, so that
// float, double and any order of summation give the same products.
namespace nz::battery {

struct Named {
  std::string name;
  Csr<double, std::int64_t> matrix;
};

class Builder {
 public:
  explicit Builder(unsigned seed) : random_(seed) {}

  void add(index_t i, index_t j) {
    row_.push_back(i);
    column_.push_back(j);
    value_.push_back(value());
  }
  double value() {
    const int v = static_cast<int>(random_() % 16);
    return v < 8 ? v - 8 : v - 7;
  }
  index_t below(index_t n) { return static_cast<index_t>(random_() % static_cast<unsigned>(n)); }
  Csr<double, std::int64_t> build(index_t rows, index_t cols) const {
    // Repeated coordinates keep the first value only: a sum could be zero.
    std::vector<std::vector<char>> seen(static_cast<std::size_t>(rows),
                                        std::vector<char>(static_cast<std::size_t>(cols)));
    std::vector<index_t> r, c;
    std::vector<double> v;
    for (std::size_t k = 0; k < value_.size(); ++k) {
      char& there = seen[static_cast<std::size_t>(row_[k])][static_cast<std::size_t>(column_[k])];
      if (there) continue;
      there = 1;
      r.push_back(row_[k]);
      c.push_back(column_[k]);
      v.push_back(value_[k]);
    }
    return csr_from_triplets<double, std::int64_t>(rows, cols, r, c, v);
  }

 private:
  std::mt19937 random_;
  std::vector<index_t> row_, column_;
  std::vector<double> value_;
};

inline Csr<double, std::int64_t> random_matrix(index_t rows, index_t cols, int entries,
                                               unsigned seed) {
  Builder b(seed);
  for (int k = 0; k < entries; ++k) b.add(b.below(rows), b.below(cols));
  return b.build(rows, cols);
}

inline std::vector<Named> make_all() {
  std::vector<Named> list;
  const auto add = [&](std::string name, Csr<double, std::int64_t> m) {
    list.push_back({std::move(name), std::move(m)});
  };
  const auto blank = [](index_t rows, index_t cols) { return Builder(0).build(rows, cols); };
  add("0 x 0", blank(0, 0));
  add("0 x 5", blank(0, 5));
  add("5 x 0", blank(5, 0));
  add("7 x 4 without entries", blank(7, 4));
  {
    Builder b(1);
    b.add(0, 0);
    add("1 x 1", b.build(1, 1));
  }
  {
    Builder b(2);  // rows 0, 4, 5 and 9 empty
    for (index_t i : {1, 2, 3, 6, 7, 8})
      for (int k = 0; k < 3; ++k) b.add(i, b.below(11));
    add("empty rows first, middle, last", b.build(10, 11));
  }
  {
    Builder b(3);
    for (index_t j = 0; j < 40; ++j) b.add(17, j);
    for (index_t i = 0; i < 40; ++i) b.add(i, i);
    add("one dense row", b.build(40, 40));
  }
  {
    Builder b(4);
    for (index_t i = 0; i < 40; ++i) b.add(i, 23);
    for (index_t i = 0; i < 40; ++i) b.add(i, 39 - i);
    add("one dense column", b.build(40, 40));
  }
  {
    Builder b(5);
    for (index_t j = 0; j < 50; j += 2) b.add(0, j);
    add("a single row", b.build(1, 50));
    Builder c(6);
    for (index_t i = 1; i < 50; i += 3) c.add(i, 0);
    add("a single column", c.build(50, 1));
  }
  for (index_t n : {31, 32, 33, 127, 128, 129}) {
    Builder b(static_cast<unsigned>(n));
    for (index_t i = 0; i < n; ++i)
      for (index_t j : {i - 9, i - 1, i, i + 1, i + 9})
        if (j >= 0 && j < n) b.add(i, j);
    add("five diagonals of " + std::to_string(n), b.build(n, n));
    add("random of " + std::to_string(n), random_matrix(n, n, 6 * n, 100 + n));
  }
  add("wide", random_matrix(33, 130, 500, 7));
  add("tall", random_matrix(130, 33, 500, 8));
  {
    Builder b(9);
    for (index_t i = 0; i < 13; ++i)
      for (index_t j = 0; j < 9; ++j) b.add(i, j);
    add("full", b.build(13, 9));
  }
  return list;
}

inline const std::vector<Named>& all() {
  static const std::vector<Named> list = make_all();
  return list;
}

// The types a typed test runs over.
template <Value V, Offset Off>
struct Types {
  using T = V;
  using O = Off;
};
using AllTypes = ::testing::Types<Types<float, std::int32_t>, Types<float, std::int64_t>,
                                  Types<double, std::int32_t>, Types<double, std::int64_t>>;

}  // namespace nz::battery
