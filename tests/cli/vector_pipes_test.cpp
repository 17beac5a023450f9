// Vectors and complex matrices from stdin and from pipes, which come once and whole.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

class VectorPipes : public testing::Test {
 protected:
  const TempDir dir;
  const std::string x =
      dir.write("x.mtx", "%%MatrixMarket matrix array real general\n5 1\n1\n-2\n0.5\n1e3\n4\n");

  // What a shell of bash makes of it, where nonzero is the program.
  Outcome typed(const std::string& line) const {
    const std::string script = dir.write("line.sh", "set -o pipefail; nonzero() { '" NZ_BINARY_DIR
                                                    "/nonzero' \"$@\"; }; cd '" +
                                                        dir("") + "'; " + line + '\n');
    const std::string command =
        "bash '" + script + "' >'" + dir("stdout") + "' 2>'" + dir("stderr") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(dir("stdout")),
            read_file(dir("stderr"))};
  }
  void expect_same(const std::string& one, const std::string& other) const {
    const Outcome expected = typed(one), got = typed(other);
    ASSERT_EQ(expected.code, 0) << one << '\n' << expected.err;
    ASSERT_EQ(got.code, 0) << other << '\n' << got.err;
    EXPECT_EQ(got.out, expected.out) << other;
  }
};

TEST_F(VectorPipes, WhereverAVectorIsNamed) {
  const std::string run = "nonzero run gen:diagonal:n=5 -q -o - ";
  expect_same(run + "--x x.mtx", "cat x.mtx | " + run + "--x -");
  expect_same(run + "--x x.mtx", run + "--x <(cat x.mtx)");
  expect_same(run + "--x x.mtx", "gzip -c x.mtx | " + run + "--x -");
  expect_same(run + "--x x.mtx", run + "--x - < x.mtx");
  expect_same(run + "--x x.mtx --type c64", "cat x.mtx | " + run + "--x - --type c64");
  expect_same(run + "--beta 1 --y x.mtx", "cat x.mtx | " + run + "--beta 1 --y -");
  expect_same(run + "--x x.mtx --y x.mtx --beta 1",
              run + "--x <(cat x.mtx) --y <(cat x.mtx) --beta 1");
  const std::string solve = "nonzero solve gen:grid:nx=5,ny=1 -q -o - ";
  expect_same(solve + "--rhs x.mtx", "cat x.mtx | " + solve + "--rhs -");
  expect_same(solve + "--x0 x.mtx", "cat x.mtx | " + solve + "--x0 -");
  // The matrix by one pipe, the vector by another.
  expect_same("nonzero run gen:diagonal:n=5 -q -o - --x x.mtx",
              "nonzero gen diagonal n=5 -q -o - | nonzero run - --x <(cat x.mtx) -q -o -");
}

// Whether a matrix is complex is looked at before it is read, and it comes only once.
TEST_F(VectorPipes, ComplexMatrices) {
  dir.write("a.mtx",
            "%%MatrixMarket matrix coordinate complex hermitian\n"
            "2 2 3\n1 1 2 0\n2 1 1 1\n2 2 3 0\n");
  dir.write("b.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 0\n");
  dir.write("bad.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2\n");
  const std::string from = "nonzero run a.mtx -q -o -", run = "nonzero run - -q -o -";
  expect_same(from, "cat a.mtx | " + run);
  expect_same(from, run + " < a.mtx");
  expect_same(from, "gzip -c a.mtx | " + run);
  expect_same(from, "nonzero run <(cat a.mtx) -q -o -");
  expect_same(from + " --transpose --type c64", "cat a.mtx | " + run + " --transpose --type c64");
  // Real ones, which were looked at too.
  expect_same("nonzero run gen:diagonal:n=5 --type c64 -q -o -",
              "nonzero gen diagonal n=5 -q -o - | " + run + " --type c64");
  const Outcome both = typed("nonzero info <(cat a.mtx) <(cat b.mtx)");
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(has(both.out, "2 x 2, 4 nonzeros, complex")) << both.out;
  EXPECT_TRUE(has(both.out, "1 x 1, 1 nonzero, complex")) << both.out;
  const Outcome info = typed("cat a.mtx | nonzero info -");
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_TRUE(has(info.out, "stdin")) << info.out;
  EXPECT_TRUE(has(info.out, "complex, hermitian; 3 entries stored")) << info.out;
  const Outcome check = typed("cat a.mtx | nonzero check -");
  EXPECT_EQ(check.code, 0) << check.err << check.out;
  const Outcome refused = typed("cat a.mtx | nonzero plan -");
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(has(refused.err, "the file has complex values")) << refused.err;
  const Outcome bad = typed("cat bad.mtx | nonzero run -");
  EXPECT_EQ(bad.code, 3);
  EXPECT_TRUE(has(bad.err, "stdin:3: ")) << bad.err;
  EXPECT_EQ(typed("cat a.mtx | nonzero info - --memory-limit 10").code, 4);
}

