#include <numbers>
#include <numeric>

#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>

#include "solve/operators.hpp"
#include "solve/symmetric_eigen.hpp"
#include "solve/systems.hpp"

// Blocks of eigenpairs, against spectra that are known in closed form.
namespace nz::test {
namespace {

using solve::EigenOptions;
using solve::Eigenpairs;
using solve::Stop;

// Of laplace(nx, ny), rising: 4 - 2 cos(i pi / (nx + 1)) - 2 cos(j pi / (ny + 1)).
std::vector<double> spectrum(int nx, int ny) {
  std::vector<double> all;
  for (int i = 1; i <= nx; ++i)
    for (int j = 1; j <= ny; ++j)
      all.push_back(4 - 2 * std::cos(i * std::numbers::pi / (nx + 1)) -
                    2 * std::cos(j * std::numbers::pi / (ny + 1)));
  std::sort(all.begin(), all.end());
  return all;
}

// |A v - value v| for each, and how far the vectors are from orthonormal, both computed here.
template <class T>
void expect_pairs(const Matrix& a, const Eigenpairs& e, const std::vector<T>& x, double by) {
  const auto n = static_cast<std::size_t>(a.rows), k = x.size() / n;
  ASSERT_EQ(e.values.size(), k);
  ASSERT_EQ(e.residuals.size(), k);
  for (std::size_t j = 0; j < k; ++j) {
    double off = 0;
    for (index_t i = 0; i < a.rows; ++i) {
      double sum = -e.values[j] * x[j * n + static_cast<std::size_t>(i)];
      for (auto at = a.offsets[i]; at < a.offsets[i + 1]; ++at)
        sum += a.values[at] * x[j * n + static_cast<std::size_t>(a.columns[at])];
      off += sum * sum;
    }
    EXPECT_LT(std::sqrt(off), by) << j;
    for (std::size_t l = 0; l <= j; ++l) {
      double dot = l == j ? -1 : 0;
      for (std::size_t i = 0; i < n; ++i) dot += static_cast<double>(x[j * n + i]) * x[l * n + i];
      EXPECT_LT(std::abs(dot), 100 * std::numeric_limits<T>::epsilon()) << j << ' ' << l;
    }
  }
}

TEST(SmallEigen, KnowsTheTridiagonalLaplacian) {
  for (const std::size_t n : {1, 2, 3, 17, 60}) {
    solve::SmallMatrix a(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      a(i, i) = 2e200;
      if (i + 1 < n) a(i, i + 1) = a(i + 1, i) = -1e200;  // squares of these overflow
    }
    std::vector<double> values;
    ASSERT_TRUE(symmetric_eigen(a, values));
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(values[i] / 1e200,
                  2 - 2 * std::cos(static_cast<double>(i + 1) * std::numbers::pi /
                                   static_cast<double>(n + 1)),
                  1e-14);
  }
}

TEST(SmallEigen, TakesMatricesApart) {
  std::mt19937_64 random(std::random_device{}());
  std::uniform_real_distribution<double> number(-1, 1);
  for (const std::size_t n : {2, 5, 24, 41}) {
    solve::SmallMatrix a(n, n);
    const std::size_t rank = n / 2 + 1;  // half of the eigenvalues are 0
    std::vector<double> u(n * rank);
    for (double& v : u) v = number(random);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t r = 0; r < rank; ++r) a(i, j) += u[i * rank + r] * u[j * rank + r];
    const solve::SmallMatrix given = a;
    std::vector<double> values;
    ASSERT_TRUE(symmetric_eigen(a, values));
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double made = 0, dot = 0;
        for (std::size_t k = 0; k < n; ++k) {
          made += a(i, k) * values[k] * a(j, k);
          dot += a(k, i) * a(k, j);
        }
        EXPECT_NEAR(made, given(i, j), 1e-13 * static_cast<double>(n));
        EXPECT_NEAR(dot, i == j ? 1 : 0, 1e-13);
      }
  }
  solve::SmallMatrix broken(2, 2);
  broken(0, 1) = NAN;
  std::vector<double> values;
  EXPECT_FALSE(symmetric_eigen(broken, values));
}

TEST(Lobpcg, KnowsTheLaplacian) {
  const Matrix a = laplace();
  const std::vector<double> exact = spectrum(20, 17);
  const auto n = static_cast<std::size_t>(a.rows);
  for (const std::string& place : places()) {
    const auto plan = nz::plan(a.view(), {.device = device_named(place), .vectors = 6});
    for (const bool largest : {false, true}) {
      std::vector<double> x(6 * n);
      const auto e = solve::lobpcg(plan, column_major(x.data(), a.rows, 6),
                                   {.tolerance = 1e-10, .largest = largest});
      EXPECT_EQ(e.reason, Stop::converged) << e.message;
      EXPECT_EQ(e.history.size(), static_cast<std::size_t>(e.iterations) + 1);
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_NEAR(e.values[j], largest ? exact[n - 1 - j] : exact[j], 1e-12) << place;
      expect_pairs(a, e, x, 8e-10);
    }
  }
}

