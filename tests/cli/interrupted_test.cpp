// Ctrl-C and SIGTERM at work: nothing half done stays behind, and what was there stays.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool any_temporary(const std::string& folder) {
  for (const std::string& name : names_in(folder))
    if (name.ends_with(".tmp")) return true;
  return false;
}

// Sends the signal as soon as the condition holds while the program runs.
Outcome interrupt(const std::vector<std::string>& arguments, int signal,
                  const std::function<bool()>& when) {
  Running program(arguments);
  while (!when()) {
    if (program.ended()) {
      ADD_FAILURE() << "it ended first: " << program.wait().err;
      return {};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.send(signal);
  return program.wait();
}

// For work that shows nothing while it runs: again with twice the time to begin, until it was
// interrupted at work and says so.
Outcome interrupt_at_work(const std::vector<std::string>& arguments) {
  using namespace std::chrono_literals;
  for (auto delay = 250ms;; delay *= 2) {
    Running program(arguments);
    std::this_thread::sleep_for(delay);
    program.send(SIGINT);
    const Outcome o = program.wait();
    if (has(o.err, "interrupted") || delay > 60s) return o;
  }
}

TEST(Interrupted, GenAndConvertLeaveNothing) {
  const TempDir in, out;
  write_matrix(in("a.nzb"), generate("grid:points=9,nx=600,ny=600").matrix.view());
  const auto writing = [&] { return any_temporary(out("")); };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGXCPU, SIGALRM}) {
    const Outcome gen = interrupt(
        {"gen", "grid", "points=9", "nx=600", "ny=600", "-o", out("g.mtx.gz"), "--threads", "1"},
        signal, writing);
    EXPECT_EQ(gen.code, 128 + signal);
    EXPECT_EQ(names_in(out("")), std::vector<std::string>{});
  }
  out.write("c.mtx.gz", "what was there");
  const Outcome convert =
      interrupt({"convert", in("a.nzb"), out("c.mtx.gz"), "--threads", "2"}, SIGTERM, writing);
  EXPECT_EQ(convert.code, 128 + SIGTERM);
  EXPECT_EQ(names_in(out("")), std::vector<std::string>{"c.mtx.gz"});
  EXPECT_EQ(read_file(out("c.mtx.gz")), "what was there");
}