TEST_F(VectorPipes, AlsoBinaryAndSeveralVectors) {
  ASSERT_EQ(typed("nonzero run gen:diagonal:n=5 -q -o y.npy").code, 0);
  const std::string run = "nonzero run gen:diagonal:n=5 -q -o - ";
  expect_same(run + "--x y.npy", "cat y.npy | " + run + "--x -");
  std::string npy = "\x93NUMPY\x01" + std::string(1, '\0') + "\x76" + std::string(1, '\0') +
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 2), }";
  npy.resize(127, ' ');
  npy += '\n' + std::string(5 * 2 * 4, '\0');
  dir.write("two.npy", npy);
  const Outcome two = typed("cat two.npy | nonzero run gen:diagonal:n=5 --x -");
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_TRUE(has(two.out, "vectors   2, X by rows")) << two.out;
  const Outcome ranks =
      typed("cat two.npy | nonzero pagerank gen:diagonal:n=6 --personalisation - --unweighted");
  EXPECT_EQ(ranks.code, 3);
  EXPECT_TRUE(has(ranks.err, "stdin: has 5 x 2 elements, personalisation needs 6 rows"))
      << ranks.err;
}

TEST_F(VectorPipes, SayWhatIsWrong) {
  const auto expect = [&](const std::string& line, int code, const std::string& text) {
    const Outcome o = typed(line);
    EXPECT_EQ(o.code, code) << line << o.err;
    EXPECT_TRUE(has(o.err, text)) << o.err;
  };
  const std::string run = "nonzero run gen:diagonal:n=5 ";
  expect(run + "--x - </dev/null", 3, "stdin: nothing came");
  expect(run + "--x - <x.mtx --y - --beta 1", 2, "--x and --y are both -: only one of them can");
  expect("nonzero run - --x - <x.mtx", 2, "MATRIX and --x are both -: only one of them can have");
  expect("nonzero solve - --rhs - <x.mtx", 2, "MATRIX and --rhs are both -");
  expect("nonzero solve gen:grid --rhs - --x0 - <x.mtx", 2, "--rhs and --x0 are both -");
  expect("nonzero pagerank edges:- --personalisation - <x.mtx", 2,
         "GRAPH and --personalisation are both -");
  expect("nonzero stationary - --x0 - <x.mtx", 2, "are both -");
  expect("nonzero run gen:diagonal:n=6 --x - <x.mtx", 3, "stdin: has 5 elements, x needs 6");
  expect("head -c 52 x.mtx | " + run + "--x -", 3, "stdin:");
  // Numbers alone, as other programs write them.
  const std::string said =
      "a vector is a Matrix Market array or a .npy file, as numpy.save() writes";
  expect("printf '1\\n2\\n' | " + run + "--x -", 3, said);
  expect("printf '1\\n2\\n' >v.txt; nonzero solve gen:diagonal:n=5 --rhs v.txt", 3, said);
}

}  // namespace
}  // namespace nz::test
