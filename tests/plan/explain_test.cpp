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
  EXPECT_GT(e.timing, 0);  // balanced plans on a CPU ask the clock
  EXPECT_GT(e.candidates[0].measured_seconds, 0);
  EXPECT_LE(e.setup(), p.prepare_seconds());
  EXPECT_EQ(e.bytes, p.bytes());
  EXPECT_EQ(e.csr_bytes, a.bytes());
  EXPECT_EQ(e.determinism(), "the same bits every time, at no cost");
  const std::string text = e.text();
  for (const Candidate& c : e.candidates) EXPECT_NE(text.find(c.kernel->id()), text.npos) << text;
  EXPECT_NE(text.find("looking"), text.npos);
}

// The clock may say this today and that tomorrow.
TEST(Explain, DeterministicPlansGoByPredictionsAlone) {
  const auto a = whole("fem:nx=10,ny=10,nz=10,block=3");
  const auto p = plan(a.view(), {.deterministic = true});
  EXPECT_EQ(p.explain().timing, 0);
  for (const Candidate& c : p.explain().candidates) EXPECT_EQ(c.measured_seconds, 0);
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
  loose.determinism = Determinism::never;
  Explanation e;
  e.candidates = {{.kernel = csr, .n_seconds = 2}, {.kernel = &loose, .n_seconds = 1}};
  EXPECT_TRUE(e.determinism().ends_with("would take 0.50 of the time")) << e.determinism();
  std::swap(e.candidates[0], e.candidates[1]);
  EXPECT_TRUE(e.determinism().ends_with("would take 2.00 times as long")) << e.determinism();
}

// Word for word, with everything there is to say and with as little as there can be.
TEST(Explain, TheWholeText) {
  const Kernel *csr = &find_kernel("cpu/csr/balanced"),
               *compact = &find_kernel("cpu/compact/balanced");
  Explanation e;
  e.device = "cpu";
  e.threads = 3;
  e.features = {.rows = 10, .cols = 20, .nnz = 45, .row_length = 4.5};
  e.candidates = {{.kernel = csr, .n_seconds = 2e-6}};
  e.converting = 0.5;
  e.bytes = 1000;
  e.csr_bytes = 600;
  EXPECT_EQ(e.text(),
            "matrix: 10 x 20, 45 nonzeros, 4.5 a row; not looked at closer\n"
            "on cpu (3 threads), for N\n"
            "* cpu/csr/balanced: N 2.0 us, T -, setup -, 0 B\n"
            "setup: checking -, looking -, converting 500.00 ms, timing -\n"
            "keeps 1000 B; CSR takes 600 B\n"
            "the same bits every time, at no cost\n");

  e.device = "emu";
  e.t = true;
  e.features.entries = 45;
  e.features.lines = 0.5;
  e.features.compact_bytes = 9;
  const std::string looked =
      "matrix: 10 x 20, 45 nonzeros, 4.5 a row; of 45 entries: 0.50 lines of x a nonzero, 9.0 "
      "bytes if compact";
  EXPECT_TRUE(e.text().starts_with(looked + "\non emu, for N and T\n")) << e.text();
  e.features.packed_bytes = 8.5;
  e.features.run_share = 0.25;
  e.features.block_rows = 2;
  e.features.block_fill = 1.25;
  e.features.tile_entries = 0.75;
  e.candidates[0] = {.kernel = compact, .transposed = true, .t_seconds = 1, .why = "few bytes"};
  e.candidates[0].measured_seconds = 0.25;
  e.candidates.push_back({.kernel = csr,
                          .n_seconds = 1,
                          .t_seconds = 2,
                          .setup_seconds = 3,
                          .bytes = 2e9,
                          .why_not = "slower",
                          .measured_seconds = 4});
  e.n = false;
  e.from_cache = true;
  e.input = "rows were sorted";
  e.checking = e.looking = e.timing = 1.5;
  EXPECT_EQ(e.text(),
            looked +
                ", 8.5 if packed (25 % in runs), blocks of 2 x 1 with 1.25 values a nonzero, 1 "
                "entries a tile\n"
                "on emu, for T\n"
                "* cpu/compact/balanced of the transpose: measured 250.00 ms; few bytes\n"
                "  cpu/csr/balanced: N 1.00 s, T 2.00 s, setup 3.00 s, 1.9 GiB; measured 4.00 s "
                "(slower)\n"
                "the choice was made before and kept on disk\n"
                "rows were sorted\n"
                "setup: checking 1.50 s, looking 1.50 s, converting 500.00 ms, timing 1.50 s\n"
                "keeps 1000 B; CSR takes 600 B\n"
                "the same bits every time, at no cost\n");
}

TEST(Explain, DeterminismIsThatOfTheProductsWanted) {
  Kernel half = find_kernel("cpu/csr/balanced");
  half.determinism = Determinism::n_only;
  Explanation e;
  e.candidates = {{.kernel = &half, .n_seconds = 1, .t_seconds = 1}};
  EXPECT_EQ(e.determinism(), "the same bits every time, at no cost");
  e.t = true;
  EXPECT_EQ(e.determinism(), "not the same bits every time");
  e.n = false;
  EXPECT_EQ(e.determinism(), "not the same bits every time");
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
