#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"
#include "plan/features.hpp"
#include "plan/row_windows.hpp"
#include "plan/selection.hpp"

// What is seen of a matrix for a GPU, wherever it lies. What is then taken depends on the constants
// of the model.
namespace nz::test {
namespace {

Device some_gpu() {
  const Kernel& k = find_kernel("gpu/csr/balanced");
  return k.runs_on_device(Device::Kind::emulator) ? emulator_device : k.home();
}

const Candidate* find(const Selection& s, std::string_view id) {
  for (const Candidate& c : s.candidates)
    if (c.kernel->id() == id) return &c;
  return nullptr;
}

TEST(GpuLook, IsTheSameInBothMemories) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  for (const char* spec : {"fem:nx=10,ny=10,nz=10,block=3", "rmat:scale=12", "diagonal:n=50000",
                           "giant:n=30000,length=20000"}) {
    const auto a = csr_cast<float, std::int32_t>(generate(spec).matrix.view());
    const OnDevice<float> there(device, a.view());
    for (const Op op : all_ops) {
      const Wishes wishes{.use = op, .may_transpose = true};
      const Selection here = select(a.view(), device, wishes),
                      far = select(there.view(), device, wishes);
      ASSERT_EQ(here.candidates.size(), far.candidates.size()) << spec;
      for (std::size_t i = 0; i < here.candidates.size(); ++i) {
        EXPECT_EQ(here.candidates[i].kernel, far.candidates[i].kernel) << spec;
        EXPECT_EQ(here.candidates[i].n_seconds, far.candidates[i].n_seconds) << spec;
        EXPECT_EQ(here.candidates[i].why, far.candidates[i].why) << spec;
      }
    }
  }
}

TEST(GpuLook, FindsSquareBlocks) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto of = [&](const char* spec) {
    return select(generate(spec).matrix.view(), device, {});
  };
  const Selection blocks = of("fem:nx=10,ny=10,nz=10,block=3");
  const Candidate* c = find(blocks, "gpu/bsr/balanced");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->parameters, (Parameters{{"block_rows", 3}, {"block_cols", 3}}));
  EXPECT_TRUE(c->why.starts_with("blocks of 3 x 3 take 0.7")) << c->why;
  EXPECT_FALSE(find(of("rmat:scale=12"), "gpu/bsr/balanced"));
  EXPECT_FALSE(find(of("blocks:height=2,width=8"), "gpu/bsr/balanced")) << "not square";
}

TEST(GpuLook, CountsEntriesOfTilesAndColumns) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto dense = generate("random:rows=2048,cols=2048,density=0.06").matrix;
  EXPECT_NEAR(look_at(dense.view(), device, 1, true).tile_entries, 0.06 * 65536, 0.003 * 65536);
  const auto lp = generate("lp:rows=9000,cols=90000,per_row=3,dense_rows=0,dense_cols=1").matrix;
  EXPECT_GT(look_at(lp.view(), device, 1, true).hottest, 0.05);
  const Features thin = look_at(generate("diagonal:n=70000").matrix.view(), device, 1, true);
  EXPECT_LT(thin.hottest, 0.001);
  EXPECT_NEAR(thin.tile_entries, 256, 1);
  EXPECT_LT(thin.lines, 0.2);
}

TEST(GpuLook, WindowsOfRowsKeepBlocks) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  for (const int block : {2, 3, 5, 7, 8}) {
    const auto a = csr_cast<float, std::int32_t>(
        generate(fmt::format("block-band:n=45360,block={},density=0.0003", block)).matrix.view());
    RowWindows windows = RowWindows::of(a.rows, a.nnz());
    EXPECT_TRUE(windows.whole);
    EXPECT_EQ(windows.apart, 21);
    const OnDevice<float> there(device, a.view());
    const RowSample<float> near = sample_windows(device, a.view(), windows),
                           far = sample_windows(device, there.view(), windows);
    const auto& here = near.rows;
    EXPECT_EQ(far.rows, here);
    EXPECT_EQ(far.starts, near.starts);
    EXPECT_EQ(far.longest, near.longest);
    EXPECT_GE(near.longest, static_cast<double>(a.nnz()) / a.rows);
    here.validate();
    EXPECT_EQ(here.rows, windows.count * 240);
    Pattern pattern(here.view());
    pattern.offset_bytes = sizeof(std::int32_t);
    const BlockVerdict all = detect_blocks(a.view()), some = detect_blocks(pattern);
    EXPECT_EQ(some.block_rows, all.block_rows) << block;
    EXPECT_EQ(some.block_cols, all.block_cols) << block;
    EXPECT_NEAR(some.fill_ratio, all.fill_ratio, 0.04) << block;
    // The first rows are the matrix's, and the last window is near its end.
    EXPECT_TRUE(
        std::equal(here.columns.begin(), here.columns.begin() + a.offsets[240], a.columns.begin()));
    EXPECT_GT(here.columns.back(), a.cols * 8 / 10);
    windows.entries = 300;
    for (const bool whole_windows : {true, false}) {
      windows.whole = whole_windows;
      const RowSample<float> few = sample_windows(device, a.view(), windows);
      few.rows.validate();
      EXPECT_LE(few.rows.nnz(), windows.count * 300);
      EXPECT_EQ(few.rows.rows == here.rows, whole_windows);
      EXPECT_EQ(few.starts.size(), static_cast<std::size_t>(windows.count) + 1);
      EXPECT_EQ(few.starts.back(), few.rows.rows);
    }
  }
}

TEST(GpuLook, WindowsOfSmallAndOddMatrices) {
  for (const char* spec : {"diagonal:n=1", "diagonal:n=239", "diagonal:n=241", "diagonal:n=5000",
                           "random:rows=3,cols=9000,density=0.9", "empty:rows=700,cols=2"}) {
    const auto a = generate(spec).matrix;
    const RowWindows windows = RowWindows::of(a.rows, a.nnz());
    const auto sample = sample_windows(cpu_device, a.view(), windows).rows;
    sample.validate();
    EXPECT_EQ(sample.rows, windows.count * windows.rows) << spec;
    EXPECT_LE(sample.rows, a.rows) << spec;
    EXPECT_LE(sample.nnz(), a.nnz()) << spec;
    EXPECT_EQ(sample.nnz() == 0, a.nnz() == 0) << spec;
  }
}

}  // namespace
}  // namespace nz::test
