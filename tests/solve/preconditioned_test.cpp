#include <limits>

#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>

#include "solve/systems.hpp"
#include "support/message_of.hpp"

// What preconditioners do for solvers, wherever they run, and what they refuse.
namespace nz::test {
namespace {

using solve::Preconditioner;
using solve::Result;
using solve::Stop;

// Linear triangles on a mesh that is bent, with a material that conducts 100 times better in one
// half; the edge is held, so only points inside are unknowns.
Matrix triangles(int nx, int ny) {
  const auto unknown = [&](int i, int j) {
    return i < 1 || j < 1 || i > nx || j > ny ? -1 : (j - 1) * nx + i - 1;
  };
  struct Point {
    double x, y;
  };
  const auto point = [&](int i, int j) {
    const double x = i / (nx + 1.0), y = j / (ny + 1.0);
    return Point{x + 0.15 * std::sin(3 * y), y * y + 0.2 * y + 0.1 * std::sin(2 * x)};
  };
  std::vector<index_t> row, column;
  std::vector<double> value;
  const auto element = [&](const int(&i)[3], const int(&j)[3]) {
    Point p[3];
    for (int k = 0; k < 3; ++k) p[k] = point(i[k], j[k]);
    const double twice =
        (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
    const double conducts = i[0] < nx / 2 ? 100 : 1;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const int from = unknown(i[r], j[r]), to = unknown(i[c], j[c]);
        if (from < 0 || to < 0) continue;
        const Point a{p[(r + 2) % 3].x - p[(r + 1) % 3].x, p[(r + 2) % 3].y - p[(r + 1) % 3].y};
        const Point b{p[(c + 2) % 3].x - p[(c + 1) % 3].x, p[(c + 2) % 3].y - p[(c + 1) % 3].y};
        row.push_back(from), column.push_back(to);
        value.push_back(conducts * (a.x * b.x + a.y * b.y) / (2 * std::abs(twice)));
      }
  };
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      element({i, i + 1, i}, {j, j, j + 1});
      element({i + 1, i + 1, i}, {j, j + 1, j + 1});
    }
  return from_entries(nx * ny, nx * ny, row, column, value);
}

TEST(Preconditioned, CgTakesFewerIterationsThanWithJacobi) {
  for (const Matrix& a : {laplace(40, 33), triangles(30, 35)}) {
    const auto n = static_cast<std::size_t>(a.rows);
    const auto plan = nz::plan(a.view());
    const std::vector<double> b = numbers(n);
    const auto iterations = [&](const Preconditioner<double>& m) {
      std::vector<double> x(n, 0.0);
      const Result r = solve::cg(plan, b, x, {.preconditioner = m});
      EXPECT_TRUE(r.ok()) << r.message;
      EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-8);
      return r.iterations;
    };
    const int jacobi = iterations(solve::jacobi(a.view())), one = iterations(solve::fsai(a.view())),
              two = iterations(solve::fsai(a.view(), {.power = 2})),
              polynomial = iterations(solve::chebyshev(plan, a.view())),
              more = iterations(solve::chebyshev(plan, a.view(), {.degree = 9})),
              factors = iterations(solve::incomplete_cholesky(a.view()));
    EXPECT_LT(one, 0.75 * jacobi);
    EXPECT_LT(two, 0.85 * one);
    EXPECT_LT(polynomial, 0.35 * jacobi);
    EXPECT_LT(more, 0.8 * polynomial);
    EXPECT_LT(factors, 0.5 * jacobi);
  }
}

TEST(Preconditioned, OthersTakeFewerIterationsThanWithJacobi) {
  const Matrix a = wind(40, 31, 0.9);
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view(), {.op = both_ops});
  const std::vector<double> b = numbers(n);
  for (const auto& method : solve::methods<double>()) {
    if (method.name == "cg" || method.name == "lsqr") continue;
    const auto iterations = [&](const Preconditioner<double>& m) {
      std::vector<double> x(n, 0.0);
      const Result r = method.solve(plan, b, x, {.preconditioner = m});
      EXPECT_TRUE(r.ok()) << r.message;
      EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-8) << method.name;
      return r.iterations;
    };
    const int jacobi = iterations(solve::jacobi(a.view()));
    EXPECT_LE(iterations(solve::spai(a.view(), 0)), 1.2 * jacobi) << method.name;
    EXPECT_LT(iterations(solve::spai(a.view())), 0.85 * jacobi) << method.name;
    EXPECT_LT(iterations(solve::incomplete_lu(a.view())), 0.6 * jacobi) << method.name;
  }
}

