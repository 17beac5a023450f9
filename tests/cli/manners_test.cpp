// What all subcommands share: help, errors, exit codes, where output goes.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/version.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NZ_SANITIZED
#endif

namespace nz::test {
namespace {

constexpr const char* identity3 =
    "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 1\n";

// The subcommands as the program's own help lists them.
std::vector<std::string> subcommands() {
  std::vector<std::string> all;
  std::istringstream help(nonzero({"--help"}).out);
  std::string line;
  while (std::getline(help, line) && line != "Subcommands:") continue;
  while (std::getline(help, line) && line.starts_with("  "))
    if (line.size() > 2 && line[2] != ' ') all.push_back(line.substr(2, line.find(' ', 2) - 2));
  return all;
}

class Subcommand : public testing::TestWithParam<std::string> {};

TEST_P(Subcommand, HelpHasAnExample) {
  const Outcome o = nonzero({GetParam(), "--help"});
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(has(o.out, "Usage: nonzero " + GetParam())) << o.out;
  EXPECT_TRUE(has(o.out, "Examples:\n  nonzero " + GetParam())) << o.out;
}

TEST_P(Subcommand, UnknownOptionIsUsage) {
  const Outcome o = nonzero({GetParam(), "--no-such-option"});
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(o.err.starts_with("nonzero: error: ")) << o.err;
  EXPECT_TRUE(has(o.err, "nonzero " + GetParam() + " --help")) << o.err;
}

INSTANTIATE_TEST_SUITE_P(All, Subcommand, testing::ValuesIn(subcommands()), [](const auto& p) {
  std::string name = p.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Manners, NothingAskedIsUsage) {
  const Outcome o = nonzero({});
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(has(o.err, "nonzero: error: ")) << o.err;
  EXPECT_TRUE(has(o.err, "nonzero demo")) << "no hint where to start: " << o.err;
}

TEST(Manners, UnknownSubcommandIsUsage) {
  const Outcome o = nonzero({"frobnicate"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "frobnicate")) << o.err;
}

TEST(Manners, VersionAndHelpAreAnswers) {
  const Outcome version = nonzero({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("nonzero " + std::string(nz::version()) + "\ncommit "))
      << version.out;
  for (const char* part : {"\ncompiler ", "\nCUDA ", "\nvectors ", "\npeers "})
    EXPECT_TRUE(has(version.out, part)) << part << version.out;
  EXPECT_EQ(nonzero({"-V"}).out, version.out);
  EXPECT_EQ(nonzero({"version"}).out, version.out);
  const Outcome help = nonzero({"--help"});
  EXPECT_EQ(help.code, 0);
  ASSERT_GE(subcommands().size(), 20u) << help.out;
  EXPECT_EQ(nonzero({"help"}).out, help.out);
  EXPECT_EQ(nonzero({"help", "solve"}).out, nonzero({"solve", "--help"}).out);
  EXPECT_EQ(nonzero({"help", "nothing"}).code, 2);
}

TEST(Manners, NoLibraryShows) {
  const TempDir dir;
  const std::string half = dir.write("half.json", "{"),
                    odd =
                        dir.write("odd.json", R"({"schema": "nonzero-bench/1", "results": [{}]})");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"compare", half},
           {"compare", odd},
           {"bench", "gen:grid", "--resume", "--json", half},
           {"bench", "--suite", half},
           {"reproduce", "chirila2025-cpu", "--out", "/proc/no/such"},
           {"info", "gen:grid", "--memory-limit", "lots"}}) {
    const Outcome o = nonzero(words);
    EXPECT_TRUE(o.code == 2 || o.code == 3) << o.code << o.err;
    for (const char* raw : {"exception", "filesystem error", "std::", "Allowed values"})
      EXPECT_FALSE(has(o.err, raw)) << o.err;
  }
  EXPECT_EQ(nonzero({"info", "gen:grid", "--memory-limit", "1.5GiB"}).code, 0);
}

TEST(Manners, ASlipOfTheFingersGetsASuggestion) {
  const std::vector<std::pair<std::string, std::string>> slips{
      {"bnech", "bench"}, {"sovle", "solve"}, {"pagrank", "pagerank"}, {"stat", "stationary"}};
  for (const auto& [typed, meant] : slips) {
    const Outcome o = nonzero({typed});
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, "no subcommand '" + typed + "'; did you mean " + meant + "?")) << o.err;
  }
  EXPECT_FALSE(has(nonzero({"frobnicate"}).err, "did you mean"));
  const Outcome option = nonzero({"solve", "gen:grid", "--tolerence=1"});
  EXPECT_EQ(option.code, 2);
  EXPECT_TRUE(has(option.err, "did you mean --tolerance?")) << option.err;
  EXPECT_FALSE(has(nonzero({"solve", "gen:grid", "--nonsense"}).err, "did you mean"));
}

