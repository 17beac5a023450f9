#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>

// The loops that cpu/packed/slices has for slices whose runs are whole, in a band, or have one
// value in all lanes. Whole numbers, so every product is exact.
namespace nz {
namespace {

// How the value of entry (i, j) comes about. `mixed` and `plain` differ from row to row.
enum class Coding { level, mixed, single, plain };

template <class T>
T value(Coding coding, index_t i, index_t offset) {
  const auto along = static_cast<T>(offset < 0 ? offset - 1 : offset + 2);
  switch (coding) {
    case Coding::level:
      return along;
    case Coding::mixed:
      return along + static_cast<T>(i % 3);
    case Coding::single:
      return along + static_cast<T>(i % 1000);
    default:
      // No float holds it.
      return along + static_cast<T>(i % 1000) + (sizeof(T) == 8 ? T(1LL << 30) : T(0));
  }
}

// Diagonals at these offsets; every `gap`-th row lacks the last of them.
template <class T>
Csr<T, std::int32_t> diagonals(index_t rows, std::initializer_list<index_t> offsets, Coding coding,
                               index_t gap) {
  std::vector<index_t> r, c;
  std::vector<T> v;
  for (index_t i = 0; i < rows; ++i)
    for (const index_t o : offsets) {
      if (i + o < 0 || i + o >= rows || (gap > 0 && i % gap == 0 && o == *(offsets.end() - 1)))
        continue;
      r.push_back(i);
      c.push_back(i + o);
      v.push_back(value<T>(coding, i, o));
    }
  return csr_from_triplets<T, std::int32_t>(rows, rows, r, c, v);
}

template <class T>
std::vector<T> numbers(index_t n, int from) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>((i * 7 + from) % 11) - 5;
  return v;
}

template <class T>
void multiply_as_rows_do(const Csr<T, std::int32_t>& a, const std::string& what) {
  const auto packed = plan(a.view(), {.kernel = "cpu/packed/slices", .threads = 2});
  const auto x = numbers<T>(a.cols, 0), before = numbers<T>(a.rows, 3);
  for (const T beta : {T(0), T(-2)})
    for (const Op op : all_ops) {
      std::vector<T> expected(before);
      for (T& y : expected) y *= beta;
      for (index_t i = 0; i < a.rows; ++i)
        for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
          const index_t j = a.columns[k];
          if (op == Op::none)
            expected[i] += 3 * a.values[k] * x[j];
          else
            expected[j] += 3 * a.values[k] * x[i];
        }
      std::vector<T> y =
          beta == 0 ? std::vector<T>(before.size(), std::numeric_limits<T>::quiet_NaN()) : before;
      packed.multiply(T(3), x, beta, y, op);
      EXPECT_EQ(y, expected) << what << ' ' << name(op) << ", beta " << beta;
    }
}

template <class T>
void multiply_all() {
  for (const Coding coding : {Coding::level, Coding::mixed, Coding::single, Coding::plain})
    for (const index_t rows : {64, 517})
      for (const index_t gap : {0, 5, 29}) {
        const auto what = std::to_string(static_cast<int>(coding)) + ", " + std::to_string(rows) +
                          " rows, a gap every " + std::to_string(gap);
        multiply_as_rows_do(diagonals<T>(rows, {-1, 0, 1}, coding, gap), "band " + what);
        multiply_as_rows_do(diagonals<T>(rows, {-20, -1, 0, 1, 20}, coding, gap), "grid " + what);
        multiply_as_rows_do(diagonals<T>(rows, {0}, coding, gap), "diagonal " + what);
      }
}

TEST(CpuPackedRuns, MultiplyAsRowsDo) {
  multiply_all<float>();
  multiply_all<double>();
}

// Whole runs are multiplied without their masks; where one has a gap, masks are read.
TEST(CpuPackedRuns, AreReadAsFarAsNeeded) {
  const auto traffic = [](index_t gap) {
    const auto a = diagonals<double>(8000, {-100, -1, 0, 1, 100}, Coding::level, gap);
    const auto p = plan(a.view(), {.kernel = "cpu/packed/slices", .threads = 1});
    // Less what is stored: gaps have fewer entries, and not fewer places.
    return static_cast<double>(p.product().traffic(Op::none, false)) -
           static_cast<double>(p.product().bytes());
  };
  EXPECT_LT(traffic(0), traffic(8) - 4 * 900);
}

// x beyond a run's gaps is not multiplied, whatever it holds.
TEST(CpuPackedRuns, LeaveOutWhatTheyLack) {
  const index_t rows = 160;
  std::vector<index_t> r, c;
  std::vector<double> v;
  for (index_t i = 0; i < rows; ++i)
    for (index_t o : {-3, 0, 2}) {
      const index_t j = i + o;
      if (j < 0 || j >= rows || j % 8 == 5) continue;
      r.push_back(i);
      c.push_back(j);
      v.push_back(o);
    }
  const auto a = csr_from_triplets<double, std::int32_t>(rows, rows, r, c, v);
  const auto p = plan(a.view(), {.kernel = "cpu/packed/slices"});
  std::vector<double> x(rows, 1.0), y(rows, 0.0);
  for (index_t j = 5; j < rows; j += 8) x[j] = std::numeric_limits<double>::infinity();
  p.multiply(1.0, x, 0.0, y);
  for (index_t i = 0; i < rows; ++i) {
    double expected = 0;
    for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) expected += a.values[k];
    EXPECT_EQ(y[i], expected) << "row " << i;
  }
}

}  // namespace
}  // namespace nz
