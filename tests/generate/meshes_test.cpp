#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "generate/matrix_facts.hpp"

// Families on meshes, and the rays through one.
namespace nz {
namespace {

using test::for_entries;
using test::length;
using test::longest;
using test::make;
using test::shortest;
using test::symmetric;

std::map<std::int64_t, int> lengths(const GeneratedMatrix& a) {
  std::map<std::int64_t, int> count;
  for (index_t i = 0; i < a.rows; ++i) ++count[length(a, i)];
  return count;
}

// A cube has 8 corners, 12 edges, 6 diagonals of sides and one inside: 19 edges and 6 tetrahedra.
TEST(Tets, OneCubeHasTheCouplingsOfSixTetrahedra) {
  const GeneratedMatrix linear = make("tets:nx=1,ny=1,nz=1,order=1,unknowns=1");
  EXPECT_EQ(linear.rows, 8);
  EXPECT_EQ(linear.nnz(), 8 + 2 * 19);
  const GeneratedMatrix quadratic = make("tets:nx=1,ny=1,nz=1,order=2,unknowns=1");
  EXPECT_EQ(quadratic.rows, 27);
  // The diagonal's ends and middle are in all 6, so coupled with everything.
  EXPECT_EQ(lengths(quadratic)[27], 3);
  EXPECT_EQ(shortest(quadratic), 10);  // one tetrahedron
}

TEST(Tets, InnerNodesHaveTheKnownStencils) {
  const GeneratedMatrix linear = make("tets:nx=4,ny=4,nz=4,order=1,unknowns=1");
  EXPECT_EQ(longest(linear), 15);
  EXPECT_TRUE(symmetric(linear));
  const GeneratedMatrix quadratic = make("tets:nx=3,ny=4,nz=5,order=2,unknowns=1");
  EXPECT_EQ(longest(quadratic), 65);
  EXPECT_TRUE(symmetric(quadratic));
  const GeneratedMatrix blocks = make("tets:nx=2,ny=2,nz=2,order=2,unknowns=3");
  EXPECT_EQ(blocks.nnz(), 9 * make("tets:nx=2,ny=2,nz=2,order=2,unknowns=1").nnz());
}

TEST(Tets, AWindowRenumbersAndChangesNothingElse) {
  const GeneratedMatrix a = make("tets:nx=3,ny=3,nz=3,order=2,unknowns=1"),
                        b = make("tets:nx=3,ny=3,nz=3,order=2,unknowns=1,window=50");
  EXPECT_TRUE(symmetric(b));
  EXPECT_NE(a.columns, b.columns);
  EXPECT_EQ(lengths(a), lengths(b));
}

TEST(Shells, HaveNodesOfTwoKinds) {
  const GeneratedMatrix a = make("shells:nx=40,ny=30");
  EXPECT_EQ(a.rows, 3 * 81 * 61);
  EXPECT_EQ(longest(a), 3 * 19);
  EXPECT_EQ(shortest(a), 3 * 6);
  EXPECT_NEAR(static_cast<double>(a.nnz()) / a.rows, 33.5, 1);
  EXPECT_TRUE(symmetric(a));
}

TEST(Edges, OneCubeHasNineteen) {
  const GeneratedMatrix a = make("edges:nx=1,ny=1,nz=1");
  EXPECT_EQ(a.rows, 19);
  EXPECT_EQ(longest(a), 19);  // the diagonal's edge is in all tetrahedra
  EXPECT_EQ(shortest(a), 6);  // of one
  const GeneratedMatrix b = make("edges:nx=5,ny=4,nz=3,window=40");
  EXPECT_EQ(b.rows, 11 * 9 * 7 - 6 * 5 * 4);
  EXPECT_TRUE(symmetric(b));
}

TEST(Stokes, IsASaddlePoint) {
  const GeneratedMatrix a = make("stokes:nx=3,ny=2,nz=2,window=20");
  const index_t nodes = 7 * 5 * 5, corners = 4 * 3 * 3;
  EXPECT_EQ(a.rows, 3 * nodes + corners);
  EXPECT_TRUE(symmetric(a));
  std::set<std::pair<index_t, index_t>> met;
  for_entries(a, [&](index_t i, index_t j, double) {
    const index_t f = i / nodes, g = j / nodes;
    met.insert({f, g});
    EXPECT_TRUE(f == g ? f < 3 : f == 3 || g == 3) << i << ' ' << j;
  });
  EXPECT_EQ(met.size(), 9u);  // three K, three B and their transposes
}

// Lengths in the pixels of a ray add up to its way through the image.
TEST(Tomography, RaysHaveTheirLengths) {
  const index_t size = 32, angles = 12, detectors = 45;
  const GeneratedMatrix a = make("tomography:size=32,angles=12,detectors=45");
  std::vector<double> sums(static_cast<std::size_t>(a.rows));
  for_entries(a, [&](index_t i, index_t, double v) {
    EXPECT_GT(v, 0);
    EXPECT_LT(v, 1.4143);
    sums[static_cast<std::size_t>(i)] += v;
  });
  for (index_t i = 0; i < a.rows; ++i) {
    const double angle = std::acos(-1) * (i / detectors) / angles;
    const double c = std::cos(angle), s = std::sin(angle);
    const double offset =
        1449.0 / 1024 * size / detectors * (i % detectors - (detectors - 1) / 2.0);
    // Where t of (offset c - t s, offset s + t c) is inside.
    double low = -100, high = 100;
    const auto clip = [&](double from, double step) {
      if (std::abs(step) < 1e-9) return;
      const double p = (-16 - from) / step, q = (16 - from) / step;
      low = std::max(low, std::min(p, q));
      high = std::min(high, std::max(p, q));
    };
    clip(offset * c, -s);
    clip(offset * s, c);
    if (std::abs(s) < 1e-9 && std::abs(offset) > 16) high = low;
    if (std::abs(c) < 1e-9 && std::abs(offset) > 16) high = low;
    EXPECT_NEAR(sums[static_cast<std::size_t>(i)], std::max(0.0, high - low), 1e-4) << i;
  }
  const MatrixSize large = estimate("tomography:size=256,angles=180,detectors=362");
  EXPECT_EQ(large.rows, 65160);
  EXPECT_EQ(large.cols, 65536);
  EXPECT_NEAR(large.nonzeros, 15e6, 1e5);
}

TEST(Grid, VariedKeepsTheStencilAndItsDominance) {
  const GeneratedMatrix a = make("grid:points=7,nx=6,ny=5,nz=4,varied=3"),
                        b = make("grid:points=7,nx=6,ny=5,nz=4");
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_TRUE(symmetric(a));
  std::set<double> seen;
  for_entries(a, [&](index_t i, index_t j, double v) {
    if (i == j) {
      EXPECT_EQ(v, 6);
    } else {
      EXPECT_TRUE(v < 0 && v > -1);
      seen.insert(v);
    }
  });
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(a.nnz() - a.rows) / 2);
}

}  // namespace
}  // namespace nz
