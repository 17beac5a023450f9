#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <nonzero/error.hpp>

#include "generate/matrix_facts.hpp"

namespace nz {
namespace {

using test::for_entries;
using test::length;
using test::longest;
using test::make;
using test::shortest;
using test::symmetric;

TEST(BlockBand, DefaultIsThePapersMatrix) {
  const GeneratedMatrix a = generate("block-band").matrix;
  EXPECT_EQ(a.rows, 32000);
  EXPECT_EQ(a.cols, 32000);
  EXPECT_EQ(a.nnz(), 51200000);  // 2,048,000 blocks of 25 (chirila2025 §5.1.3)
}

TEST(BlockBand, IsPositiveAndRowsSumToOne) {
  const GeneratedMatrix a = make("block-band:n=1203,block=5,density=0.05");
  std::vector<long double> sums(1203, 0);
  for_entries(a, [&](index_t i, index_t, double v) {
    EXPECT_GT(v, 0);
    sums[static_cast<std::size_t>(i)] += v;
  });
  // The stored values are within 2^-53 of 1; the rest is this sum's own rounding.
  for (const long double s : sums) EXPECT_NEAR(static_cast<double>(s - 1), 0, 0x1p-52);
}

TEST(BlockBand, EveryBlockRowHasTheSameNumberOfDenseBlocks) {
  // 41 blocks, the last one 3 wide; 4 in each block row.
  const GeneratedMatrix a = make("block-band:n=203,block=5,density=0.1");
  for (index_t i = 0; i < a.rows; ++i) {
    const auto first = a.columns[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i)])];
    const index_t last = first + static_cast<index_t>(length(a, i)) - 1;
    EXPECT_EQ(first % 5, 0);
    EXPECT_EQ(length(a, i), last == 202 ? 18 : 20) << i;
    EXPECT_EQ(a.columns[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i) + 1]) - 1],
              last);
    EXPECT_LE(first, i);  // the band holds the diagonal
    EXPECT_GE(last, i);
  }
}

TEST(Blocks, AreDenseAndAsManyAsAsked) {
  const GeneratedMatrix a =
      make("blocks:down=50,across=70,height=3,width=4,blocks=600,min=2,max=64,shape=3");
  EXPECT_EQ(a.rows, 150);
  EXPECT_EQ(a.cols, 280);
  EXPECT_EQ(a.nnz(), 600 * 12);
  EXPECT_EQ(longest(a), 64 * 4);
  EXPECT_EQ(shortest(a), 2 * 4);
  for (index_t i = 0; i < a.rows; ++i) {
    const index_t first = i - i % 3;  // of the block row: all three rows have its columns
    ASSERT_EQ(length(a, i), length(a, first));
    for (std::int64_t k = 0; k < length(a, i); ++k) {
      const auto at = [&](index_t row, std::int64_t n) {
        return a.columns[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)] + n)];
      };
      EXPECT_EQ(at(i, k), at(first, k));
      EXPECT_EQ(at(i, k), at(i, k - k % 4) + k % 4) << "a run of 4";
      EXPECT_EQ(at(i, k - k % 4) % 4, 0) << "on the grid";
    }
  }
}

TEST(Blocks, KeepToTheirBand) {
  const GeneratedMatrix a = make("blocks:down=40,across=40,blocks=120,min=3,max=3,band=2,shape=0");
  for_entries(a, [](index_t i, index_t j, double) {
    const index_t first = std::clamp(i / 2 - 2, 0, 35);  // moved inside at the ends
    EXPECT_GE(j / 2, first);
    EXPECT_LE(j / 2, first + 4);
  });
  EXPECT_THROW(make("blocks:down=4,across=4,max=5"), InvalidArgument);
}

TEST(Random, SpreadsUniformly) {
  const GeneratedMatrix a = make("random:rows=400,cols=600,density=0.1");
  EXPECT_EQ(a.nnz(), 24000);
  // Counts over 6 x 4 tiles of 100 x 100 cells: 1000 each, standard deviation 29.
  std::vector<int> tile(24);
  for_entries(a, [&](index_t i, index_t j, double) {
    ++tile[static_cast<std::size_t>(i / 100 * 6 + j / 100)];
  });
  for (const int count : tile) EXPECT_NEAR(count, 1000, 5 * 29);
  EXPECT_EQ(make("random:rows=30,cols=20,density=1").nnz(), 600);
  EXPECT_EQ(make("random:rows=30,cols=20,density=0").nnz(), 0);
}

