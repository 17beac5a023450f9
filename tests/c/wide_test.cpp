// As programs do that know headers of C only.
extern "C" {
#include <nonzero/nonzero.h>
}

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "c/given.hpp"

// Matrices with 64-bit rows and columns in C.
namespace nz::test {
namespace {

template <class T>
class CWide : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CWide, Types);

template <class T>
std::vector<T> drawn(std::mt19937_64& random, std::size_t n) {
  std::uniform_real_distribution<T> number(-1, 1);
  std::vector<T> v(n);
  for (T& x : v) x = number(random);
  return v;
}

template <class T>
void expect_wide_right(const nz_wide_plan* plan, const Csr<T, std::int32_t>& a,
                       std::mt19937_64& random) {
  for (const nz_op op : {NZ_NONE, NZ_TRANSPOSE, NZ_CONJUGATE_TRANSPOSE, NZ_CONJUGATE}) {
    const auto wide = static_cast<std::size_t>(turned(op) ? a.rows : a.cols),
               high = static_cast<std::size_t>(turned(op) ? a.cols : a.rows);
    const std::vector<T> x = drawn<T>(random, wide), before = drawn<T>(random, high);
    std::vector<T> y = before;
    ASSERT_EQ(C<T>::multiply_wide(plan, op, T(1.5), x.data(), T(-0.5), y.data(), nullptr), NZ_OK)
        << nz_last_error();
    std::vector<T> queued = before;
    ASSERT_EQ(C<T>::enqueue_wide(plan, op, T(1.5), x.data(), T(-0.5), queued.data(), nullptr),
              NZ_OK);
    ASSERT_EQ(nz_wide_plan_wait(plan, nullptr), NZ_OK) << nz_last_error();
    for (const std::vector<T>& result : {y, queued}) {
      const Verdict v = check_product<T, std::int32_t>(a.view(), op_for<T>(cpp(op)), T(1.5), x,
                                                       T(-0.5), before, result);
      EXPECT_TRUE(v.right()) << v.message();
    }
    std::vector<T> poisoned(high, std::numeric_limits<T>::quiet_NaN());
    ASSERT_EQ(C<T>::multiply_wide(plan, op, T(1), x.data(), T(0), poisoned.data(), nullptr), NZ_OK);
    const Verdict w = check_product<T, std::int32_t>(a.view(), op_for<T>(cpp(op)), T(1), x, T(0),
                                                     std::vector<T>(high), poisoned);
    EXPECT_TRUE(w.right()) << w.message();
  }
}

TYPED_TEST(CWide, RowsAndEntries) {
  using T = TypeParam;
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  auto a = uneven<T>(60, 50);
  const std::vector<T> values = drawn<T>(random, a.values.size());
  std::copy(values.begin(), values.end(), a.values.begin());
  std::vector<std::int64_t> offsets(a.offsets.begin(), a.offsets.end()),
      columns(a.columns.begin(), a.columns.end()), rows;
  for (std::int64_t i = 0; i < 60; ++i)
    for (auto k = offsets[static_cast<std::size_t>(i)];
         k < offsets[static_cast<std::size_t>(i) + 1]; ++k)
      rows.push_back(i);
  nz_plan_options o = plan_options();
  o.op = NZ_BOTH;
  nz_wide_plan* p = nullptr;
  ASSERT_EQ(C<T>::wide_csr(&p, 60, 50, a.nnz(), offsets.data(), columns.data(), values.data(), &o),
            NZ_OK)
      << nz_last_error();
  const WideHandle by_rows(p);
  EXPECT_EQ(nz_wide_plan_rows(p), 60);
  EXPECT_EQ(nz_wide_plan_columns(p), 50);
  EXPECT_GT(nz_wide_plan_bytes(p), 0);
  expect_wide_right(p, a, random);
  ASSERT_EQ(
      C<T>::wide_coo(&p, 60, 50, a.nnz(), rows.data(), columns.data(), values.data(), nullptr),
      NZ_OK)
      << nz_last_error();
  const WideHandle by_entries(p);
  expect_wide_right(p, a, random);
  // Rows of a larger matrix: what lies before and behind is another's.
  const std::int64_t slice[] = {1, 3, 3}, places[] = {99, 2, 0, 99};
  const T some[] = {99, 5, 7, 99};
  ASSERT_EQ(C<T>::wide_csr(&p, 2, 3, 2, slice, places, some, nullptr), NZ_OK) << nz_last_error();
  const WideHandle of_slice(p);
  expect_wide_right(p, Csr<T, std::int32_t>{2, 3, {0, 2, 2}, {0, 2}, {7, 5}}, random);
}

TYPED_TEST(CWide, SeveralVectors) {
  using T = TypeParam;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto a = uneven<T>(40, 30);
  const std::vector<std::int64_t> offsets(a.offsets.begin(), a.offsets.end()),
      columns(a.columns.begin(), a.columns.end());
  nz_plan_options o = plan_options();
  o.op = NZ_BOTH;
  nz_wide_plan* p = nullptr;
  ASSERT_EQ(
      C<T>::wide_csr(&p, 40, 30, a.nnz(), offsets.data(), columns.data(), a.values.data(), &o),
      NZ_OK)
      << nz_last_error();
  const WideHandle plan(p);
  constexpr std::size_t count = 3;
  for (const nz_op op : {NZ_NONE, NZ_TRANSPOSE})
    for (const bool x_rows : {false, true})
      for (const bool y_rows : {false, true}) {
        const std::size_t wide = turned(op) ? 40 : 30, high = turned(op) ? 30 : 40;
        const auto place = [](bool rows, std::size_t n, std::size_t i, std::size_t k) {
          return rows ? i * (count + 2) + k : i + k * (n + 1);
        };
        std::vector<T> x(500, nan), y(500, nan), queued;
        for (std::size_t k = 0; k < count; ++k)
          for (std::size_t i = 0; i < wide; ++i) x[place(x_rows, wide, i, k)] = 0;
        const std::vector<T> numbers = drawn<T>(random, 500), sums = drawn<T>(random, 500);
        for (std::size_t i = 0; i < 500; ++i)
          if (x[i] == 0) x[i] = numbers[i];
        for (std::size_t k = 0; k < count; ++k)
          for (std::size_t i = 0; i < high; ++i) {
            const std::size_t at = place(y_rows, high, i, k);
            y[at] = sums[at];
          }
        queued = y;
        const auto layout = [](bool rows) { return rows ? NZ_ROW_MAJOR : NZ_COLUMN_MAJOR; };
        const auto leading = [](bool rows, std::size_t n) {
          return static_cast<std::int64_t>(rows ? count + 2 : n + 1);
        };
        ASSERT_EQ(C<T>::multiply_wide_several(p, op, count, T(1.5), x.data(), layout(x_rows),
                                              leading(x_rows, wide), T(-0.5), y.data(),
                                              layout(y_rows), leading(y_rows, high), nullptr),
                  NZ_OK)
            << nz_last_error();
        ASSERT_EQ(C<T>::enqueue_wide_several(p, op, count, T(1.5), x.data(), layout(x_rows),
                                             leading(x_rows, wide), T(-0.5), queued.data(),
                                             layout(y_rows), leading(y_rows, high), nullptr),
                  NZ_OK);
        ASSERT_EQ(nz_wide_plan_wait(p, nullptr), NZ_OK);
        for (const std::vector<T>& result : {y, queued})
          EXPECT_EQ(std::count_if(result.begin(), result.end(), [](T v) { return std::isnan(v); }),
                    std::ssize(result) - static_cast<std::ptrdiff_t>(count * high))
              << "gaps were written, or sums are no numbers";
        for (const std::vector<T>& result : {y, queued})
          for (std::size_t k = 0; k < count; ++k) {
            std::vector<T> in, was, is;
            for (std::size_t i = 0; i < wide; ++i) in.push_back(x[place(x_rows, wide, i, k)]);
            for (std::size_t i = 0; i < high; ++i) {
              was.push_back(sums[place(y_rows, high, i, k)]);
              is.push_back(result[place(y_rows, high, i, k)]);
            }
            const Verdict v =
                check_product<T, std::int32_t>(a.view(), cpp(op), T(1.5), in, T(-0.5), was, is);
            EXPECT_TRUE(v.right()) << v.message();
          }
      }
  T x[90] = {}, y[120];
  const auto refused = [&](std::int32_t n, const T* from, nz_layout layout, std::int64_t leading) {
    const nz_status s = C<T>::multiply_wide_several(p, NZ_NONE, n, 1, from, layout, leading, 0, y,
                                                    NZ_ROW_MAJOR, 0, nullptr);
    return s == NZ_INVALID_ARGUMENT ? std::string(nz_last_error()) : "status " + std::to_string(s);
  };
  EXPECT_EQ(refused(-1, x, NZ_ROW_MAJOR, 0), "count is -1, below 0");
  EXPECT_EQ(refused(3, nullptr, NZ_ROW_MAJOR, 0), "x is NULL");
  EXPECT_EQ(refused(3, y, NZ_ROW_MAJOR, 0), "X and Y overlap");
  EXPECT_EQ(refused(3, x, NZ_ROW_MAJOR, 2), "X is stored by rows of 3 elements, 2 apart");
  EXPECT_NE(refused(3, x, 7, 0).find("layout"), std::string::npos);
  EXPECT_EQ(refused(0, nullptr, NZ_ROW_MAJOR, 0), "status 0");
  EXPECT_EQ(C<T>::enqueue_wide_several(nullptr, NZ_NONE, 3, 1, x, NZ_ROW_MAJOR, 0, 0, y,
                                       NZ_ROW_MAJOR, 0, nullptr),
            NZ_INVALID_ARGUMENT);
}

// 4 on the diagonal and -1 beside it.
TYPED_TEST(CWide, Solves) {
  using T = TypeParam;
  constexpr std::int64_t n = 50;
  std::vector<std::int64_t> rows, columns;
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = std::max<std::int64_t>(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
      rows.push_back(i), columns.push_back(j), values.push_back(i == j ? T(4) : T(-1));
  nz_wide_plan* p = nullptr;
  ASSERT_EQ(C<T>::wide_coo(&p, n, n, static_cast<std::int64_t>(rows.size()), rows.data(),
                           columns.data(), values.data(), nullptr),
            NZ_OK);
  const WideHandle plan(p);
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::vector<T> b = drawn<T>(random, n);
  for (const char* method : {"cg", "gmres", "lsqr"}) {
    std::vector<T> x(n);
    nz_solve_result result;
    ASSERT_EQ(nz_solve_result_init(&result, sizeof result), NZ_OK);
    nz_solve_options o;
    ASSERT_EQ(nz_solve_options_init(&o, sizeof o), NZ_OK);
    o.tolerance = sizeof(T) == 4 ? 1e-3 : 1e-9;
    ASSERT_EQ(C<T>::solve_wide(p, method, b.data(), x.data(), &o, &result), NZ_OK)
        << nz_last_error();
    double error = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double before = i > 0 ? x[i - 1] : 0, behind = i + 1 < n ? x[i + 1] : 0;
      error += std::pow(b[i] - (4.0 * x[i] - before - behind), 2);
      size += std::pow(b[i], 2);
    }
    EXPECT_LE(std::sqrt(error / size), 10 * o.tolerance) << method << ": " << result.message;
  }
  std::vector<T> x(n);
  EXPECT_EQ(C<T>::solve_wide(p, "no", b.data(), x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_NE(std::string(nz_last_error()).find("no solver of"), std::string::npos);
  EXPECT_EQ(C<T>::solve_wide(p, "cg", nullptr, x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::solve_wide(nullptr, "cg", b.data(), x.data(), nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  const std::int64_t far = 5'000'000'000, first = 0;
  const T one = 1;
  ASSERT_EQ(C<T>::wide_coo(&p, 3, far, 1, &first, &first, &one, nullptr), NZ_OK);
  const WideHandle large(p);
  EXPECT_EQ(C<T>::solve_wide(p, "lsqr", b.data(), x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_NE(std::string(nz_last_error()).find("3 x 5000000000"), std::string::npos);
}

// The kernels of its parts stand in the explanation: they may be several.
TYPED_TEST(CWide, TellsOfItself) {
  using T = TypeParam;
  const std::int64_t offsets[] = {0, 1, 2}, columns[] = {2, 0};
  const T values[] = {1, 2};
  for (const std::int32_t threads : {1, 2}) {
    nz_plan_options o = plan_options();
    o.kernel = "cpu/csr/serial";
    o.threads = threads;
    nz_wide_plan* p = nullptr;
    ASSERT_EQ(C<T>::wide_csr(&p, 2, 3, 2, offsets, columns, values, &o), NZ_OK) << nz_last_error();
    const WideHandle plan(p);
    EXPECT_EQ(nz_wide_plan_type(p), C<T>::type);
    EXPECT_EQ(nz_wide_plan_threads(p), threads);
    EXPECT_STREQ(nz_wide_plan_device(p), "cpu");
    std::string text(static_cast<std::size_t>(nz_wide_plan_explain(p, nullptr, 0)) + 1, '?');
    nz_wide_plan_explain(p, text.data(), text.size());
    EXPECT_NE(text.find("cpu/csr/serial"), std::string::npos) << text;
  }
}

// Columns that 32 bits do not count. The system maps x, and has only what is touched.
TYPED_TEST(CWide, FiveBillionColumns) {
  using T = TypeParam;
  constexpr std::int64_t cols = 5'000'000'000;
  const std::int64_t offsets[] = {0, 2, 2, 3}, columns[] = {cols - 1, 0, std::int64_t{1} << 32};
  const T values[] = {1, 2, 3};
  nz_wide_plan* p = nullptr;
  ASSERT_EQ(C<T>::wide_csr(&p, 3, cols, 3, offsets, columns, values, nullptr), NZ_OK)
      << nz_last_error();
  const WideHandle plan(p);
  EXPECT_EQ(nz_wide_plan_columns(p), cols);
  EXPECT_LT(nz_wide_plan_bytes(p), 1 << 20);
  std::string text(static_cast<std::size_t>(nz_wide_plan_explain(p, nullptr, 0)) + 1, '?');
  EXPECT_EQ(nz_wide_plan_explain(p, text.data(), text.size()),
            static_cast<std::int64_t>(text.size()) - 1);
  EXPECT_NE(text.find("3 x 5000000000 on cpu"), std::string::npos) << text;
  const std::size_t bytes = static_cast<std::size_t>(cols) * sizeof(T);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "the system maps no " << bytes << " bytes";
  T* x = static_cast<T*>(memory);
  x[0] = 10;
  x[cols - 1] = 5;
  x[std::int64_t{1} << 32] = 7;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> y(3, nan);
  EXPECT_EQ(C<T>::multiply_wide(p, NZ_NONE, T(2), x, T(0), y.data(), nullptr), NZ_OK)
      << nz_last_error();
  EXPECT_EQ(y, (std::vector<T>{50, 0, 42}));
  munmap(memory, bytes);
}

TYPED_TEST(CWide, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const std::int64_t offsets[] = {0, 1, 2}, columns[] = {0, 1}, falls[] = {0, 3, 2}, out[] = {0, 5},
                     below[] = {-1, 0, 1};
  const T values[] = {1, 2};
  nz_wide_plan* p = nullptr;
  const auto csr = [&](std::int64_t rows, std::int64_t cols, std::int64_t nonzeros,
                       const std::int64_t* o, const std::int64_t* c, const T* v) {
    p = reinterpret_cast<nz_wide_plan*>(&p);  // whatever was there
    const nz_status s = C<T>::wide_csr(&p, rows, cols, nonzeros, o, c, v, nullptr);
    EXPECT_EQ(p, nullptr);
    return s;
  };
  EXPECT_EQ(csr(-1, 2, 2, offsets, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(csr(2, -1, 2, offsets, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(csr(2, 2, -2, offsets, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(csr(2, 2, 3, offsets, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("offsets go from 0 to 2, and nonzeros is 3"));
  EXPECT_EQ(csr(2, 2, std::numeric_limits<std::int64_t>::max(), offsets, columns, values),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(csr(2, 2, 2, falls, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("row 0: its entries go from 0 to 3"));
  EXPECT_EQ(csr(2, 2, 2, below, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(csr(2, 2, 2, offsets, out, values), NZ_BAD_INPUT);
  EXPECT_TRUE(says("column 5"));
  EXPECT_EQ(csr(2, 2, 2, nullptr, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("offsets is NULL"));
  EXPECT_EQ(csr(2, 2, 2, offsets, nullptr, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(csr(2, 2, 2, offsets, columns, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::wide_csr(nullptr, 2, 2, 2, offsets, columns, values, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::wide_coo(&p, 2, 2, 2, out, columns, values, nullptr), NZ_BAD_INPUT);
  EXPECT_EQ(C<T>::wide_coo(&p, 2, 2, 2, nullptr, columns, values, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::wide_coo(&p, 2, 2, 2, columns, nullptr, values, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::wide_coo(&p, 2, 2, 2, columns, columns, nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::wide_coo(&p, 2, 2, -1, columns, columns, values, nullptr), NZ_INVALID_ARGUMENT);
  nz_plan_options o = plan_options();
  o.kernel = "cpu/csr/seriel";
  EXPECT_EQ(C<T>::wide_coo(&p, 2, 2, 2, columns, columns, values, &o), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(p, nullptr);

  ASSERT_EQ(C<T>::wide_csr(&p, 2, 2, 2, offsets, columns, values, nullptr), NZ_OK);
  const WideHandle plan(p);
  const T x[] = {1, 1};
  T y[] = {3, 3, 3};
  EXPECT_EQ(C<T>::multiply_wide(nullptr, NZ_NONE, 1, x, 0, y, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::multiply_wide(p, NZ_BOTH, 1, x, 0, y, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::multiply_wide(p, NZ_NONE, 1, nullptr, 0, y, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::multiply_wide(p, NZ_NONE, 1, x, 0, nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::multiply_wide(p, NZ_NONE, 1, y + 1, 0, y, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("overlap"));
  EXPECT_EQ(C<T>::multiply_wide(p, NZ_NONE, 1, x, 0, y, y), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("stream"));
  using Other = std::conditional_t<sizeof(T) == 4, double, float>;
  const Other u[] = {1, 1};
  Other v[] = {3, 3};
  EXPECT_EQ(C<Other>::multiply_wide(p, NZ_NONE, 1, u, 0, v, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of"));
  EXPECT_EQ(y[0] + y[1] + y[2], 9);
  EXPECT_EQ(C<T>::enqueue_wide(nullptr, NZ_NONE, 1, x, 0, y, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::enqueue_wide(p, NZ_NONE, 1, x, 0, y, y), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_wide_plan_wait(nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_wide_plan_wait(p, y), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("stream"));
  EXPECT_EQ(nz_wide_plan_rows(nullptr), -1);
  EXPECT_EQ(nz_wide_plan_columns(nullptr), -1);
  EXPECT_EQ(nz_wide_plan_type(nullptr), -1);
  EXPECT_EQ(nz_wide_plan_threads(nullptr), -1);
  EXPECT_EQ(nz_wide_plan_bytes(nullptr), -1);
  EXPECT_EQ(nz_wide_plan_device(nullptr), nullptr);
  char text[4] = "abc";
  EXPECT_EQ(nz_wide_plan_explain(nullptr, text, sizeof text), -1);
  EXPECT_STREQ(text, "");
  nz_wide_plan_destroy(nullptr);
}

}  // namespace
}  // namespace nz::test
