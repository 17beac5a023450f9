// --device, devices and sweep.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/registry.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "support/devices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

TEST(Devices, AreListedWithTheirMemory) {
  const Outcome o = nonzero({"devices", "--buffer", "1", "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = json::parse(o.out);
  const json& cpu = r["devices"][0];
  EXPECT_EQ(cpu["device"], "cpu");
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  EXPECT_EQ(cpu["memory_bytes"].get<double>(), there);
  EXPECT_GT(cpu["free_bytes"], 1 << 20);
  EXPECT_LE(cpu["free_bytes"].get<double>(), there);
  EXPECT_GT(cpu["read_bytes_per_second"], 1e6);
  EXPECT_LT(cpu["read_bytes_per_second"], 1e13);
  EXPECT_EQ(r["why_no_cuda"], why_no_cuda());
  EXPECT_EQ(r["devices"].size(), devices().size());
  for (const json& d : r["devices"])
    if (d["device"] == "emu") {
      EXPECT_FALSE(d.contains("read_bytes_per_second")) << "for truth, not for speed";
    }
  const Outcome quick = nonzero({"devices", "--quick"});
  EXPECT_EQ(quick.code, 0);
  EXPECT_FALSE(has(quick.err, "measuring")) << quick.err;
  if (!why_no_cuda().empty()) {
    EXPECT_TRUE(has(quick.out, "no CUDA device: " + why_no_cuda())) << quick.out;
  }
}

TEST(Devices, OneThatIsNotThereIsSaid) {
  for (const char* command : {"bench", "check", "run"}) {
    const Outcome wrong = nonzero({command, "gen:grid:nx=5,ny=5", "--device", "tpu"});
    EXPECT_EQ(wrong.code, 2) << command;
    EXPECT_TRUE(has(wrong.err, "no device 'tpu'")) << wrong.err;
    const Outcome far = nonzero({command, "gen:grid:nx=20000,ny=20000", "--device", "cuda:77"});
    EXPECT_EQ(far.code, 4) << command;
    EXPECT_TRUE(has(far.err, "cuda:77: ")) << far.err;
    EXPECT_FALSE(has(far.err, "generated"));
  }
}

TEST(Devices, KernelsOfAnotherDeviceAreAnErrorThatSaysWhere) {
  NZ_NEEDS_EMULATOR();
  const Outcome gpu = nonzero({"bench", "gen:grid", "--kernels", "gpu/csr/*"});
  EXPECT_EQ(gpu.code, 2);
  EXPECT_TRUE(has(gpu.err, "'gpu/csr/*' matches no kernel that runs on cpu")) << gpu.err;
  EXPECT_TRUE(has(gpu.err, "--device cuda or emu")) << gpu.err;
  const Outcome cpu = nonzero({"check", "gen:grid", "--kernels", "cpu/*", "--device", "emu"});
  EXPECT_EQ(cpu.code, 2);
  EXPECT_TRUE(has(cpu.err, "needs --device cpu")) << cpu.err;
  const Outcome one = nonzero({"run", "gen:grid", "--kernel", "cpu/csr/serial", "--device", "emu"});
  EXPECT_EQ(one.code, 2);
  EXPECT_TRUE(has(one.err, "cpu/csr/serial does not run on emu: it needs --device cpu")) << one.err;
}

TEST(Devices, AGpuKernelWithoutAGpuSaysHowToRunIt) {
  NZ_NEEDS_EMULATOR();
  if (why_no_cuda().empty()) GTEST_SKIP() << "there is a GPU";
  const std::vector<std::vector<std::string>> both{
      {"run", "gen:grid:nx=20000,ny=20000", "--kernel", "gpu/csr/balanced"},
      {"sweep", "gpu/csr/balanced", "gen:grid:nx=20000,ny=20000"}};
  for (const auto& command : both) {
    const Outcome o = nonzero(command);
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_TRUE(has(o.err, "--device emu runs it on the emulator")) << o.err;
  }
}

TEST(Devices, TheEmulatorVerifiesTheWholeSuiteAndTimesNothing) {
  NZ_NEEDS_EMULATOR();
  const TempDir dir;
  const Outcome o =
      nonzero({"bench", "--suite", NZ_SOURCE_DIR "/lab/bench/suites/gpu.json", "--scale", "small",
               "--device", "emu", "--kernels", "plan,gpu/csr/adaptive", "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  EXPECT_TRUE(has(o.err, "for truth, not for speed")) << o.err;
  EXPECT_FALSE(has(o.out, "GB/s")) << o.out;
  const json r = json::parse(read_file(dir("r.json")));
  EXPECT_EQ(r["settings"]["device"], "emu");
  EXPECT_TRUE(r["bandwidth"].empty());
  EXPECT_GE(r["results"].size(), 15u * 2);
  bool planned = false;
  for (const json& one : r["results"]) {
    EXPECT_EQ(one["device"], "emu");
    EXPECT_EQ(one["status"], "ok") << one;
    EXPECT_TRUE(one["median_s"].is_null()) << one;
    EXPECT_TRUE(one["setup_s"].is_null()) << one;
    EXPECT_TRUE(one["samples_s"].empty()) << one;
    EXPECT_LE(one["worst_error"], 1);
    planned = planned || one["planned"] == true;
  }
  EXPECT_TRUE(planned);
  // One record, one device.
  const Outcome other = nonzero({"bench", "gen:grid:nx=4,ny=4", "--kernels", "cpu/csr/serial",
                                 "--resume", "--json", dir("r.json")});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(has(other.err, "the record's device is emu, here it is cpu")) << other.err;
}

TEST(Devices, CheckAndRunOnTheEmulator) {
  NZ_NEEDS_EMULATOR();
  const Outcome check = nonzero({"check", "gen:grid:nx=6,ny=6", "--device", "emu", "--json", "-"});
  ASSERT_EQ(check.code, 0) << check.err;
  const json r = json::parse(check.out);
  EXPECT_EQ(r["device"], "emu");
  EXPECT_EQ(r["results"].size(), 4 * match_kernels("gpu/*").size());
  std::size_t right = 0;
  for (const json& c : r["results"]) {
    right += c["outcome"] == "right";
    EXPECT_TRUE(c["outcome"] == "right" || c["outcome"] == "unsupported" ||
                c["outcome"] == "refused")
        << c;
  }
  EXPECT_GT(2 * right, r["results"].size());

  const TempDir dir;
  for (const char* device : {"cpu", "emu"})
    ASSERT_EQ(nonzero({"run", "gen:grid:nx=6,ny=6", "--x", "random:3", "--device", device, "-o",
                       dir(device) + ".mtx", "--json", dir(device) + ".json"})
                  .code,
              0);
  const json cpu = json::parse(read_file(dir("cpu.json"))),
             emu = json::parse(read_file(dir("emu.json")));
  EXPECT_EQ(emu["device"], "emu");
  EXPECT_TRUE(emu["multiply_seconds"].is_null()) << "never with a time";
  EXPECT_TRUE(emu["kernel"].get<std::string>().starts_with("gpu/"));
  EXPECT_NEAR(emu["norm"].get<double>(), cpu["norm"].get<double>(), 1e-12);
}

TEST(Sweep, VariesAKernelAndMarksTheBest) {
  const TempDir dir;
  const Outcome o = nonzero({"sweep", "cpu/sell/serial", "gen:grid:nx=30,ny=30", "--param",
                             "chunk=2..16", "--param", "sigma=1,64", "--time-limit", "0",
                             "--buffer", "1", "--json", dir("s.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "chunk  sigma=1  sigma=64\n")) << o.out;
  EXPECT_TRUE(has(o.out, " *")) << o.out;
  const json r = json::parse(read_file(dir("s.json")));
  EXPECT_EQ(r["schema"], "nonzero-bench/1");
  EXPECT_EQ(r["results"].size(), 8u);
  EXPECT_EQ(r["settings"]["sweep"], "cpu/sell/serial");
  // All by itself: the first two parameters over their ranges.
  const Outcome usual = nonzero({"sweep", "cpu/sell/serial", "gen:grid:nx=9,ny=9", "--time-limit",
                                 "0", "--buffer", "1", "--json", "-"});
  ASSERT_EQ(usual.code, 0) << usual.err;
  EXPECT_GE(json::parse(usual.out)["results"].size(), 25u);
}

TEST(Sweep, OnTheEmulatorEveryChoiceIsVerified) {
  NZ_NEEDS_EMULATOR();
  const Outcome o = nonzero({"sweep", "gpu/csr/thread-per-row", "gen:grid:nx=9,ny=9", "--device",
                             "emu", "--param", "threads=32..128"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "\n     32   right\n")) << o.out;
  EXPECT_FALSE(has(o.out, "GB/s")) << o.out;
}

TEST(Sweep, AWrongCommandLineIsUsage) {
  const std::vector<std::vector<std::string>> wrong{{"cpu/sell/seriel"},
                                                    {"cpu/csr/serial"},
                                                    {"cpu/sell/serial", "--param", "chunk=0"},
                                                    {"cpu/sell/serial", "--param", "no_such=1"},
                                                    {"cpu/sell/serial", "--param", "chunk=8..2"},
                                                    {"cpu/sell/serial", "--device", "tpu"},
                                                    {"cpu/sell/serial", "--time-limit", "-1"}};
  for (std::vector<std::string> arguments : wrong) {
    const std::string what = arguments.back();
    arguments.insert(arguments.begin(), "sweep");
    arguments.insert(arguments.begin() + 2, "gen:grid:nx=20000,ny=20000");
    const Outcome o = nonzero(arguments);
    EXPECT_EQ(o.code, 2) << what << ": " << o.err;
    EXPECT_FALSE(has(o.err, "generated")) << o.err;
  }
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The script for machines with a GPU, as far as it goes without one: the suite on the emulator.
TEST(GpuCheck, LeavesRecordsAndASummary) {
  NZ_NEEDS_EMULATOR();
  const TempDir dir;
  const std::string script = "'" NZ_SOURCE_DIR "/scripts/gpu-check.sh'";
  EXPECT_EQ(shell(script + " 2>/dev/null"), 2);
  EXPECT_EQ(
      shell("STEPS='suite drawn reproduce bsr' BUILD='" NZ_BINARY_DIR "' DEVICE=emu SCALE=small " +
            script + " '" + dir("out") + "' >/dev/null"),
      0);
  EXPECT_TRUE(has(read_file(dir("out/summary.txt")), "suite        ok"))
      << read_file(dir("out/summary.txt"));
  EXPECT_GT(json::parse(read_file(dir("out/suite.json")))["results"].size(), 60u);
  EXPECT_EQ(json::parse(read_file(dir("out/drawn.json")))["results"].size(), 10u * 2 * (5 + 12));
  EXPECT_GT(json::parse(read_file(dir("out/bsr.json")))["results"].size(), 60u);
  EXPECT_TRUE(json::parse(read_file(dir("out/chirila2025-gpu.json"))).is_object());
  // A step that fails is the script's failure.
  EXPECT_EQ(shell("STEPS=suite BUILD=/no/such " + script + " '" + dir("bad") + "' >/dev/null"), 1);
  EXPECT_TRUE(has(read_file(dir("bad/summary.txt")), "FAILED"));
}

TEST(GpuCheck, MeasuresSeveralVectors) {
  NZ_NEEDS_EMULATOR();
  if (shell("python3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const TempDir dir;
  EXPECT_EQ(shell("STEPS=several BUILD='" NZ_BINARY_DIR "' DEVICE=emu SCALE=small '" NZ_SOURCE_DIR
                  "/scripts/gpu-check.sh' '" +
                  dir("out") + "' >/dev/null"),
            0)
      << read_file(dir("out/several.log"));
  EXPECT_TRUE(has(read_file(dir("out/summary.txt")), "several      ok"));
  // Eight kinds of matrices: one vector, and six numbers of them in two layouts, in f32 and f64.
  const json several = json::parse(read_file(dir("out/several.json")))["results"];
  EXPECT_EQ(several.size(), 8u * 2 * (1 + 6 * 2));
  for (const json& r : several) EXPECT_EQ(r["status"], "ok") << r;
  EXPECT_GT(json::parse(read_file(dir("out/several-few.json")))["results"].size(), 60u);
  EXPECT_EQ(json::parse(read_file(dir("out/complex.json")))["matrices"].size(), 8u);
}

// What needs no program of NVIDIA's, on small matrices.
TEST(PapersEffects, LeavesRecordsAndASummary) {
  NZ_NEEDS_EMULATOR();
  const TempDir dir;
  const std::string script =
      "BUILD='" NZ_BINARY_DIR "' DEVICE=emu '" NZ_SOURCE_DIR "/scripts/papers-effects.sh' ";
  EXPECT_EQ(shell(script + ">/dev/null 2>&1"), 2);
  const std::vector<std::string> parts{"scalars", "blocks",  "bsr", "scans",   "scaling",   "rows",
                                       "cited",   "threads", "esb", "batches", "conversion"};
  std::string all;
  for (const std::string& part : parts) all += part + ' ';
  EXPECT_EQ(shell("PARTS='" + all + "' " + script + "'" + dir("out") + "' >/dev/null"), 0)
      << read_file(dir("out/log.txt"));
  const std::string summary = read_file(dir("out/summary.txt"));
  for (const std::string& part : parts) EXPECT_TRUE(has(summary, part)) << part << '\n' << summary;
  EXPECT_FALSE(has(summary, "ended with")) << summary;
  ASSERT_EQ(shell("tar -C '" + dir("out") + "' -xzf '" + dir("out/effects.tar.gz") + "'"), 0);
  // Each way of a kernel that a paper's program has.
  const json rows = json::parse(read_file(dir("out/swizzle.json")))["results"];
  EXPECT_EQ(rows.size(), 4u * 2 * 2);
  for (const json& r : rows) EXPECT_EQ(r["status"], "ok") << r;
  // All forms of ten kernels, y = A x with scalars and without, counted in 32 bits and in 64.
  const json forms = json::parse(read_file(dir("out/scalars.json")))["results"];
  EXPECT_EQ(forms.size(), 6u * 10 * 4);
  for (const json& r : forms) EXPECT_EQ(r["status"], "ok") << r;
  const json batches = json::parse(read_file(dir("out/cpu-batches.json")))["results"];
  EXPECT_GT(batches.size(), 10u);
  for (const json& r : batches) EXPECT_EQ(r["status"], "ok") << r;
  // A part that fails is the script's failure: that clock is not there.
  EXPECT_EQ(shell("PARTS=clock BUILD=/no/such " + script.substr(script.find("DEVICE")) + "'" +
                  dir("bad") + "' >/dev/null"),
            1);
  EXPECT_TRUE(has(read_file(dir("bad/summary.txt")), "ended with 1"));
}

}  // namespace
}  // namespace nz::test
