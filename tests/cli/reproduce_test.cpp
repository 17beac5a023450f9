#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>

#include "support/devices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// The experiments of the papers on tiny matrices: the layout is the papers', the figures of the
// papers are there, and ours are where they belong. How fast anything is, is not looked at.
namespace nz::test {
namespace {

using Json = nlohmann::json;

TEST(Reproduce, ListsTheExperiments) {
  const Outcome o = nonzero({"reproduce"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("chirila2025-cpu"), std::string::npos) << o.out;
  for (const char* paper : {"messa2025", "dinoia2025", "mazzucchi2025", "izawa2023"})
    EXPECT_NE(o.out.find(paper), std::string::npos) << o.out;
}

TEST(Reproduce, RefusesWhatItDoesNotKnow) {
  const Outcome o = nonzero({"reproduce", "chirila"});
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("there are: all, chirila2025, chirila2025-cpu, chirila2025-gpu, messa2025"),
            std::string::npos)
      << o.err;
  EXPECT_EQ(nonzero({"reproduce", "chirila2025-cpu", "--scale", "0"}).code, 2);
  EXPECT_EQ(nonzero({"reproduce", "chirila2025-cpu", "--scale", "5"}).code, 2);
  EXPECT_EQ(nonzero({"reproduce", "chirila2025-cpu", "--seconds", "-1"}).code, 2);
}

class ReproduceChirila : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TempDir dir;
    const Outcome o =
        nonzero({"reproduce", "chirila2025-cpu", "--scale", "0.01", "--seconds", "0", "--threads",
                 "2", "--json", dir("r.json"), "--markdown", dir("r.md")},
                {{"OMP_WAIT_POLICY", "passive"}});
    ASSERT_EQ(o.code, 0) << o.err;
    text = o.out;
    record = Json::parse(read_file(dir("r.json")));
    markdown = read_file(dir("r.md"));
  }

  static const Json& table(const std::string& start) {
    for (const Json& t : record["tables"])
      if (t["title"].get<std::string>().starts_with(start)) return t;
    ADD_FAILURE() << "no " << start;
    return record;
  }
  static const Json& line(const Json& table, const std::string& label) {
    for (const Json& l : table["lines"])
      if (l["label"] == label) return l;
    ADD_FAILURE() << "no line " << label;
    return record;
  }

  static inline std::string text, markdown;
  static inline Json record;
};

TEST_F(ReproduceChirila, HasAllTablesInThePapersLayout) {
  for (const char* title : {"Table 1", "Table 2", "Table 3", "Table 5", "Table 6"}) {
    EXPECT_NE(text.find(title), std::string::npos) << title;
    EXPECT_NE(markdown.find(std::string("## ") + title), std::string::npos) << title;
  }
  EXPECT_EQ(table("Table 1")["columns"],
            (Json{"1", "2", "4", "8", "16", "32", "64"}));  // the paper's, and ours among them
  EXPECT_EQ(table("Table 2")["columns"],
            (Json{"1", "8", "32", "64", "128", "256", "512", "1024", "2048", "8192", "32768"}));
  EXPECT_EQ(table("Table 3")["columns"].back(), "65536");  // half of two processors
  EXPECT_EQ(table("Table 6")["lines"].size(), 6u);
  EXPECT_EQ(line(table("Section 5.1.3"), "block-band")["paper"]["BSR (MB)"], 417.82);
  EXPECT_EQ(line(table("Section 5.1.3"), "block-band")["here"]["blocks"], 64 * 3);
  EXPECT_GT(table("Figure 1")["notes"][0].get<std::string>().size(), 500u) << "a picture";
}