TEST(Lobpcg, FindsEveryCopyOfAnEigenvalue) {
  const Matrix a = laplace(16, 16);  // of a square: pairs
  const std::vector<double> exact = spectrum(16, 16);
  std::vector<double> x(256 * 5);
  for (const int guard : {0, 3}) {
    const auto e = solve::lobpcg(nz::plan(a.view()), column_major(x.data(), 256, 5),
                                 {.tolerance = 1e-10, .guard = guard});
    EXPECT_TRUE(e.ok()) << e.message;
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(e.values[j], exact[j], 1e-12);
    expect_pairs(a, e, x, 8e-10);
  }
}

TEST(Lobpcg, PreconditionersSaveIterations) {
  const Matrix a = laplace(40, 33);
  const auto plan = nz::plan(a.view());
  std::vector<double> x(40 * 33 * 4);
  const auto view = column_major(x.data(), 40 * 33, 4);
  const auto without = solve::lobpcg(plan, view, {.tolerance = 1e-9});
  EXPECT_TRUE(without.ok()) << without.message;
  const solve::Preconditioner<double> several[] = {
      solve::incomplete_cholesky(a.view()), solve::fsai(a.view()),
      solve::chebyshev<double, std::int64_t>(plan, a.view())};
  for (const auto& m : several) {
    const auto e = solve::lobpcg(plan, view, {.tolerance = 1e-9, .preconditioner = m});
    EXPECT_TRUE(e.ok()) << e.message;
    EXPECT_LT(e.iterations, without.iterations);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(e.values[j], without.values[j], 1e-10);
    expect_pairs(a, e, x, 8e-9);
  }
  // One that multiplies by a diagonal.
  EXPECT_TRUE(solve::lobpcg(plan, view, {.preconditioner = solve::jacobi(a.view())}).ok());
}

TEST(Lobpcg, BlocksAsLargeAsTheMatrix) {
  // The basis X, P, W cannot have 3 k columns that are independent.
  for (const int n : {1, 2, 3, 7}) {
    const Matrix a = laplace(n, 1);
    const std::vector<double> exact = spectrum(n, 1);
    for (int k = 1; k <= n; ++k) {
      std::vector<double> x(static_cast<std::size_t>(n * k));
      const auto e = solve::lobpcg(nz::plan(a.view()), column_major(x.data(), n, k),
                                   {.tolerance = 1e-12, .guard = 2});
      EXPECT_EQ(e.reason, Stop::converged) << n << ' ' << k << ' ' << e.message;
      for (std::size_t j = 0; j < e.values.size(); ++j) EXPECT_NEAR(e.values[j], exact[j], 1e-12);
      expect_pairs(a, e, x, 1e-10);
    }
  }
}

TEST(Lobpcg, SingularAndDegenerateMatrices) {
  // A ring's Laplacian is singular, a multiple of I has one eigenvalue, 0 has one that is 0.
  const index_t n = 30;
  std::vector<index_t> i, j;
  std::vector<double> v;
  for (index_t r = 0; r < n; ++r)
    for (const index_t step : {n - 1, 0, 1})
      i.push_back(r), j.push_back((r + step) % n), v.push_back(step == 0 ? 2 : -1);
  const Matrix ring = from_entries(n, n, i, j, v);
  std::vector<double> x(static_cast<std::size_t>(3 * n));
  const auto view = column_major(x.data(), n, 3);
  const auto e = solve::lobpcg(nz::plan(ring.view()), view, {.tolerance = 1e-10});
  EXPECT_TRUE(e.ok()) << e.message;
  EXPECT_NEAR(e.values[0], 0, 1e-14);
  for (const std::size_t k : {1, 2})
    EXPECT_NEAR(e.values[k], 2 - 2 * std::cos(2 * std::numbers::pi / n), 1e-13);
  for (const double same : {3.0, 0.0}) {
    const auto one = solve::lobpcg(nz::scaled(same, nz::identity<double>(n)), view);
    EXPECT_TRUE(one.ok()) << one.message;
    for (const double value : one.values) EXPECT_NEAR(value, same, 1e-14);
  }
}

TEST(Lobpcg, MatricesOfAnyScale) {
  const std::vector<double> exact = spectrum(20, 17);
  for (const double scale : {1e-200, 1e200}) {
    Matrix a = laplace();
    for (double& v : a.values) v *= scale;
    std::vector<double> x(static_cast<std::size_t>(a.rows) * 4);
    for (const bool near : {false, true}) {
      EigenOptions<double> options;
      if (near) options.preconditioner = solve::jacobi(a.view());
      const auto e = solve::lobpcg(nz::plan(a.view()), column_major(x.data(), a.rows, 4), options);
      EXPECT_TRUE(e.ok()) << e.message;
      for (std::size_t j = 0; j < e.values.size(); ++j)
        EXPECT_NEAR(e.values[j] / scale, exact[j], 1e-11);
    }
  }
}

