#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"
#include "plan/door.hpp"
#include "plan/features.hpp"
#include "plan/fingerprint.hpp"
#include "plan/look_sample.hpp"
#include "plan/row_windows.hpp"
#include "plan/selection.hpp"
#include "simt/backend.hpp"

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
    EXPECT_EQ(fingerprint(device, a.view(), few_places),
              fingerprint(device, there.view(), few_places))
        << spec;
    for (const Op op : all_ops) {
      const Constraints constraints{.use = op, .may_transpose = true};
      const Selection here = select(a.view(), device, constraints),
                      far = select(there.view(), device, constraints);
      ASSERT_EQ(here.candidates.size(), far.candidates.size()) << spec;
      for (std::size_t i = 0; i < here.candidates.size(); ++i) {
        EXPECT_EQ(here.candidates[i].kernel, far.candidates[i].kernel) << spec;
        EXPECT_EQ(here.candidates[i].n_seconds, far.candidates[i].n_seconds) << spec;
        EXPECT_EQ(here.candidates[i].why, far.candidates[i].why) << spec;
      }
    }
  }
}

// A plan for columns has CSR take them as they lie, where rows beside each other have columns
// beside each other, and nowhere else; one for rows tells it nothing.
TEST(GpuLook, SeesWhereColumnsAreTakenAsTheyLie) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto told = [&](const char* spec, Layout layout) {
    const auto a = csr_cast<double, std::int32_t>(generate(spec).matrix.view());
    const Constraints constraints{.vectors = 32, .layout = layout};
    const Selection s = select(a.view(), device, constraints);
    const Candidate* const csr = find(s, "gpu/csr/balanced");
    return csr && csr->parameters.contains("columns");
  };
  EXPECT_TRUE(told("grid:nx=400,ny=400,varied=7", Layout::column_major));
  EXPECT_TRUE(told("road:nx=400,ny=400,degree=3,seed=5", Layout::column_major));
  EXPECT_FALSE(told("grid:nx=400,ny=400,varied=7", Layout::row_major));
  EXPECT_FALSE(told("random:rows=60000,cols=60000,density=0.0002,seed=5", Layout::column_major));
}

// Values that are few in each stretch of rows, and others in the next, have no table. Those that
// are few in all of them have one.
TEST(GpuLook, SeesThatNewRowsBringNewValues) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  auto a = csr_cast<float, std::int32_t>(
      generate("banded:n=30000,lower=10,upper=10,density=0.9").matrix.view());
  const auto value_bytes = [&](auto&& value) {
    for (index_t row = 0; row < a.rows; ++row)
      for (std::int32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k)
        a.values[k] = 1 + 1e-3f * static_cast<float>(value(row, k));
    const Features f = look_at(a.view(), device, 1, false);
    EXPECT_GT(f.entries, 8000);
    return f.narrow_value_bytes;
  };
  EXPECT_EQ(value_bytes([](index_t, std::int32_t k) { return k % 61; }), 1);
  EXPECT_EQ(value_bytes([](index_t row, std::int32_t k) { return row / 3000 * 101 + k % 101; }), 4);
}

