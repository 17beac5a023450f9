#include "solve/systems.hpp"

#include <nonzero/error.hpp>

namespace nz::test {
namespace {

using solve::Options;
using solve::Result;
using solve::Stop;

struct Case {
  std::string_view method;
  std::string place;
  std::string preconditioner;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.method << " on " << c.place << ", " << c.preconditioner;
}

class Solvers : public ::testing::TestWithParam<Case> {};

template <class T>
void solves(const Case& c, double tolerance) {
  const auto& method = *std::find_if(solve::methods<T>().begin(), solve::methods<T>().end(),
                                     [&](const auto& m) { return m.name == c.method; });
  const bool emulated = c.place == "emu";
  for (const bool symmetric : {true, false}) {
    if (c.method == "cg" && !symmetric) continue;
    const Matrix whole =
        symmetric ? (emulated ? laplace(9, 8) : laplace()) : (emulated ? wind(9, 7) : wind());
    const auto a = csr_cast<T, std::int64_t>(whole.view());
    const auto n = static_cast<std::size_t>(a.rows);
    const std::vector<T> b = cast<T>(numbers(n));
    std::vector<T> x(n, T(0));
    Options<T> options{.tolerance = tolerance, .max_iterations = 400};
    const Device device = device_named(c.place);
    if (c.preconditioner == "jacobi") options.preconditioner = solve::jacobi(a.view(), device);
    if (c.preconditioner == "blocks")
      options.preconditioner = solve::block_jacobi(a.view(), 5, device);
    const auto plan = nz::plan(a.view(), {.device = device_named(c.place)});
    const Result r = method.solve(plan, b, x, options);
    EXPECT_EQ(r.reason, Stop::converged) << r.message;
    ASSERT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
    EXPECT_NEAR(r.history[0], 1, 1e-5) << "nothing is solved yet";
    EXPECT_LE(r.residual, tolerance);
    EXPECT_LT(r.iterations, c.method == "lsqr" ? 400 : 150);
    // The residual that it believes in is the one that it has, but for the rounding of one product.
    const double truth = solve::true_residual(a.view(), b, std::span<const T>(x));
    EXPECT_NEAR(truth, r.residual, (sizeof(T) == 8 ? 1e-4 : 0.1) * tolerance)
        << "symmetric " << symmetric;
    // Begun at the solution it has nothing to do.
    options.tolerance = 1.01 * tolerance;
    EXPECT_EQ(method.solve(plan, b, x, options).iterations, 0);
  }
}

TEST_P(Solvers, FindTheSolution) {
  solves<double>(GetParam(), 1e-9);
  if (GetParam().place == "cpu") solves<float>(GetParam(), 2e-5);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& place : places())
    for (const auto& m : solve::methods<double>())
      for (const char* p : {"none", "jacobi", "blocks"})
        if (m.name != "lsqr" || p == std::string("none")) all.push_back({m.name, place, p});
  return all;
}
std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      std::string(info.param.method) + "_" + info.param.preconditioner + "_on_" + info.param.place;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Solvers, ::testing::ValuesIn(cases()), test_name);

TEST(Solve, TheIssuesCallIsTheApi) {
  const Matrix a = laplace();
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  std::vector<double> b(n, 1.0), x(n, 0.0);
  std::vector<double> seen;
  const Result r = solve::cg(plan, b, x, {1e-8, 500, solve::jacobi(a.view()), [&](int i, double e) {
                                            EXPECT_EQ(static_cast<std::size_t>(i), seen.size());
                                            seen.push_back(e);
                                            return true;
                                          }});
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(seen, r.history);
}

// However often the host looks: nothing changes after the iteration that decides.
TEST(Solve, LooksDoNotChangeTheResult) {
  const Matrix a = laplace();
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  const std::vector<double> b = numbers(n);
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> first(n, 0.0), other(n, 0.0);
    const Result r = method.solve(plan, b, first, {.tolerance = 1e-7, .max_iterations = 300});
    const Result s =
        method.solve(plan, b, other, {.tolerance = 1e-7, .max_iterations = 300, .check_every = 9});
    EXPECT_EQ(first, other) << method.name;
    EXPECT_EQ(r.iterations, s.iterations) << method.name;
    EXPECT_EQ(r.history, s.history) << method.name;
  }
}