TEST(Lobpcg, StartsWithWhatItIsGiven) {
  const Matrix a = laplace();
  const auto plan = nz::plan(a.view());
  std::vector<double> x(static_cast<std::size_t>(a.rows) * 3);
  const auto view = row_major(x.data(), a.rows, 3);
  const auto first = solve::lobpcg(plan, view, {.tolerance = 1e-9});
  const auto again = solve::lobpcg(plan, view, {.tolerance = 1e-8, .from_x = true});
  EXPECT_TRUE(first.ok());
  EXPECT_TRUE(again.ok());
  EXPECT_EQ(again.iterations, 0);
  // Columns that depend on each other are filled up.
  std::fill(x.begin(), x.end(), 1.0);
  const auto filled = solve::lobpcg(plan, view, {.tolerance = 1e-9, .from_x = true});
  EXPECT_TRUE(filled.ok()) << filled.message;
  EXPECT_NEAR(filled.values[2], first.values[2], 1e-12);
  x[7] = NAN;
  EXPECT_EQ(solve::lobpcg(plan, view, {.from_x = true}).reason, Stop::not_a_number);
}

TEST(Lobpcg, FloatsAndOperators) {
  const Matrix a = laplace();
  const std::vector<double> exact = spectrum(20, 17);
  const auto narrow = csr_cast<float, std::int64_t>(a.view());
  std::vector<float> x(static_cast<std::size_t>(a.rows) * 4);
  const auto e = solve::lobpcg(nz::plan(narrow.view()), column_major(x.data(), a.rows, 4),
                               {.tolerance = 1e-5});
  EXPECT_TRUE(e.ok()) << e.message;
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(e.values[j], exact[j], 1e-5);
  expect_pairs(a, e, x, 1e-4);
  // A shift, and a function that knows one vector only.
  std::vector<double> y(static_cast<std::size_t>(a.rows) * 4);
  const auto view = column_major(y.data(), a.rows, 4);
  const auto moved = solve::lobpcg(nz::shifted(nz::plan(a.view()), 3), view);
  const auto free = solve::lobpcg(free_laplacian(20, 17), view);
  EXPECT_TRUE(moved.ok());
  EXPECT_TRUE(free.ok());
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(moved.values[j], exact[j] - 3, 1e-12);
    EXPECT_NEAR(free.values[j], exact[j], 1e-12);
  }
}

TEST(Lobpcg, SaysWhatIsWrong) {
  const Matrix a = laplace(), w = wind(), t = tall();
  std::vector<double> x(10000);
  const auto view = [&](index_t rows, index_t columns) {
    return column_major(x.data(), rows, columns);
  };
  const auto plan = nz::plan(a.view());
  EXPECT_THROW(solve::lobpcg(nz::plan(t.view()), view(t.rows, 1)), InvalidArgument);
  EXPECT_THROW(solve::lobpcg(plan, view(a.rows, 0)), InvalidArgument);
  EXPECT_THROW(solve::lobpcg(plan, view(a.rows - 1, 2)), InvalidArgument);
  EXPECT_THROW(solve::lobpcg(plan, view(a.rows, 2), {.tolerance = -1}), InvalidArgument);
  EXPECT_THROW(solve::lobpcg(plan, view(a.rows, 2), {.guard = -1}), InvalidArgument);
  EXPECT_THROW(solve::lobpcg(plan, view(a.rows, 2), {.preconditioner = solve::jacobi(w.view())}),
               InvalidArgument);
  const auto e = solve::lobpcg(nz::plan(w.view()), view(w.rows, 2));
  EXPECT_EQ(e.reason, Stop::not_symmetric);
  EXPECT_NE(e.message.find("LOBPCG needs a symmetric matrix: (0, 1) is"), std::string::npos);
  Matrix broken = laplace();
  broken.values[11] = INFINITY;
  EXPECT_EQ(
      solve::lobpcg(nz::plan(broken.view()), view(a.rows, 2), {.check_symmetry = false}).reason,
      Stop::not_a_number);
  int told = 0;
  const auto stopped = solve::lobpcg(
      plan, view(a.rows, 2), {.callback = [&](int i, double) { return i == told++ && i < 4; }});
  EXPECT_EQ(stopped.reason, Stop::stopped);
  EXPECT_EQ(told, 5);
  EXPECT_EQ(solve::lobpcg(plan, view(a.rows, 2), {.max_iterations = 3}).reason,
            Stop::iteration_limit);
}

}  // namespace
}  // namespace nz::test
