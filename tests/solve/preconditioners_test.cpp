#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>
#include <nonzero/threads.hpp>

#include "solve/dense.hpp"

// Each preconditioner against what its definition makes of a dense matrix.
namespace nz::test {
namespace {

using solve::Preconditioner;

// Random places, symmetric or not, with a diagonal that makes it positive definite or invertible.
Matrix random_matrix(index_t n, bool symmetric, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<index_t> i, j;
  std::vector<double> v, sums(static_cast<std::size_t>(n), 0.0);
  const auto put = [&](index_t r, index_t c, double value) {
    i.push_back(r), j.push_back(c), v.push_back(value);
    sums[static_cast<std::size_t>(r)] += std::abs(value);
  };
  for (index_t r = 0; r < n; ++r)
    for (index_t c = 0; c < r; ++c) {
      const double value = 1.1 - 0.25 * static_cast<double>(random() % 7);
      if (random() % 4 == 0) {
        put(r, c, value);
        put(c, r, symmetric ? value : value + 0.75);
      } else if (!symmetric && random() % 5 == 0) {
        put(c, r, value);
      }
    }
  for (index_t r = 0; r < n; ++r)
    put(r, r, sums[static_cast<std::size_t>(r)] + 0.1 + 0.2 * static_cast<double>(random() % 5));
  return from_entries(n, n, i, j, v);
}

std::vector<std::size_t> places(const Dense& a, std::size_t row, bool lower) {
  std::vector<std::size_t> all;
  for (std::size_t j = 0; j < (lower ? row + 1 : a.n); ++j)
    if (a(row, j) != 0) all.push_back(j);
  return all;
}

// Row by row: A(J, J) y = unit, divided by the root of y's last.
Dense fsai_of(const Dense& a, const Dense& pattern) {
  Dense g(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    const auto p = places(pattern, i, true);
    Dense small(p.size());
    for (std::size_t r = 0; r < p.size(); ++r)
      for (std::size_t c = 0; c < p.size(); ++c) small(r, c) = a(p[r], p[c]);
    std::vector<double> unit(p.size(), 0.0);
    unit.back() = 1;
    const auto y = solved(small, unit);
    for (std::size_t k = 0; k < p.size(); ++k) g(i, p[k]) = y[k] / std::sqrt(y.back());
  }
  return g.transposed() * g;
}

Dense pattern_of(const Dense& a) {
  Dense p(a.n);
  for (std::size_t k = 0; k < a.values.size(); ++k) p.values[k] = a.values[k] != 0;
  return p;
}

TEST(Preconditioners, FsaiIsWhatItsDefinitionSays) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  const Matrix a = random_matrix(23, true, seed);
  const Dense d = dense(a), once = pattern_of(d), twice = pattern_of(once * once);
  EXPECT_LT(largest_difference(dense(solve::fsai(a.view())), fsai_of(d, once)), 1e-12);
  EXPECT_LT(largest_difference(dense(solve::fsai(a.view(), {.power = 2})), fsai_of(d, twice)),
            1e-12);
  // Whatever the power: all places within so many steps, which need not be all there are.
  Dense reached = twice;
  for (int power = 3; power <= 4; ++power) {
    reached = pattern_of(reached * once);
    EXPECT_LT(
        largest_difference(dense(solve::fsai(a.view(), {.power = power})), fsai_of(d, reached)),
        1e-12);
  }
  // A limit of one place leaves the diagonal, whose inverse is rounded in three operations.
  const Dense one = dense(solve::fsai(a.view(), {.row_limit = 1}));
  for (std::size_t i = 0; i < d.n; ++i) EXPECT_NEAR(one(i, i) * d(i, i), 1, 1e-15);
  // What is dropped has no place.
  Dense large = once;
  for (std::size_t i = 0; i < d.n; ++i)
    for (std::size_t j = 0; j < d.n; ++j)
      if (std::abs(d(i, j)) < 0.08 * std::sqrt(d(i, i) * d(j, j))) large(i, j) = 0;
  EXPECT_LT(largest_difference(dense(solve::fsai(a.view(), {.drop = 0.08})), fsai_of(d, large)),
            1e-12);
}

TEST(Preconditioners, FsaiOfAllPlacesIsTheInverse) {
  // Every two of its points are joined by way of the first one.
  const index_t n = 23;
  std::vector<index_t> i, j;
  std::vector<double> v;
  const auto put = [&](index_t r, index_t c, double value) {
    i.push_back(r), j.push_back(c), v.push_back(value);
  };
  for (index_t k = 0; k < n; ++k) {
    put(k, k, k == 0 ? 30 : 2.0 + 0.25 * k);
    if (k > 0) put(0, k, -1), put(k, 0, -1);
  }
  const Matrix star = from_entries(n, n, i, j, v);
  const Dense exact = inverse(dense(star));
  EXPECT_LT(largest_difference(dense(solve::fsai(star.view(), {.power = 2})), exact), 1e-12);
  EXPECT_GT(largest_difference(dense(solve::fsai(star.view())), exact), 1e-6);
}

TEST(Preconditioners, ChebyshevIsItsPolynomial) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  const Matrix a = random_matrix(19, true, seed), b = random_matrix(19, false, seed);
  for (const Matrix* m : {&a, &b}) {
    const auto plan = nz::plan(m->view(), {.op = both_ops});
    Dense d = dense(*m);
    const double low = 0.3, high = 2.1, middle = (high + low) / 2, half = (high - low) / 2;
    for (const int degree : {1, 2, 5}) {
      const auto p =
          solve::chebyshev(plan, m->view(), {.degree = degree, .lower = low, .upper = high});
      // I - M A = T((middle - A / D) / half) / T(middle / half), of one degree more.
      for (const Op op : all_ops) {
        const Dense full = op == Op::none ? d : d.transposed();
        Dense scaled = full;
        for (std::size_t i = 0; i < d.n; ++i)
          for (std::size_t j = 0; j < d.n; ++j) scaled(i, j) /= d(i, i);
        const Dense one = Dense::identity(d.n);
        const Dense t = combined(middle / half, one, -1 / half, scaled);
        Dense before = one, now = t;
        double number_before = 1, number = middle / half;
        for (int k = 0; k < degree; ++k) {
          before = std::exchange(now, combined(2, t * now, -1, before));
          number_before = std::exchange(number, 2 * (middle / half) * number - number_before);
        }
        const Dense rest = combined(1, one, -1, dense(p, op) * full);
        EXPECT_LT(largest_difference(rest, combined(1 / number, now, 0, now)), 1e-12)
            << degree << name(op);
      }
    }
  }
}

