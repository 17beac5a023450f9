#include "lab/peers/peers.hpp"

#include <cstdio>
#include <string>
#include <tuple>

#include "gpu/allocations.hpp"
#include "gpu/problem.hpp"
#ifdef NZ_HAVE_CUDA
#include "gpu/graph.hpp"
#endif

// cuSPARSE keeps what our own GPU kernels promise.
namespace nz::test {
namespace {

// Entries that the library which is loaded has no functions for.
bool absent(const Kernel& k) {
  int major = 0, minor = 0, patch = 0;
  EXPECT_EQ(std::sscanf(std::string(k.source).c_str(), "cuSPARSE %d.%d.%d", &major, &minor, &patch),
            3)
      << k.source;
  return k.strategy.starts_with("spmvop") && std::tuple(major, minor, patch) < std::tuple(12, 8, 1);
}

// Needs no GPU: whether the functions are there is asked before anything else.
TEST(CusparseSpmvop, SaysThatTheLoadedLibraryHasNone) {
  lab::add_peers();
  const auto all = match_kernels("peer/cusparse/spmvop-*");
  if (all.empty()) GTEST_SKIP() << "this build has no cuSPARSE";
  EXPECT_EQ(all.size(), 2u);
  const auto a = csr_from_triplets<double, std::int32_t>(1, 1, {}, {}, {});
  for (const Kernel* k : all) {
    std::string said;
    try {
      k->prepare_for<double, std::int32_t>(Device::Kind::cuda)(a.view(), {});
    } catch (const Error& e) {  // without a GPU there is always one
      said = e.what();
    }
    if (absent(*k))
      EXPECT_TRUE(said.starts_with("not available: " + std::string(k->source) + " has no "))
          << said;
    else
      EXPECT_FALSE(said.starts_with("not available")) << said;
  }
}

class Cusparse : public ::testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (absent(*GetParam().kernel)) GTEST_SKIP() << "not in " << GetParam().kernel->source;
  }
  // What any version must take: the forgiving of PeerConformance ends here.
  static bool must_do_all(const Kernel& k) {
    return k.strategy.starts_with("csr") || k.strategy.starts_with("coo");
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Cusparse);

TEST_P(Cusparse, TakesAnOrdinaryMatrix) {
  NZ_NEEDS(GetParam().device);
  const Problem<double> p(Op::none);
  const auto plan = plan_in(GetParam(), p.a.view());
  std::vector<double> y = p.before;
  plan.multiply(p.alpha, p.x, p.beta, y);
  p.judge(y);
}

// What a version may lack shows as a skipped test, with the library's own words.
TEST_P(Cusparse, Transposed) {
  NZ_NEEDS(GetParam().device);
  const Kernel& k = *GetParam().kernel;
  if (!k.transposes) GTEST_SKIP() << "has no transposed product";
  const Problem<double> p(Op::transpose);
  const auto plan = plan_in(GetParam(), p.a.view());
  std::vector<double> y = p.before;
  try {
    plan.multiply(p.alpha, p.x, p.beta, y, Op::transpose);
  } catch (const Refused& e) {
    if (must_do_all(k)) throw;
    GTEST_SKIP() << e.what();
  }
  p.judge(y);
}

TEST_P(Cusparse, Offsets64) {
  NZ_NEEDS(GetParam().device);
  if (!GetParam().kernel->prepare_for<double, std::int64_t>(Device::Kind::cuda))
    GTEST_SKIP() << "has only 32-bit offsets";
  const Problem<double> p(Op::none);
  const auto wide = csr_cast<double, std::int64_t>(p.a.view());
  Plan<double> plan;
  try {
    plan = plan_in(GetParam(), wide.view());
  } catch (const Refused& e) {
    if (must_do_all(*GetParam().kernel)) throw;
    GTEST_SKIP() << e.what();
  }
  std::vector<double> y = p.before;
  plan.multiply(p.alpha, p.x, p.beta, y);
  p.judge(y);
}

// The last blocks and slices reach beyond a matrix of 128 rows.
TEST_P(Cusparse, SizesThatDoNotFit) {
  NZ_NEEDS(GetParam().device);
  const Kernel& k = *GetParam().kernel;
  Parameters parameters = without_limit(k);
  for (const char* size : {"chunk", "block"})
    for (const Parameter& q : k.parameters)
      if (q.name == size) parameters.emplace(size, 5);
  if (parameters == without_limit(k)) GTEST_SKIP() << "has no such sizes";
  const Problem<float> p(Op::none);
  const auto plan = nz::plan(p.a.view(), {.kernel = k.id(), .parameters = parameters});
  const Device device = GetParam().device;
  DeviceArray<float> x(device, std::span(p.x)), y(device, std::span(p.before));
  plan.multiply(p.alpha, x.span(), p.beta, y.span());
  std::vector<float> result(p.before.size());
  y.download(result);
  p.judge(result);
}

// The transpose that is stored has offsets of its own, as many as A has columns and one more.
TEST_P(Cusparse, BytesOfTheTransposedProduct) {
  NZ_NEEDS(GetParam().device);
  const Kernel& k = *GetParam().kernel;
  if (!k.transposes) GTEST_SKIP() << "has no transposed product";
  const std::vector<index_t> row{2, 7}, column{3, 99};
  const std::vector<float> value{1, 2};
  const auto a = csr_from_triplets<float, std::int32_t>(10, 100, row, column, value);
  const auto plan = plan_in(GetParam(), a.view());
  const std::size_t more = k.strategy.starts_with("csr-stored-transpose") ? 90 * 4 : 0;
  EXPECT_EQ(plan.product().traffic(Op::transpose, false),
            plan.product().traffic(Op::none, false) + more);
}

TEST_P(Cusparse, MatrixInDeviceMemory) {
  NZ_NEEDS(GetParam().device);
  const Problem<double> p(Op::none);
  const OnDevice<double> there(GetParam().device, p.a.view());
  const auto plan = plan_in(GetParam(), there.view());
  std::vector<double> y = p.before;
  plan.multiply(p.alpha, p.x, p.beta, y);
  p.judge(y);
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
  only_n.transposes = only_n.transposes && must_do_all(only_n);
  fail_each_allocation({&only_n, GetParam().device});
}

#ifdef NZ_HAVE_CUDA
TEST_P(Cusparse, CaptureAndReplay) {
  NZ_NEEDS(GetParam().device);
  const Kernel& k = *GetParam().kernel;
  for (const Op op : ops_of(k)) {
    if (op == Op::transpose && !must_do_all(k)) continue;
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
