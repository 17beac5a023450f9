// Edge lists, METIS graphs and stdin wherever a matrix is named, and what is wrong with them.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/io.hpp>
#include <sys/wait.h>

#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;
using Matrix = Csr<double, std::int64_t>;

class GraphFiles : public testing::Test {
 protected:
  const TempDir dir;

  // The matrix that the program makes of it.
  Matrix converted(const std::string& name) const {
    const Outcome o = nonzero({"convert", name, dir("out.nzb")});
    EXPECT_EQ(o.code, 0) << name << o.err;
    return o.code == 0 ? read_matrix<double, std::int64_t>(dir("out.nzb")) : Matrix();
  }
  Matrix matrix(index_t n, const std::vector<index_t>& from, const std::vector<index_t>& to,
                const std::vector<double>& weights) const {
    return csr_from_triplets<double, std::int64_t>(n, n, from, to, weights);
  }
  // The program with stdin from that file.
  Outcome fed(const std::string& file, const std::string& words) const {
    const std::string command = "'" NZ_BINARY_DIR "/nonzero' " + words + " <'" + file + "' >'" +
                                dir("stdout") + "' 2>'" + dir("stderr") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(dir("stdout")),
            read_file(dir("stderr"))};
  }
};

TEST_F(GraphFiles, EdgeListsAsSnapHasThem) {
  const Matrix expected = matrix(4, {0, 0, 3}, {1, 2, 0}, {1, 1, 1});
  const std::string zero = dir.write(
      "zero.txt", "# Directed graph\n# Nodes: 4 Edges: 3\n# From\tTo\n0\t1\n0\t2\r\n\n3\t0\n");
  EXPECT_EQ(converted(zero), expected);
  EXPECT_EQ(converted(dir.write("one.el", "% comment\n1 2\n1 3\n4,1")), expected)
      << "counts from 1";
  EXPECT_EQ(converted("edges:" + dir.write("any.name", "0 1\n0 2\n3 0\n")), expected);
  const Outcome info = nonzero({"info", zero, "--json", "-"});
  ASSERT_EQ(info.code, 0) << info.err;
  const json r = json::parse(info.out)[0];
  EXPECT_EQ(r["file"]["format"], "edge list");
  EXPECT_EQ(r["file"]["field"], "pattern");
  EXPECT_EQ(r["note"], "edge list whose nodes count from 0");
  // Weights, and edges that come twice.
  EXPECT_EQ(converted(dir.write("w.edges", "1 2 0.5\n2 1 -3e2\n1 2 1\n")),
            matrix(2, {0, 1}, {1, 0}, {1.5, -300}));
}

// With a header of % lines, and times behind the weights, which no matrix has.
TEST_F(GraphFiles, EdgeListsAsKonectHasThem) {
  const Matrix expected = matrix(3, {0, 0, 2}, {1, 2, 0}, {2, 1, -1});
  const std::string list =
      "% asym signed\n% 4 3 3\n1 2 1 1082040961\n1 2 1 1082155839\n1 3 1 0\n3 1 -1 1.5e9 \n";
  EXPECT_EQ(converted("edges:" + dir.write("out.konect", list)), expected);
  const Outcome info = nonzero({"info", "edges:" + dir("out.konect"), "--json", "-"});
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(json::parse(info.out)[0]["file"]["field"], "real");
  // Nothing in such a name says what it is.
  const auto said = [&](const std::string& name, const std::string& text) {
    const Outcome o = nonzero({"info", dir.write(name, text)});
    EXPECT_EQ(o.code, 3) << name;
    return has(o.err, "; an edge list is edges:" + dir(name));
  };
  EXPECT_TRUE(said("out.konect", list));
  EXPECT_TRUE(said("snap", "# Nodes: 2\n0\t1\n"));
  EXPECT_TRUE(said("pairs.dat", "0 1\n1 0\n"));
  EXPECT_FALSE(said("a.mtx", "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"));
  EXPECT_FALSE(said("packed.txt.bz2", "BZh91AY&SY"));
  EXPECT_FALSE(said("letter", "Dear reader\n"));
  EXPECT_FALSE(said("empty", ""));
}