// Those made of products: on every device what they do on the CPU, to about the same bits.
TEST(Preconditioned, EveryDeviceDoesTheSame) {
  const Matrix a = triangles(8, 7), w = wind(8, 7);
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<double> b = numbers(n);
  std::vector<std::vector<double>> first;
  std::vector<int> took;
  for (const std::string& place : places()) {
    const Device device = device_named(place);
    const auto plan = nz::plan(a.view(), {.device = device}),
               wind_plan = nz::plan(w.view(), {.device = device});
    std::vector<std::vector<double>> found;
    std::vector<int> iterations;
    const auto note = [&](std::vector<double> x, const Result& r) {
      EXPECT_TRUE(r.ok()) << place << r.message;
      found.push_back(std::move(x));
      iterations.push_back(r.iterations);
    };
    for (const auto& m : {solve::fsai(a.view(), {.power = 2}, device),
                          solve::chebyshev(plan, a.view(), {.degree = 3})}) {
      std::vector<double> x(n, 0.0);
      const Result r = solve::cg(plan, b, x, {.tolerance = 1e-12, .preconditioner = m});
      note(x, r);
    }
    for (const int level : {0, 1}) {
      std::vector<double> x(n, 0.0);
      const Result r = solve::bicgstab(
          wind_plan, b, x,
          {.tolerance = 1e-12, .preconditioner = solve::spai(w.view(), level, device)});
      note(x, r);
    }
    if (first.empty()) first = found, took = iterations;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(iterations[k], took[k], 2) << place << k;
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(found[k][i], first[k][i], 1e-8) << place << k;
    }
  }
}

TEST(Preconditioned, AnOperatorOfOnesOwn) {
  const Matrix a = laplace();
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  const std::vector<double> b = numbers(n);
  std::vector<double> x(n, 0.0), y(n, 0.0);
  int calls = 0;
  const auto quarter = matrix_free<double>({.rows = a.rows, .cols = a.rows, .name = "a quarter"},
                                           [&](std::span<const double> r, std::span<double> z) {
                                             ++calls;
                                             for (std::size_t i = 0; i < r.size(); ++i)
                                               z[i] = r[i] / 4;
                                           });
  const auto own = solve::preconditioner(quarter);
  const Result r = solve::cg(plan, b, x, {.preconditioner = own}),
               j = solve::cg(plan, b, y, {.preconditioner = solve::jacobi(a.view())});
  EXPECT_EQ(r.iterations, j.iterations);
  EXPECT_EQ(calls, r.iterations + 1);
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::bicg(plan, b, x, {.preconditioner = own}); }),
            "BiCG multiplies by the transpose of the preconditioner, which a quarter cannot do");
  const Matrix wide = from_entries(1, 2, {0}, {0}, {1});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              solve::preconditioner(
                  LinearOperator<double>(nz::plan(wide.view(), {.kernel = "cpu/csr/serial"})));
            }),
            "a preconditioner is square, cpu/csr/serial is 1 x 2");
}

TEST(Preconditioned, WhatIsNotDefiniteIsRefused) {
  const Matrix indefinite = from_entries(3, 3, {0, 0, 1, 1, 2}, {0, 1, 0, 1, 2}, {1, 3, 3, 1, 1});
  const Matrix negative = from_entries(2, 2, {0, 1}, {0, 1}, {1, -2});
  const Matrix empty = from_entries(2, 2, {0}, {0}, {1});
  const auto plan = nz::plan(indefinite.view());
  EXPECT_EQ(message_of<BadInput>([&] { solve::fsai(indefinite.view()); }),
            "FSAI: the matrix is not positive definite: its part that belongs to row 1 (counting "
            "from 0) is not");
  EXPECT_EQ(message_of<BadInput>([&] { solve::incomplete_cholesky(indefinite.view()); }),
            "IC(0): the pivot of row 1 (counting from 0) is not positive, not even with a diagonal "
            "twice as large");
  EXPECT_EQ(message_of<BadInput>([&] { solve::chebyshev(plan, indefinite.view()); }),
            "Chebyshev: the matrix is not positive definite: divided by its diagonal it has an "
            "eigenvalue of at most -2");
  EXPECT_EQ(message_of<BadInput>([&] { solve::fsai(negative.view()); }),
            "FSAI: row 1 (counting from 0) has -2 on the diagonal, so the matrix is not positive "
            "definite");
  EXPECT_EQ(message_of<BadInput>([&] { solve::incomplete_cholesky(empty.view()); }),
            "IC(0): row 1 (counting from 0) is empty, so the matrix is not positive definite");
  EXPECT_EQ(message_of<BadInput>([&] { solve::spai(empty.view()); }),
            "SPAI: row 1 (counting from 0) is empty");
  EXPECT_EQ(message_of<BadInput>([&] { solve::incomplete_lu(empty.view()); }),
            "ILU(0): row 1 (counting from 0) is empty");
  const Matrix swapped = from_entries(2, 2, {0, 1}, {1, 0}, {1, 1});
  EXPECT_EQ(message_of<BadInput>([&] { solve::incomplete_lu(swapped.view()); }),
            "ILU(0): the pivot of row 0 (counting from 0) is zero, but for rounding");
  EXPECT_EQ(message_of<BadInput>([&] { solve::spai(swapped.view(), 0); }),
            "SPAI: row 0 (counting from 0) of the approximate inverse would be all zeros");
  // Least squares find the inverse of what has no pivots.
  std::vector<double> b{3, 4}, x(2, 0.0);
  const auto swap_plan = nz::plan(swapped.view());
  EXPECT_TRUE(solve::gmres(swap_plan, b, x, {.preconditioner = solve::spai(swapped.view())}).ok());
  EXPECT_NEAR(x[0], 4, 1e-12);
  EXPECT_NEAR(x[1], 3, 1e-12);
}

