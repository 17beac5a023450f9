// Where results go is looked at before the work: nobody waits for minutes to lose them.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/io.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using Words = std::vector<std::string>;

// Work that would take minutes, or as long as anyone likes: a test that waits for it does not end.
const Words solve{"solve", "gen:grid:nx=900,ny=900", "--tolerance",
                  "0",     "--max-iterations",       "1000000"};
const Words pagerank{"pagerank", "gen:rmat:scale=18", "--unweighted", "--tolerance",
                     "0",        "--max-iterations",  "1000000"};
const Words stationary{"stationary",       "gen:block-band:n=400000,block=4,density=0.001",
                       "--tolerance",      "0",
                       "--max-iterations", "1000000"};

Outcome with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return nonzero(words);
}

TEST(Outputs, AreRefusedAtOnce) {
  const TempDir dir;
  const std::string nowhere = dir("no/such/folder/");
  for (const Words& command : {solve, pagerank, stationary}) {
    for (const Words& wrong : std::vector<Words>{{"-o", dir("x.txt")},
                                                 {"-o", "x"},
                                                 {"--checkpoint", dir("x.json")},
                                                 {"--plot", dir("p.bmp")}}) {
      const Outcome o = with(command, wrong);
      EXPECT_EQ(o.code, 2) << command[0] << ' ' << wrong[0] << o.err;
      EXPECT_TRUE(has(o.err, wrong[1])) << o.err;
    }
    for (const Words& wrong : std::vector<Words>{{"-o", nowhere + "x.npy"},
                                                 {"--checkpoint", nowhere + "x.npy"},
                                                 {"--history", nowhere + "h.csv"},
                                                 {"--plot", nowhere + "p.svg"},
                                                 {"--json", nowhere + "r.json"},
                                                 {"--history", dir("")}}) {
      const Outcome o = with(command, wrong);
      EXPECT_EQ(o.code, 3) << command[0] << ' ' << wrong[0] << o.err;
      EXPECT_TRUE(has(o.err, wrong[1] + ": cannot write: ")) << o.err;
    }
  }
  EXPECT_EQ(nonzero({"run", "gen:grid:nx=900,ny=900", "-o", dir("y.txt")}).code, 2);
  EXPECT_EQ(nonzero({"run", "gen:grid:nx=900,ny=900", "-o", nowhere + "y.npy"}).code, 3);
  EXPECT_EQ(nonzero({"gen", "grid", "nx=900", "ny=900", "-o", nowhere + "g.mtx"}).code, 3);
  EXPECT_EQ(nonzero({"convert", "gen:grid:nx=900,ny=900", nowhere + "g.mtx"}).code, 3);
  EXPECT_EQ(nonzero({"spy", "gen:grid:nx=900,ny=900", "-o", nowhere + "g.png"}).code, 3);
  EXPECT_EQ(nonzero({"check", "gen:grid:nx=900,ny=900", "--json", nowhere + "r.json"}).code, 3);
  EXPECT_EQ(nonzero({"reproduce", "chirila2025-cpu", "--markdown", nowhere + "r.md"}).code, 3);
  EXPECT_EQ(nonzero({"report", dir("none.json"), "-o", nowhere + "r.html"}).code, 3);
  const Outcome figures = nonzero({"report", dir("none.json"), "--figures", "/proc/no/such"});
  EXPECT_EQ(figures.code, 3);
  EXPECT_TRUE(has(figures.err, "/proc/no/such: ")) << figures.err;
  EXPECT_TRUE(std::filesystem::is_empty(dir("")));
}

// What a disk has no room for is known before the work, or costs nothing else.
TEST(Outputs, ThatHaveNoRoom) {
  const TempDir dir;
  const Outcome gen =
      nonzero_with_files(100'000, {"gen", "grid", "nx=300", "ny=300", "-o", dir("g.mtx")});
  EXPECT_EQ(gen.code, 3);
  EXPECT_TRUE(has(gen.err, "g.mtx: cannot write: ")) << gen.err;
  EXPECT_TRUE(std::filesystem::is_empty(dir("")));
  for (const char* option : {"-o", "--checkpoint"}) {
    Words words = solve;
    words.insert(words.end(), {option, dir("x.npy")});
    const Outcome o = nonzero_with_files(100'000, words);
    EXPECT_EQ(o.code, 3);
    EXPECT_TRUE(has(o.err, "x.npy: no room for 6480000 bytes")) << o.err;
  }
  // Text takes two bytes an element at least.
  const Outcome text = nonzero_with_files(
      1'000'000, {"solve", "gen:grid:nx=900,ny=900", "-o", dir("x.mtx"), "--checkpoint",
                  dir("c.mtx"), "--tolerance", "0", "--max-iterations", "1000000"});
  EXPECT_EQ(text.code, 3);
  EXPECT_TRUE(has(text.err, "x.mtx: no room for 1620000 bytes")) << text.err;
  const Outcome bench = nonzero_with_files(
      4'000, {"bench", "gen:grid:nx=30,ny=30", "--kernels",
              "cpu/csr/serial,cpu/ell/serial,cpu/coo/serial", "--ops", "N", "--time-limit", "0.4",
              "--noise", "0", "--max-samples", "100000", "--buffer", "1", "--json", dir("r.json")});
  EXPECT_EQ(bench.code, 3);
  EXPECT_TRUE(has(bench.out, "cpu/coo/serial")) << bench.out;
  EXPECT_TRUE(has(bench.err, "note: no record for now: ")) << bench.err;
  EXPECT_TRUE(has(bench.err, "nonzero: error: " + dir("r.json") + ": cannot write: ")) << bench.err;
}

TEST(Outputs, AreNotOverwrittenByEachOther) {
  const TempDir dir;
  const Outcome o = with(solve, {"-o", dir("x.npy"), "--checkpoint", dir("./x.npy")});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "-o and --checkpoint both name")) << o.err;
  EXPECT_EQ(with(solve, {"--history", dir("r"), "--json", dir("r")}).code, 2);
}