TEST(Grid, StencilsAreLaplacians) {
  struct Case {
    const char* spec;
    std::int64_t nnz, most;
  };
  for (const Case& c : {
           Case{"grid:points=5,nx=9,ny=7", 5 * 63 - 2 * (9 + 7), 5},
           Case{"grid:points=9,nx=9,ny=7", (3 * 9 - 2) * (3 * 7 - 2), 9},
           Case{"grid:points=7,nx=5,ny=4,nz=3", 7 * 60 - 2 * (20 + 15 + 12), 7},
           Case{"grid:points=27,nx=5,ny=4,nz=3", (15 - 2) * (12 - 2) * (9 - 2), 27},
       }) {
    const GeneratedMatrix a = make(c.spec);
    EXPECT_EQ(a.nnz(), c.nnz) << c.spec;
    EXPECT_EQ(longest(a), c.most) << c.spec;
    EXPECT_TRUE(symmetric(a)) << c.spec;
    for_entries(a, [&](index_t i, index_t j, double v) {
      EXPECT_EQ(v, i == j ? static_cast<double>(c.most - 1) : -1.0) << c.spec;
    });
  }
}

TEST(Grid, NeighboursAreThoseOfTheGrid) {
  const GeneratedMatrix a = make("grid:points=7,nx=4,ny=3,nz=3");
  const index_t centre = (1 * 3 + 1) * 4 + 1;
  const std::vector<index_t> expected{centre - 12, centre - 4, centre - 1, centre,
                                      centre + 1,  centre + 4, centre + 12};
  const auto* first = a.columns.data() + a.offsets[static_cast<std::size_t>(centre)];
  EXPECT_EQ(std::vector<index_t>(first, first + length(a, centre)), expected);
}

TEST(Banded, FillsItsBand) {
  const GeneratedMatrix full = make("banded:n=30,lower=2,upper=4");
  EXPECT_EQ(full.nnz(), 30 * 7 - (1 + 2) - (1 + 2 + 3 + 4));
  const GeneratedMatrix half = make("banded:n=3000,lower=5,upper=0,density=0.5");
  EXPECT_NEAR(static_cast<double>(half.nnz()), 3000 + 7500, 5 * 62);
  EXPECT_GE(shortest(half), 1);
  for_entries(half, [](index_t i, index_t j, double) {
    EXPECT_LE(j, i);
    EXPECT_LE(i - j, 5);
  });
  EXPECT_EQ(make("banded:n=5,lower=100,upper=2147483647").nnz(), 25);
}

TEST(Fem, HasSymmetricDenseBlocks) {
  const GeneratedMatrix a = make("fem:nx=9,ny=8,nz=7,block=3");
  EXPECT_EQ(a.rows, 9 * 8 * 7 * 3);
  EXPECT_TRUE(symmetric(a));
  for (index_t i = 0; i < a.rows; i += 3) {
    EXPECT_EQ(length(a, i) % 3, 0);
    EXPECT_EQ(length(a, i), length(a, i + 2));
  }
  std::vector<double> diagonal(static_cast<std::size_t>(a.rows)), others(diagonal.size());
  for_entries(a, [&](index_t i, index_t j, double v) {
    (i == j ? diagonal : others)[static_cast<std::size_t>(i)] += std::abs(v);
  });
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    EXPECT_GT(others[i], 0) << i;
    EXPECT_GE(diagonal[i], others[i]) << i;
  }
  EXPECT_EQ(make("fem:nx=4,ny=4,nz=4,block=1,blocks=27").nnz(), 10 * 10 * 10);
  EXPECT_EQ(make("fem:nx=4,ny=4,nz=4,block=1,blocks=7").nnz(), 7 * 64 - 6 * 16);
  EXPECT_EQ(make("fem:nx=4,ny=4,nz=4,block=2,blocks=1").nnz(), 64 * 4);
}

TEST(Fem, InnerNodesHaveTheirBlocksOnAverage) {
  const GeneratedMatrix a = make("fem:nx=22,ny=22,nz=22,block=1,blocks=13");
  double sum = 0;
  for (index_t z = 1; z < 21; ++z)
    for (index_t y = 1; y < 21; ++y)
      for (index_t x = 1; x < 21; ++x) sum += static_cast<double>(length(a, (z * 22 + y) * 22 + x));
  EXPECT_NEAR(sum / 8000, 13, 0.2);
}