TEST(Preconditioned, ValuesThatAreNotFiniteAndOptionsThatMeanNothing) {
  Matrix a = laplace(3, 3);
  const auto plan = nz::plan(a.view());
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Matrix m = a;
    m.values[5] = bad;
    const std::string where = ": row 1 (counting from 0) has a value that is not finite";
    EXPECT_EQ(message_of<BadInput>([&] { solve::fsai(m.view()); }), "FSAI" + where);
    EXPECT_EQ(message_of<BadInput>([&] { solve::spai(m.view()); }), "SPAI" + where);
    EXPECT_EQ(message_of<BadInput>([&] { solve::chebyshev(plan, m.view()); }), "Chebyshev" + where);
    EXPECT_EQ(message_of<BadInput>([&] { solve::incomplete_lu(m.view()); }), "ILU(0)" + where);
  }
  const Matrix wide = from_entries(1, 2, {0}, {0}, {1});
  EXPECT_THROW(solve::fsai(wide.view()), InvalidArgument);
  EXPECT_THROW(solve::fsai(a.view(), {.power = 0}), InvalidArgument);
  EXPECT_THROW(solve::fsai(a.view(), {.power = 5}), InvalidArgument);
  EXPECT_THROW(solve::fsai(a.view(), {.drop = -0.1}), InvalidArgument);
  EXPECT_THROW(solve::fsai(a.view(), {.row_limit = 0}), InvalidArgument);
  EXPECT_THROW(solve::spai(a.view(), 2), InvalidArgument);
  EXPECT_THROW(solve::chebyshev(plan, a.view(), {.degree = 0}), InvalidArgument);
  EXPECT_THROW(solve::chebyshev(plan, a.view(), {.lower = 3, .upper = 2}), InvalidArgument);
  EXPECT_THROW(solve::chebyshev(plan, a.view(), {.upper = std::nan("")}), InvalidArgument);
  EXPECT_THROW(solve::chebyshev(plan, laplace(4, 4).view()), InvalidArgument);
  // In float the inverse of a small number may be too large.
  const auto tiny = csr_from_triplets<float, std::int64_t>(
      1, 1, std::vector<index_t>{0}, std::vector<index_t>{0}, std::vector<float>{1e-40f});
  EXPECT_EQ(message_of<BadInput>([&] { solve::spai(tiny.view()); }),
            "SPAI: row 0 (counting from 0) becomes too large for f32");
}

// A matrix that is positive definite, on which incomplete factors break down (Kershaw's): the
// diagonal is made larger until they do not.
TEST(Preconditioned, IncompleteCholeskyTriesALargerDiagonal) {
  const Matrix a =
      from_entries(4, 4, {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, {0, 1, 3, 0, 1, 2, 1, 2, 3, 0, 2, 3},
                   {3, -2, 2, -2, 3, -2, -2, 3, -2, 2, -2, 3});
  const auto plan = nz::plan(a.view());
  std::vector<double> b = numbers(4), x(4, 0.0);
  const Result r = solve::cg(plan, b, x, {.preconditioner = solve::incomplete_cholesky(a.view())});
  EXPECT_TRUE(r.ok()) << r.message;
  EXPECT_LT(solve::true_residual(a.view(), b, x), 1e-8);
}

TEST(Preconditioned, NoRowsAtAll) {
  const Matrix none = from_entries(0, 0, {}, {}, {});
  const auto plan = nz::plan(none.view());
  std::vector<double> b, x;
  for (const auto& m :
       {solve::fsai(none.view()), solve::spai(none.view()), solve::chebyshev(plan, none.view()),
        solve::incomplete_lu(none.view()), solve::incomplete_cholesky(none.view())})
    EXPECT_TRUE(solve::gmres(plan, b, x, {.preconditioner = m}).ok());
}

}  // namespace
}  // namespace nz::test