TEST(Manners, QuietAndVerbose) {
  const TempDir dir;
  const std::vector<std::string> words{"gen", "grid", "nx=5", "ny=5", "-o", dir("g.mtx")};
  const auto with = [&](const char* flag) {
    std::vector<std::string> all = words;
    all.emplace_back(flag);
    return nonzero(all);
  };
  EXPECT_TRUE(nonzero(words).err.starts_with("wrote ")) << "as ever";
  EXPECT_EQ(with("--quiet").err, "");
  EXPECT_EQ(with("-q").code, 0);
  const Outcome verbose = with("--verbose");
  EXPECT_TRUE(has(verbose.err, "thread")) << verbose.err;
  EXPECT_TRUE(has(verbose.err, "\nwrote ")) << verbose.err;
  EXPECT_TRUE(has(verbose.err, "\ntook ")) << verbose.err;
  // Before the command, too; errors are always told; both at once are none.
  EXPECT_EQ(nonzero({"--quiet", "info", "gen:grid:nx=4,ny=4"}).code, 0);
  EXPECT_EQ(nonzero({"--quiet=true", "info", "gen:grid:nx=4,ny=4"}).code, 0);
  EXPECT_EQ(nonzero({"-hq"}).out, nonzero({"--help"}).out);
  const Outcome both = nonzero({"-qv", "info", "gen:grid"});
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(has(both.err, "take one of them")) << both.err;
  EXPECT_TRUE(has(nonzero({"-qx", "info", "gen:grid"}).err, "no option -qx; "));
  EXPECT_TRUE(has(nonzero({"info", "/no/such.mtx", "--quiet"}).err, "nonzero: error: "));
  EXPECT_EQ(nonzero({"info", "gen:grid", "-q", "-v"}).code, 2);
  const Outcome bench = nonzero({"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial",
                                 "--time-limit", "0.001", "--buffer", "1", "-v"});
  EXPECT_TRUE(has(bench.err, "cpu/csr/serial f64 N on ")) << bench.err;
}

TEST(Manners, MissingFileIsBadInput) {
  for (const char* command : {"info", "spy", "run", "check", "bench"}) {
    const Outcome o = nonzero({command, "/no/such/file.mtx"});
    EXPECT_EQ(o.code, 3) << command;
    EXPECT_EQ(o.out, "") << command;
    EXPECT_TRUE(o.err.starts_with("nonzero: error: /no/such/file.mtx: ")) << o.err;
  }
}

TEST(Manners, ForgottenPrefixGetsAHint) {
  const Outcome family = nonzero({"info", "grid:nx=10,ny=10"});
  EXPECT_EQ(family.code, 3);
  EXPECT_TRUE(has(family.err, "gen:grid:nx=10,ny=10")) << family.err;
  const Outcome named = nonzero({"info", "mycielskian16"});
  EXPECT_EQ(named.code, 3);
  EXPECT_TRUE(has(named.err, "like:mycielskian16")) << named.err;
}

TEST(Manners, BrokenFileIsBadInputWithItsLine) {
  const TempDir dir;
  const std::string path =
      dir.write("broken.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1.0\n");
  const Outcome o = nonzero({"info", path});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, path + ":3: ")) << o.err;
}

TEST(Manners, BadSpecificationIsUsage) {
  for (const char* spec : {"gen:no-such-family", "gen:grid:no-such-setting=1", "gen:grid:nx=-1",
                           "like:no-such-matrix"}) {
    const Outcome o = nonzero({"info", spec});
    EXPECT_EQ(o.code, 2) << spec;
    EXPECT_TRUE(o.err.starts_with("nonzero: error: ")) << o.err;
  }
}

TEST(Manners, ThreadsMustBePositive) {
  EXPECT_EQ(nonzero({"info", "gen:empty", "--threads", "0"}).code, 2);
  EXPECT_EQ(nonzero({"info", "gen:empty", "--threads", "many"}).code, 2);
  EXPECT_EQ(nonzero({"info", "gen:empty", "--threads", "2"}).code, 0);
}

TEST(Manners, TooLittleMemoryIsNoResource) {
#ifdef NZ_SANITIZED
  GTEST_SKIP() << "a sanitizer needs more address space than the limit";
#endif
  const Outcome o = nonzero_with_memory(1536u << 20, {"info", "gen:diagonal:n=400000000"});
  EXPECT_EQ(o.code, 4) << o.err;
  EXPECT_TRUE(has(o.err, "not enough memory\n")) << o.err;
}

#ifdef __SANITIZE_ADDRESS__
TEST(Manners, NothingLeaks) {
  const Outcome o =
      nonzero({"check", "gen:grid:nx=5,ny=5", "--json", "-"}, {{"ASAN_OPTIONS", "detect_leaks=1"}});
  EXPECT_EQ(o.code, 0) << o.err;
}
#endif

TEST(Manners, JsonGoesToAFileBesideTheTable) {
  const TempDir dir;
  const std::string path = dir("list.json");
  const Outcome o = nonzero({"list", "--json", path});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "cpu/csr/serial"));
  EXPECT_EQ(read_file(path), nonzero({"list", "--json", "-"}).out);
}

