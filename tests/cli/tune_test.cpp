// nonzero tune: a table is measured, kept, and read by plans.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plan/tuning/device_table.hpp"
#include "plan/tuning/h200.hpp"
#include "plan/tuning/tuning.hpp"
#include "support/devices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

const std::vector<std::string> tiny{"tune",      "--nonzeros", "30000",     "--buffer", "1",
                                    "--seconds", "0.001",      "--threads", "2"};

std::vector<std::string> with(std::vector<std::string> all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The variable for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

DeviceTable table_at(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return read_device_table(in);
}

TEST(Tune, KeepsTheTableWhenNobodyReads) {
  const TempDir dir;
  const Variable cache("NONZERO_CACHE", dir("cache"));
  const Outcome o = nonzero_into_closed_pipe(tiny);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  ASSERT_TRUE(std::filesystem::exists(dir("cache/tuning")));
  EXPECT_FALSE(std::filesystem::is_empty(dir("cache/tuning")));
}

TEST(Tune, MeasuresTheCpu) {
  const TempDir dir;
  const Variable cache("NONZERO_CACHE", dir("cache"));
  const Outcome o = nonzero(with(tiny, {"--json", dir("t.json")}));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "half_rate_threads")) << o.out;
  EXPECT_FALSE(std::filesystem::exists(dir("cache"))) << "a file was asked for instead";
  const DeviceTable t = table_at(dir("t.json"));
  EXPECT_EQ(t.device, table_key({}));
  const CpuTuning here = tuning_of<CpuTuning>(t.constants);
  EXPECT_FALSE(here == CpuTuning{});
  EXPECT_GT(here.thread_rate, 1e7);
  EXPECT_LT(here.thread_rate, 1e12);
  for (const Constant<CpuTuning>& c : constants(here)) {
    if (c.value == &CpuTuning::thread_rate) continue;  // as it was measured
    const double ratio = here.*c.value / CpuTuning{}.*c.value;
    EXPECT_GE(ratio, 0.0999) << c.name;
    EXPECT_LE(ratio, 10.001) << c.name;
  }
}

TEST(Tune, PlansReadWhatItKeeps) {
  const TempDir dir;
  const Variable cache("NONZERO_CACHE", dir("cache"));
  const auto predicted = [&] {
    const Outcome o = nonzero(
        {"plan", "gen:grid:nx=20,ny=20", "--threads", "2", "--deterministic", "--json", "-"});
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(o.out)["candidates"][0]["n_s"].get<double>();
  };
  const double before = predicted();
  const Outcome o = nonzero(tiny);
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string file = table_file(dir("cache"), table_key({})).string();
  EXPECT_TRUE(has(o.out, file)) << o.out;
  CpuTuning slow = cpu_tuning_in(dir("cache"));
  EXPECT_FALSE(slow == CpuTuning{});
  slow.thread_rate = 1e3;
  dir.write(std::filesystem::relative(file, dir("")).string(),
            text_of({table_key({}), {}, numbers_of(slow)}));
  EXPECT_GT(predicted(), 5);
  {
    const Variable off("NONZERO_TUNING", "off");
    EXPECT_EQ(predicted(), before);
  }
  dir.write(std::filesystem::relative(file, dir("")).string(), "{");
  EXPECT_EQ(predicted(), before) << "broken";
}

TEST(Tune, SaysWhereNothingIsKept) {
  const Variable off("NONZERO_TUNING", "off");
  const Outcome o = nonzero(tiny);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "nothing is kept")) << o.out;
}

TEST(Tune, ShowsTheBuiltInTableOfTheEmulator) {
  NZ_NEEDS_EMULATOR();
  const TempDir dir;
  const Variable cache("NONZERO_CACHE", dir("cache"));
  const Outcome o = nonzero({"tune", "--device", "emu", "--json", dir("t.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "nothing was measured")) << o.out;
  EXPECT_EQ(tuning_of<GpuTuning>(table_at(dir("t.json")).constants), h200_tuning);
  EXPECT_EQ(nonzero({"tune", "--device", "emu"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(dir("cache")));
}

TEST(Tune, SaysWhatIsWrong) {
  EXPECT_EQ(nonzero({"tune", "--device", "tpu"}).code, 2);
  EXPECT_EQ(nonzero({"tune", "--device", "cuda:77"}).code, 4);
  EXPECT_EQ(nonzero({"tune", "--nonzeros", "0"}).code, 2);
}

}  // namespace
}  // namespace nz::test
