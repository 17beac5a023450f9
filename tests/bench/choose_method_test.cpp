// Which solver is taken, and what is advised where it fails.
#include "lab/solve/choose_method.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace nz::test {
namespace {

lab::SystemTraits square{
    .square = true, .symmetric = false, .positive_diagonal = true, .full_diagonal = true};
lab::SystemTraits definite{
    .square = true, .symmetric = true, .positive_diagonal = true, .full_diagonal = true};

std::string advice(solve::Stop reason, const char* method, const lab::SystemTraits& traits,
                   std::string_view preconditioner = "none") {
  return lab::advice_after({.reason = reason, .iterations = 9, .history = std::vector(9, 1.0)},
                           method, preconditioner, traits);
}

TEST(ChooseMethod, AdvisesWhatTheMatrixAllows) {
  using enum solve::Stop;
  for (const solve::Stop reason : {iteration_limit, breakdown, diverged}) {
    // Where no preconditioner was, one comes first. Jacobi asks for no sign of the diagonal.
    for (const bool signs : {true, false}) {
      lab::SystemTraits traits = square;
      traits.positive_diagonal = signs;
      const std::string any = advice(reason, "bicgstab", traits);
      EXPECT_TRUE(any.ends_with("--preconditioner jacobi or spai1, or --method gmres")) << any;
    }
    const std::string cg = advice(reason, "cg", definite);
    EXPECT_TRUE(cg.ends_with("--preconditioner jacobi or fsai, or --method gmres")) << cg;
    // It divides by it.
    const std::string holes = advice(reason, "bicgstab", {.square = true});
    EXPECT_TRUE(holes.ends_with("--preconditioner spai1 or --method gmres")) << holes;
    // What had Jacobi may have more, by the matrix; what had more has no better.
    const std::string more = advice(reason, "bicgstab", square, "jacobi");
    EXPECT_TRUE(more.ends_with("--method gmres or --preconditioner spai1")) << more;
    const std::string symmetric_more = advice(reason, "cg", definite, "block");
    EXPECT_TRUE(symmetric_more.ends_with("--method gmres or --preconditioner fsai"))
        << symmetric_more;
    const std::string best = advice(reason, "bicgstab", square, "spai1");
    EXPECT_TRUE(best.ends_with("--method gmres")) << best;
    // Only LSQR takes what is not square.
    const std::string tall = advice(reason, "lsqr", {});
    EXPECT_EQ(tall.find("--method"), tall.npos) << tall;
    EXPECT_EQ(tall.find("jacobi"), tall.npos) << tall;
  }
}

TEST(ChooseMethod, EmptyRowsAndColumnsNameLeastSquares) {
  using enum solve::Stop;
  lab::SystemTraits traits = square;
  traits.empty_rows = 2;
  traits.empty_columns = 1;
  for (const solve::Stop reason : {iteration_limit, breakdown, diverged, stagnated}) {
    const std::string said = advice(reason, "bicgstab", traits, "jacobi");
    EXPECT_EQ(said,
              "the matrix has 2 empty rows and 1 empty column, so it is singular: --method lsqr, "
              "least squares");
  }
  EXPECT_EQ(advice(stopped, "bicgstab", traits), "");
  // [[0, 1], [0, NaN]] with a zero that is stored.
  const std::int64_t offsets[]{0, 2, 3};
  const index_t columns[]{0, 1, 1};
  const double values[]{0, 1, std::nan("")};
  const lab::SystemTraits t = lab::system_traits(
      {.rows = 2, .cols = 2, .nnz = 3, .offsets = offsets, .columns = columns, .values = values});
  EXPECT_EQ(t.empty_rows, 0);
  EXPECT_EQ(t.empty_columns, 1);
  EXPECT_FALSE(t.full_diagonal);
}

bool symmetric(double upper, std::vector<double> lower) {
  // [[4, upper], [lower, 9]], where nothing is stored for an empty `lower`.
  const std::vector<std::int64_t> offsets{0, 2, lower.empty() ? 3 : 4};
  std::vector<index_t> columns{0, 1};
  std::vector<double> values{4, upper};
  for (const double value : lower) {
    columns.push_back(0);
    values.push_back(value);
  }
  columns.push_back(1);
  values.push_back(9);
  const CsrView<double, std::int64_t> a{.rows = 2,
                                        .cols = 2,
                                        .nnz = offsets.back(),
                                        .offsets = offsets.data(),
                                        .columns = columns.data(),
                                        .values = values.data()};
  return lab::system_traits(a).symmetric;
}

TEST(ChooseMethod, RoundingAndStoredZerosAreSymmetric) {
  EXPECT_TRUE(symmetric(1, {1}));
  EXPECT_TRUE(symmetric(0, {})) << "a stored zero without a mirror";
  EXPECT_TRUE(symmetric(1e-17, {-3e-17})) << "what is left where 1 - 1 was meant";
  EXPECT_TRUE(symmetric(1e-17, {}));
  EXPECT_FALSE(symmetric(1, {}));
  EXPECT_FALSE(symmetric(1, {1.0001}));
  EXPECT_FALSE(symmetric(1e-6, {}));
  EXPECT_FALSE(symmetric(std::nan(""), {std::nan("")}));
}

}  // namespace
}  // namespace nz::test