TEST(Rmat, IsSkewedAndMergesDuplicates) {
  const GeneratedMatrix a = make("rmat:scale=12,degree=8");
  EXPECT_EQ(a.rows, 4096);
  EXPECT_LT(a.nnz(), 8 * 4096);
  EXPECT_GT(a.nnz(), 7 * 4096);
  EXPECT_GT(longest(a), 20 * 8);
  EXPECT_EQ(shortest(a), 0);
  const GeneratedMatrix corner = make("rmat:scale=6,degree=4,a=1,b=0,c=0");
  EXPECT_EQ(corner.nnz(), 1);
  EXPECT_EQ(corner.columns[0], 0);
  const GeneratedMatrix even = make("rmat:scale=12,degree=8,a=0.25,b=0.25,c=0.25");
  EXPECT_LT(longest(even), 30);
  // b is the chance of the top right quadrant.
  EXPECT_EQ(make("rmat:scale=3,degree=4,a=0,b=1,c=0").columns[0], 7);
  EXPECT_EQ(length(make("rmat:scale=3,degree=4,a=0,b=0,c=1"), 7), 1);
}

TEST(Road, IsSparseLocalAndSymmetric) {
  const GeneratedMatrix a = make("road:nx=120,ny=90,degree=2.4");
  EXPECT_TRUE(symmetric(a));
  EXPECT_LE(longest(a), 4);
  EXPECT_NEAR(static_cast<double>(a.nnz()) / a.rows, 2.4, 0.1);
  for_entries(a, [](index_t i, index_t j, double) {
    const index_t far = std::abs(i - j);
    EXPECT_TRUE(far == 1 || far == 120);
  });
  EXPECT_EQ(make("road:nx=6,ny=5,degree=4").nnz(), 4 * 30 - 2 * (6 + 5));
}

TEST(Giant, HasOneRowOfExactlyThatLength) {
  const GeneratedMatrix a = make("giant:n=5000,length=2000,degree=0.5");
  EXPECT_EQ(length(a, 2500), 2000);
  EXPECT_NEAR(static_cast<double>(a.nnz()), 2000 + 2500, 200);
  EXPECT_FALSE(symmetric(a));
  const GeneratedMatrix b = make("giant:n=5000,length=2000,degree=1.5,symmetric=1");
  EXPECT_EQ(length(b, 2500), 2000);
  EXPECT_TRUE(symmetric(b));
  EXPECT_EQ(make("giant:n=10,length=99,degree=0").nnz(), 10);
}

TEST(Halo, HasEntriesAtItsEndsOrAnywhere) {
  for (const char* const more : {"", ",scattered=1"}) {
    const GeneratedMatrix a =
        make(std::string("halo:rows=5000,cols=300,nonempty=101,per_row=4") + more);
    EXPECT_EQ(a.nnz(), 101 * 4);
    int with_entries = 0, at_the_ends = 0;
    for (index_t i = 0; i < a.rows; ++i) {
      const std::int64_t n = length(a, i);
      EXPECT_TRUE(n == 0 || n == 4) << i;
      with_entries += n > 0;
      at_the_ends += n > 0 && (i < 51 || i >= 4950);
      // Columns go along with the rows that meet them.
      const std::int64_t first = a.offsets[static_cast<std::size_t>(i)];
      const auto middle = static_cast<index_t>(first / 4 * 300 / 101);
      for (std::int64_t k = first; k < first + n; ++k)
        EXPECT_NEAR(a.columns[static_cast<std::size_t>(k)], middle, 8) << i;
    }
    EXPECT_EQ(with_entries, 101);
    EXPECT_EQ(at_the_ends == 101, *more == 0) << more;
  }
  EXPECT_EQ(make("halo:rows=3,cols=2,nonempty=9,per_row=9").nnz(), 6) << "all there are";
}

TEST(Lp, HasDenseRowsAndColumns) {
  const GeneratedMatrix a =
      make("lp:rows=800,cols=1500,per_row=5,dense_rows=3,dense_cols=4,fill=0.5");
  EXPECT_EQ(a.rows, 800);
  EXPECT_EQ(a.cols, 1500);
  const auto dense = [](const GeneratedMatrix& m, double limit) {
    int count = 0;
    for (index_t i = 0; i < m.rows; ++i) count += static_cast<double>(length(m, i)) > limit;
    return count;
  };
  EXPECT_EQ(dense(a, 0.4 * 1500), 3);
  EXPECT_EQ(dense(transpose(a.view()), 0.4 * 800), 4);
  EXPECT_GE(shortest(a), 5);
  for_entries(a, [](index_t, index_t, double v) {
    EXPECT_EQ(v, std::round(v));
    EXPECT_TRUE(std::abs(v) >= 1 && std::abs(v) <= 9);
  });
}

