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
#include "plan/pattern_on.hpp"
#include "support/message_of.hpp"

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
  const auto message = [&](const Parameters& wanted) {
    return message_of<InvalidArgument>(
        [&] { plan(a.view(), {.kernel = "cpu/bsr/serial", .parameters = wanted}); });
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
    const auto detect = [](const Pattern& p) { return detect_blocks(p); };
    const BlockVerdict far = with_pattern(emulator_device, there.view(), detect);
    EXPECT_EQ(far.block_rows, here.block_rows) << spec;
    EXPECT_EQ(far.block_cols, here.block_cols) << spec;
    EXPECT_EQ(far.blocks, here.blocks) << spec;
    EXPECT_EQ(with_pattern(emulator_device, a.view(), detect).blocks, here.blocks) << spec;
  }
}

}  // namespace
}  // namespace nz::test