TEST(Outputs, AreNotWhatIsRead) {
  const TempDir dir;
  const std::string a = dir.write(
      "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 1\n2 1 1\n");
  const std::string b = dir.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  const std::string before = read_file(a), vector = read_file(b);
  for (const Words& words : std::vector<Words>{{"solve", a, "-o", dir("./a.mtx")},
                                               {"solve", a, "--checkpoint", a},
                                               {"solve", a, "--history", a},
                                               {"solve", a, "--rhs", b, "-o", b},
                                               {"solve", a, "--x0", b, "--history", b},
                                               {"pagerank", a, "-o", a},
                                               {"pagerank", a, "--personalisation", b, "-o", b},
                                               {"stationary", a, "--checkpoint", a},
                                               {"convert", a, dir("./a.mtx")},
                                               {"run", a, "-o", a}}) {
    const Outcome o = nonzero(words);
    EXPECT_EQ(o.code, 2) << words[0] << o.err;
    EXPECT_TRUE(has(o.err, "one would overwrite the other")) << o.err;
  }
  EXPECT_EQ(read_file(a), before);
  EXPECT_EQ(read_file(b), vector);
  // What is gone on from may be replaced by what is reached.
  EXPECT_EQ(nonzero({"solve", a, "--x0", b, "-o", b}).code, 0);
  EXPECT_EQ(nonzero({"run", a, "--x", b, "--y", b, "--beta", "1", "-o", b}).code, 0);
}

TEST(Outputs, WhatIsThereStaysWhenTheWorkFails) {
  const TempDir dir;
  const std::string old = dir.write("x.npy", "an old vector");
  EXPECT_EQ(nonzero({"solve", dir("none.mtx"), "-o", old}).code, 3);
  EXPECT_EQ(read_file(old), "an old vector");
  // A checkpoint is not replaced by an x that nobody has iterated.
  const std::string skew = dir.write(
      "skew.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 5\n2 2 1\n");
  EXPECT_EQ(nonzero({"solve", skew, "--method", "cg", "--checkpoint", old}).code, 1);
  EXPECT_EQ(read_file(old), "an old vector");
  // Nor is the result of before by one that is no number, or nothing but the guess.
  const std::string huge = dir.write(
      "huge.mtx",
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1e308\n2 1 1e308\n2 2 1e308\n");
  for (const Words& words : std::vector<Words>{{"solve", skew, "--method", "cg"},
                                               {"solve", huge},
                                               {"solve", skew, "--max-iterations", "0"}}) {
    const Outcome o = with(words, {"-o", old});
    EXPECT_EQ(o.code, 1) << o.err << o.out;
    EXPECT_TRUE(has(o.err, "x is not written: ")) << o.err;
    EXPECT_EQ(read_file(old), "an old vector");
  }
  EXPECT_EQ(nonzero({"solve", skew, "--checkpoint", old}).code, 0);
  EXPECT_EQ(read_vector<double>(old).size(), 2u);
}

TEST(Outputs, AFileThatCannotBeWrittenCostsNoOther) {
  const TempDir dir;
  std::filesystem::create_symlink("/dev/full", dir("full.npy"));
  const Outcome o = nonzero({"solve", "gen:grid:nx=9,ny=9", "-o", dir("full.npy"), "--history",
                             dir("h.csv"), "--plot", dir("p.svg"), "--json", dir("r.json")});
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_TRUE(has(o.err, "full.npy: cannot write: ")) << o.err;
  EXPECT_FALSE(has(o.err, "wrote ")) << o.err;
  EXPECT_TRUE(has(o.out, "converged")) << o.out;
  for (const char* name : {"h.csv", "p.svg", "r.json"})
    EXPECT_FALSE(read_file(dir(name)).empty()) << name;
  const Outcome bench =
      nonzero({"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--time-limit",
               "0.001", "--buffer", "1", "--json", "-", "--csv", dir("full.npy")});
  EXPECT_EQ(bench.code, 3) << bench.err;
  EXPECT_TRUE(has(bench.err, "full.npy: cannot write: ")) << bench.err;
  EXPECT_TRUE(has(bench.out, "cpu/csr/serial")) << bench.out;
}

}  // namespace
}  // namespace nz::test