TEST(Mycielskian, CountsAreThoseOfTheConstruction) {
  std::int64_t vertices = 2, edges = 1;
  for (int k = 2; k <= 12; ++k) {
    const GeneratedMatrix a = make("mycielskian:k=" + std::to_string(k));
    EXPECT_EQ(a.rows, vertices);
    EXPECT_EQ(a.nnz(), 2 * edges) << k;
    EXPECT_TRUE(symmetric(a));
    if (k > 2) {
      EXPECT_EQ(longest(a), (vertices - 1) / 2);
    }
    edges = 3 * edges + vertices;
    vertices = 2 * vertices + 1;
  }
  // mycielskian15 of the SuiteSparse collection.
  EXPECT_EQ(make("mycielskian:k=15").nnz(), 11111110);
}

TEST(Mycielskian, HasNoTriangles) {
  const GeneratedMatrix a = make("mycielskian:k=6");
  std::vector<char> adjacent(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.rows));
  const auto at = [&](index_t i, index_t j) -> char& {
    return adjacent[static_cast<std::size_t>(i) * static_cast<std::size_t>(a.rows) +
                    static_cast<std::size_t>(j)];
  };
  for_entries(a, [&](index_t i, index_t j, double v) {
    EXPECT_NE(i, j);
    EXPECT_EQ(v, 1);
    at(i, j) = 1;
  });
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t j = 0; j < i; ++j)
      for (index_t k = 0; k < j; ++k) ASSERT_FALSE(at(i, j) && at(j, k) && at(i, k));
}

TEST(Ideal, FullAndOddBlocksWork) {
  EXPECT_EQ(make("ideal:n=16,block=4,nnz=256").nnz(), 256);
  EXPECT_EQ(make("ideal:n=15,block=3,nnz=220").nnz(), 220);
  EXPECT_EQ(make("ideal:n=12,block=1,nnz=36").nnz(), 36);
  EXPECT_EQ(make("ideal:n=64,block=64,nnz=77").nnz(), 77);
}

TEST(Profile, MeetsItsNumbersInEveryForm) {
  struct Case {
    const char* spec;
    std::int64_t nnz, min, max;
    bool symmetric;
  };
  for (const Case& c : {
           Case{"rows=500,cols=300,nnz=4000,min=2,max=300,shape=3", 4000, 2, 300, false},
           Case{"rows=300,cols=500,nnz=4000,min=0,max=77,shape=2,band=20,block=4", 4000, 0, 77,
                false},
           Case{"rows=300,cols=301,nnz=89900,min=200,max=301,shape=1,block=7", 89900, 200, 301,
                false},
           Case{"rows=400,cols=400,nnz=5000,min=1,max=40,diagonal=1,band=30", 5000, 1, 40, false},
           Case{"rows=400,cols=400,nnz=5000,min=1,max=400,form=1,diagonal=1", 5000, 1, 400, false},
           Case{"rows=400,cols=400,nnz=79800,min=0,max=399,form=1", 79800, 0, 399, false},
           Case{"rows=400,cols=400,nnz=5000,min=0,max=60,form=2", 5000, -1, 60, true},
           Case{"rows=1000,cols=1000,nnz=9000,min=1,max=999,form=2,diagonal=1,shape=3", 9000, -1,
                999, true},
           Case{"rows=2,cols=2,nnz=2,min=0,max=1,form=2", 2, 1, 1, true},
       }) {
    const GeneratedMatrix a = make(std::string("profile:") + c.spec);
    EXPECT_EQ(a.nnz(), c.nnz) << c.spec;
    EXPECT_EQ(longest(a), c.max) << c.spec;
    if (c.min >= 0) {
      EXPECT_EQ(shortest(a), c.min) << c.spec;
    }
    EXPECT_EQ(symmetric(a), c.symmetric) << c.spec;
  }
}