// What the check brings with it is what the look would fetch itself.
TEST(GpuLook, BeginsWithTheCheck) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  for (const char* spec : {"banded:n=30000,lower=20,upper=20,density=0.5", "diagonal:n=5000"}) {
    const auto a = csr_cast<float, std::int32_t>(generate(spec).matrix.view());
    const OnDevice<float> there(device, a.view());
    EXPECT_FALSE(admit(device, there.view(), nz::Input::checked).start) << spec;
    EXPECT_FALSE(admit(device, a.view(), nz::Input::checked, true).start) << spec;
    const auto in = admit(device, there.view(), nz::Input::checked, true);
    ASSERT_TRUE(in.start) << spec;
    EXPECT_EQ(!in.start->offsets.empty(), takes_samples(a.nnz(), device)) << spec;
    const LookSample<float> alone = sample_for_look(device, there.view()),
                            along = sample_for_look(device, there.view(), in.start.get());
    EXPECT_EQ(along.windows, alone.windows) << spec;
    EXPECT_EQ(along.taken, alone.taken) << spec;
    EXPECT_EQ(in.start->measures.longest, alone.measures.longest) << spec;
    EXPECT_EQ(in.start->measures.filled, alone.measures.filled) << spec;
    EXPECT_EQ(in.start->measures.in_slices, alone.measures.in_slices) << spec;
  }
  EXPECT_TRUE(takes_samples(600'000, device));
  EXPECT_FALSE(takes_samples(5000, device));
}

// Entries come along too, also from between rows that are too long to be taken, unless most are.
TEST(GpuLook, EntriesComeWithTheCheck) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  struct Case {
    std::string spec;
    bool along;
  };
  for (const Case& c :
       {Case{"banded:n=30000,lower=20,upper=20,density=0.5", true},
        Case{"road:nx=400,ny=400,degree=3", true},
        Case{"giant:n=150000,length=6000,degree=3", true}, Case{"rmat:scale=14,degree=30", true},
        Case{"profile:rows=30000,cols=30000,nnz=700000,max=9000,shape=3", true},
        Case{"random:rows=200,cols=4000,density=0.5", false}}) {
    const auto a = csr_cast<double, std::int32_t>(generate(c.spec).matrix.view());
    const OnDevice<double> there(device, a.view());
    const auto in = admit(device, there.view(), nz::Input::checked, true);
    ASSERT_TRUE(in.start) << c.spec;
    EXPECT_EQ(!in.start->entries.empty(), c.along) << c.spec;
    const std::size_t before = simt::requests();
    const LookSample<double> along = sample_for_look(device, there.view(), in.start.get());
    const std::size_t asked = simt::requests() - before;
    EXPECT_EQ(along.windows, sample_for_look(device, a.view()).windows) << c.spec;
    EXPECT_GT(along.windows.nnz(), 4000) << c.spec;
    if (!c.along) continue;
    EXPECT_LE(asked, 4u) << c.spec << ": where it lies, and nothing else";
  }
}

// What comes along follows offsets that nobody has checked.
TEST(GpuLook, WrongOffsetsLeadNowhere) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto right =
      csr_cast<float, std::int32_t>(generate("banded:n=8000,lower=20,upper=20").matrix.view());
  ASSERT_TRUE(takes_samples(right.nnz(), device));
  const WindowEntries windows = entries_for_look(right.view());
  ASSERT_EQ(windows.windows, 2);
  const auto refuses = [&](const Csr<float, std::int32_t>& a, std::int64_t said) {
    CsrView<float, std::int32_t> view = a.view();
    view.nnz = right.nnz();  // which the last offset may not say
    const OnDevice<float> there(device, view);
    view = there.view();
    view.nnz = said;
    EXPECT_THROW(admit(device, view, nz::Input::checked, true), InvalidArgument);
    wait_for(device);
  };
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const auto nnz = static_cast<std::int32_t>(right.nnz());
  for (const std::int32_t wrong : {most, -most - 1, -1, nnz + 1})
    for (const std::size_t row : {std::size_t{0}, static_cast<std::size_t>(windows.rows[1]),
                                  static_cast<std::size_t>(right.rows)}) {
      auto a = right;
      a.offsets[row] = wrong;
      refuses(a, nnz);
    }
  refuses(right, nnz - 1);
}

TEST(GpuLook, FindsSquareBlocks) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto of = [&](const char* spec) {
    return select(generate(spec).matrix.view(), device, {.effort = Effort::thorough});
  };
  const Selection blocks = of("fem:nx=13,ny=13,nz=13,block=3");
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

TEST(GpuLook, WindowsOfRowsKeepBlocksAndTiles) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto a = csr_cast<float, std::int32_t>(
      generate("block-band:n=10500,block=7,density=0.01").matrix.view());
  const RowWindows windows{.count = 4, .rows = 240, .apart = 7, .entries = 1 << 20};
  ASSERT_GE(a.rows, windows.fewest_rows());
  const OnDevice<float> there(device, a.view());
  const auto here = sample_windows(device, a.view(), windows);
  EXPECT_EQ(sample_windows(device, there.view(), windows), here);
  here.validate();
  EXPECT_EQ(here.rows, 4 * 240);
  EXPECT_EQ(detect_blocks(here.view()).block_rows, detect_blocks(a.view()).block_rows);
  EXPECT_NEAR(static_cast<double>(here.nnz()) / here.rows, static_cast<double>(a.nnz()) / a.rows,
              3);
  // The first rows are the matrix's, and the last window is near its end.
  EXPECT_TRUE(
      std::equal(here.columns.begin(), here.columns.begin() + a.offsets[240], a.columns.begin()));
  EXPECT_GT(here.columns.back(), a.cols * 3 / 5);
  const auto few = sample_windows(device, a.view(), {4, 240, 7, 500});
  few.validate();
  EXPECT_LE(few.nnz(), 4 * 500);
  EXPECT_EQ(few.rows, here.rows);
}