TEST_F(ReproduceChirila, PutsThePapersFiguresBesideOurs) {
  const Json& naive = line(table("Table 1"), "Naive Intra-Row Splits");
  EXPECT_EQ(naive["paper"]["64"], 139.97);
  EXPECT_EQ(naive["paper"].size(), 7u);
  EXPECT_EQ(naive["here"].size(), 3u);  // 1, 2 and 4 threads
  for (const auto& [threads, seconds] : naive["here"].items())
    EXPECT_GT(seconds.get<double>(), 0) << threads;
  const Json& tasks = line(table("Table 2"), "Fixed-Size Tasks");
  EXPECT_EQ(tasks["paper"]["2048"], 81.13);
  EXPECT_EQ(tasks["here"].size(), 11u);
  EXPECT_EQ(line(table("Table 3"), "Fixed-Size Tasks")["here"].size(), 12u);
  const Json& last = line(table("Table 5"), "64");
  EXPECT_EQ(last["paper"]["Adapted for GPU Porting"], 3.26);
  EXPECT_TRUE(last["here"].empty());
  // Table 6 follows from table 5 here; there it is as printed.
  const Json& speedup = line(table("Table 6"), "1 to 2");
  EXPECT_EQ(speedup["paper"]["Preprocessed Fixed-Size Tasks"], 1.850);
  EXPECT_EQ(line(table("Table 6"), "2 to 4")["paper"]["Preprocessed Fixed-Size Tasks"], 1.807);
  EXPECT_EQ(speedup["paper"]["Adapted for GPU Porting"], 1.999);
  const double one = line(table("Table 5"), "1")["here"]["Adapted for GPU Porting"];
  const double two = line(table("Table 5"), "2")["here"]["Adapted for GPU Porting"];
  EXPECT_DOUBLE_EQ(speedup["here"]["Adapted for GPU Porting"], one / two);
}

TEST_F(ReproduceChirila, RecordsEveryTrial) {
  EXPECT_EQ(record["schema"], "nonzero-reproduction/1");
  for (const char* key : {"commit", "dirty", "compiler", "build_type", "machine", "environment",
                          "experiment", "scale", "seconds"})
    EXPECT_TRUE(record.contains(key)) << key;
  int measured = 0;
  for (const Json& r : record["results"]) {
    EXPECT_NE(r["status"], "wrong") << r;
    if (r["status"] != "ok") continue;
    ++measured;
    EXPECT_FALSE(r["samples_s"].empty()) << r;
    EXPECT_GT(r["median_s"].get<double>(), 0) << r;
    EXPECT_EQ(r["nnz"], 320 * 5 * 3) << r;  // three blocks of 5 a row
    if (r["kernel"].get<std::string>().starts_with("cpu/bsr")) {
      EXPECT_EQ(r["parameters"]["block_rows"], 5) << r;
      EXPECT_EQ(r["parameters"]["block_cols"], 5) << r;
    }
  }
  EXPECT_GE(measured, 7 * 3 + 4 * (10 + 11));  // table 1 and flat index; tables 2 and 3
}

// Of a small matrix it shows the figures that conclusions rest on, and concludes nothing. Verdicts
// are tested with the paper's own figures (tests/bench).
TEST_F(ReproduceChirila, ShowsWhatConclusionsRestOn) {
  ASSERT_GE(record["claims"].size(), 14u);
  bool creation = false;
  for (const Json& c : record["claims"]) {
    EXPECT_FALSE(c["paper"].is_null()) << c;
    const std::string about = c["text"];
    if (about.find("serial task creation") != std::string::npos) {
      creation = true;
      EXPECT_NEAR(c["paper"], 81.13 / 0.83, 1e-9);
      EXPECT_GT(c["here"], 0);
    }
    EXPECT_TRUE(c["holds"].is_null()) << c;
  }
  EXPECT_TRUE(creation);
  EXPECT_NE(text.find("holds here"), std::string::npos);
  EXPECT_NE(text.find("nothing is concluded"), std::string::npos);
  EXPECT_NE(text.find("not judged"), std::string::npos);
  EXPECT_NE(markdown.find("Which conclusions hold here"), std::string::npos);
}

// As the paper has it: batches of 200 with alpha and beta.
TEST_F(ReproduceChirila, TimesBatchesAsThePaper) {
  EXPECT_NE(record["facts"].dump().find("runs of 200 products, y = 0.5 A x + 0.5 y"),
            std::string::npos);
  for (const Json& r : record["results"])
    if (r["status"] == "ok") {
      EXPECT_EQ(r["samples_s"].size(), 1u) << r;
      EXPECT_EQ(r["multiplies_a_sample"], 200) << r;
    }
  EXPECT_EQ(record["batch"], 200);
}

