#include <limits>
#include <thread>

#include <nonzero/error.hpp>
#include <nonzero/truth.hpp>

#include "solve/operators.hpp"

// Operators that are put together, against the matrices that were not formed.
namespace nz::test {
namespace {

// Small ones for the emulator.
struct Parts {
  explicit Parts(const std::string& place)
      : device(device_named(place)),
        a(place == "emu" ? wind(7, 5) : wind(13, 9)),
        s(place == "emu" ? laplace(7, 5) : laplace(13, 9)),
        t(place == "emu" ? tall(35, 12) : tall(117, 25)),
        plan_a(plan(a.view(), {.device = device, .op = both_ops})),
        plan_s(plan(s.view(), {.device = device, .op = both_ops})),
        plan_t(plan(t.view(), {.device = device, .op = both_ops})) {}
  Device device;
  Matrix a, s, t;  // square, symmetric of the same size, tall with as many rows
  Plan<double> plan_a, plan_s, plan_t;
};

// Every product with every alpha and beta is within its bound.
void judge(const LinearOperator<double>& op, const Formed& formed, int operations) {
  SCOPED_TRACE(op.name() + " on " + op.device().name());
  ASSERT_EQ(static_cast<std::size_t>(op.rows()), formed.rows);
  ASSERT_EQ(static_cast<std::size_t>(op.cols()), formed.cols);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Op o : all_ops) {
    ASSERT_TRUE(op.supports(o));
    const Formed f = o == Op::none ? formed : formed.transposed();
    const std::vector<double> x = numbers(f.cols);
    for (const double alpha : {1.0, 0.0, -1.75})
      for (const double beta : {0.0, 1.0, 0.3}) {
        const std::vector<double> before =
            beta == 0 ? std::vector<double>(f.rows, nan) : numbers(f.rows, 2);
        std::vector<double> y = before;
        op.multiply(alpha, alpha == 0 ? std::vector<double>(f.cols, nan) : x, beta, y, o);
        EXPECT_EQ(f.wrong(y, alpha, x, beta, before, operations), "")
            << name(o) << ", alpha " << alpha << ", beta " << beta;
      }
  }
}

TEST(Combined, OperatorsAreWhatWouldBeFormed) {
  for (const std::string& place : places()) {
    const Parts p(place);
    const Formed a(p.a), s(p.s), t(p.t);
    judge(shifted(p.plan_a, 1.375), a.shifted(1.375), 16);
    judge(shifted(p.plan_a, -0.1), a.shifted(-0.1), 16);
    judge(scaled(-3, p.plan_t), t.plus(-4, t), 5 * 16);
    judge(sum(p.plan_a, p.plan_s), a.plus(1, s), 24);
    judge(sum(p.plan_a, scaled(-0.3, p.plan_s), identity<double>(p.a.rows, p.device)),
          a.plus(-0.3, s).shifted(-1), 24);
    judge(transposed(p.plan_t), t.transposed(), 64);
    judge(product(p.plan_a, p.plan_s), a.times(s), 32);
    judge(product(p.plan_a, p.plan_t), a.times(t), 96);
    judge(normal(p.plan_t), t.transposed().times(t), 96);
    judge(shifted(normal(p.plan_t), -0.25), t.transposed().times(t).shifted(-0.25), 96);
    judge(product(normal(p.plan_a), normal(p.plan_s)), a.transposed().times(a).times(s.times(s)),
          64);
  }
}

// Where nothing cancels on the diagonal, the bound is that of the product with the formed matrix.
TEST(Combined, ShiftsKeepTheBoundOfTheFormedMatrix) {
  Matrix a = laplace(40, 30);
  const auto plan = nz::plan(a.view());
  const auto moved = shifted(plan, -0.75);
  const std::vector<double> x = numbers(1200), before = numbers(1200, 3);
  std::vector<double> y = before;
  moved.multiply(1.5, x, 0.5, y);
  Matrix formed = laplace(40, 30);
  for (index_t i = 0; i < formed.rows; ++i)
    for (std::int64_t k = formed.offsets[i]; k < formed.offsets[i + 1]; ++k)
      if (formed.columns[k] == i) formed.values[k] += 0.75;
  const Verdict v =
      check_product<double, std::int64_t>(formed.view(), Op::none, 1.5, x, 0.5, before, y);
  EXPECT_TRUE(v.right()) << v.message();
}

TEST(Combined, BlocksAreWhatWouldBeFormed) {
  for (const std::string& place : places()) {
    const Parts p(place);
    const Formed a(p.a), s(p.s), t(p.t);
    const std::size_t n = a.rows, k = t.cols;
    // A saddle point; the lower right block is zeros.
    Formed saddle(n + k, n + k);
    saddle.place(0, 0, s);
    saddle.place(0, n, t);
    saddle.place(n, 0, t.transposed());
    judge(blocks<double>({{p.plan_s, p.plan_t}, {transposed(p.plan_t), {}}}), saddle, 96);
    // Two rows of three, lengths that differ, and places where no 16 bytes begin.
    Formed wide(n + k, n + k + n);
    wide.place(0, 0, a);
    wide.place(0, n + k, s);
    wide.place(n, n, Formed(k, k).shifted(-2));
    wide.place(n, n + k, t.transposed());
    judge(blocks<double>({{p.plan_a, {}, p.plan_s},
                          {{},
                           scaled(2, identity<double>(static_cast<index_t>(k), p.device)),
                           transposed(p.plan_t)}}),
          wide, 96);
  }
}

TEST(Combined, OperatorsSolve) {
  for (const std::string& place : places()) {
    const Parts p(place);
    const auto n = static_cast<std::size_t>(p.a.rows);
    const std::vector<double> b = numbers(n);
    const auto residual = [&](const LinearOperator<double>& op, const std::vector<double>& x,
                              const std::vector<double>& right) {
      std::vector<double> r = right;
      op.multiply(-1, x, 1, r);
      double rr = 0, bb = 0;
      for (std::size_t i = 0; i < r.size(); ++i) rr += r[i] * r[i], bb += right[i] * right[i];
      return std::sqrt(rr / bb);
    };
    // Regularised least squares by CG, which finds the operator symmetric.
    const auto least = shifted(normal(p.plan_t), -0.5);
    std::vector<double> right(static_cast<std::size_t>(p.t.cols)), x(right.size(), 0.0);
    p.plan_t.multiply(1, b, 0, right, Op::transpose);
    const auto r = solve::cg(least, right, x, {.tolerance = 1e-10, .check_every = 4});
    EXPECT_TRUE(r.ok()) << r.message;
    EXPECT_EQ(r.replayed, place.starts_with("cuda") && r.iterations > 4);
    EXPECT_LT(residual(least, x, right), 1e-9);
    // A sum by every method; the preconditioner is that of the formed diagonal.
    const auto both = sum(p.plan_a, scaled(2, p.plan_s));
    Matrix diagonal = laplace(static_cast<int>(n), 1);
    for (auto& v : diagonal.values) v = v > 0 ? 12 : -1;
    for (const auto& method : solve::methods<double>()) {
      if (method.name == "cg" || (place == "emu" && method.name == "lsqr")) continue;
      std::vector<double> y(n, 0.0);
      solve::Options<double> options{.tolerance = 1e-10, .max_iterations = 500};
      if (method.name != "lsqr") options.preconditioner = solve::jacobi(diagonal.view(), p.device);
      const auto s = method.solve_operator(both, b, y, options);
      EXPECT_TRUE(s.ok()) << method.name << " on " << place << ": " << s.message;
      EXPECT_LT(residual(both, y, b), 1e-9) << method.name;
    }
    // Blocks by GMRES.
    const auto one = identity<double>(p.a.rows, p.device);
    const auto pair = blocks<double>({{p.plan_s, one}, {scaled(-1, one), p.plan_s}});
    const std::vector<double> c = numbers(2 * n);
    std::vector<double> z(2 * n, 0.0);
    const auto g = solve::gmres(pair, c, z, {.tolerance = 1e-9, .max_iterations = 500});
    EXPECT_TRUE(g.ok()) << g.message;
    EXPECT_LT(residual(pair, z, c), 1e-8);
  }
}

// CG says of an operator, as of a matrix, where it is not symmetric.
TEST(Combined, SymmetryIsLookedAt) {
  const Matrix a = laplace(5, 4), w = wind(5, 4);
  const auto plan = nz::plan(a.view()), other = nz::plan(w.view());
  std::vector<double> b(20, 1.0), x(20, 0.0);
  const auto r = solve::cg(sum(plan, other), b, x);
  EXPECT_EQ(r.reason, solve::Stop::not_symmetric);
  EXPECT_TRUE(r.message.starts_with("CG needs a symmetric matrix: (0, 1) is ")) << r.message;
}

// Several threads with one operator, each with vectors of its own, on a device each on a stream.
TEST(Combined, ThreadsShareAnOperator) {
  for (const std::string& place : places()) {
    const Parts p(place);
    const auto op = shifted(product(normal(p.plan_a), normal(p.plan_s)), 0.5);
    const auto n = static_cast<std::size_t>(p.a.rows);
    const std::vector<double> x = numbers(n);
    std::vector<double> expected(n);
    op.multiply(1, x, 0, expected);
    constexpr int threads = 4;
    std::vector<std::string> said(threads);
    {
      std::vector<std::jthread> all;
      for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
          try {
            std::vector<double> y(n);
            for (int round = 0; round < (place == "emu" ? 2 : 30); ++round) {
              op.multiply(1, x, 0, y);
              for (std::size_t i = 0; i < n; ++i)
                if (!(std::abs(y[i] - expected[i]) <= 1e-12 * std::abs(expected[i]) + 1e-12))
                  said[static_cast<std::size_t>(t)] = "row " + std::to_string(i) + " differs";
            }
          } catch (const std::exception& e) {
            said[static_cast<std::size_t>(t)] = e.what();
          }
        });
    }
    for (const std::string& s : said) EXPECT_EQ(s, "") << place;
  }
}