// A first line of names, as spreadsheets and libraries of graphs write it.
TEST_F(GraphFiles, EdgeListsWithNamesOfColumns) {
  const Matrix plain = matrix(3, {0, 2}, {1, 0}, {1, 1});
  const Matrix weighted = matrix(3, {0, 2}, {1, 0}, {0.5, 2});
  for (const std::string names :
       {"from,to", "source\ttarget", "Source,Target", "\"src\", \"dst\"", "node_1,node_2",
        "# a comment\n\nFromNodeId ToNodeId", "\xEF\xBB\xBFsource,target"})
    EXPECT_EQ(converted(dir.write("n.csv", names + "\r\n1,2\n3,1\n")), plain) << names;
  EXPECT_EQ(converted(dir.write("w.csv", "source,target,weight\n0,1,0.5\n2,0,2\n")), weighted);
  EXPECT_EQ(converted(dir.write("t.csv", "u,v,weight,timestamp\n0,1,0.5,9\n2,0,2,9\n")), weighted);
  const std::vector<std::pair<std::string, std::string>> refused{
      {"target,source\n1,2\n", ":1: 'target' is not the number of a node: a first line of names"},
      {"id,source,target\n1,2,3\n", ":1: 'id' is not the number of a node"},
      {"source,target,time\n1,2,3\n", ":1: 'time' is in the place of another name"},
      {"from,to,weight,time,label\n1,2,3,4,5\n", ":1: 'label' is too much"},
      {"source;target\n1;2\n", ":1: an edge needs two nodes"},
      {"source,target\n1,2,3\n", ":2: a weight, and the lines above have none"},
      {"source,target\nsource,target\n", ":2: 'source' is not the number of a node"},
      {"1,2\nsource,target\n", ":2: 'source' is not the number of a node"},
      {"source,2\n", ":1: '2' is in the place of another name"},
      {"source,target\n", ": a list without an edge"}};
  for (const auto& [text, message] : refused) {
    const Outcome o = nonzero({"info", dir.write("bad.csv", text)});
    EXPECT_EQ(o.code, 3) << message << o.err;
    EXPECT_TRUE(has(o.err, message)) << message << '\n' << o.err;
  }
}

TEST_F(GraphFiles, MetisGraphs) {
  // The path 1 - 2 - 3 and a node of its own, which is a blank line.
  EXPECT_EQ(converted(dir.write("p.graph", "% a path\n4 2\n2\n1 3\n2\n\n")),
            matrix(4, {0, 1, 1, 2}, {1, 0, 2, 1}, {1, 1, 1, 1}));
  EXPECT_EQ(converted(dir.write("w.metis", "2 1 001\n2 7.5\n1 7.5\n")),
            matrix(2, {0, 1}, {1, 0}, {7.5, 7.5}));
  EXPECT_EQ(converted("metis:" + dir.write("v", "2 1 111 2\n9 8 8 2 3\n9 8 8 1 3\n")),
            matrix(2, {0, 1}, {1, 0}, {3, 3}))
      << "a size and two weights a node are read over";
}

TEST_F(GraphFiles, CompressedAndByContent) {
  dir.write("z.txt", "0 1\n1 0\n");
  ASSERT_EQ(std::system(("gzip -k '" + dir("z.txt") + "'").c_str()), 0);
  EXPECT_EQ(converted(dir("z.txt.gz")), matrix(2, {0, 1}, {1, 0}, {1, 1}));
  // What begins as Matrix Market is Matrix Market, whatever its name.
  EXPECT_EQ(converted(dir.write("m.txt", small_mtx)),
            (read_matrix<double, std::int64_t>(dir.write("m.mtx", small_mtx))));
}

TEST_F(GraphFiles, StdinWhereverAMatrixIsNamed) {
  const std::string mtx = dir.write("a.mtx", symmetric_mtx);
  const std::string edges = dir.write("e.txt", "0 1\n1 2\n2 0\n");
  const std::string graph = dir.write("g.graph", "2 1\n2\n1\n");
  for (const char* command : {"info", "spy", "plan", "run", "check", "solve"}) {
    const Outcome o = fed(mtx, std::string(command) + " -");
    EXPECT_EQ(o.code, 0) << command << o.err;
    EXPECT_TRUE(has(o.out, "stdin")) << command << o.out;
  }
  const Outcome ranks = fed(edges, "pagerank edges:-");
  EXPECT_EQ(ranks.code, 0) << ranks.err;
  EXPECT_TRUE(has(ranks.out, "The file is an edge list that counts them from 0")) << ranks.out;
  EXPECT_EQ(fed(graph, "stationary metis:- --laziness 0.5").code, 0);
  EXPECT_EQ(fed(mtx, "bench - --kernels cpu/csr/serial --time-limit 0 --buffer 1").code, 0);
  EXPECT_EQ(fed(mtx, "convert - '" + dir("b.nzb") + "'").code, 0);
  EXPECT_EQ((read_matrix<double, std::int64_t>(dir("b.nzb"))),
            (read_matrix<double, std::int64_t>(mtx)));
  EXPECT_EQ(fed(dir("b.nzb"), "info -").code, 0) << "a binary file";
  const Outcome nothing = fed("/dev/null", "info -");
  EXPECT_EQ(nothing.code, 3);
  EXPECT_TRUE(has(nothing.err, "stdin: nothing came")) << nothing.err;
  const Outcome wrong = fed(edges, "info -");
  EXPECT_EQ(wrong.code, 3);
  EXPECT_TRUE(has(wrong.err, "stdin:1: not a Matrix Market file")) << wrong.err;
  EXPECT_TRUE(has(wrong.err, "; an edge list is edges:-")) << wrong.err;
  // A broken Rutherford-Boeing file is no edge list, though its title begins with a digit.
  const std::string boeing = read_file(NZ_SOURCE_DIR "/tests/fuzz/corpus/other_files/scipy.rua");
  const Outcome broken =
      fed(dir.write("b.rua", "1" + boeing.substr(1, boeing.size() - 30)), "info -");
  EXPECT_EQ(broken.code, 3);
  EXPECT_TRUE(has(broken.err, "stdin:")) << broken.err;
  EXPECT_FALSE(has(broken.err, "edge list")) << broken.err;
  EXPECT_EQ(fed(mtx, "info - --memory-limit 10").code, 4);
}