// Windows begin and end within blocks, and giant rows stand between the others.
TEST(GpuLook, AFewRowsShowBlocksOfAnySide) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  for (const int side : {3, 7, 9}) {
    const auto a = csr_cast<float, std::int32_t>(
        generate("fem:nx=16,ny=16,nz=16,blocks=9,block=" + std::to_string(side)).matrix.view());
    const LookSample<float> s = sample_for_look(device, OnDevice<float>(device, a.view()).view());
    s.windows.validate();
    EXPECT_LT(s.windows.nnz(), a.nnz() / 2);
    const auto few = rows_for_blocks(s);
    few.validate();
    EXPECT_LT(few.nnz(), 30'000);
    const Features f = look_at(a.view(), device, 1, true);
    EXPECT_EQ(f.block_rows, side);
    EXPECT_EQ(f.block_cols, side);
  }
  const auto giant =
      csr_cast<float, std::int32_t>(generate("giant:n=40000,length=30000,degree=3").matrix.view());
  const LookSample<float> s = sample_for_look(device, giant.view());
  EXPECT_EQ(s.measures.longest, 30'000);
  EXPECT_GT(s.windows.nnz(), 5'000);
  EXPECT_LT(s.windows.nnz(), 8 * 4096);
}

TEST(GpuLook, RowsWithoutEntriesComeFirst) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  std::vector<index_t> rows, cols;
  for (index_t i = 240; i < 400; ++i)
    for (index_t j = 0; j < 5; ++j) {
      rows.push_back(i);
      cols.push_back((i * 7 + j * 61) % 400);
    }
  const auto a = csr_from_triplets<double, std::int32_t>(400, 400, rows, cols,
                                                         std::vector<double>(rows.size(), 1.0));
  const Features f = look_at(a.view(), device, 1, true);
  EXPECT_GT(f.lines, 0);
  EXPECT_LE(f.lines, 1);
  // A full column that every row has at the same place.
  rows.clear(), cols.clear();
  for (index_t i = 0; i < 4000; ++i)
    for (index_t j = 0; j < 8; ++j) {
      rows.push_back(i);
      cols.push_back(j == 1 ? 1 : 2 + (i * 8 + j) % 30000);
    }
  const auto b = csr_from_triplets<double, std::int32_t>(4000, 40000, rows, cols,
                                                         std::vector<double>(rows.size(), 1.0));
  EXPECT_NEAR(look_at(b.view(), device, 1, true).hottest, 1.0 / 8, 0.03);
}

TEST(GpuLook, ALongMatrixIsSeenByWindows) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto a = csr_cast<float, std::int32_t>(generate("diagonal:n=4000000").matrix.view());
  const Features f = look_at(a.view(), device, 1, true);
  EXPECT_NEAR(f.tile_entries, 256, 1);
  EXPECT_EQ(f.rows, a.rows);
  EXPECT_EQ(f.row_length, 1);
  EXPECT_EQ(f.block_rows, 1);
  EXPECT_LT(f.lines, 0.2);
}

// Lanes a row leave most of a device idle there, and a slice waits for its longest row.
TEST(GpuLook, FewLongRowsAndOneLongRowGetOtherKernels) {
  const Device device = some_gpu();
  NZ_NEEDS(device);
  const auto taken = [&](const char* spec) {
    const auto a = csr_cast<double, std::int32_t>(generate(spec).matrix.view());
    return choose(a.view(), Op::none, device).kernel->id();
  };
  EXPECT_NE(taken("random:rows=40,cols=8000,density=0.5"), "gpu/csr/adaptive");
  EXPECT_NE(taken("giant:n=150000,length=6000,degree=2"), "gpu/packed/slices");
}

}  // namespace
}  // namespace nz::test