TEST(Preconditioners, SpaiHasTheLeastSquares) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  const Matrix a = random_matrix(21, false, seed);
  const Dense d = dense(a), m = dense(solve::spai(a.view())),
              zero = dense(solve::spai(a.view(), 0));
  for (std::size_t i = 0; i < d.n; ++i) {
    // The normal equations of the row.
    const auto p = places(d, i, false);
    Dense small(p.size());
    std::vector<double> right(p.size());
    for (std::size_t r = 0; r < p.size(); ++r) {
      right[r] = d(p[r], i);
      for (std::size_t c = 0; c < p.size(); ++c)
        for (std::size_t k = 0; k < d.n; ++k) small(r, c) += d(p[r], k) * d(p[c], k);
    }
    const auto y = solved(small, right);
    std::vector<double> row(d.n, 0.0);
    for (std::size_t k = 0; k < p.size(); ++k) row[p[k]] = y[k];
    double squares = 0;
    for (std::size_t j = 0; j < d.n; ++j) {
      EXPECT_NEAR(m(i, j), row[j], 1e-11);
      squares += d(i, j) * d(i, j);
    }
    EXPECT_NEAR(zero(i, i), d(i, i) / squares, 1e-14);
  }
}

TEST(Preconditioners, SpaiOfRowsThatDependOnEachOther) {
  // Rows 0 and 1 are the same but for a factor: one of them is enough for the least squares.
  const Matrix a = from_entries(3, 3, {0, 0, 1, 1, 2}, {0, 1, 0, 1, 2}, {1, 2, 2, 4, 5});
  const Dense d = dense(a), m = dense(solve::spai(a.view()));
  const Dense rest = combined(1, Dense::identity(3), -1, m * d);
  for (std::size_t i = 0; i < 2; ++i)  // at right angles to what can be had
    EXPECT_NEAR(rest(i, 0) * 1 + rest(i, 1) * 2, 0, 1e-14);
  EXPECT_NEAR(m(2, 2), 0.2, 1e-15);
}

