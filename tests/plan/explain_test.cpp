#include "plan/planned.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace nz::test {
namespace {

TEST(Explain, TellsWhatWasThoughtOf) {
  const auto a = whole("fem:nx=10,ny=10,nz=10,block=3");
  const auto p = plan(a.view());
  const Explanation& e = p.explain();
  EXPECT_EQ(e.device, "cpu");
  EXPECT_EQ(e.features.rows, a.rows);
  EXPECT_EQ(e.features.nnz, a.nnz());
  EXPECT_EQ(e.features.block_rows, 3);
  EXPECT_GT(e.features.entries, 0);
  ASSERT_GE(e.candidates.size(), 3u);
  EXPECT_EQ(e.candidates[0].kernel, &p.kernel());
  EXPECT_EQ(
      std::ranges::count_if(e.candidates, [](const Candidate& c) { return c.why_not.empty(); }), 1);
  for (const Candidate& c : e.candidates) {
    EXPECT_GT(c.n_seconds, 0) << c.kernel->id();
    EXPECT_GT(c.t_seconds, 0) << c.kernel->id();
    EXPECT_GT(c.setup_seconds, 0) << c.kernel->id();
    EXPECT_FALSE(c.why.empty()) << c.kernel->id();
  }
  EXPECT_GT(e.looking, 0);
  EXPECT_GT(e.converting, 0);
  EXPECT_EQ(e.timing, 0);
  EXPECT_LE(e.setup(), p.prepare_seconds());
  EXPECT_EQ(e.bytes, p.bytes());
  EXPECT_EQ(e.csr_bytes, a.bytes());
  EXPECT_EQ(e.determinism(), "the same bits every time, at no cost");
  const std::string text = e.text();
  for (const Candidate& c : e.candidates) EXPECT_NE(text.find(c.kernel->id()), text.npos) << text;
  EXPECT_NE(text.find("looking"), text.npos);
}

TEST(Explain, PredictedBytesAreNearWhatIsKept) {
  for (const char* spec :
       {"fem:nx=10,ny=10,nz=10,block=3", "random:rows=3000,cols=3000,density=0.01"}) {
    const auto a = whole(spec);
    const auto p = plan(Csr(a), {.threads = 2});  // each has sums of its own for T
    EXPECT_NEAR(p.explain().candidates[0].bytes / static_cast<double>(p.bytes()), 1, 0.25) << spec;
  }
}

TEST(Explain, SaysWhatTheSameBitsCost) {
  const Kernel* csr = &find_kernel("cpu/csr/balanced");
  Kernel loose = *csr;
  loose.deterministic = false;
  Explanation e;
  e.candidates = {{.kernel = csr, .n_seconds = 2}, {.kernel = &loose, .n_seconds = 1}};
  EXPECT_TRUE(e.determinism().ends_with("would take 0.50 of the time")) << e.determinism();
  std::swap(e.candidates[0], e.candidates[1]);
  EXPECT_TRUE(e.determinism().ends_with("would take 2.00 times as long")) << e.determinism();
}

TEST(Explain, AMultiplyCanBeMeasured) {
  const auto a = whole("grid:nx=20,ny=20");
  const auto p = plan(a.view());
  EXPECT_GT(p.measure(), 0);
  EXPECT_GT(p.measure(Op::transpose), 0);
}

TEST(Explain, AKernelThatWasToldHasNoRivals) {
  const auto a = whole("grid:nx=20,ny=20");
  const auto p = plan(a.view(), {.kernel = "cpu/csr/serial"});
  ASSERT_EQ(p.explain().candidates.size(), 1u);
  EXPECT_EQ(p.explain().looking, 0);
  EXPECT_FALSE(p.explain().text().empty());
}

}  // namespace
}  // namespace nz::test
