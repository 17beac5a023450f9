// The help pages are true: their examples run, and the page of the documents has every command.
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>
#include <sys/wait.h>

#include "lab/bench/source.hpp"
#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::vector<std::string> commands() {
  std::vector<std::string> all;
  bool inside = false;
  for (const std::string& line : lines_of(nonzero({"--help"}).out)) {
    if (inside && line.size() > 2 && line.starts_with("  ") && line[2] != ' ')
      all.push_back(line.substr(2, line.find(' ', 2) - 2));
    inside = line == "Subcommands:" || (inside && line.starts_with("  "));
  }
  return all;
}

std::vector<std::string> examples_of(const std::string& help) {
  std::vector<std::string> all;
  for (const std::string& line : lines_of(help))
    if (line.starts_with("  nonzero ")) all.push_back(line.substr(2));
  return all;
}

// What takes more than a few seconds, or a GPU, is looked at and not run.
bool cheap(const std::string& example) {
  for (const char* costly :
       {"--device", "--suite", "nonzero bench cant", "nonzero bench gen:grid", "nonzero demo",
        "nonzero tune", "nonzero sweep", "nonzero reproduce ", "nonzero bench-solve"})
    if (has(example, costly)) return false;
  return example != "nonzero doctor";
}

// Whatever an example reads, small.
void furnish(const TempDir& dir) {
  for (const char* name : {"cant.mtx", "A.mtx", "cant.mtx.gz", "cant.nzb", "grid.mtx"})
    write_matrix(dir(name), generate("grid:nx=6,ny=5").matrix.view());
  const std::string head = "%%MatrixMarket matrix coordinate real general\n2 2 3\n";
  dir.write("counts.mtx", head + "1 1 3\n1 2 5\n2 1 1\n");
  dir.write("P.mtx", head + "1 1 0.5\n1 2 0.5\n2 1 1\n");
  dir.write("G.mtx", head + "1 1 1\n1 2 1\n2 1 1\n");
  const std::vector<double> x(30, 1.0);
  write_vector<double>(dir("y.npy"), x);
  write_vector<double>(dir("seeds.npy"), std::vector<double>{1, 0});
  std::vector<json> results;
  for (const char* kernel :
       {"cpu/csr/serial", "cpu/csr/omp-rows", "peer/eigen/csr", "gpu/csr/balanced",
        "plan/balanced/n", "gpu/bsr/balanced", "peer/cusparse/bsr"})
    results.push_back({{"matrix", "m"},
                       {"kernel", kernel},
                       {"op", "N"},
                       {"type", "f64"},
                       {"status", "ok"},
                       {"threads", 1},
                       {"median_s", 1.0},
                       {"planned", std::string(kernel) == "cpu/csr/serial"}});
  for (const char* name : {"cpu.json", "gpu.json", "bsr.json", "before.json", "after.json"})
    dir.write(name, json{{"schema", "nonzero-bench/1"}, {"results", results}}.dump());
}

class Example : public testing::TestWithParam<std::string> {};

// Options that exist, and matrices that can be made.
void expect_known(const std::string& example, const std::string& help) {
  std::istringstream in(example);
  for (std::string word; in >> word;) {
    if (word.starts_with("--")) {
      EXPECT_TRUE(has(help, word)) << example << ": " << word;
    } else if (lab::is_generated(word)) {
      EXPECT_NO_THROW(lab::check_source(word)) << example;
    }
  }
}

TEST_P(Example, Runs) {
  const std::string help = nonzero({GetParam(), "--help"}).out;
  const auto examples = examples_of(help);
  ASSERT_FALSE(examples.empty());
  const TempDir dir;
  furnish(dir);
  if (GetParam() == "run") write_vector<double>(dir("x.npy"), std::vector<double>(30, 1.0));
  for (const std::string& example : examples) {
    EXPECT_TRUE((example + ' ').starts_with("nonzero " + GetParam() + ' ')) << example;
    expect_known(example, help);
    if (!cheap(example)) continue;
    const std::string command = "cd '" + dir("") + "' && PATH='" NZ_BINARY_DIR "':$PATH && { " +
                                example + "; } >out.txt 2>&1 </dev/null";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << example << "\n"
                                                               << read_file(dir("out.txt"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(commands()), [](const auto& p) {
  std::string name = p.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Help, TheFirstPageNamesWhatExists) {
  const std::string help = nonzero({"--help"}).out;
  const auto examples = examples_of(help);
  EXPECT_GE(examples.size(), 3u);
  for (const std::string& example : examples) {
    std::istringstream in(example);
    std::string program, command;
    in >> program >> command;
    expect_known(example, nonzero({command, "--help"}).out);
  }
}

TEST(Help, ThePageOfTheDocumentsHasEveryCommand) {
  const std::string page = read_file(NZ_SOURCE_DIR "/docs/command-line.md");
  const auto all = commands();
  ASSERT_GE(all.size(), 20u);
  for (const std::string& command : all)
    EXPECT_TRUE(has(page, "\n| `" + command + "` | ")) << command;
}

TEST(Help, NoPageIsVeryWide) {
  const auto all = commands();
  ASSERT_GE(all.size(), 20u);
  for (const std::string& command : all)
    for (const std::string& line : lines_of(nonzero({command, "--help"}).out))
      EXPECT_LE(line.size(), 80u) << command << ": " << line;
  for (const std::string& line : lines_of(nonzero({"--help"}).out)) EXPECT_LE(line.size(), 80u);
}

}  // namespace
}  // namespace nz::test
