#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats/dcsr.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/threads.hpp>

#include "formats/inspect.hpp"
#include "scarce/limited_threads.hpp"

// Threads that a team once has stay: OpenMP ends those that a smaller team leaves out, and creating
// them again takes longer than most products.
namespace nz::test {
namespace {

#ifdef _OPENMP
constexpr bool teams_stay = true;
#else
constexpr bool teams_stay = false;  // threads are made for each call
#endif

// Threads that `act` creates on a host thread whose team has done it once.
template <class Act>
int created_again(Act&& act, int team = 7) {
  int created = 0;
  std::thread([&] {
    const ThreadScope scope(team);
    act();
    const int before = created_threads();
    act();
    act();
    created = created_threads() - before;
  }).join();
  return created;
}

// As many rows as are worth some of 7 threads, and as many entries as are worth all.
GeneratedMatrix matrix() { return generate("grid:points=5,nx=400,ny=400").matrix; }

TEST(Teams, StayForALookAtTheMatrix) {
  if (!teams_stay) GTEST_SKIP() << "no OpenMP";
  const GeneratedMatrix a = matrix();
  EXPECT_EQ(created_again([&] { EXPECT_TRUE(inspect(a.view()).rising); }), 0);
  EXPECT_EQ(created_again([&] {
              EXPECT_EQ(count_nonempty_rows(a.view()), a.rows);
              inspect(a.view());
            }),
            0);
}

TEST(Teams, StayForBothStepsOfAProduct) {
  if (!teams_stay) GTEST_SKIP() << "no OpenMP";
  const GeneratedMatrix a = matrix();
  const auto p = plan(a.view(), {.kernel = "cpu/dcsr/balanced", .threads = 7});
  std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0), y(x.size());
  for (const Op op : {Op::none, Op::transpose})
    for (const double beta : {0.0, 1.0})
      EXPECT_EQ(created_again([&] { p.multiply(1.0, x, beta, y, op); }), 0)
          << name(op) << ' ' << beta;
}

// Products of a small matrix are worth few threads: a plan does not wake more to make them.
TEST(Teams, StayWhilePlansAreMade) {
  if (!teams_stay) GTEST_SKIP() << "no OpenMP";
  for (const char* spec : {"grid:points=5,nx=60,ny=60", "grid:points=5,nx=90,ny=90"}) {
    const GeneratedMatrix a = generate(spec).matrix;
    EXPECT_EQ(created_again([&] { plan(a.view()); }), 0) << spec;
  }
  const GeneratedMatrix a = matrix();
  EXPECT_EQ(created_again([&] { plan(a.view()); }), 0);
  // So many entries are checked by several threads.
  const GeneratedMatrix few = generate("grid:points=5,nx=120,ny=120").matrix;
  EXPECT_EQ(created_again([&] { plan(few.view()); }, 16), 0);
  EXPECT_EQ(created_again([&] { plan(GeneratedMatrix(few)); }, 16), 0);
  auto p = plan(few.view());
  EXPECT_EQ(created_again([&] { p.update_values(few.view()); }, 16), 0);
}

// Vectors of so many rows are worth all threads, products with them are not.
TEST(Teams, StayWhileSystemsAreSolved) {
  if (!teams_stay) GTEST_SKIP() << "no OpenMP";
  constexpr int all = 32;
  const GeneratedMatrix a = generate("grid:points=5,nx=182,ny=182").matrix;
  const auto p = plan(a.view(), {.threads = all});
  EXPECT_EQ(p.threads(), all);
  EXPECT_LT(p.team(), all);
  EXPECT_GT(p.team(), 1);
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
  std::vector<double> x(b.size());
  EXPECT_EQ(created_again([&] { solve::cg(p, b, x, {.max_iterations = 3}); }, all), 0);
  const auto q = plan(a.view(), {.kernel = "cpu/sell/gather", .threads = all});
  EXPECT_FALSE(q.fuses(Op::none));
  EXPECT_EQ(q.team(), p.team());
  // Some kernels take all threads, and a grain of one's own is worth others.
  EXPECT_EQ(plan(a.view(), {.kernel = "cpu/csr/omp-rows", .threads = 4}).team(), 4);
  EXPECT_EQ(plan(a.view(),
                 {.kernel = "cpu/sell/gather", .parameters = {{"grain", 1 << 30}}, .threads = 4})
                .team(),
            1);
  double norm = 0;
  EXPECT_EQ(created_again([&] { q.multiply(1.0, b, 0.0, x, {.norm = &norm}); }, all), 0);
}

}  // namespace
}  // namespace nz::test
