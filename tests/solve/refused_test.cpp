#include <limits>
#include <set>

#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "solve/systems.hpp"
#include "support/message_of.hpp"

// What a solver or a preconditioner cannot take is refused, and the message says why.
namespace nz::test {
namespace {

using solve::Result;
using solve::Stop;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A kernel of somebody else that has no transposed product.
const Kernel& one_way() {
  static const Kernel& added = []() -> const Kernel& {
    Kernel k = find_kernel("cpu/csr/serial");
    k.strategy = "one-way";
    k.transposes = false;
    add_kernels({k});
    return find_kernel("cpu/csr/one-way");
  }();
  return added;
}

TEST(Refused, MethodsThatNeedTheTransposedProduct) {
  const Matrix a = laplace(4, 4);
  const auto plan = nz::plan(a.view(), {.kernel = one_way().id()});
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> b(16, 1.0), x(16, 0.0);
    const auto solved = [&] {
      const Result r = method.solve(plan, b, x, {});
      EXPECT_TRUE(r.ok()) << method.name << ": " << r.message;
    };
    if (!method.transposes) {
      EXPECT_NO_THROW(solved()) << method.name;
      continue;
    }
    const std::string said = message_of<InvalidArgument>(solved);
    EXPECT_TRUE(said.ends_with(" multiplies by the transpose, which cpu/csr/one-way cannot do"))
        << method.name << ": " << said;
  }
  // Without the transpose nothing can be said of symmetry, and the eigenvalue is found all the
  // same.
  EXPECT_TRUE(solve::largest_eigenvalue(plan).ok());
}

TEST(Refused, WalksThatNeedTheTransposedProduct) {
  const Matrix p = from_entries(2, 2, {0, 0, 1}, {0, 1, 0}, {0.5, 0.5, 1});
  const Matrix turned = transpose(p.view());
  const std::string kernel = one_way().id();
  const auto plan = nz::plan(p.view(), {.kernel = kernel}),
             of_turned = nz::plan(turned.view(), {.kernel = kernel});
  std::vector<double> x(2);
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::stationary(plan, x); }),
            "a stationary distribution multiplies by the transpose, which cpu/csr/one-way cannot "
            "do: give it a plan of the transpose");
  solve::StationaryOptions options;
  options.transposed = true;
  ASSERT_TRUE(solve::stationary(of_turned, x, options).ok());
  EXPECT_NEAR(x[0], 2.0 / 3, 1e-9);
  solve::PageRankOptions<double> ranks;
  ranks.transposed = true;  // its weights are sums of rows, which this plan has as columns
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::pagerank(of_turned, x, ranks); }),
            "PageRank needs the transposed product, which cpu/csr/one-way cannot do");
}

TEST(Refused, PreconditionersOfAnotherDevice) {
  const Matrix a = laplace(4, 4);
  for (const std::string& place : places()) {
    if (place == "cpu") continue;
    std::vector<double> b(16, 1.0), x(16, 0.0);
    const auto there = nz::plan(a.view(), {.device = device_named(place)});
    EXPECT_EQ(message_of<InvalidArgument>(
                  [&] { solve::cg(there, b, x, {.preconditioner = solve::jacobi(a.view())}); }),
              "the preconditioner is on cpu, the plan on " + place);
  }
}

TEST(Refused, MatricesThatHaveNoPreconditioner) {
  const Matrix wide = from_entries(1, 2, {0}, {1}, {1}), a = laplace(4, 4);
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::jacobi(wide.view()); }),
            "Jacobi needs a square matrix, this one is 1 x 2");
  EXPECT_EQ(message_of<InvalidArgument>([&] { solve::block_jacobi(wide.view(), 2); }),
            "block Jacobi needs a square matrix, this one is 1 x 2");
  for (const int block : {0, -1, 257})
    EXPECT_EQ(message_of<InvalidArgument>([&] { solve::block_jacobi(a.view(), block); }),
              "block Jacobi: blocks of 1 to 256 rows, not " + std::to_string(block));
  const Matrix endless = from_entries(2, 2, {0, 1}, {0, 1}, {1, infinity});
  EXPECT_EQ(message_of<BadInput>([&] { solve::jacobi(endless.view()); }),
            "Jacobi: row 1 (counting from 0) has no finite number on the diagonal");
  EXPECT_EQ(message_of<BadInput>([&] { solve::block_jacobi(endless.view(), 2); }),
            "block Jacobi: the block of rows 0 to 1 (counting from 0) is singular");
}