// Half a second for each case, so that there is time to interrupt it.
std::vector<std::string> bench(const std::string& record, const std::vector<std::string>& more) {
  std::vector<std::string> all{"bench",         "gen:grid:nx=30,ny=30",
                               "--kernels",     "cpu/csr/*",
                               "--time-limit",  "0.5",
                               "--noise",       "0",
                               "--max-samples", "100000",
                               "--buffer",      "1",
                               "--json",        record};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::size_t results_in(const std::string& path) {
  const json record = json::parse(read_file(path), nullptr, false);
  return record.is_object() ? record["results"].size() : 0;
}

TEST(Interrupted, BenchKeepsTheOldRecordAndTheNewPart) {
  const TempDir dir;
  const std::string record = dir("r.json"), part = record + ".part";
  dir.write("r.json", "an old record");
  const Outcome o = interrupt(bench(record, {}), SIGINT,
                              [&] { return fs::exists(part) && results_in(part) > 0; });
  EXPECT_EQ(o.code, 128 + SIGINT) << o.err;
  EXPECT_TRUE(has(o.err, "interrupted; " + part + " has what was measured")) << o.err;
  EXPECT_EQ(names_in(dir("")), (std::vector<std::string>{"r.json", "r.json.part"}));
  EXPECT_EQ(read_file(record), "an old record");
  const std::size_t measured = results_in(part);
  EXPECT_GT(measured, 0u);

  // Going on with it: the part becomes the record.
  const Outcome resumed = nonzero(bench(record, {"--resume"}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "going on with " + part)) << resumed.err;
  EXPECT_EQ(names_in(dir("")), std::vector<std::string>{"r.json"});
  EXPECT_GT(results_in(record), measured);
}

TEST(Interrupted, BenchKeepsItsRecordUnderAFreeName) {
  const TempDir dir;
  const std::string record = dir("r.json");
  const Outcome o = interrupt(bench(record, {}), SIGTERM, [&] { return results_in(record) > 0; });
  EXPECT_EQ(o.code, 128 + SIGTERM) << o.err;
  EXPECT_EQ(names_in(dir("")), std::vector<std::string>{"r.json"});
  EXPECT_GT(results_in(record), 0u);
}

TEST(Interrupted, ASecondSignalEndsItAtOnce) {
  const TempDir dir;
  const std::string record = dir("r.json");
  // A case of minutes: the first signal alone would wait for it.
  Running program({"bench", "gen:grid:nx=700,ny=700", "--kernels", "cpu/csr/serial", "--ops", "N",
                   "--time-limit", "600", "--noise", "0", "--max-samples", "100000", "--buffer",
                   "1", "--csv", dir("r.csv"), "--json", record});
  while (!fs::exists(record) && !program.ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // Signals that come before it listens end it too. The case would go on for minutes.
  const auto begin = std::chrono::steady_clock::now();
  while (!program.ended() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
    program.send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(program.wait().code, 128 + SIGINT);
  EXPECT_EQ(names_in(dir("")), std::vector<std::string>{"r.json"});
  EXPECT_TRUE(json::parse(read_file(record), nullptr, false).is_object());
}

TEST(Interrupted, ABenchThatIsDoneReplacesTheOldRecord) {
  const TempDir dir;
  const std::string record = dir("r.json");
  dir.write("r.json", "an old record");
  dir.write("r.csv", "an old table");
  dir.write("r.json.part", "of a run that nobody goes on with");
  const Outcome o = nonzero(bench(record, {"--csv", dir("r.csv")}));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_GT(results_in(record), 0u);
  EXPECT_TRUE(read_file(dir("r.csv")).starts_with("record,commit,"));
  EXPECT_EQ(names_in(dir("")), (std::vector<std::string>{"r.csv", "r.json"}));
}

// Work without an end: what there is comes to files, and the program says how to go on.
TEST(Interrupted, SolversWriteWhatThereIs) {
  const std::vector<std::vector<std::string>> commands{
      {"solve", "gen:grid:nx=300,ny=300", "--tolerance", "0", "--max-iterations", "10000000"},
      {"pagerank", "gen:grid:nx=300,ny=300", "--unweighted", "--damping", "0.999999", "--tolerance",
       "0", "--max-iterations", "10000000"},
      {"stationary", "gen:grid:nx=300,ny=300", "--laziness", "0.5", "--tolerance", "0",
       "--max-iterations", "10000000"}};
  const TempDir in;
  write_matrix(in("walk.nzb"),
               [&] {
                 auto a = generate("grid:nx=300,ny=300").matrix;
                 for (index_t i = 0; i < a.rows; ++i)
                   for (auto k = a.offsets[static_cast<std::size_t>(i)];
                        k < a.offsets[static_cast<std::size_t>(i) + 1]; ++k)
                     a.values[static_cast<std::size_t>(k)] =
                         1.0 / static_cast<double>(a.offsets[static_cast<std::size_t>(i) + 1] -
                                                   a.offsets[static_cast<std::size_t>(i)]);
                 return a;
               }()
                   .view());
  for (std::vector<std::string> words : commands) {
    const TempDir dir;
    if (words[0] == "stationary") words[1] = in("walk.nzb");
    words.insert(words.end(), {"--check-every", "1", "--threads", "1", "-o", dir("x.npy"),
                               "--history", dir("h.csv"), "--json", dir("r.json"), "--checkpoint",
                               dir("c.npy"), "--every", "0.05s"});
    const Outcome o = interrupt(words, SIGINT, [&] { return fs::exists(dir("c.npy")); });
    ASSERT_EQ(o.code, 128 + SIGINT) << words[0] << o.err;
    EXPECT_TRUE(has(o.err, "interrupted after ")) << o.err;
    EXPECT_TRUE(has(o.err, "--x0 " + dir("x.npy") + " goes on from there")) << o.err;
    EXPECT_EQ(names_in(dir("")), (std::vector<std::string>{"c.npy", "h.csv", "r.json", "x.npy"}));
    const json r = json::parse(read_file(dir("r.json")));
    EXPECT_EQ(r["reason"], "stopped");
    EXPECT_EQ(r["history"].size(), r["iterations"].get<std::size_t>() + 1);
    EXPECT_EQ(read_vector<double>(dir("x.npy")).size(), 90000u);
    // The residual that was reached is where the next run begins.
    std::vector<std::string> on(words.begin(), words.begin() + 2);
    if (words[0] != "solve") continue;
    on.insert(on.end(), {"--x0", dir("x.npy"), "--max-iterations", "0", "--json", dir("on.json")});
    nonzero(on);
    const json next = json::parse(read_file(dir("on.json")));
    EXPECT_NEAR(next["history"][0].get<double>(), r["true_residual"].get<double>(),
                1e-6 * r["true_residual"].get<double>());
  }
}

// Shells and the system each tell of a terminal that closes, and some warnings come again and
// again.
TEST(Interrupted, AClosedTerminalAndWarningsLoseNoX) {
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
    const TempDir dir;
    Running program({"solve", "gen:grid:nx=300,ny=300", "--tolerance", "0", "--max-iterations",
                     "10000000", "-o", dir("x.npy"), "--checkpoint", dir("c.npy"), "--every",
                     "0.05s"});
    while (!fs::exists(dir("c.npy")) && !program.ended())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int i = 0; i < 3; ++i) program.send(signal);
    const Outcome o = program.wait();
    EXPECT_EQ(o.code, 128 + signal) << o.err;
    EXPECT_EQ(names_in(dir("")), (std::vector<std::string>{"c.npy", "x.npy"}));
    EXPECT_EQ(read_vector<double>(dir("x.npy")).size(), 90000u);
  }
}

// What the shell says next begins a line of its own.
TEST(Interrupted, AProgressBarEndsItsLine) {
  const Outcome o = nonzero_interrupted_on_terminal(
      {"tune", "--seconds", "30", "--json", "/dev/null"}, "measuring");
  EXPECT_EQ(o.code, 128 + SIGINT);
  EXPECT_TRUE(o.out.ends_with("^C\r\n")) << o.out;
}

TEST(Interrupted, WithoutAFileXIsNotKeptAndThatIsSaid) {
  const TempDir dir;
  const Outcome o = interrupt(
      {"solve", "gen:grid:nx=300,ny=300", "--tolerance", "0", "--max-iterations", "10000000",
       "--history", dir("h.csv"), "--checkpoint", dir("c.npy"), "--every", "0.05s"},
      SIGTERM, [&] { return fs::exists(dir("c.npy")); });
  EXPECT_EQ(o.code, 128 + SIGTERM) << o.err;
  EXPECT_TRUE(has(o.err, "--x0 " + dir("c.npy"))) << o.err;
  const std::vector<std::string> endless{"solve", "gen:grid:nx=300,ny=300", "--tolerance",
                                         "0",     "--max-iterations",       "10000000"};
  const Outcome lost = interrupt_at_work(endless);
  EXPECT_EQ(lost.code, 128 + SIGINT);
  EXPECT_TRUE(has(lost.err, "x is not kept: that needs -o FILE")) << lost.err;
  // A checkpoint that could not be written is none.
  fs::create_symlink("/dev/full", dir("full.npy"));
  std::vector<std::string> full = endless;
  full.insert(full.end(), {"--checkpoint", dir("full.npy")});
  const Outcome failed = interrupt_at_work(full);
  EXPECT_EQ(failed.code, 128 + SIGINT);
  EXPECT_TRUE(has(failed.err, "; x is not kept")) << failed.err;
  EXPECT_FALSE(has(failed.err, "--x0")) << failed.err;
}

TEST(Interrupted, SweepKeepsItsRecord) {
  const TempDir dir;
  const std::string record = dir("s.json");
  const Outcome o = interrupt({"sweep", "cpu/sell/serial", "gen:grid:nx=30,ny=30", "--time-limit",
                               "1", "--buffer", "1", "--json", record},
                              SIGINT, [&] { return results_in(record) > 0; });
  EXPECT_EQ(o.code, 128 + SIGINT) << o.err;
  EXPECT_TRUE(has(o.err, "interrupted; " + record + " has what was measured")) << o.err;
  EXPECT_EQ(names_in(dir("")), std::vector<std::string>{"s.json"});
}

TEST(Interrupted, ReproduceKeepsWhatIsMeasuredAndGoesOn) {
  const TempDir dir;
  const std::vector<std::string> run{"reproduce", "chirila2025-cpu", "--scale",
                                     "0.01",      "--seconds",       "0.3",
                                     "--out",     dir("records")};
  std::vector<std::string> first = run;
  first.insert(first.end(), {"--markdown", dir("t.md")});
  const Outcome o = interrupt_at_work(first);
  EXPECT_EQ(o.code, 128 + SIGINT) << o.err;
  EXPECT_TRUE(has(o.err, "interrupted in chirila2025-cpu, with ")) << o.err;
  EXPECT_TRUE(has(o.err, "--out " + dir("records") + " --resume")) << o.err;
  EXPECT_EQ(names_in(dir("")), std::vector<std::string>{"records"});
  const std::vector<std::string> kept{"chirila2025-cpu.json", "chirila2025-cpu.md"};
  EXPECT_EQ(names_in(dir("records")), kept);

  std::vector<std::string> second = run;
  second[5] = "0.001";
  second.push_back("--resume");
  const Outcome rest = nonzero(second);
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_FALSE(has(rest.err, " left;")) << rest.err;
}

TEST(Interrupted, ReproduceWithoutAFolderSaysWhatWouldKeepIt) {
  const Outcome o =
      interrupt_at_work({"reproduce", "chirila2025-cpu", "--scale", "0.3", "--seconds", "5"});
  EXPECT_EQ(o.code, 128 + SIGINT) << o.err;
  EXPECT_TRUE(has(o.err, "of which nothing is kept; --out DIR")) << o.err;
}

TEST(Interrupted, BenchWithoutARecordPromisesNone) {
  const Outcome o =
      interrupt_at_work({"bench", "gen:grid:nx=30,ny=30", "--kernels", "cpu/csr/*", "--time-limit",
                         "2", "--noise", "0", "--max-samples", "100000", "--buffer", "1"});
  EXPECT_EQ(o.code, 128 + SIGINT) << o.err;
  EXPECT_TRUE(has(o.err, "--json FILE would keep it")) << o.err;
  EXPECT_FALSE(has(o.err, "--resume")) << o.err;
}

}  // namespace
}  // namespace nz::test
