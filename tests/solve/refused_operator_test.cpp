#include <limits>
#include <string>

#include <nonzero/error.hpp>

#include "solve/operators.hpp"
#include "support/message_of.hpp"

// What cannot be an operator, and what an operator cannot do, is refused with what and where.
namespace nz::test {
namespace {

const std::string id = "cpu/csr/serial";

struct Two {
  Matrix square = laplace(5, 4), tall_one = tall();
  Plan<double> a = plan(square.view(), {.kernel = id}), t = plan(tall_one.view(), {.kernel = id});
};

TEST(RefusedOperator, ShapesThatDoNotFit) {
  const Two p;
  EXPECT_EQ(message_of<InvalidArgument>([&] { shifted(p.t, 1); }),
            id + " is 60 x 25: only what is square can be shifted");
  EXPECT_EQ(message_of<InvalidArgument>([&] { sum(p.a, p.t); }),
            id + " is 20 x 20, " + id + " is 60 x 25: a sum has parts of one shape");
  EXPECT_EQ(message_of<InvalidArgument>([&] { product(p.a, p.t); }),
            id + " is 20 x 20, " + id +
                " is 60 x 25: a product has as many columns on its left as rows on its right");
  EXPECT_EQ(message_of<InvalidArgument>([&] { blocks<double>({}); }),
            "an operator of blocks has at least one of them");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              blocks<double>({{p.a, p.a}, {p.a}});
            }),
            "row 1 of blocks has 1 of them, row 0 has 2");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              blocks<double>({{p.a, p.t}});
            }),
            "row 0 of blocks has blocks of 20 and of 60 rows");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              blocks<double>({{p.a}, {p.t}});
            }),
            "column 0 of blocks has blocks of 20 and of 25 columns");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              blocks<double>({{p.a, {}}, {p.a, {}}});
            }),
            "column 1 of blocks has none that says how many columns it has");
  EXPECT_EQ(message_of<InvalidArgument>([&] { blocks<double>({{{}}}); }),
            "row 0 of blocks has none that says how many rows it has");
  const auto large = identity<double>(0x7fffffff);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              blocks<double>({{large, {}}, {{}, large}});
            }),
            "blocks with 4294967294 rows: 32 bits count them");
}

TEST(RefusedOperator, NumbersThatAreNone) {
  const Two p;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of<InvalidArgument>([&] { shifted(p.a, infinity); }),
            "a factor or shift of an operator is finite, not -inf");
  EXPECT_EQ(message_of<InvalidArgument>([&] { scaled(std::nan(""), p.a); }),
            "a factor or shift of an operator is finite, not nan");
  const auto narrow = csr_cast<float, std::int64_t>(p.square.view());
  const auto plan = nz::plan(narrow.view());
  EXPECT_EQ(message_of<InvalidArgument>([&] { scaled(1e60, plan); }),  // no float
            "a factor or shift of an operator is finite, not 1e+60");
}

TEST(RefusedOperator, DevicesThatDiffer) {
  const Two p;
  for (const std::string& place : places()) {
    if (place == "cpu") continue;
    const auto there = plan(p.square.view(), {.device = device_named(place)});
    EXPECT_EQ(message_of<InvalidArgument>([&] { sum(p.a, there); }),
              id + " is on cpu, " + there.kernel().id() + " on " + place +
                  ": operators that are put together are on one device");
    EXPECT_THROW(product(there, p.a), InvalidArgument);
    EXPECT_THROW(blocks<double>({{there, p.a}}), InvalidArgument);
    // A stream of another device, and a preconditioner of one.
    const Stream stream(device_named(place));
    std::vector<double> x(20, 1.0), y(20);
    EXPECT_THROW(
        shifted(there, 1).multiply(1, x, 0, y, Op::none, {cpu_device, stream.view().handle}),
        InvalidArgument);
    EXPECT_EQ(message_of<InvalidArgument>([&] {
                solve::cg(shifted(there, -1), x, y,
                          {.preconditioner = solve::jacobi(p.square.view())});
              }),
              "the preconditioner is on cpu, the operator on " + place);
  }
}

