#include <thread>

#include <fmt/format.h>

#include "solve/systems.hpp"

// Several threads that solve and make plans on one device. On a GPU each solve captures a graph,
// which nothing that the others do may spoil: not the memory that they take and give back either.
namespace nz::test {
namespace {

TEST(Solve, ThreadsThatSolveAndMakePlans) {
  for (const std::string& place : places()) {
    SCOPED_TRACE(place);
    const bool gpu = place.starts_with("cuda");
    const Matrix a = place == "emu" ? wind(7, 5) : wind();
    const auto n = static_cast<std::size_t>(a.rows);
    const std::vector<double> b = numbers(n);
    constexpr int threads = 4;
    std::vector<std::string> said(threads);
    const auto work = [&](int number) {
      for (int round = 0; round < (gpu ? 25 : 1); ++round) {
        const auto plan = nz::plan(a.view(), {.device = device_named(place), .op = both_ops});
        std::vector<double> x(n, 0.0);
        const auto r = number % 2 == 0 ? solve::bicgstab(plan, b, x) : solve::lsqr(plan, b, x);
        const double truth = solve::true_residual(a.view(), b, std::span<const double>(x));
        std::string& s = said[static_cast<std::size_t>(number)];
        if (!r.ok() || truth > 1e-7) s += fmt::format("{}; true residual {}\n", r.message, truth);
        // That a failed capture runs without a graph would hide what spoiled it.
        if (gpu && r.iterations > 75 && !r.replayed) s += "no graph\n";
      }
    };
    {
      std::vector<std::jthread> all;
      for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
          try {
            work(t);
          } catch (const std::exception& e) {
            said[static_cast<std::size_t>(t)] += e.what();
          }
        });
    }
    for (const std::string& s : said) EXPECT_EQ(s, "");
  }
}

}  // namespace
}  // namespace nz::test