TEST(Solve, SeveralThreadsSolveLargeSystems) {
  const Matrix a = laplace(300, 200);
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<double> b = numbers(n);
  std::vector<double> first;
  for (int round = 0; round < 2; ++round) {
    const auto plan = nz::plan(a.view(), {.threads = 3, .deterministic = true});
    std::vector<double> x(n, 0.0);
    EXPECT_TRUE(solve::cg(plan, b, x, {.tolerance = 1e-6, .max_iterations = 2000}).ok());
    EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-6);
    if (round == 0) first = x;
    EXPECT_EQ(x, first);  // the same bits again
  }
}

TEST(Solve, VectorsMayLieOnTheDevice) {
  NZ_NEEDS_EMULATOR();
  const Matrix a = laplace(9, 7);
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<double> b = numbers(n);
  const auto plan = nz::plan(a.view(), {.device = emulator_device});
  DeviceArray<double> far_b(emulator_device, std::span(b)), far_x(emulator_device, n);
  std::vector<double> x(n, 0.0), from_host(n, 0.0);
  far_x.upload(x);
  EXPECT_TRUE(solve::cg(plan, far_b.span(), far_x.span()).ok());
  far_x.download(x);
  EXPECT_TRUE(solve::cg(plan, b, from_host).ok());
  EXPECT_EQ(x, from_host);
  EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-8);
}

// On a GPU what lies between two looks is a CUDA graph; elsewhere there is none.
TEST(Solve, IterationsAreReplayedOnGpus) {
  const Matrix a = laplace();
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<double> b = numbers(n);
  for (const std::string& place : places()) {
    if (place == "emu") continue;
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    for (const auto& method : solve::methods<double>()) {
      std::vector<double> x(n, 0.0);
      const Result r =
          method.solve(plan, b, x, {.tolerance = 1e-9, .check_every = 4, .restart = 9});
      EXPECT_TRUE(r.ok()) << method.name;
      EXPECT_EQ(r.replayed, place != "cpu") << method.name << " on " << place;
    }
  }
}

TEST(Solve, RestartsAreCycles) {
  const Matrix a = wind();
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  const std::vector<double> b = numbers(n);
  for (const int restart : {40, 10, 3}) {
    std::vector<double> x(n, 0.0);
    const Result r = solve::gmres(plan, b, x, {.max_iterations = 2000, .restart = restart});
    EXPECT_TRUE(r.ok()) << r.message;
    EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-8);
    for (std::size_t i = 1; i < r.history.size(); ++i)
      EXPECT_LE(r.history[i], r.history[i - 1] * (1 + 1e-6));
  }
}

TEST(Solve, LeastSquaresOfATallSystem) {
  for (const std::string& place : places()) {
    const Matrix a = tall();
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    const std::vector<double> b = numbers(static_cast<std::size_t>(a.rows));
    std::vector<double> x(static_cast<std::size_t>(a.cols), 0.0);
    const Result r = solve::lsqr(plan, b, x, {.tolerance = 1e-11});
    EXPECT_EQ(r.reason, Stop::least_squares) << r.message;
    // The residual is at right angles to every column.
    std::vector<double> rest(b.begin(), b.end());
    for (index_t i = 0; i < a.rows; ++i)
      for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        rest[i] -= a.values[k] * x[a.columns[k]];
    std::vector<double> dots(x.size(), 0.0);
    for (index_t i = 0; i < a.rows; ++i)
      for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        dots[a.columns[k]] += a.values[k] * rest[i];
    for (const double d : dots) EXPECT_NEAR(d, 0, 1e-8) << place;
    EXPECT_GT(r.residual, 0.1);
  }
}

TEST(Solve, PreconditionersPay) {
  Matrix a = laplace();
  for (index_t i = 0; i < a.rows; ++i)  // badly scaled, symmetric
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      a.values[k] *= std::pow(10, 0.5 * (i % 4)) * std::pow(10, 0.5 * (a.columns[k] % 4));
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  const std::vector<double> b = numbers(n);
  std::vector<double> x(n, 0.0), y(n, 0.0), z(n, 0.0);
  const int plain = solve::cg(plan, b, x, {.max_iterations = 5000}).iterations;
  const int scaled =
      solve::cg(plan, b, y, {.max_iterations = 5000, .preconditioner = solve::jacobi(a.view())})
          .iterations;
  const int blocks =
      solve::cg(plan, b, z,
                {.max_iterations = 5000, .preconditioner = solve::block_jacobi(a.view(), 20)})
          .iterations;
  EXPECT_LT(scaled, plain / 2);
  EXPECT_LT(blocks, scaled);
}

}  // namespace
}  // namespace nz::test
