#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/devices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using Json = nlohmann::json;

// Every paper at once and in one run, since each test is a process of its own: on tiny matrices:
// nothing is wrong, every table is there with the paper's figures, and stand-ins are marked.
class ReproduceAll : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!has_emulator()) return;
    const TempDir dir;
    dir.write("neos3.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 2\n");
    const Outcome o = nonzero({"reproduce", "all", "--device", "emu", "--scale", "0.00005",
                               "--seconds", "0", "--threads", "2", "--matrices", dir(""), "--json",
                               dir("r.json"), "--out", dir("records"), "--markdown", dir("r.md")},
                              {{"OMP_WAIT_POLICY", "passive"}});
    ASSERT_EQ(o.code, 0) << o.err;
    text = o.out;
    record = Json::parse(read_file(dir("r.json")));
    markdown = read_file(dir("r.md"));
    for (const Json& r : record["reproductions"]) {
      const std::string name = r["experiment"];
      EXPECT_EQ(Json::parse(read_file(dir("records/" + name + ".json"))), r) << name;
      EXPECT_TRUE(read_file(dir("records/" + name + ".md")).starts_with("# ")) << name;
    }
  }
  void SetUp() override { NZ_NEEDS_EMULATOR(); }

  static const Json& of(const std::string& name) {
    for (const Json& r : record["reproductions"])
      if (r["experiment"] == name) return r;
    ADD_FAILURE() << "no " << name;
    return record;
  }
  static std::vector<std::string> titles(const Json& r) {
    std::vector<std::string> all;
    for (const Json& t : r["tables"])
      all.push_back(
          t["title"].get<std::string>().substr(0, t["title"].get<std::string>().find(':')));
    return all;
  }
  static std::set<std::string> kernels(const Json& r) {
    std::set<std::string> all;
    for (const Json& one : r["results"]) all.insert(one["kernel"].get<std::string>());
    return all;
  }

  static void sums_up();
  static void messa();
  static void dinoia();
  static void mazzucchi();

  static inline std::string text, markdown;
  static inline Json record;
};

