#include "plan/tuning/tuning.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "plan/tuning/device_table.hpp"
#include "plan/tuning/h200.hpp"
#include "support/temp_dir.hpp"

// Tables of constants: which one a device gets, and what files may say.
namespace nz::test {
namespace {

const DeviceInfo h200{.device = {Device::Kind::cuda, 0},
                      .description = "NVIDIA H200",
                      .processors = 132,
                      .cache_bytes = 62'914'560};

TEST(Tuning, AnH200HasItsOwnTable) {
  EXPECT_TRUE(is_h200(h200));
  EXPECT_EQ(built_in_tuning(h200, 1e12), h200_tuning);
  EXPECT_EQ(built_in_tuning({.device = emulator_device}, 1e12), h200_tuning) << "it stands for one";
  DeviceInfo other = h200;
  other.description = "NVIDIA GH200 480GB";
  EXPECT_FALSE(is_h200(other));
  other = h200;
  other.processors = 16;
  EXPECT_FALSE(is_h200(other)) << "a part of one";
}

TEST(Tuning, OthersAreScaledByWhatTheyHave) {
  for (const GpuFigures& f : {h200_told, h200_measured})
    EXPECT_EQ(scaled_from_h200(f, f), h200_tuning) << "an H200's own figures";
  const GpuFigures f{h200_told.bytes_per_second / 2, 3 * h200_told.launch_seconds,
                     h200_told.cache_bytes / 4, h200_told.processors / 8};
  const GpuTuning t = scaled_from_h200(f, h200_told);
  EXPECT_DOUBLE_EQ(t.megabyte, 2 * h200_tuning.megabyte);
  EXPECT_DOUBLE_EQ(t.compact_setup_step, 2 * h200_tuning.compact_setup_step);
  EXPECT_DOUBLE_EQ(t.launch, 3 * h200_tuning.launch);
  EXPECT_DOUBLE_EQ(t.next_pick, 3 * h200_tuning.next_pick);
  EXPECT_DOUBLE_EQ(t.slab_sums, h200_tuning.slab_sums / 4);
  EXPECT_DOUBLE_EQ(t.adaptive_fewest_rows, h200_tuning.adaptive_fewest_rows / 8);
  EXPECT_DOUBLE_EQ(t.small_matrix, 1.5 * h200_tuning.small_matrix)
      << "half as many entries a second for three times as long";
  EXPECT_EQ(t.hubs, h200_tuning.hubs);
  EXPECT_EQ(t.sell_most_slots, h200_tuning.sell_most_slots);

  DeviceInfo unknown{.device = {Device::Kind::cuda, 0}, .description = "another"};
  EXPECT_EQ(built_in_tuning(unknown, 0), h200_tuning) << "nothing else is known of it";
  unknown.cache_bytes = h200.cache_bytes / 2;
  EXPECT_DOUBLE_EQ(built_in_tuning(unknown, 0).slab_sums, h200_tuning.slab_sums / 2);
  EXPECT_DOUBLE_EQ(built_in_tuning(unknown, h200_told.bytes_per_second / 2).megabyte,
                   h200_tuning.megabyte * 2);
}

template <class Tuning>
void expect_named(const Tuning& tuning) {
  std::set<std::string> names;
  for (const Constant<Tuning>& c : constants(tuning)) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_GT(tuning.*c.value, 0) << c.name;
    Tuning other = tuning;
    other.*c.value += 1;
    EXPECT_FALSE(other == tuning) << c.name;
  }
  EXPECT_EQ(names.size() * sizeof(double), sizeof(Tuning)) << "every constant once";
  EXPECT_EQ(tuning_of<Tuning>(numbers_of(tuning)), tuning);
}
TEST(Tuning, EveryConstantHasANameAndAFigure) {
  expect_named(h200_tuning);
  expect_named(CpuTuning{});
}

template <class Tuning>
std::string file_text(const std::string& key, const Tuning& tuning) {
  return text_of({key, {{"read_bytes_per_second", 1.5e12}}, numbers_of(tuning)});
}

// The table that a plan would take where the file says so.
class Files : public testing::Test {
 protected:
  void put(const DeviceInfo& device, const std::string& text) const {
    const auto file = table_file(dir_(""), table_key(device));
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  GpuTuning gpu() const { return gpu_tuning_in(dir_(""), h200); }
  CpuTuning cpu() const { return cpu_tuning_in(dir_("")); }

  TempDir dir_;
};
using TuningFiles = Files;

TEST_F(TuningFiles, AreReadWhereTheyAre) {
  EXPECT_EQ(gpu(), h200_tuning) << "there is none";
  EXPECT_EQ(cpu(), CpuTuning{});
  GpuTuning fast = h200_tuning;
  fast.megabyte = 0.1e6;
  put(h200, file_text(table_key(h200), fast));
  EXPECT_EQ(gpu(), fast);
  CpuTuning slow;
  slow.far_line = 1.0 / 3;
  put({}, file_text(table_key({}), slow));
  EXPECT_EQ(cpu(), slow) << "to the last bit";
  EXPECT_EQ(gpu_tuning_in("", h200), h200_tuning) << "no folder";
  EXPECT_EQ(gpu_tuning_in(dir_("nowhere"), h200), h200_tuning);
}

TEST_F(TuningFiles, OfAnotherDeviceCountAsNone) {
  GpuTuning fast = h200_tuning;
  fast.megabyte = 0.1e6;
  DeviceInfo other = h200;
  other.processors = 16;
  put(h200, file_text(table_key(other), fast));
  EXPECT_EQ(gpu(), h200_tuning);
  put(h200, file_text(table_key(h200), CpuTuning{}));
  EXPECT_EQ(gpu(), h200_tuning) << "a processor's constants";
}

TEST_F(TuningFiles, ThatAreBrokenCountAsNone) {
  GpuTuning fast = h200_tuning;
  fast.megabyte = 123456;
  const std::string whole = file_text(table_key(h200), fast);
  const auto with = [&](const std::string& from, const std::string& to) {
    const std::size_t at = whole.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return std::string(whole).replace(at, from.size(), to);
  };
  put(h200, whole);
  ASSERT_EQ(gpu(), fast);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 97) {
    put(h200, whole.substr(0, length));
    EXPECT_EQ(gpu(), h200_tuning) << length;
  }
  for (const std::string& text :
       {with("nonzero-device/1", "nonzero-device/2"), with("123456", "-1"), with("123456", "0"),
        with("123456", "1e300"), with("123456", "1e999"), with("123456", "null"),
        with("123456", "\"1\""), with("123456", "[1]"), with("123456", "{\"a\": 1}"),
        with("\"megabyte\"", "\"megabytes\""), with("\"launch\"", "\"megabyte\""),
        with("\"megabyte\": 123456,", ""), with("\"measured\"", "\"constants\""),
        with("\"schema\"", "\"scheme\""), with("\"megabyte\"", "\"more\": 1, \"megabyte\""),
        whole + "x", std::string("[]"), std::string("1"), std::string(1 << 17, ' ') + whole}) {
    put(h200, text);
    EXPECT_EQ(gpu(), h200_tuning) << text.substr(0, 200);
  }
  std::filesystem::remove(table_file(dir_(""), table_key(h200)));
  std::filesystem::create_directories(table_file(dir_(""), table_key(h200)));
  EXPECT_EQ(gpu(), h200_tuning) << "a folder";
}

TEST(Tuning, NumbersThatAModelCannotUseAreRefused) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    NamedNumbers numbers = numbers_of(CpuTuning{});
    numbers.back().second = bad;
    EXPECT_THROW(tuning_of<CpuTuning>(numbers), BadInput) << bad;
  }
  NamedNumbers twice = numbers_of(CpuTuning{});
  twice.back() = twice.front();
  EXPECT_THROW(tuning_of<CpuTuning>(twice), BadInput);
}

}  // namespace
}  // namespace nz::test
