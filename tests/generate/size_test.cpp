#include <cmath>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>

// How large a matrix will be, said before it is made.
namespace nz {
namespace {

// Families whose number of entries chance decides; all others know it.
const std::set<std::string_view> by_chance{"banded", "fem", "lp", "road"};

void expect_size(const Family& family, const std::string& spec, const MatrixSize& size,
                 const GeneratedMatrix& a, double spread) {
  EXPECT_EQ(size.rows, a.rows) << spec;
  EXPECT_EQ(size.cols, a.cols) << spec;
  const auto nnz = static_cast<double>(a.nnz());
  if (size.at_most)
    EXPECT_LE(nnz, size.nonzeros + spread) << spec;
  else if (by_chance.contains(family.name))
    EXPECT_NEAR(nnz, size.nonzeros, spread) << spec;
  else
    EXPECT_EQ(nnz, size.nonzeros) << spec;
  const double held = 8.0 * (a.rows + 1) + 12 * size.nonzeros;
  EXPECT_GE(size.bytes, held) << spec;
  EXPECT_LE(size.bytes, 3 * held + 40.0 * a.rows) << spec;
}

// Small settings of every kind; many contradict each other.
std::string draw(const Family& family, std::mt19937& random) {
  std::string spec(family.name);
  char separator = ':';
  for (const Setting& s : family.settings) {
    constexpr double shares[] = {0, 1, 0.25, 0.6};
    const auto most = static_cast<unsigned>(std::min(39.0, s.max - s.min));
    double value = s.min + (random() % 3 == 0 ? 0 : random() % (most + 1));
    if (s.max <= 1)
      value = shares[random() % 4];
    else if (random() % 32 == 0)
      value = std::min(value + 0.5, s.max);
    spec += fmt::format("{}{}={}", separator, s.name, value);
    separator = ',';
  }
  return spec;
}

TEST(Size, IsThatOfTheMatrixForRandomSettingsOfEveryFamily) {
  for (const Family& family : families()) {
    std::mt19937 random(19);
    int compared = 0;
    for (int tries = 0; tries < 20000 && compared < 40; ++tries) {
      const std::string spec = draw(family, random);
      MatrixSize size;
      try {
        size = estimate(spec);
      } catch (const InvalidArgument&) {
        EXPECT_THROW(generate(spec), InvalidArgument) << spec;
        continue;
      }
      if (size.bytes > 1e6) continue;
      GeneratedMatrix a;
      try {
        a = generate(spec).matrix;
      } catch (const InvalidArgument&) {
        continue;  // what only the family can see
      }
      // Pairs come and go together, in whole blocks.
      double unit = 2;
      if (family.name == "fem")
        unit *= std::pow(std::stod(spec.substr(spec.find("block=") + 6)), 2);
      expect_size(family, spec, size, a, 7 * std::sqrt(size.nonzeros * unit) + 7 * unit);
      ++compared;
    }
    EXPECT_GE(compared, family.settings.size() == 1 ? 10 : 30) << family.name;
  }
}

// Larger, so that the mean decides: within 1 %.
TEST(Size, IsThatOfTheExamples) {
  for (const Family& family : families()) {
    const std::string spec(family.example);
    const MatrixSize size = estimate(spec);
    expect_size(family, spec, size, generate(spec).matrix, 0.01 * size.nonzeros);
  }
}

TEST(Size, NamedMatricesHaveOneToo) {
  for (const NamedMatrix& m : named_matrices()) {
    const MatrixSize size = estimate("like:" + std::string(m.name));
    EXPECT_GT(size.rows, 0) << m.name;
    EXPECT_GT(size.nonzeros, size.rows / 4.0) << m.name;
    EXPECT_LT(size.bytes, 1e12) << m.name;
  }
}

std::string refusal(std::string_view spec, std::uint64_t limit) {
  try {
    generate(spec, {.memory_limit = limit});
  } catch (const NoResource& e) {
    return e.what();
  }
  return "made";
}

TEST(Size, WhatPassesTheLimitIsRefusedWithBothNumbers) {
  EXPECT_EQ(
      refusal("banded:n=100000,lower=99999,upper=99999", std::uint64_t{1} << 30),
      "banded:n=100000,lower=99999,upper=99999,density=1,seed=1: 100000 x 100000 with about 1e+10 "
      "nonzeros takes 111.8 GiB to make, the limit is 1.0 GiB");
  EXPECT_EQ(
      refusal("grid:nx=46000,ny=46000", std::uint64_t{1} << 30),
      "grid:points=5,nx=46000,ny=46000,nz=1,varied=0: 2116000000 x 2116000000 with about 1.058e+10 "
      "nonzeros takes 134.0 GiB to make, the limit is 1.0 GiB");
  EXPECT_NE(refusal("like:mycielskian16", 1000).find("the limit is 1000 B"), std::string::npos);
  for (const Family& family : families())
    EXPECT_NE(refusal(family.example, 1).find("the limit is 1 B"), std::string::npos)
        << family.name;
  EXPECT_EQ(refusal("grid:nx=10,ny=10", 10000), "made");
}

// Largest settings: sizes that no arithmetic of 64 bits holds, and no machine. Some would take days
// to count their rows.
TEST(Size, WhatNoMachineHoldsIsRefusedAtOnce) {
  for (const char* spec :
       {"banded:n=2147483647,lower=2147483647,upper=2147483647",
        "block-band:n=2147483647,block=1048576,density=1",
        "blocks:down=2147483,across=2147483,height=1000,width=1000,blocks=9007199254740992,min=0,"
        "max="
        "2147483",
        "fem:nx=1290,ny=1290,nz=1290,block=1,blocks=27",
        "giant:n=2147483647,degree=1000",
        "grid:points=27,nx=1290,ny=1290,nz=1290",
        "ideal:n=2147483640,block=1,nnz=4611685975477714963",
        "lp:rows=2147483647,cols=2147483647,per_row=1048576,dense_rows=1048576,dense_cols=1048576",
        "profile:rows=2147483647,cols=2147483647,nnz=9007199254740992,min=0,max=2147483647",
        "random:rows=2147483647,cols=2147483647,density=1",
        "rmat:scale=30,degree=1048576",
        "road:nx=46340,ny=46340,degree=4",
        "diagonal:n=2147483647",
        "empty:rows=2147483647",
        "mycielskian:k=20",
        "bibd:points=40,block=20",
        "bibd:points=34,block=14",
        "chessboard:m=12,n=12,rooks=6",
        "communities:n=2147483647,degree=65536",
        "edges:nx=600,ny=600,nz=600",
        "heisenberg:sites=33,up=16",
        "kkt:variables=2000000000,constraints=1000,dense=65536",
        "qap:n=200",
        "sat:clauses=2147483647,variables=2147483647,width=1000,longest=100000",
        "shells:nx=20000,ny=20000,unknowns=1",
        "stokes:nx=400,ny=400,nz=400",
        "terms:documents=2147483647,terms=2147483647,words=1000,longest=100000",
        "tets:nx=500,ny=500,nz=500,unknowns=2",
        "tomography:size=46340,angles=10000,detectors=100000",
        "web:pages=2147483647,degree=1000,longest=100000"}) {
    try {
      const MatrixSize size = estimate(spec);
      EXPECT_TRUE(std::isfinite(size.bytes) && size.bytes > 1e10) << spec << ' ' << size.bytes;
      EXPECT_NE(refusal(spec, std::uint64_t{1} << 33), "made") << spec;
    } catch (const InvalidArgument& e) {
      // Beyond the settings' own range.
      const std::string said = e.what();
      EXPECT_TRUE(said.find("outside") != said.npos || said.find("above") != said.npos)
          << spec << ": " << e.what();
    }
  }
  // And without a limit that anybody set.
  EXPECT_NE(refusal("banded:n=2147483647,lower=2147483647,upper=2147483647", 0).find("there are "),
            std::string::npos);
}

// Few nonzeros need little memory, but days of looking at cells.
TEST(Size, BandsWithTooManyCellsAreRefusedAtOnce) {
  try {
    generate("banded:n=2147483647,lower=2147483647,upper=0,density=1e-12");
    ADD_FAILURE() << "made";
  } catch (const InvalidArgument& e) {
    EXPECT_EQ(
        std::string(e.what()),
        "banded: a band of 2.30584e+18 cells with density = 1e-12 takes too long; at most 1e+11 "
        "cells");
  }
}

}  // namespace
}  // namespace nz