TEST(Combined, TellOfThemselves) {
  const Matrix a = laplace(5, 4), t = tall();
  const auto plan = nz::plan(a.view(), {.kernel = "cpu/csr/serial", .threads = 2}),
             other = nz::plan(t.view(), {.kernel = "cpu/csr/serial"});
  const std::string id = "cpu/csr/serial";
  EXPECT_EQ(shifted(plan, 0.5).name(), id + " shifted by 0.5");
  EXPECT_EQ(scaled(2, plan).name(), "2 times " + id);
  EXPECT_EQ(sum(plan, plan).name(), id + " + " + id);
  EXPECT_EQ(product(plan, plan).name(), "(" + id + ")(" + id + ")");
  EXPECT_EQ(normal(other).name(), "normal equations of " + id);
  EXPECT_EQ(transposed(other).name(), "transpose of " + id);
  EXPECT_EQ((blocks<double>({{plan, plan}})).name(), "1 x 2 blocks");
  EXPECT_EQ(shifted(plan, 0.5).threads(), 2);
  EXPECT_TRUE(normal(other).repeats(Op::none));
  // A function without a transposed product leaves none to what it is part of.
  const auto free = free_laplacian(5, 4);
  EXPECT_FALSE(sum(plan, free).supports(Op::transpose));
  EXPECT_FALSE(product(free, plan).supports(Op::transpose));
  EXPECT_TRUE(sum(plan, free).supports(Op::none));
  EXPECT_TRUE(transposed(free).supports(Op::transpose));
  EXPECT_FALSE(transposed(free).supports(Op::none));
  // Captured where all parts can be: on a CUDA device a function must say so.
  EXPECT_TRUE(sum(plan, free).captures());
}

}  // namespace
}  // namespace nz::test