TEST(RefusedOperator, ProductsThatAreNotThere) {
  const auto free = free_laplacian(5, 4);
  std::vector<double> x(20, 1.0), y(20);
  EXPECT_EQ(message_of<InvalidArgument>([&] { free.multiply(1, x, 0, y, Op::transpose); }),
            "Laplacian has no transposed product");
  EXPECT_EQ(message_of<InvalidArgument>([&] { transposed(free).multiply(1, x, 0, y); }),
            "transpose of Laplacian has no product but the transposed one");
  EXPECT_EQ(message_of<InvalidArgument>([&] { normal(free); }),
            "normal equations of Laplacian has no product: its parts have none in common");
  EXPECT_EQ(message_of<InvalidArgument>([&] { sum(free, transposed(free)); }),
            "Laplacian + transpose of Laplacian has no product: its parts have none in common");
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::cg(transposed(free), x, y); }),
            "CG multiplies by transpose of Laplacian, which has the transposed product alone");
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::largest_eigenvalue(transposed(free)); }),
            "transpose of Laplacian has no product but the transposed one");
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> z(20, 0.0);
    const auto solved = [&] { method.solve_operator(free, x, z, {}); };
    if (!method.transposes) {
      EXPECT_NO_THROW(solved()) << method.name;
      continue;
    }
    const std::string said = message_of<InvalidArgument>(solved);
    EXPECT_TRUE(said.ends_with(" multiplies by the transpose, which Laplacian cannot do")) << said;
  }
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::stationary(free, x); }),
            "a stationary distribution multiplies by the transpose, which Laplacian cannot do: "
            "give it a plan of the transpose");
}

TEST(RefusedOperator, FunctionsThatContradictThemselves) {
  const auto f = [](std::span<const double>, std::span<double>) {};
  const auto whole = [](double, std::span<const double>, double, std::span<double>, Op,
                        StreamView) {};
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { matrix_free<double>({.rows = 2, .cols = 2, .ops = both_ops}, f); }),
            "a linear operator says that it has a transposed product, but its function is not told "
            "op");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { matrix_free<double>({.rows = -1, .cols = 2, .name = "F"}, f); }),
            "F has -1 rows and 2 columns, needs at least 0 of each");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              matrix_free<double>({.rows = 1, .cols = 2, .ops = Use(false, false)}, whole);
            }),
            "a linear operator has no product at all");
}

TEST(RefusedOperator, VectorsThatDoNotFit) {
  const Two p;
  const auto op = shifted(p.a, 1);
  std::vector<double> x(20, 1.0), y(20), shorter(19);
  EXPECT_EQ(message_of<InvalidArgument>([&] { op.multiply(1, shorter, 0, y); }),
            "x has 19 elements, needs 20");
  EXPECT_EQ(message_of<InvalidArgument>([&] { op.multiply(1, x, 0, shorter); }),
            "y has 19 elements, needs 20");
  EXPECT_EQ(message_of<InvalidArgument>([&] { op.multiply(1, x, 0, x); }), "x and y overlap");
  EXPECT_EQ(message_of<InvalidArgument>([&] { transposed(p.t).multiply(1, x, 0, y); }),
            "x has 20 elements, needs 60");
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::gmres(op, shorter, y); }),
            "b has 19 elements, needs 20");
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::gmres(LinearOperator(p.t), x, y); }),
            "GMRES needs a square matrix, this one is 60 x 25");
}

TEST(RefusedOperator, OnesThatAreEmpty) {
  const LinearOperator<double> none;
  EXPECT_FALSE(none);
  std::vector<double> x(2), y(2);
  for (const std::string& said :
       {message_of<InvalidArgument>([&] { none.multiply(1, x, 0, y); }),
        message_of<InvalidArgument>([&] { (void)none.rows(); }),
        message_of<InvalidArgument>([&] { shifted(none, 1); }),
        message_of<InvalidArgument>([&] { sum(none, none); }),
        message_of<InvalidArgument>([&] { product(none, none); }),
        message_of<InvalidArgument>([&] { transposed(none); }),
        message_of<InvalidArgument>([&] { solve::cg(none, x, y); }),
        message_of<InvalidArgument>([&] { solve::gmres(none, x, y); }),
        message_of<InvalidArgument>([&] { solve::stationary(none, x); }),
        message_of<InvalidArgument>([&] { solve::largest_eigenvalue(none); })})
    EXPECT_EQ(said, "an empty linear operator");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { LinearOperator<double>(std::shared_ptr<const Plan<double>>()); }),
            "a linear operator of a plan that is not there");
}

}  // namespace
}  // namespace nz::test
