#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "scarce/limited_threads.hpp"

// Plans and products where threads cannot be created: they work, with those there are, and give the
// bits that they give with all.
namespace nz::test {
namespace {

using Vector = std::vector<double>;

// A plan for 7 threads and both of its products, from a host thread that has no team yet.
std::vector<Vector> products(const GeneratedMatrix& a, const Kernel& k, const Vector& x, int more) {
  std::vector<Vector> all;
  std::thread([&] {
    const ThreadLimit limit(more);
    PlanOptions options{.kernel = k.id(), .threads = 7};
    for (const Parameter& p : k.parameters)
      if (p.name == "grain") options.parameters["grain"] = p.min;
    const Plan<double> p = plan(a.view(), options);
    for (const Op op : all_ops)
      if (k.supports(op)) p.multiply(1.5, x, 0.0, all.emplace_back(x.size()), op);
  }).join();
  return all;
}

TEST(ScarceThreads, EveryCpuKernelMultiplies) {
  const GeneratedMatrix a = generate("banded:n=300,lower=4,upper=3").matrix;
  Vector x(static_cast<std::size_t>(a.cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1) - 0.3;
  const int before = refused_threads();
  for (const Kernel* k : match_kernels("cpu/*")) {
    const auto plenty = products(a, *k, x, 1000);
    for (const int more : {0, 2}) {
      const auto scarce = products(a, *k, x, more);
      ASSERT_EQ(scarce.size(), plenty.size());
      for (std::size_t i = 0; i < scarce.size(); ++i) {
        const Op op = i == 0 ? Op::none : Op::transpose;
        const Verdict v =
            check_product<double, std::int64_t>(a.view(), op, 1.5, x, 0.0, {}, scarce[i]);
        EXPECT_TRUE(v.right()) << k->id() << ": " << v.message();
        if (k->repeats(op)) {
          EXPECT_EQ(scarce[i], plenty[i]) << k->id();
        }
      }
    }
  }
  EXPECT_GT(refused_threads(), before);
}

}  // namespace
}  // namespace nz::test
