#include "solve/systems.hpp"

#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

// Against what NetworkX and SciPy said of the same matrices (scripts/solver-data.py).
namespace nz::test {
namespace {

using solve::Result;
using solve::Stop;

std::string data(const std::string& name) { return NZ_SOURCE_DIR "/tests/data/solve/" + name; }
Matrix matrix(const std::string& name) { return read_matrix<double, std::int64_t>(data(name)); }
std::vector<double> vector(const std::string& name) {
  const Array<double> v = read_vector<double>(data(name));
  return {v.begin(), v.end()};
}

void expect_near(const std::vector<double>& x, const std::vector<double>& expected, double by) {
  ASSERT_EQ(x.size(), expected.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], by) << i;
}

TEST(PageRank, AgreesWithNetworkX) {
  const Matrix a = matrix("graph.mtx");
  const Matrix turned = transpose(a.view());
  for (const std::string& place : places())
    for (const bool transposed : {false, true}) {
      const auto plan = nz::plan((transposed ? turned : a).view(), {.device = device_named(place)});
      std::vector<double> x(static_cast<std::size_t>(a.rows), 7.0);
      solve::PageRankOptions<double> options;
      options.tolerance = 1e-13;
      options.transposed = transposed;
      Result r = solve::pagerank(plan, x, options);
      EXPECT_EQ(r.reason, Stop::converged) << r.message;
      EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
      expect_near(x, vector("pagerank.mtx"), 1e-12);
      const std::vector<double> people = vector("personalisation.mtx");
      options.personalisation = people;
      r = solve::pagerank(plan, x, options);
      EXPECT_TRUE(r.ok());
      expect_near(x, vector("pagerank-personal.mtx"), 1e-12);
    }
}

TEST(PageRank, SeveralPersonalisationsAtOnce) {
  const Matrix a = matrix("graph.mtx");
  const Matrix turned = transpose(a.view());
  const auto n = static_cast<std::size_t>(a.rows);
  const index_t k = 5;
  std::mt19937_64 random(std::random_device{}());
  std::vector<double> people(n * k);
  for (double& v : people) v = static_cast<double>(random() % 4);
  const std::vector<double> one = vector("personalisation.mtx");
  std::copy(one.begin(), one.end(), people.begin());
  const auto p = column_major<const double>(people.data(), a.rows, k);
  for (const std::string& place : places())
    for (const bool transposed : {false, true}) {
      const auto plan =
          nz::plan((transposed ? turned : a).view(), {.device = device_named(place), .vectors = k});
      solve::PageRankOptions<double> options;
      options.tolerance = 1e-13;
      options.transposed = transposed;
      std::vector<double> x(n * k, 7.0), by_rows(n * k), single(n);
      const Result r = solve::pagerank(plan, p, column_major(x.data(), a.rows, k), options);
      EXPECT_EQ(r.reason, Stop::converged) << r.message;
      EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
      expect_near({x.begin(), x.begin() + a.rows}, vector("pagerank-personal.mtx"), 1e-12);
      int most = 0;
      for (index_t j = 0; j < k; ++j) {
        options.personalisation = std::span<const double>(people).subspan(n * j, n);
        most = std::max(most, solve::pagerank(plan, single, options).iterations);
        expect_near({x.begin() + a.rows * j, x.begin() + a.rows * (j + 1)}, single, 1e-12);
      }
      EXPECT_EQ(r.iterations, most);  // of the column that takes longest
      options.personalisation = {};
      solve::pagerank(plan, p, row_major(by_rows.data(), a.rows, k), options);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < k; ++j) EXPECT_NEAR(by_rows[i * k + j], x[j * n + i], 1e-12);
      options.from_x = true;
      const Result again = solve::pagerank(plan, p, column_major(x.data(), a.rows, k), options);
      EXPECT_LE(again.iterations, 2);
    }
}