// The pivot is not where elimination begins, so rows are exchanged and columns back again.
TEST(BlockJacobi, ExchangesRows) {
  const Matrix a = from_entries(3, 3, {0, 0, 1, 2, 2}, {1, 2, 0, 0, 1}, {2, 1, 4, 1, 8});
  std::vector<double> b = numbers(3), x(3, 0.0);
  const Result r = solve::bicgstab(nz::plan(a.view()), b, x,
                                   {.preconditioner = solve::block_jacobi(a.view(), 3)});
  EXPECT_TRUE(r.ok()) << r.message;
  EXPECT_LE(r.iterations, 1);  // the one block is the inverse
  EXPECT_LT(solve::true_residual(a.view(), b, x), 1e-12);
}

TEST(Refused, OptionsThatMeanNothing) {
  const Matrix a = laplace(4, 4);
  const auto plan = nz::plan(a.view());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> b(16, 1.0), x(16, 0.0);
  for (const solve::Options<double>& wrong :
       {solve::Options<double>{.tolerance = nan}, solve::Options<double>{.tolerance = -1e-8},
        solve::Options<double>{.max_iterations = -1}, solve::Options<double>{.check_every = -1}}) {
    for (const auto& method : solve::methods<double>())
      EXPECT_THROW(method.solve(plan, b, x, wrong), InvalidArgument) << method.name;
    EXPECT_THROW(solve::largest_eigenvalue(plan, wrong), InvalidArgument);
  }
  for (const double wrong : {-0.1, 1.0, nan}) {
    solve::StationaryOptions lazy;
    lazy.laziness = wrong;
    EXPECT_THROW(solve::stationary(plan, x, lazy), InvalidArgument);
    solve::PageRankOptions<double> damped;
    damped.damping = wrong;
    EXPECT_THROW(solve::pagerank(plan, x, damped), InvalidArgument);
  }
  std::vector<double> shorter(15);
  EXPECT_THROW(solve::stationary(plan, shorter), InvalidArgument);
  EXPECT_THROW(solve::true_residual(a.view(), shorter, x), InvalidArgument);
  EXPECT_THROW(solve::largest_eigenvalue(nz::plan(tall().view())), InvalidArgument);
}

TEST(Lanczos, EndsWhereItIsTold) {
  const Matrix a = laplace();
  const auto plan = nz::plan(a.view());
  const auto none = solve::largest_eigenvalue(plan, {.max_iterations = 0});
  EXPECT_EQ(none.reason, Stop::iteration_limit);
  EXPECT_EQ(none.iterations, 0);
  int told = 0;
  const auto stopped = solve::largest_eigenvalue(
      plan, {.tolerance = 0, .callback = [&](int, double) { return ++told < 2; }});
  EXPECT_EQ(stopped.reason, Stop::stopped);
  EXPECT_EQ(told, 2);
  EXPECT_GT(stopped.value, 7);  // of 7.94: it has got somewhere
  const auto few = solve::largest_eigenvalue(plan, {.tolerance = 1e-14, .max_iterations = 7});
  EXPECT_EQ(few.reason, Stop::iteration_limit);
  EXPECT_EQ(few.iterations, 7);
}

TEST(Stop, EachReasonHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int s = static_cast<int>(Stop::converged); s <= static_cast<int>(Stop::stagnated); ++s)
    names.insert(name(static_cast<Stop>(s)));
  EXPECT_EQ(names.size(), 11u);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(name(static_cast<Stop>(0)), "unknown");
}

}  // namespace
}  // namespace nz::test