void ReproduceAll::sums_up() {
  EXPECT_EQ(record["schema"], "nonzero-reproductions/1");
  EXPECT_TRUE(record["left_out"].empty());
  std::set<std::string> ran;
  for (const Json& r : record["reproductions"]) {
    ran.insert(r["experiment"].get<std::string>());
    EXPECT_GT(r["results"].size(), 10u);
    for (const Json& one : r["results"]) {
      EXPECT_NE(one["status"], "wrong") << one;
      if (one["device"] == "emu") {
        EXPECT_EQ(one["status"], "ok") << one;
        EXPECT_FALSE(one.contains("median_s")) << one;
      }
    }
    EXPECT_NE(markdown.find("# " + r["title"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(ran, (std::set<std::string>{"chirila2025-cpu", "chirila2025-gpu", "messa2025",
                                        "dinoia2025", "mazzucchi2025", "izawa2023"}));
  EXPECT_NE(text.find("conclusions that hold"), std::string::npos) << text;
}

void ReproduceAll::messa() {
  const Json& r = of("messa2025");
  EXPECT_EQ(titles(r), (std::vector<std::string>{
                           "Table I", "Table II", "Table III", "Figure 3", "Figure 3, improvement",
                           "Figure 3, improvement by times", "Figure 4", "Times", "GFLOP/s",
                           "Study", "Study", "Study", "Study", "Study", "§V-C", "Study"}));
  EXPECT_EQ(r["tables"][0]["lines"][0]["paper"]["version"], "12.3.0");
  EXPECT_EQ(r["tables"][1]["lines"][0]["paper"]["SMs"], 56);
  for (std::size_t k = 2; k + 1 < r["tables"].size(); ++k)
    ASSERT_EQ(r["tables"][k]["lines"].size(), 6u) << r["tables"][k]["title"];
  EXPECT_EQ(r["tables"].back()["lines"].size(), 2u) << "empty rows together, and where they are";
  EXPECT_EQ(r["tables"][2]["lines"][1]["label"], "ecology1 *");
  EXPECT_EQ(r["tables"][2]["lines"][1]["paper"]["nonzeros"], 2998000);
  EXPECT_EQ(r["tables"][3]["lines"][0]["paper"]["OneThreadPerRow"], 504.260651);
  EXPECT_EQ(r["tables"][4]["lines"][4]["paper"]["Hybrid"], 0.72);
  EXPECT_NEAR(r["tables"][5]["lines"][4]["paper"]["Hybrid"], 60.012955 / 30.980305 - 1, 1e-9);
  EXPECT_NE(r["tables"][6]["notes"].dump().find("* a stand-in"), std::string::npos);
  for (const char* kernel : {"one-thread-per-row", "one-warp-per-row", "coalesced-bins", "hybrid"})
    for (const char* form : {"", "-plain"})
      EXPECT_TRUE(kernels(r).contains(std::string("gpu/csr/") + kernel + form)) << kernel << form;
  // All of them as the program has them, without scalars and counted in 32 bits.
  for (const Json& one : r["results"]) {
    if (one["kernel"] == "gpu/csr/balanced") continue;
    EXPECT_EQ(one["parameters"].value("bare", 0), 1) << one;
    EXPECT_EQ(one["parameters"].value("index_bits", 0), 32) << one;
  }
  std::set<int> bounds;
  for (const Json& one : r["results"]) {
    EXPECT_EQ(one["type"], "f64");
    if (one["kernel"] == "gpu/csr/one-thread-per-row")
      bounds.insert(one["parameters"]["launch_bounds"].get<int>());
  }
  EXPECT_EQ(bounds, (std::set{-1, 0, 1, 2, 3, 4}));
  for (const char* kernel :
       {"one-thread-per-row", "one-warp-per-row", "coalesced-bins", "hybrid-plain"})
    EXPECT_TRUE(kernels(r).contains(std::string("gpu/csr/") + kernel + "-shared")) << kernel;
}

void ReproduceAll::dinoia() {
  const Json& r = of("dinoia2025");
  EXPECT_EQ(titles(r), (std::vector<std::string>{
                           "Table I", "Table II", "Figure 8", "Table III and figure 9", "Figure 10",
                           "Table IV", "Figure 11", "Figure 12", "Figure 13", "Table V",
                           "Figure 14", "Figure 15", "Study", "Study", "Figure 16", "Figure 17",
                           "Table VI", "§VII", "Study"}));
  EXPECT_NE(r["tables"][2]["notes"].dump().find("model7"), std::string::npos) << "a picture each";
  const Json& cpu = r["tables"][3];
  EXPECT_EQ(cpu["columns"], (Json{"COO (ms)", "COO (GB/s)", "CSR (ms)", "CSR (GB/s)"}));
  ASSERT_EQ(cpu["lines"].size(), 8u);
  for (const Json& l : cpu["lines"]) {
    EXPECT_EQ(l["paper"].size(), 4u) << l;
    EXPECT_EQ(l["here"].size(), 4u) << l;
  }
  EXPECT_NE(r["tables"][5]["notes"].dump().find("Not counted here"), std::string::npos);
  EXPECT_EQ(r["tables"][9]["lines"][6]["paper"]["Best kernel"], "block_jump");
  EXPECT_EQ(r["tables"][16]["lines"][6]["paper"]["Best kernel"], "ps 1024 warp equals");
  int coo = 0;
  for (const std::string& kernel : kernels(r)) coo += kernel.starts_with("gpu/coo/");
  // The baseline, maps, prefix sums, jumps, the rule, the rule that counts, and ours.
  EXPECT_EQ(coo, 1 + 4 + 10 + 2 + 3);
  std::set<int> threads, blocks;
  for (const Json& one : r["results"]) {
    EXPECT_EQ(one["type"], "f32");
    if (one["kernel"] != "gpu/coo/map-warp") continue;
    threads.insert(one["parameters"]["threads"].get<int>());
    blocks.insert(one["parameters"]["blocks"].get<int>());
  }
  EXPECT_TRUE(threads.contains(64) && blocks.contains(64));
}

void ReproduceAll::mazzucchi() {
  const Json& r = of("mazzucchi2025");
  EXPECT_EQ(titles(r), (std::vector<std::string>{"Table I", "Table II", "Figure 2", "Figure 3",
                                                 "Figure 4", "Study", "Check"}));
  const Json& table = r["tables"][0];
  ASSERT_EQ(table["lines"].size(), 10u);
  for (const Json& l : table["lines"]) {
    for (const char* column : {"COO to CSR", "Naive CPU", "OpenMP"})
      EXPECT_GT(l["here"][column].get<double>(), 0) << l;
    for (const char* column : {"COO to CSR", "Naive CPU", "OpenMP", "Thread/Row", "Warp/Row"})
      EXPECT_GT(l["paper"][column].get<double>(), 0) << l;
    EXPECT_FALSE(l["here"].contains("Thread/Row")) << "the emulator has no times";
    for (const char* column : {"columns", "symmetric", "typology"})
      EXPECT_TRUE(l["paper"].contains(column)) << l;
  }
  // The one that the folder has is no stand-in.
  EXPECT_EQ(table["lines"][6]["label"], "neos3");
  EXPECT_EQ(table["lines"][6]["here"]["nonzeros"], 2);
  EXPECT_EQ(table["lines"][7]["label"], "ins2 *");
  for (const char* kernel : {"cpu/csr/serial", "cpu/csr/omp-rows", "gpu/csr/thread-per-row",
                             "gpu/csr/warp-per-row", "gpu/csr/by-density"})
    EXPECT_TRUE(kernels(r).contains(kernel)) << kernel;
  EXPECT_NE(r["facts"].dump().find("the matrix itself: neos3"), std::string::npos);
  for (const Json& one : r["results"])
    EXPECT_EQ(one["stand_in"], one["matrix"] != "neos3.mtx") << one["matrix"];
}

TEST_F(ReproduceAll, EveryPaperOnTinyMatrices) {
  sums_up();
  messa();
  dinoia();
  mazzucchi();
}

TEST(Reproduce, GoesOnWithWhatAFolderHas) {
  const TempDir dir;
  const auto again = [&](const char* scale) {
    return nonzero({"reproduce", "chirila2025", "--device", "cpu", "--scale", scale, "--seconds",
                    "0", "--threads", "1", "--out", dir("out"), "--resume"},
                   {{"OMP_WAIT_POLICY", "passive"}});
  };
  const Outcome first = again("0.0001");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err.find("has it"), std::string::npos) << first.err;
  const std::string record = read_file(dir("out/chirila2025-cpu.json"));
  const Outcome second = again("0.0001");
  EXPECT_NE(second.err.find("chirila2025-cpu: " + dir("out") + " has it"), std::string::npos)
      << second.err;
  EXPECT_EQ(read_file(dir("out/chirila2025-cpu.json")), record);
  EXPECT_NE(second.out.find("conclusions that hold"), std::string::npos) << second.out;
  EXPECT_EQ(again("0.0002").err.find("has it"), std::string::npos) << "another scale";
  dir.write("out/chirila2025-cpu.json", "{");
  EXPECT_EQ(again("0.0002").err.find("has it"), std::string::npos) << "cut short";
  // Of this commit, but without what was measured.
  Json hollow = Json::parse(read_file(dir("out/chirila2025-cpu.json")));
  hollow.erase("results");
  dir.write("out/chirila2025-cpu.json", hollow.dump());
  const Outcome anew = again("0.0002");
  EXPECT_EQ(anew.code, 0) << anew.err;
  EXPECT_EQ(anew.err.find("has it"), std::string::npos) << anew.err;
  EXPECT_EQ(nonzero({"reproduce", "all", "--resume"}).code, 2);
}

// A long experiment in parts: each call begins nothing new after a while, the next goes on.
TEST(Reproduce, GoesOnWithWhatItsTimeHasLeft) {
  const TempDir dir;
  const auto part = [&](const char* seconds, bool resume) {
    std::vector<std::string> words = {
        "reproduce", "chirila2025-cpu", "--scale",  "0.0001",       "--seconds", "0", "--threads",
        "1",         "--out",           dir("out"), "--time-limit", seconds};
    if (resume) words.push_back("--resume");
    return nonzero(words, {{"OMP_WAIT_POLICY", "passive"}});
  };
  const auto figures = [&] {
    const Json record = Json::parse(read_file(dir("out/chirila2025-cpu.json")));
    return std::count_if(record["results"].begin(), record["results"].end(),
                         [](const Json& r) { return r.contains("median_s"); });
  };
  const Outcome first = part("0", false);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("--resume goes on with them"), std::string::npos) << first.err;
  EXPECT_EQ(figures(), 0);
  const Outcome second = part("600", true);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.err.find("goes on with"), std::string::npos) << second.err;
  EXPECT_GT(figures(), 20);
  EXPECT_NE(part("0", true).err.find("has it"), std::string::npos) << "all is there";
  EXPECT_EQ(nonzero({"reproduce", "chirila2025-cpu", "--time-limit", "5"}).code, 2)
      << "without a folder nothing would be kept";
  EXPECT_EQ(nonzero({"reproduce", "chirila2025-cpu", "--time-limit", "-1", "--out", dir("o")}).code,
            2);
}

TEST(Reproduce, TheFolderOfMatricesMustBeThere) {
  const Outcome o = nonzero({"reproduce", "mazzucchi2025", "--matrices", "/no/such/folder"});
  EXPECT_EQ(o.code, 3);
  EXPECT_NE(o.err.find("/no/such/folder: no such folder"), std::string::npos) << o.err;
}

// Without a GPU a paper's name does what the CPU can.
TEST(Reproduce, GpuPartsSayThatThereIsNoDevice) {
  const auto all = devices();
  const bool gpu = std::any_of(all.begin(), all.end(), [](const DeviceInfo& d) {
    return d.device.kind == Device::Kind::cuda;
  });
  const TempDir dir;
  const std::vector<std::string> tiny = {"--scale",   "0.00005", "--seconds", "0",
                                         "--threads", "1",       "--json",    dir("r.json")};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), tiny.begin(), tiny.end());
    return nonzero(more, {{"OMP_WAIT_POLICY", "passive"}});
  };
  // Where there is one, --device cpu leaves it alone.
  const Outcome chirila = with({"reproduce", "chirila2025", "--device", "cpu"});
  EXPECT_EQ(chirila.code, 0) << chirila.err;
  EXPECT_EQ(Json::parse(read_file(dir("r.json")))["left_out"][0]["experiment"], "chirila2025-gpu");
  const Outcome cpu = with({"reproduce", "mazzucchi2025", "--device", "cpu"});
  EXPECT_EQ(cpu.code, 0) << cpu.err;
  EXPECT_NE(cpu.out.find("no device"), std::string::npos) << cpu.out;
  const Json record = Json::parse(read_file(dir("r.json")));
  for (const Json& one : record["results"]) EXPECT_EQ(one["device"], "cpu");
  if (gpu) return;
  const Outcome none = with({"reproduce", "chirila2025"});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_NE(none.err.find("chirila2025-gpu: no device: cuda:0"), std::string::npos) << none.err;
  const Outcome nothing = with({"reproduce", "messa2025"});
  EXPECT_EQ(nothing.code, 4);
}

}  // namespace
}  // namespace nz::test