TEST_F(GraphFiles, BrokenOnesSayWhereAndWhat) {
  const std::vector<std::pair<std::string, std::string>> edges{
      {"", ": a list without an edge"},
      {"# nothing\n", ": a list without an edge"},
      {"0 1\n2\n", ":2: an edge needs two nodes"},
      {"0 x\n", ":1: 'x' is not the number of a node"},
      {"0 -1\n", ":1: '-1' is not the number of a node"},
      {"0 1.5\n", ":1: '1.5' is not the number of a node"},
      {"0 99999999999999999999999\n", "is too large"},
      {"0 4294967296\n", "node 4294967296 is beyond"},
      {"0 2000000000\n", "bytes of memory"},
      {"0 1 heavy\n", ":1: 'heavy' is not a weight"},
      {"0 1 nan\n", "is not a weight"},
      {"0 1 1e999\n", "is not a weight"},
      {"0 1 2\n1 2\n", ":2: no weight, and the lines above have one"},
      {"0 1\n1 2 3\n", ":2: a weight, and the lines above have none"},
      {"0 1 2 3 4\n", ":1: '4' is too much"},
      {"0 1 2\n0 2 2 3\n", ":2: a time, and the lines above have none"},
      {"0 1 2 3\n0 2 2\n", ":2: no time, and the lines above have one"},
      {"0 1 2 3\n0 2\n", ":2: no weight, and the lines above have one"},
      {"0 1 2 today\n", ":1: 'today' is not a time"},
      {std::string("0 \0 1\n", 6), ":1: "},
      {std::string(5 << 20, '7'), "longer than 4 MiB"}};
  for (const auto& [text, message] : edges) {
    const Outcome o = nonzero({"info", dir.write("bad.txt", text)});
    EXPECT_EQ(o.code, 3) << message << o.err;
    EXPECT_TRUE(has(o.err, message)) << o.err.substr(0, 300);
  }
  const std::vector<std::pair<std::string, std::string>> graphs{
      {"", "no METIS graph: it has no header"},
      {"% only\n", "no METIS graph: it has no header"},
      {"2\n", ":1: '' is not a number of edges"},
      {"2 1 2\n", "is not a METIS format"},
      {"2 1 0011\n", "is not a METIS format"},
      {"2 1 011 5000\n", "more than 1000"},
      {"2 1 011 2 7\n", "is too much"},
      {"2 1\n2\n", ": ends after 1 of 2 nodes"},
      {"2 1\n3\n1\n", ":2: node 3 is not from 1 to 2"},
      {"2 1\n0\n1\n", ":2: node 0 is not from 1 to 2"},
      {"2 1\n2\n1\n1\n", ":4: '1' behind the last of 2 nodes"},
      {"2 2\n2\n1\n", ": 2 neighbours, and 2 edges make twice as many"},
      {"2 1 001\n2\n1 1\n", ":2: '' is not the weight of an edge"},
      {"2000000000 1\n", "bytes of memory"},
      {"9999999999 1\n", "are more than"}};
  for (const auto& [text, message] : graphs) {
    const Outcome o = nonzero({"info", dir.write("bad.graph", text)});
    EXPECT_EQ(o.code, 3) << message << o.err;
    EXPECT_TRUE(has(o.err, message)) << o.err;
  }
  EXPECT_EQ(nonzero({"info", "edges:" + dir("none.txt")}).code, 3);
  EXPECT_EQ(nonzero({"info", "metis:"}).code, 3);
}

TEST_F(GraphFiles, MatrixMarketIsItselfUnderAnyName) {
  const std::string entries = "matrix coordinate real general\n3 3 2\n1 1 5\n2 3 7\n";
  for (const std::string banner : {"%%MatrixMarket ", "%%matrixmarket ", "  %%MATRIXMARKET\t"})
    EXPECT_EQ(converted(dir.write("m.txt", banner + entries)), matrix(3, {0, 1}, {0, 2}, {5, 7}))
        << banner;
}

TEST_F(GraphFiles, AHubOfMetisHasALongLine) {
  constexpr int nodes = 700'000;
  std::string text = std::to_string(nodes) + ' ' + std::to_string(nodes - 1) + '\n';
  for (int i = 2; i <= nodes; ++i) text += std::to_string(i) + ' ';
  ASSERT_GT(text.size(), std::size_t{4} << 20);
  text += '\n';
  for (int i = 2; i <= nodes; ++i) text += "1\n";
  const Matrix star = converted(dir.write("star.graph", text));
  EXPECT_EQ(star.rows, nodes);
  EXPECT_EQ(star.nnz(), 2 * (nodes - 1));
}

}  // namespace
}  // namespace nz::test