TEST(PageRank, RefusesColumnsThatDoNotFit) {
  const auto plan = nz::plan(from_entries(2, 2, {0}, {1}, {1}));
  std::vector<double> p{1, 0, 0, 0}, x(6);
  const auto said = [&](index_t of_p, index_t of_x) {
    try {
      solve::pagerank(plan, column_major<const double>(p.data(), 2, of_p),
                      column_major(x.data(), 2, of_x));
    } catch (const InvalidArgument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(1, 1), "");
  EXPECT_EQ(said(1, 2), "P has 1 columns, x 2: PageRank needs as many, and at least 1");
  EXPECT_EQ(said(2, 2),
            "personalisation 1 (counting from 0) has 2 numbers of at least 0 that do not add up "
            "to 0");
}

TEST(PageRank, RefusesWhatIsNoGraph) {
  const Matrix a = from_entries(2, 2, {0, 1}, {1, 0}, {-1, 1});
  std::vector<double> x(2);
  EXPECT_THROW(solve::pagerank(nz::plan(a.view()), x), BadInput);
  const Matrix wide = tall();
  EXPECT_THROW(solve::pagerank(nz::plan(wide.view()), x), InvalidArgument);
  const Matrix good = from_entries(2, 2, {0}, {1}, {1});
  solve::PageRankOptions<double> options;
  options.damping = 1;
  EXPECT_THROW(solve::pagerank(nz::plan(good.view()), x, options), InvalidArgument);
  options = {};
  const std::vector<double> nobody{0, 0};
  options.personalisation = nobody;
  EXPECT_THROW(solve::pagerank(nz::plan(good.view()), x, options), InvalidArgument);
}

TEST(Stationary, AgreesWithTheEigenvector) {
  const Matrix p = matrix("chain.mtx");
  for (const std::string& place : places())
    for (const double laziness : {0.0, 0.3}) {
      std::vector<double> x(static_cast<std::size_t>(p.rows));
      solve::StationaryOptions options;
      options.tolerance = 1e-14;
      options.laziness = laziness;
      const Result r =
          solve::stationary(nz::plan(p.view(), {.device = device_named(place)}), x, options);
      EXPECT_TRUE(r.ok()) << r.message;
      expect_near(x, vector("stationary.mtx"), 1e-12);
    }
}

TEST(Stationary, OfThePapersBlockBand) {
  const Matrix p = generate("block-band:n=200,block=5,density=0.1").matrix;
  std::vector<double> x(200), y(200);
  const auto plan = nz::plan(p.view());
  solve::StationaryOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 20000;
  const Result r = solve::stationary(plan, x, options);
  EXPECT_TRUE(r.ok()) << r.message;
  plan.multiply(1.0, x, 0.0, y, Op::transpose);
  double sum = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    sum += x[i];
    EXPECT_NEAR(x[i], y[i], 1e-12);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Stationary, NamesTheRowThatDoesNotAddUp) {
  Matrix p = matrix("chain.mtx");
  p.values[p.offsets[17]] += 0.25;
  std::vector<double> x(static_cast<std::size_t>(p.rows));
  const Result r = solve::stationary(nz::plan(p.view()), x);
  EXPECT_EQ(r.reason, Stop::not_stochastic);
  EXPECT_EQ(r.message,
            "not the matrix of a Markov chain: row 17 (counting from 0) adds up to 1.25");
}

TEST(Stationary, APeriodNeedsLaziness) {
  const Matrix p = from_entries(3, 3, {0, 1, 2, 2}, {1, 2, 0, 1}, {1, 1, 0.5, 0.5});
  const Matrix flip = from_entries(3, 3, {0, 1, 1, 2}, {1, 0, 2, 1}, {1, 0.5, 0.5, 1});
  std::vector<double> x(3);
  EXPECT_TRUE(solve::stationary(nz::plan(p.view()), x).ok());
  expect_near(x, {0.2, 0.4, 0.4}, 1e-9);
  EXPECT_EQ(solve::stationary(nz::plan(flip.view()), x).reason, Stop::iteration_limit);
  solve::StationaryOptions lazy;
  lazy.laziness = 0.5;
  EXPECT_TRUE(solve::stationary(nz::plan(flip.view()), x, lazy).ok());
  expect_near(x, {0.25, 0.5, 0.25}, 1e-9);
}

TEST(Lanczos, AgreesWithScipy) {
  const Matrix a = matrix("symmetric.mtx");
  const double expected = vector("largest.mtx")[0];
  for (const std::string& place : places()) {
    const auto e = solve::largest_eigenvalue(nz::plan(a.view(), {.device = device_named(place)}),
                                             {.tolerance = 1e-10});
    EXPECT_EQ(e.reason, Stop::converged) << e.message;
    EXPECT_NEAR(e.value, expected, 1e-11 * expected);
    EXPECT_LT(e.iterations, 80);
  }
}

TEST(Lanczos, KnowsTheLaplacian) {
  // 4 + 2 cos(pi / 21) + 2 cos(pi / 18) for 20 x 17 points.
  const Matrix a = laplace();
  const double pi = std::acos(-1.0), exact = 4 + 2 * std::cos(pi / 21) + 2 * std::cos(pi / 18);
  const auto e = solve::largest_eigenvalue(nz::plan(a.view()), {.tolerance = 1e-9});
  EXPECT_TRUE(e.ok()) << e.message;
  EXPECT_NEAR(e.value, exact, 1e-8);
  // One eigenvalue in all: found at once.
  const Matrix one = from_entries(4, 4, {0, 1, 2, 3}, {0, 1, 2, 3}, {3, 3, 3, 3});
  const auto same = solve::largest_eigenvalue(nz::plan(one.view()));
  EXPECT_TRUE(same.ok()) << same.message;
  EXPECT_NEAR(same.value, 3, 1e-14);
}

}  // namespace
}  // namespace nz::test