TEST(Manners, JsonNeverOverwritesAMatrix) {
  const TempDir dir;
  const std::string a = dir.write("a.mtx", identity3), b = dir.write("b.mtx", identity3);
  const Outcome o = nonzero({"info", "--json", a, b});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "--json")) << o.err;
  EXPECT_EQ(read_file(a), identity3);
  // With only one name left it is the matrix.
  const Outcome one = nonzero({"info", "--json", a});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(nlohmann::json::parse(one.out)[0]["nnz"], 3);
  // Graphs are matrices too.
  for (const char* name : {"g.txt", "g.tsv", "g.csv", "g.el", "g.edges", "g.graph", "g.metis"}) {
    const std::string graph = dir.write(name, "1 2\n");
    EXPECT_EQ(nonzero({"info", "--json", graph, b}).code, 2) << name;
    EXPECT_EQ(read_file(graph), "1 2\n");
  }
}

TEST(Manners, FullDiskIsAnError) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"list", "--json", "-"},
                                             {"info", "gen:empty"},
                                             {"spy", "gen:grid"},
                                             {"--help"}}) {
    const Outcome o = nonzero_into("/dev/full", command);
    EXPECT_EQ(o.code, 3) << command[0];
    EXPECT_TRUE(has(o.err, "No space left")) << o.err;
  }
  const Outcome json = nonzero({"list", "--json", "/dev/full"});
  EXPECT_EQ(json.code, 3);
  EXPECT_TRUE(has(json.err, "No space left")) << json.err;
  EXPECT_EQ(nonzero({"list", "--json", "/no/such/folder/x.json"}).code, 3);
}

TEST(Manners, AReaderThatLeavesIsNoError) {
  for (const char* command : {"list", "--help", "--version"}) {
    const Outcome o = nonzero_into_closed_pipe({command});
    EXPECT_EQ(o.code, 0) << command;
    EXPECT_EQ(o.err, "") << command;
  }
}

TEST(Manners, AReaderThatLeavesCostsNoFile) {
  const std::vector<std::vector<std::string>> commands{
      {"solve", "gen:grid:nx=9,ny=9", "-o"},
      {"solve", "gen:grid:nx=9,ny=9", "--history"},
      {"solve", "gen:grid:nx=9,ny=9", "--json"},
      {"pagerank", "gen:rmat:scale=5", "--unweighted", "-o"},
      {"stationary", "gen:block-band:n=40,block=4,density=0.2", "-o"},
      {"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--time-limit", "0",
       "--buffer", "1", "--json"},
      {"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--time-limit", "0",
       "--buffer", "1", "--csv"},
      {"sweep", "cpu/sell/serial", "gen:grid:nx=9,ny=9", "--param", "chunk=4", "--time-limit", "0",
       "--buffer", "1", "--json"},
      {"check", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--json"}};
  for (std::vector<std::string> words : commands) {
    const TempDir dir;
    words.push_back(dir(words.back() == "-o" ? "x.npy" : "r.out"));
    const Outcome o = nonzero_into_closed_pipe(words);
    EXPECT_EQ(o.code, 0) << words[0] << o.err;
    EXPECT_GT(read_file(words.back()).size(), 40u) << words[0] << ' ' << words[words.size() - 2];
    if (words[words.size() - 2] != "--json") continue;
    EXPECT_FALSE(nlohmann::json::parse(read_file(words.back()), nullptr, false).is_discarded());
  }
}

TEST(Manners, ColourOnlyOnATerminalThatWantsIt) {
  const std::string escape = "\033[";
  EXPECT_FALSE(has(nonzero({"list"}).out, escape));
  EXPECT_TRUE(has(nonzero_on_terminal({"list"}).out, escape));
  EXPECT_FALSE(has(nonzero_on_terminal({"list"}, {{"NO_COLOR", "1"}}).out, escape));
  EXPECT_FALSE(has(nonzero_on_terminal({"list"}, {{"TERM", "dumb"}}).out, escape));
}

TEST(Manners, ProgressOnlyOnATerminal) {
  // Larger until it takes long enough for a bar on this machine.
  Outcome shown;
  for (const char* spec : {"gen:grid:nx=100,ny=100", "gen:grid:nx=250,ny=250",
                           "gen:grid:nx=500,ny=500", "gen:grid:nx=1000,ny=1000"}) {
    shown = nonzero_on_terminal({"check", spec, "--threads", "1"});
    EXPECT_EQ(shown.code, 0);
    if (has(shown.out, "checking")) break;
  }
  EXPECT_TRUE(has(shown.out, "\r\033[Kchecking cpu/")) << shown.out;
  EXPECT_TRUE(has(shown.out, " %")) << shown.out;
  // And gone at the end.
  EXPECT_LT(shown.out.rfind("█"), shown.out.rfind("\r\033[K"));
  // Quick work shows none.
  EXPECT_FALSE(has(nonzero_on_terminal({"check", "gen:grid:nx=5,ny=5"}).out, "checking"));

  const Outcome quiet = nonzero({"check", "gen:grid", "--threads", "1"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_FALSE(has(quiet.out, "\r"));
}

}  // namespace
}  // namespace nz::test
