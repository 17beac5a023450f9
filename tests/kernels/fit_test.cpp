#include <nonzero/kernel.hpp>

#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"
#include "kernels/conform.hpp"
#include "plan/fitted.hpp"
#include "plan/tile_verdict.hpp"

namespace nz::test {
namespace {

Csr<double, std::int64_t> blocks_of_three() {
  return generate("fem:nx=5,ny=4,nz=3,block=3,blocks=9").matrix;
}

TEST(Fit, EveryKernelOnBlocksTakesTheShapeOfTheMatrix) {
  const auto a = blocks_of_three();
  int seen = 0;
  for (const Kernel* k : match_kernels("*/bsr/*")) {
    ASSERT_TRUE(k->fit) << k->id();
    const Parameters p = k->resolve({}, Pattern(a.view()));
    EXPECT_EQ(p.at("block_rows"), 3) << k->id();
    EXPECT_EQ(p.at("block_cols"), 3) << k->id();
    EXPECT_EQ(p.size(), k->parameters.size()) << "all others are there, too";
    ++seen;
  }
  EXPECT_GE(seen, 9);
}

TEST(Fit, APlanTakesWhatFitsUnlessItIsTold) {
  const auto a = blocks_of_three();
  const auto shape = [&](const Parameters& wanted) {
    const Parameters p =
        plan(a.view(), {.kernel = "cpu/bsr/serial", .parameters = wanted}).parameters();
    return std::pair(p.at("block_rows"), p.at("block_cols"));
  };
  EXPECT_EQ(shape({}), std::pair(3L, 3L));
  EXPECT_EQ(shape({{"max_ratio", 7}}), std::pair(3L, 3L));
  EXPECT_EQ(shape({{"block_rows", 1}, {"block_cols", 4}}), std::pair(1L, 4L));
  EXPECT_EQ(shape({{"block_rows", 1}}), std::pair(1L, 2L)) << "half a shape is not fitted";
  const auto none = generate("diagonal:n=50").matrix;
  const auto p = plan(none.view(), {.kernel = "cpu/bsr/serial"}).parameters();
  EXPECT_EQ(p.at("block_rows") * p.at("block_cols"), 1);
}

TEST(Fit, BlocksOfNoSizeAreRefused) {
  const auto a = blocks_of_three();
  const auto message = [&](const Parameters& wanted) -> std::string {
    try {
      plan(a.view(), {.kernel = "cpu/bsr/serial", .parameters = wanted});
    } catch (const InvalidArgument& e) {
      return e.what();
    }
    return "no exception";
  };
  EXPECT_EQ(message({{"block_rows", 0}}), "cpu/bsr/serial: block_rows = 0 is outside 1 to 1024");
  EXPECT_EQ(message({{"block_cols", -5}}), "cpu/bsr/serial: block_cols = -5 is outside 1 to 1024");
}

TEST(Fit, AMatrixOnTheDevice) {
  if (match_kernels("gpu/csr/balanced").empty() ||
      !find_kernel("gpu/csr/balanced").runs_on_device(Device::Kind::emulator))
    GTEST_SKIP() << "built without the emulator";
  for (const char* spec : {"fem:nx=5,ny=4,nz=3,block=3,blocks=9",
                           "fem:nx=12,ny=12,nz=12,block=4,blocks=9", "empty:rows=4,cols=4"}) {
    const auto a = csr_cast<float, std::int32_t>(generate(spec).matrix.view());
    const OnDevice<float> there(emulator_device, a.view());
    const BlockVerdict here = detect_blocks(a.view());
    const BlockVerdict far = detect_blocks_on(emulator_device, there.view());
    EXPECT_EQ(far.block_rows, here.block_rows) << spec;
    EXPECT_EQ(far.block_cols, here.block_cols) << spec;
    EXPECT_EQ(far.blocks, here.blocks) << spec;
    EXPECT_EQ(detect_blocks_on(emulator_device, a.view()).blocks, here.blocks) << spec;
  }
}

TEST(Fit, APlanOnAGpuTakesBlocksThatSaveBytes) {
  const auto found = match_kernels("gpu/bsr/balanced");
  if (found.empty()) GTEST_SKIP() << "no such kernel";
  const bool emulated = found.front()->runs_on_device(Device::Kind::emulator);
  const Device device = emulated ? emulator_device : found.front()->home();
  NZ_NEEDS(device);
  const auto a = generate("fem:nx=28,ny=28,nz=28,block=3").matrix;
  const Choice blocks = choose(a.view(), Op::none, device, Effort::thorough);
  EXPECT_EQ(blocks.kernel->id(), "gpu/bsr/balanced");
  EXPECT_EQ(blocks.parameters, (Parameters{{"block_rows", 3}, {"block_cols", 3}}));
  EXPECT_EQ(blocks.reason, "blocks of 3 x 3 take 0.70 of CSR's bytes");
  const auto none = generate("rmat:scale=12").matrix;
  EXPECT_EQ(choose(none.view(), Op::none, device).kernel->id(), "gpu/csr/balanced");
  const auto wide = generate("blocks:height=2,width=8").matrix;
  EXPECT_EQ(choose(wide.view(), Op::none, device).kernel->id(), "gpu/csr/balanced");
}

TEST(Fit, ATransposedPlanOnAGpuTakesTilesThatHaveEntries) {
  const auto found = match_kernels("gpu/tile/balanced");
  if (found.empty()) GTEST_SKIP() << "no such kernel";
  const bool emulated = found.front()->runs_on_device(Device::Kind::emulator);
  const Device device = emulated ? emulator_device : found.front()->home();
  NZ_NEEDS(device);
  const auto choice = [&](const char* spec, Op op) {
    const auto a = csr_cast<float, std::int32_t>(generate(spec).matrix.view());
    const OnDevice<float> there(device, a.view());
    const Choice here = choose(a.view(), op, device, Effort::thorough),
                 far = choose(there.view(), op, device, Effort::thorough);
    EXPECT_EQ(far.kernel, here.kernel) << spec;
    EXPECT_EQ(far.reason, here.reason) << spec;
    return here;
  };
  const char* dense = "random:rows=2048,cols=2048,density=0.06";
  EXPECT_EQ(choice(dense, Op::none).kernel->id(), "gpu/csr/balanced");
  const Choice tiles = choice(dense, Op::transpose);
  EXPECT_EQ(tiles.kernel->id(), "gpu/tile/balanced");
  EXPECT_TRUE(tiles.reason.ends_with(" entries a tile of 256 x 256")) << tiles.reason;
  EXPECT_NEAR(std::stod(tiles.reason), 0.06 * 65536, 0.003 * 65536);
  const auto lp = generate("lp:rows=9000,cols=90000,per_row=3,dense_rows=0,dense_cols=1").matrix;
  EXPECT_GT(look_for_tiles(Pattern(lp.view())).hottest, 0.05);
  const auto thin = generate("diagonal:n=70000").matrix;
  EXPECT_LT(look_for_tiles(Pattern(thin.view())).hottest, 0.001);
  EXPECT_NEAR(look_for_tiles(Pattern(thin.view())).entries, 256, 1);
  EXPECT_EQ(choice("profile:rows=210000,cols=210000,nnz=210000,min=1,max=1,shape=0", Op::transpose)
                .kernel->id(),
            "gpu/csr/balanced");
}

}  // namespace
}  // namespace nz::test
