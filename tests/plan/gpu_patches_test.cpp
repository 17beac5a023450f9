#include "plan/patch_samples.hpp"

#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"
#include "plan/door.hpp"
#include "plan/selection.hpp"

// Patches tell meshes from graphs, whatever the numbers of their nodes, and are the same wherever
// the matrix lies.
namespace nz::test {
namespace {

Csr<float, std::int32_t> made(const std::string& spec) {
  return csr_cast<float, std::int32_t>(generate(spec).matrix.view());
}

Device some_gpu() {
  const Kernel& k = find_kernel("gpu/clusters/staged");
  return k.runs_on_device(Device::Kind::emulator) ? emulator_device : k.home();
}

TEST(PatchSamples, AreTheSameInBothMemories) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const char* const grow[] = {"tets:nx=9,ny=9,nz=9,order=1,unknowns=1,window=100000",
                              "rmat:scale=12,degree=16", "grid:points=5,nx=40,ny=40"};
  for (const char* spec : grow) EXPECT_GT(sample_patches(made(spec).view(), device).rows, 1);
  std::vector<const char*> specs(std::begin(grow), std::end(grow));
  specs.insert(specs.end(), {"giant:n=6000,length=5000", "diagonal:n=500", "diagonal:n=1"});
  for (const char* spec : specs) {
    const auto a = made(spec);
    const OnDevice<float> there(device, a.view());
    const PatchSamples here = sample_patches(a.view(), device),
                       far = sample_patches(there.view(), device);
    EXPECT_EQ(here.rows, far.rows) << spec;
    EXPECT_EQ(here.columns, far.columns) << spec;
  }
}

// Of a diagonal a patch is a row, on a path of a tridiagonal matrix they are counted by hand.
TEST(PatchSamples, CountRowsAndColumns) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const PatchSamples diagonal = sample_patches(made("diagonal:n=100").view(), device);
  EXPECT_EQ(diagonal.rows, 1);
  EXPECT_EQ(diagonal.columns, 1);
  // A ring of 1000: a patch grows by two rows at a time, to 257, and touches two more.
  std::vector<index_t> rows, cols;
  for (index_t i = 0; i < 1000; ++i)
    for (const index_t by : {0, 1, 999}) {
      rows.push_back(i);
      cols.push_back((i + by) % 1000);
    }
  const auto ring = csr_from_triplets<float, std::int32_t>(1000, 1000, rows, cols,
                                                           std::vector<float>(rows.size(), 1));
  const PatchSamples on_ring = sample_patches(ring.view(), device);
  EXPECT_EQ(on_ring.rows, 257);
  EXPECT_DOUBLE_EQ(on_ring.columns, 259.0 / (3 * 257));
}

TEST(PatchSamples, AreNothingOfWhatIsNotSquareOrEmpty) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  EXPECT_EQ(sample_patches(made("random:rows=50,cols=60,density=0.1").view(), device).rows, 0);
  EXPECT_EQ(sample_patches(Csr<float, std::int32_t>{}.view(), device).rows, 0);
  const auto none = csr_from_triplets<float, std::int32_t>(9, 9, {}, {}, std::vector<float>{});
  EXPECT_EQ(sample_patches(none.view(), device).columns, 0);
}

// A mesh whose nodes are numbered anyhow has its rows brought together; as it is built, a graph
// without neighbourhoods and a small one have not.
TEST(PatchSamples, DecideWhetherClustersAreThoughtOf) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto thought_of = [&](const std::string& spec) {
    const Selection s = select(made(spec).view(), device, {.use = Op::none});
    for (const Candidate& c : s.candidates)
      if (c.kernel->id() == "gpu/clusters/staged") return true;
    return false;
  };
  const std::string mesh = "tets:nx=32,ny=32,nz=32,order=1,unknowns=1";
  EXPECT_TRUE(thought_of(mesh + ",window=1000000"));
  EXPECT_FALSE(thought_of(mesh));
  EXPECT_FALSE(thought_of("rmat:scale=15,degree=16"));
  EXPECT_FALSE(thought_of("random:rows=30000,cols=60000,density=0.0003"));
  EXPECT_FALSE(thought_of("tets:nx=9,ny=9,nz=9,order=1,unknowns=1,window=1000000"));
}

}  // namespace
}  // namespace nz::test
