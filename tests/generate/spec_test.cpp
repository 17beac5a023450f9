#include <gtest/gtest.h>

#include <set>

#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>

#include "base/nearest.hpp"
#include "generate/spec.hpp"

namespace nz {
namespace {

std::string refusal(std::string_view spec) {
  try {
    generate(spec);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "";
}

TEST(Nearest, ListsTheThreeClosestFirst) {
  const std::vector<std::string> names{"grid", "giant", "ideal", "road"};
  EXPECT_EQ(nearest("grids", names), "grid, giant, road");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Spec, FillsInDefaultsAndKeepsTheFamilysOrder) {
  EXPECT_EQ(to_string(parse_spec("grid")), "grid:points=5,nx=100,ny=100,nz=1,varied=0");
  EXPECT_EQ(to_string(parse_spec("grid:ny=3,nx=2e1")), "grid:points=5,nx=20,ny=3,nz=1,varied=0");
  EXPECT_EQ(to_string(parse_spec("random:density=0.25")),
            "random:rows=8192,cols=8192,density=0.25,seed=1");
}

TEST(Spec, TheNameOfAMatrixMakesItAgain) {
  for (const char* text : {"random:rows=30,cols=40,density=0.1,seed=9", "mycielskian:k=5"}) {
    const Generated a = generate(text), b = generate(a.name);
    EXPECT_EQ(a.matrix, b.matrix) << text;
    EXPECT_EQ(a.name, b.name);
    EXPECT_FALSE(a.stand_in);
  }
}

TEST(Spec, RefusesWithTheNearestNames) {
  EXPECT_EQ(refusal("gird"), "no family 'gird' of matrices; nearest: grid, bibd, giant");
  EXPECT_EQ(refusal("random:densty=1"),
            "random has no setting 'densty'; nearest: density, rows, cols");
  EXPECT_EQ(refusal("like:mouse_genes"),
            "no paper names a matrix 'mouse_genes'; nearest: mouse_gene, human_gene2, human_gene1");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("like:"), "");
  EXPECT_NE(refusal("like"), "");
}

TEST(Spec, RefusesBrokenSettings) {
  EXPECT_EQ(refusal("grid:nx"), "grid: 'nx' is not of the form setting=value");
  EXPECT_EQ(refusal("grid:"), "grid: '' is not of the form setting=value");
  EXPECT_EQ(refusal("grid:nx=3,"), "grid: '' is not of the form setting=value");
  EXPECT_EQ(refusal("grid:nx="), "grid: nx = '' is not a number");
  EXPECT_EQ(refusal("grid:nx=3x"), "grid: nx = '3x' is not a number");
  EXPECT_EQ(refusal("grid:nx=3,nx=4"), "grid: nx is given twice");
  EXPECT_EQ(refusal("grid:nx=-1"), "grid: nx = -1 is outside 0 to 2147483647");
  EXPECT_EQ(refusal("grid:nx=nan"), "grid: nx = nan is outside 0 to 2147483647");
  EXPECT_EQ(refusal("grid:nx=2.5"), "grid: nx = 2.5 is not a whole number");
  EXPECT_EQ(refusal("random:density=1.5"), "random: density = 1.5 is outside 0 to 1");
}

TEST(Spec, RefusesSettingsThatContradictEachOther) {
  EXPECT_EQ(refusal("grid:points=6"), "grid: points = 6 is none of 5, 7, 9, 27");
  EXPECT_EQ(refusal("grid:points=9,nz=2"), "grid: 9 points are two-dimensional, but nz = 2");
  EXPECT_EQ(refusal("grid:nx=100000,ny=100000"),
            "grid: points of the grid: 100000 x 100000 x 1 is above 2147483647");
  EXPECT_EQ(refusal("rmat:a=0.9,b=0.9"), "rmat: a + b + c = 1.99 is above 1");
  EXPECT_EQ(refusal("ideal:n=10,block=3"), "ideal: block = 3 does not divide n = 10");
  EXPECT_EQ(refusal("ideal:n=16,block=4,nnz=10"),
            "ideal: nnz = 10 cannot be the same in all 4 blocks of a row; 8 can");
  EXPECT_EQ(refusal("ideal:n=16,block=4,nnz=300"), "ideal: nnz = 300 is above n * n = 256");
  EXPECT_EQ(refusal("profile:rows=3,cols=3,nnz=9,min=0,max=2"),
            "profile: 3 rows of 0 to 2 entries, both met, hold 2 to 4 nonzeros, not 9");
  EXPECT_EQ(refusal("profile:rows=3,cols=2,max=3"),
            "profile: max = 3, but no row has more than 2 places");
  EXPECT_EQ(refusal("profile:rows=10,cols=9,max=5,form=1"),
            "profile: form = 1 needs a square matrix, not 10 x 9");
  EXPECT_EQ(refusal("profile:rows=10,cols=10,nnz=15,min=1,max=5,form=1"),
            "profile: min = 1, but form = 1 has rows of 0");
  EXPECT_EQ(refusal("profile:rows=10,cols=10,nnz=15,min=0,max=5,form=2"),
            "profile: 15 nonzeros off the diagonal cannot be symmetric");
  EXPECT_EQ(
      refusal("profile:rows=10,cols=10,nnz=6,min=0,max=5,form=2"),
      "profile: a row of 5 entries does not fit a symmetric matrix of 10 rows and 6 nonzeros");
}

TEST(Spec, RefusesWhatNoMemoryHolds) {
  EXPECT_THROW(generate("random:rows=2147483647,cols=2147483647,density=1"), NoResource);
  EXPECT_THROW(generate("rmat:scale=30,degree=1e6"), NoResource);
}

TEST(Families, AreDescribedCompletely) {
  std::set<std::string_view> names;
  for (const Family& f : families()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_FALSE(f.summary.empty());
    EXPECT_FALSE(f.source.empty());
    EXPECT_EQ(f.example.substr(0, f.example.find(':')), f.name);
    EXPECT_NO_THROW(parse_spec(f.example)) << f.example;
    for (const Setting& s : f.settings) {
      EXPECT_FALSE(s.summary.empty()) << f.name << ' ' << s.name;
      EXPECT_LE(s.min, s.initial) << f.name << ' ' << s.name;
      EXPECT_LE(s.initial, s.max) << f.name << ' ' << s.name;
    }
  }
  EXPECT_EQ(names.size(), 30u);
}

}  // namespace
}  // namespace nz