Outcome in_batches(const std::vector<std::string>& more) {
  std::vector<std::string> words = {
      "reproduce", "chirila2025-cpu", "--scale", "0.0001", "--seconds", "0", "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return nonzero(words, {{"OMP_WAIT_POLICY", "passive"}});
}

// The tables have seconds of 200 products whatever the batch; the record says how many it timed,
// and so does what is told of it again.
TEST(Reproduce, TimesSmallerBatches) {
  const TempDir dir;
  const Outcome o = in_batches({"--batch", "20", "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string said = "times: the median of up to 5 runs of 20 products, times 10, y = 0.5";
  EXPECT_TRUE(has(o.out, said)) << o.out;
  const Json record = Json::parse(read_file(dir("r.json")));
  EXPECT_EQ(record["batch"], 20);
  double one = 0;
  for (const Json& r : record["results"]) {
    if (r["status"] != "ok") continue;
    EXPECT_EQ(r["multiplies_a_sample"], 20) << r;
    if (r["kernel"] == "cpu/bsr/flat-index" && r["threads"] == 1) one = r["median_s"];
  }
  const auto cell = [](const Json& told) {
    for (const Json& t : told["tables"])
      if (t["title"].get<std::string>().starts_with("Table 5"))
        return t["lines"][0]["here"]["Adapted for GPU Porting"].get<double>();
    return 0.0;
  };
  EXPECT_GT(one, 0);
  EXPECT_DOUBLE_EQ(cell(record), 200 * one);
  const Outcome again = nonzero({"reproduce", "--from", dir("r.json"), "--json", dir("s.json")});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.out, said)) << again.out;
  const Json told = Json::parse(read_file(dir("s.json")));
  EXPECT_EQ(told["batch"], 20);
  EXPECT_EQ(told["results"], record["results"]);
  EXPECT_DOUBLE_EQ(cell(told), cell(record));
}

TEST(Reproduce, GoesOnInBatchesOfTheSameSizeAlone) {
  const TempDir dir;
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--out", dir("out"), "--resume"});
    const Outcome o = in_batches(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return has(o.err, "has it");
  };
  EXPECT_FALSE(run({"--batch", "2"}));
  EXPECT_TRUE(run({"--batch", "2"}));
  EXPECT_FALSE(run({"--batch", "1"}));
  EXPECT_FALSE(run({"--single"})) << "is not a batch of one";
  EXPECT_TRUE(run({"--single"}));
  EXPECT_TRUE(has(read_file(dir("out/chirila2025-cpu.md")), "the median of one product, y = A x"));
  EXPECT_FALSE(run({})) << "the paper's 200";
  EXPECT_EQ(in_batches({"--batch", "2", "--single"}).code, 2);
  EXPECT_EQ(in_batches({"--batch", "0"}).code, 2);
}

TEST(Reproduce, ListsWhatIsThereOfThePapers) {
  const Outcome all = nonzero({"reproduce", "--coverage"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_NE(all.out.find("Listing 18"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("illustration"), std::string::npos) << all.out;
  const Outcome one = nonzero({"reproduce", "izawa2023", "--coverage"});
  EXPECT_EQ(one.out.find("Listing 18"), std::string::npos) << one.out;
  EXPECT_EQ(nonzero({"reproduce", "nobody", "--coverage"}).code, 2);
}

// Records of before are told again: the same trials, the conclusions of today.
TEST(Reproduce, TellsARecordAgain) {
  const TempDir dir;
  const std::string record = NZ_SOURCE_DIR "/results/h200/mazzucchi2025.json";
  const Outcome o =
      nonzero({"reproduce", "--from", record, "--json", dir("r.json"), "--out", dir("again")});
  ASSERT_EQ(o.code, 0) << o.err;
  const Json before = Json::parse(read_file(record)), after = Json::parse(read_file(dir("r.json")));
  EXPECT_EQ(after["results"], before["results"]);
  EXPECT_EQ(after["machine"], before["machine"]);
  EXPECT_EQ(after["commit"], before["commit"]);
  EXPECT_TRUE(after.contains("retold_by"));
  EXPECT_EQ(Json::parse(read_file(dir("again/mazzucchi2025.json"))), after);
  const auto cell = [](const Json& r, const char* column) {
    return r["tables"][0]["lines"][0]["here"][column];
  };
  for (const char* column :
       {"on all threads", "Naive CPU", "OpenMP", "Thread/Row", "gpu/csr/balanced"})
    EXPECT_EQ(cell(after, column), cell(before, column)) << column;
  // Records of before have the conversion on all threads where that on one stands now.
  Json older = before;
  Json& line = older["tables"][0]["lines"][0]["here"];
  line["COO to CSR"] = line["on all threads"];
  line.erase("on all threads");
  const Outcome moved = nonzero(
      {"reproduce", "--from", dir.write("older.json", older.dump()), "--json", dir("moved.json")});
  ASSERT_EQ(moved.code, 0) << moved.err;
  const Json told_older = Json::parse(read_file(dir("moved.json")));
  EXPECT_EQ(cell(told_older, "on all threads"), cell(before, "on all threads"));
  EXPECT_FALSE(told_older["tables"][0]["lines"][0]["here"].contains("COO to CSR"));
  const std::string commit = before["commit"].get<std::string>().substr(0, 7);
  EXPECT_NE(o.out.find("told again from the record of commit " + commit), std::string::npos)
      << o.out;
  // The others, too: what was judged, and is still a conclusion, is judged as it was or anew.
  for (const char* name : {"messa2025", "dinoia2025", "izawa2023"}) {
    const std::string file = std::string(NZ_SOURCE_DIR "/results/h200/") + name + ".json";
    const Outcome told = nonzero({"reproduce", name, "--from", file, "--json", dir("one.json")});
    ASSERT_EQ(told.code, 0) << told.err;
    const Json old = Json::parse(read_file(file)), now = Json::parse(read_file(dir("one.json")));
    EXPECT_EQ(now["results"], old["results"]) << name;
    std::map<std::string, bool> judged;
    for (const Json& c : now["claims"]) judged[c["text"]] = !c["holds"].is_null();
    std::size_t same = 0;
    for (const Json& c : old["claims"])
      if (const auto found = judged.find(c["text"].get<std::string>()); found != judged.end()) {
        ++same;
        EXPECT_EQ(found->second, !c["holds"].is_null()) << c;
      }
    EXPECT_GT(same, 10u) << name;
  }
  // A record is not replaced by what is told of it, and names are looked at first.
  const std::string copy = dir.write("mazzucchi2025.json", read_file(record));
  for (const char* option : {"--json", "--markdown", "--out"}) {
    const Outcome refused =
        nonzero({"reproduce", "--from", copy, option, option[2] == 'o' ? dir("") : copy});
    EXPECT_EQ(refused.code, 2) << option << refused.err;
    EXPECT_TRUE(has(refused.err, "one would overwrite the other")) << refused.err;
    EXPECT_EQ(refused.out, "") << option;
  }
  EXPECT_EQ(read_file(copy), read_file(record));
  const Outcome nowhere = nonzero({"reproduce", "--from", record, "--markdown", dir("no/r.md")});
  EXPECT_EQ(nowhere.code, 3);
  EXPECT_EQ(nowhere.out, "");
  // Whatever is not such a record is refused, and so is another experiment's name.
  EXPECT_EQ(nonzero({"reproduce", "messa2025", "--from", record}).code, 2);
  EXPECT_EQ(nonzero({"reproduce", "--from", dir("none.json")}).code, 3);
  dir.write("broken.json", "{");
  EXPECT_EQ(nonzero({"reproduce", "--from", dir("broken.json")}).code, 3);
  dir.write("other.json", R"({"schema": "nonzero-record/1"})");
  const Outcome other = nonzero({"reproduce", "--from", dir("other.json")});
  EXPECT_EQ(other.code, 3);
  EXPECT_NE(other.err.find("other.json: not the record"), std::string::npos) << other.err;
}

// What the tables of the GPU are made of is tested with made-up figures (tests/bench); here that
// the experiment runs, verifies what it launches and times nothing.
class ReproduceChirilaGpu : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!has_emulator()) return;
    const TempDir dir;
    const Outcome o = nonzero({"reproduce", "chirila2025-gpu", "--device", "emu", "--scale",
                               "0.004", "--json", dir("r.json")});
    ASSERT_EQ(o.code, 0) << o.err;
    text = o.out;
    record = Json::parse(read_file(dir("r.json")));
  }
  void SetUp() override { NZ_NEEDS_EMULATOR(); }

  static inline std::string text;
  static inline Json record;
};

TEST_F(ReproduceChirilaGpu, VerifiesEveryLaunchOfThePaper) {
  std::map<std::string, std::set<int>> sizes;
  std::set<int> limits;
  std::map<int, std::set<int>> rows;  // at once, by the places that listing 12 calls from
  std::set<std::pair<int, int>> shapes;
  bool fused = false, low = false;
  for (const Json& r : record["results"]) {
    EXPECT_EQ(r["status"], "ok") << r;
    EXPECT_FALSE(r.contains("median_s")) << r;
    const Json& p = r["parameters"];
    shapes.insert({r["facts"]["block_rows"].get<int>(), r["facts"]["block_cols"].get<int>()});
    EXPECT_TRUE(r["facts"]["block_rows"] == 5 || r["kernel"] == "gpu/bsr/vector") << r;
    if (!p.contains("threads")) continue;
    sizes[r["kernel"]].insert(p["threads"].get<int>());
    fused = fused || p["fused"] == 1;
    low = low || p["blocks_per_sm"] == 1;
    if (r["kernel"] != "gpu/bsr/vector") continue;
    limits.insert(p["registers"].get<int>());
    rows[p["calls"].get<int>()].insert(p["rows_at_once"].get<int>());
  }
  for (const char* kernel :
       {"gpu/bsr/row-major", "gpu/bsr/thread-private", "gpu/bsr/team", "gpu/bsr/vector"})
    EXPECT_EQ(sizes[kernel], (std::set{32, 64, 128, 256, 512, 1024})) << kernel;
  EXPECT_EQ(limits, (std::set{0, 32, 64}));
  // The kernel heeds four with eight rows alone: the study of rows has one for all.
  EXPECT_EQ(rows, (std::map<int, std::set<int>>{{1, {1, 2, 4, 5, 8, 16}}, {4, {8}}}));
  EXPECT_EQ(shapes,
            (std::set<std::pair<int, int>>{{5, 5}, {16, 1}, {1, 16}, {2, 8}, {8, 2}, {3, 7}}));
  EXPECT_TRUE(fused);
  EXPECT_TRUE(low);
}

TEST_F(ReproduceChirilaGpu, HasThePapersTablesWithoutTimesOfOurs) {
  EXPECT_EQ(record["device"], "emu");
  ASSERT_EQ(record["tables"].size(), 12u);
  EXPECT_TRUE(record["tables"][0]["title"].get<std::string>().starts_with("Table 4:"));
  int number = 6;
  for (const Json& t : record["tables"]) {
    const std::string title = t["title"];
    if (number > 6 && number <= 13) {
      EXPECT_TRUE(title.starts_with("Table " + std::to_string(number))) << title;
    }
    ++number;
    for (const Json& line : t["lines"]) EXPECT_FALSE(line["here"].contains("Time (s)")) << line;
  }
  EXPECT_EQ(record["tables"][1]["lines"][0]["paper"]["Time (s)"], 10.053);
  EXPECT_NE(text.find("the emulator verifies"), std::string::npos) << text;
  for (const Json& c : record["claims"]) EXPECT_TRUE(c["holds"].is_null()) << c;
}

TEST(ReproduceGpu, SaysWhereItRuns) {
  const Outcome away = nonzero({"reproduce", "chirila2025-gpu", "--device", "cuda:77"});
  EXPECT_EQ(away.code, 4);
  EXPECT_NE(away.err.find("cuda:77: "), std::string::npos) << away.err;
  const Outcome cpu = nonzero({"reproduce", "chirila2025-gpu", "--device", "cpu"});
  EXPECT_EQ(cpu.code, 2);
  EXPECT_NE(cpu.err.find("runs on a GPU or on the emulator"), std::string::npos) << cpu.err;
  if (has_emulator()) {
    EXPECT_EQ(nonzero({"reproduce", "chirila2025-cpu", "--device", "emu"}).code, 2);
    EXPECT_EQ(nonzero({"reproduce", "chirila2025-gpu", "--device", "emu", "--scale", "5"}).code, 2);
  }
  const auto all = devices();
  if (std::none_of(all.begin(), all.end(),
                   [](const DeviceInfo& d) { return d.device.kind == Device::Kind::cuda; })) {
    const Outcome none = nonzero({"reproduce", "chirila2025-gpu"});
    EXPECT_EQ(none.code, 4);
    EXPECT_NE(none.err.find("cuda:0: "), std::string::npos) << none.err;
  }
}

// Tiny symmetric matrices take the place of two stand-ins: the file of one stores a half, as the
// paper's; that of the other, which cannot say that it is symmetric, is whole.
TEST(ReproduceIzawa, VerifiesBothProductsOfEveryFormat) {
  NZ_NEEDS_EMULATOR();
  const TempDir dir;
  dir.write("msc00726.mtx",
            "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 1 3\n3 3 4\n");
  write_matrix(dir("spaceStation_4.nzb"), generate("grid:nx=48,ny=48").matrix.view());
  const Outcome o = nonzero({"reproduce", "izawa2023", "--device", "emu", "--scale", "0.005",
                             "--matrices", dir(""), "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  const Json record = Json::parse(read_file(dir("r.json")));
  EXPECT_EQ(record["device"], "emu");
  std::map<std::string, std::set<std::string>> ops;
  std::set<int> blocks, leaves, orders;
  bool from_file = false, halved = false;
  for (const Json& r : record["results"]) {
    EXPECT_EQ(r["status"], "ok") << r;
    EXPECT_EQ(r["type"], "f32") << r;
    EXPECT_FALSE(r.contains("median_s")) << r;
    ops[r["kernel"]].insert(r["op"].get<std::string>());
    const Json& p = r["parameters"];
    if (r["kernel"] == "gpu/gcsb/thread-per-block") {
      blocks.insert(p["beta"].get<int>());
      leaves.insert(p["leave"].get<int>());
    }
    if (r["kernel"] == "gpu/csb-baseline/thread-per-block") orders.insert(p["order"].get<int>());
    if (r["matrix"] == "msc00726") {
      from_file = true;
      EXPECT_EQ(r["nnz"], 4) << r;
    }
    if (r["matrix"] == "spaceStation_4") {
      halved = true;
      EXPECT_EQ(r["nnz"], 48 * 48 + 2 * 47 * 48) << r;
    }
  }
  EXPECT_TRUE(from_file);
  EXPECT_TRUE(halved);
  for (const char* kernel :
       {"gpu/coo/scatter", "gpu/ecsb/coo-based", "gpu/csr/thread-per-row-scatter",
        "gpu/csb-baseline/thread-per-block", "gpu/gcsb/thread-per-block", "gpu/gcsb/jagged",
        "gpu/ell/thread-per-row-row-major", "gpu/ell/thread-per-row"})
    EXPECT_EQ(ops[kernel], (std::set<std::string>{"N", "T"})) << kernel;
  EXPECT_EQ(leaves, (std::set{0, 1}));
  EXPECT_EQ(orders, (std::set{0, 1}));
  EXPECT_EQ(blocks, (std::set{8, 16, 32, 64, 128}));

  ASSERT_EQ(record["tables"].size(), 22u);
  EXPECT_EQ(record["tables"][6]["lines"][0]["paper"]["CSR T"], 0.75);
  const Json& named = record["tables"][11]["lines"];
  EXPECT_EQ(named[0]["label"], "msc00726");
  EXPECT_EQ(named[1]["label"], "spaceStation_4");
  for (const Json& c : record["claims"]) EXPECT_TRUE(c["holds"].is_null()) << c;
  EXPECT_NE(o.out.find("nothing is concluded"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace nz::test
