#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "lab/papers/experiments.hpp"
#include "lab/papers/matrices.hpp"
#include "support/temp_dir.hpp"

// Matrices that papers name: from a folder, or imitated at any scale.
namespace nz::test {
namespace {

using namespace lab;

TEST(PaperMatrix, EveryNamedOneCanBeMadeSmaller) {
  for (const NamedMatrix& m : named_matrices())
    for (const double scale : {0.0002, 0.001, 0.01}) {
      const std::string spec = scaled(m.spec, scale);
      if (!spec.starts_with("profile") && !spec.starts_with("grid") &&
          !spec.starts_with("mycielskian"))
        continue;  // no paper's own name, or of one size
      SCOPED_TRACE(std::string(m.name) + ": " + spec);
      if (scale > 0.001 && m.name.starts_with("mawi")) continue;  // large even so
      const auto small = generate(spec).matrix;
      EXPECT_GT(small.nnz(), 0);
      EXPECT_LT(small.nnz(), 5'000'000);
    }
}

TEST(PaperMatrix, KeepsTheMeanRowLengthWhereItCan) {
  const auto a = generate(scaled("profile:rows=2601977,cols=2601977,nnz=36233450,min=0,max=38148,"
                                 "shape=3",
                                 0.001))
                     .matrix;
  EXPECT_EQ(a.rows, 2602);
  EXPECT_NEAR(static_cast<double>(a.nnz()) / a.rows, 13.93, 0.05);
}

TEST(PaperMatrix, HalvesAndWholes) {
  ExperimentOptions options{.scale = 0.0005};
  const auto half = paper_matrix("helm2d03", 1'567'096, Symmetric::half, options);
  const auto whole = paper_matrix("helm2d03", 1'567'096, Symmetric::completed, options);
  EXPECT_EQ(half.matrix.rows, whole.matrix.rows);
  // The diagonal is there once.
  EXPECT_EQ(whole.matrix.nnz(), 2 * half.matrix.nnz() - half.matrix.rows);
  EXPECT_EQ(lower_half(whole.matrix.view()), half.matrix);
  EXPECT_EQ(completed(half.matrix.view()), whole.matrix);
  EXPECT_TRUE(half.stand_in);
  EXPECT_EQ(half.label(), "helm2d03 *");
  // Of the exact pattern messa2025 multiplied a half.
  const auto grid = paper_matrix("ecology1", 2'998'000, Symmetric::half, options);
  const auto n = static_cast<std::int64_t>(grid.matrix.rows);
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(n)));
  EXPECT_EQ(grid.matrix.nnz(), n + 2 * side * (side - 1));
}

TEST(PaperMatrix, TheFolderGoesBeforeTheStandIn) {
  const TempDir dir;
  dir.write("helm2d03.mtx",
            "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 1 3\n3 3 4\n");
  ExperimentOptions options{.scale = 0.001, .matrices = dir("")};
  const auto half = paper_matrix("helm2d03", 1'567'096, Symmetric::half, options);
  EXPECT_FALSE(half.stand_in);
  EXPECT_EQ(half.label(), "helm2d03");
  EXPECT_EQ(half.matrix.nnz(), 4);
  EXPECT_EQ(paper_matrix("helm2d03", 1'567'096, Symmetric::completed, options).matrix.nnz(), 6);
  // The others, and one that is too large for the scale, are imitated.
  EXPECT_TRUE(paper_matrix("neos3", 2'055'024, Symmetric::whole, options).stand_in);
  write_matrix(dir("neos3.nzb"), generate("grid:nx=30,ny=30").matrix.view());
  EXPECT_FALSE(paper_matrix("neos3", 6'000'000, Symmetric::whole, options).stand_in);
  EXPECT_TRUE(paper_matrix("neos3", 100'000, Symmetric::whole, options).stand_in);
  EXPECT_THROW(paper_matrix("nobody", 1, Symmetric::whole, options), InvalidArgument);
}

// An .nzb has both halves and does not say that they mirror each other.
TEST(PaperMatrix, ASymmetricNzbIsHalvedAsItsFileWouldBe) {
  const TempDir dir;
  const auto whole = generate("grid:nx=6,ny=6").matrix;  // 36 rows, 96 + 60 nonzeros
  const auto half = lower_half(whole.view());
  ASSERT_EQ(2 * half.nnz(), whole.nnz() + 36);
  ExperimentOptions options{.matrices = dir("")};
  write_matrix(dir("helm2d03.nzb"), whole.view());
  EXPECT_EQ(paper_matrix("helm2d03", 1e6, Symmetric::half, options).matrix, half);
  EXPECT_EQ(paper_matrix("helm2d03", 1e6, Symmetric::whole, options).matrix, whole);

  // Where the paper's number is all there is to go by.
  const auto stored = [&](bool declared, std::int64_t published) {
    return as_stored(completed(half.view()), declared, published).nnz();
  };
  EXPECT_EQ(stored(false, half.nnz()), half.nnz());
  EXPECT_EQ(stored(false, half.nnz() + 3), half.nnz()) << "the half is nearer";
  EXPECT_EQ(stored(false, whole.nnz()), whole.nnz()) << "the paper counts both halves";
  EXPECT_EQ(stored(true, whole.nnz()), half.nnz()) << "the file says that it is symmetric";
  auto uneven = generate("grid:nx=6,ny=6").matrix;
  uneven.values[1] += 1;  // row 0, column 1
  EXPECT_EQ(as_stored(std::move(uneven), false, half.nnz()).nnz(), whole.nnz()) << "not symmetric";
}

TEST(PaperMatrix, EndingsOfAllKindsAreFound) {
  const TempDir dir;
  const auto a = generate("grid:nx=4,ny=4").matrix;
  ExperimentOptions options{.scale = 0.001, .matrices = dir("")};
  for (const char* ending : {".mtx", ".mtx.gz", ".mtx.zst", ".nzb"}) {
    write_matrix(dir(std::string("neos3") + ending), a.view());
    const auto found = paper_matrix("neos3", 2'055'024, Symmetric::whole, options);
    EXPECT_EQ(found.source, dir(std::string("neos3") + ending));
    EXPECT_EQ(found.matrix, a);
    std::filesystem::remove(found.source);
  }
}

}  // namespace
}  // namespace nz::test