TEST(Preconditioners, IncompleteFactorsAgreeWithAtItsPlaces) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  const Matrix s = random_matrix(22, true, seed), g = random_matrix(22, false, seed);
  const auto agrees = [](const Matrix& a, const Dense& product, bool transposed) {
    for (index_t i = 0; i < a.rows; ++i)
      for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        EXPECT_NEAR(transposed ? product(a.columns[k], i) : product(i, a.columns[k]), a.values[k],
                    1e-11);
  };
  agrees(s, inverse(dense(solve::incomplete_cholesky(s.view()))), false);
  const auto lu = solve::incomplete_lu(g.view());
  agrees(g, inverse(dense(lu)), false);
  agrees(g, inverse(dense(lu, Op::transpose)), true);
  // Where nothing is left out, they are exact; a line of unknowns fills in nothing.
  const Matrix line = laplace(30, 1);
  EXPECT_LT(
      largest_difference(dense(solve::incomplete_cholesky(line.view())), inverse(dense(line))),
      1e-11);
}

TEST(Preconditioners, RowsInAnyOrderOfALargerMatrixInFloat) {
  const Matrix a = random_matrix(17, true, 5);
  // Each row backwards, its first entry in two halves, behind a row that is not ours.
  std::vector<std::int32_t> offsets{2};
  std::vector<index_t> columns{0, 1};
  std::vector<float> values{9, 9};
  for (index_t i = 0; i < a.rows; ++i) {
    for (auto k = a.offsets[i + 1]; k-- > a.offsets[i];) {
      columns.push_back(a.columns[k]);
      values.push_back(static_cast<float>(a.values[k]));
    }
    values.back() /= 2;
    columns.push_back(columns.back());
    values.push_back(values.back());
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const CsrView<float, std::int32_t> view{a.rows,         a.cols,         offsets.back() - 2,
                                          offsets.data(), columns.data(), values.data()};
  const auto plan = nz::plan(view);
  const auto same = [](const Preconditioner<float>& x, const Preconditioner<double>& y) {
    EXPECT_LT(largest_difference(dense(x), dense(y)), 1e-6);
  };
  same(solve::fsai(view), solve::fsai(a.view()));
  same(solve::spai(view), solve::spai(a.view()));
  same(solve::spai(view, 0), solve::spai(a.view(), 0));
  same(solve::incomplete_cholesky(view), solve::incomplete_cholesky(a.view()));
  same(solve::incomplete_lu(view), solve::incomplete_lu(a.view()));
  const auto wide = nz::plan(a.view());
  same(solve::chebyshev(plan, view), solve::chebyshev(wide, a.view()));
}

// The number of threads changes no bit of what is stored. Products of plans may add up in another
// order, so they are looked at where there is nothing to add: unit vectors.
TEST(Preconditioners, ThreadsMakeTheSameBits) {
  const Matrix a = wind(17, 15), s = laplace(17, 15);
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(s.view(), {.kernel = "cpu/csr/serial"});
  const auto made = [&](int threads) {
    const ThreadScope scope(threads);
    std::vector<double> all = dense(solve::spai(a.view())).values;
    const auto add = [&](const Preconditioner<double>& m, const std::vector<double>& x) {
      std::vector<double> y(n);
      m.inside()->by.multiply(1.0, x, 0.0, y);
      all.insert(all.end(), y.begin(), y.end());
    };
    std::vector<double> last(n, 0.0);
    last.back() = 1;
    add(solve::fsai(s.view(), {.power = 3}), last);
    add(solve::chebyshev(plan, s.view()), numbers(n));
    add(solve::incomplete_cholesky(s.view()), numbers(n));
    add(solve::incomplete_lu(a.view()), numbers(n));
    return all;
  };
  EXPECT_EQ(made(1), made(3));
}

}  // namespace
}  // namespace nz::test
