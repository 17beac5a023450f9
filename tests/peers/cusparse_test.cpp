#include "lab/peers/peers.hpp"

#include "gpu/allocations.hpp"
#include "gpu/problem.hpp"
#ifdef NZ_HAVE_CUDA
#include "gpu/graph.hpp"
#endif

// cuSPARSE keeps what our own GPU kernels promise.
namespace nz::test {
namespace {

class Cusparse : public ::testing::TestWithParam<Place> {
 protected:
  // What any version must take: the forgiving of PeerConformance ends here.
  static bool must_transpose(const Kernel& k) {
    return k.strategy.starts_with("csr") || k.strategy.starts_with("coo");
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Cusparse);

TEST_P(Cusparse, TakesAnOrdinaryMatrix) {
  NZ_NEEDS(GetParam().device);
  for (const Op op : ops_of(*GetParam().kernel)) {
    const Problem<double> p(op);
    const auto plan = plan_in(GetParam(), p.a.view());
    std::vector<double> y = p.before;
    try {
      plan.multiply(p.alpha, p.x, p.beta, y, op);
      p.judge(y);
    } catch (const Refused& e) {
      EXPECT_TRUE(op == Op::transpose && !must_transpose(*GetParam().kernel)) << e.what();
    }
  }
}

// One plan's descriptors must not disturb another's.
TEST_P(Cusparse, PlansSideBySide) {
  NZ_NEEDS(GetParam().device);
  const Problem<float> p(Op::none);
  const auto first = plan_in(GetParam(), p.a.view());
  const auto second = plan_in(GetParam(), p.a.view());
  const Stream stream(GetParam().device);
  for (const auto* plan : {&first, &second, &first}) {
    std::vector<float> y = p.before;
    plan->multiply(p.alpha, p.x, p.beta, y, Op::none, stream);
    p.judge(y);
  }
}

TEST_P(Cusparse, MemoryThatRunsOutLeavesNothingBehind) {
  NZ_NEEDS(GetParam().device);
  Kernel only_n = *GetParam().kernel;  // T may be refused
  only_n.transposes = only_n.transposes && must_transpose(only_n);
  fail_each_allocation({&only_n, GetParam().device});
}

#ifdef NZ_HAVE_CUDA
TEST_P(Cusparse, CaptureAndReplay) {
  NZ_NEEDS(GetParam().device);
  const Kernel& k = *GetParam().kernel;
  for (const Op op : ops_of(k)) {
    if (op == Op::transpose && !must_transpose(k)) continue;
    SCOPED_TRACE(name(op));
    capture_and_replay<float>(k, op);
    capture_and_replay<double>(k, op);
  }
}
#endif

std::vector<Place> cusparse_places() {
  lab::add_peers();
  return places("peer/cusparse/*");
}
INSTANTIATE_TEST_SUITE_P(Registry, Cusparse, ::testing::ValuesIn(cusparse_places()), test_name);

}  // namespace
}  // namespace nz::test