TEST(Profile, KeepsToItsBandItsHalfAndItsDiagonal) {
  const auto diagonal = [](const GeneratedMatrix& a) {
    index_t count = 0;
    for_entries(a, [&](index_t i, index_t j, double) { count += i == j; });
    return count;
  };
  const GeneratedMatrix band =
      make("profile:rows=900,cols=900,nnz=9000,min=1,max=30,band=40,diagonal=1");
  EXPECT_EQ(diagonal(band), 900);
  for_entries(band, [](index_t i, index_t j, double) { EXPECT_LE(std::abs(i - j), 81); });
  const GeneratedMatrix lower =
      make("profile:rows=900,cols=900,nnz=9000,min=1,max=30,band=40,form=1,diagonal=1,block=3");
  EXPECT_EQ(diagonal(lower), 900);
  for_entries(lower, [](index_t i, index_t j, double) {
    EXPECT_LE(j, i);
    EXPECT_LE(i - j, 45);
  });
  const GeneratedMatrix strict = make("profile:rows=900,cols=900,nnz=900,min=0,max=30,form=1");
  EXPECT_EQ(diagonal(strict), 0);
  EXPECT_EQ(diagonal(make("profile:rows=900,cols=900,nnz=9000,min=1,max=30,form=2,diagonal=1")),
            900);
}

TEST(Extremes, NothingAndOneOfEverything) {
  struct Case {
    const char* spec;
    index_t rows, cols;
    std::int64_t nnz;
  };
  for (const Case& c : {
           Case{"banded:n=0", 0, 0, 0},
           Case{"banded:n=1", 1, 1, 1},
           Case{"block-band:n=0", 0, 0, 0},
           Case{"block-band:n=1", 1, 1, 1},
           Case{"block-band:n=9,density=0", 9, 9, 0},
           Case{"block-band:n=7,block=100,density=1", 7, 7, 49},
           Case{"diagonal:n=0", 0, 0, 0},
           Case{"diagonal:n=1", 1, 1, 1},
           Case{"empty:rows=0,cols=0", 0, 0, 0},
           Case{"empty:rows=0,cols=5", 0, 5, 0},
           Case{"empty:rows=5,cols=0", 5, 0, 0},
           Case{"fem:nx=0", 0, 0, 0},
           Case{"fem:nx=1,ny=1,nz=1,block=1", 1, 1, 1},
           Case{"giant:n=0", 0, 0, 0},
           Case{"giant:n=1", 1, 1, 1},
           Case{"giant:n=1,symmetric=1", 1, 1, 1},
           Case{"giant:n=4,length=0,degree=0", 4, 4, 0},
           Case{"grid:nx=0", 0, 0, 0},
           Case{"grid:nx=1,ny=1", 1, 1, 1},
           Case{"grid:points=27,nx=1,ny=1,nz=0", 0, 0, 0},
           Case{"ideal:n=0,nnz=0", 0, 0, 0},
           Case{"ideal:n=1,block=1,nnz=1", 1, 1, 1},
           Case{"ideal:n=8,block=4,nnz=0", 8, 8, 0},
           Case{"lp:rows=0", 0, 50000, 0},
           Case{"lp:cols=0", 20000, 0, 0},
           Case{"lp:rows=1,cols=1,fill=1", 1, 1, 1},
           Case{"lp:rows=3,cols=4,per_row=0,dense_rows=0,dense_cols=0", 3, 4, 0},
           Case{"mycielskian:k=2", 2, 2, 2},
           Case{"profile:rows=0,cols=0,nnz=0,min=0,max=0", 0, 0, 0},
           Case{"profile:rows=0,cols=0,nnz=0,min=0,max=0,form=1", 0, 0, 0},
           Case{"profile:rows=0,cols=0,nnz=0,min=0,max=0,form=2", 0, 0, 0},
           Case{"profile:rows=4,cols=0,nnz=0,min=0,max=0", 4, 0, 0},
           Case{"profile:rows=1,cols=1,nnz=1,max=1,form=1,diagonal=1", 1, 1, 1},
           Case{"profile:rows=1,cols=1,nnz=1,max=1,form=2,diagonal=1", 1, 1, 1},
           Case{"random:rows=0", 0, 8192, 0},
           Case{"random:cols=0", 8192, 0, 0},
           Case{"random:rows=1,cols=1,density=1", 1, 1, 1},
           Case{"rmat:scale=0", 1, 1, 1},
           Case{"rmat:scale=2,degree=0", 4, 4, 0},
           Case{"road:nx=0", 0, 0, 0},
           Case{"road:nx=1,ny=1", 1, 1, 0},
       }) {
    const GeneratedMatrix a = make(c.spec);
    EXPECT_EQ(a.rows, c.rows) << c.spec;
    EXPECT_EQ(a.cols, c.cols) << c.spec;
    EXPECT_EQ(a.nnz(), c.nnz) << c.spec;
  }
}

}  // namespace
}  // namespace nz
