#include "plan/planned.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "plan/tuning_cache.hpp"

namespace nz::test {
namespace {

namespace fs = std::filesystem;

class Thorough : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("nz-tuning-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    unsetenv("NONZERO_TUNING");
  }
  void TearDown() override { fs::remove_all(folder_); }

  PlanOptions options(const std::string& device = "cpu", Use use = Op::none) const {
    return {.device = device_named(device),
            .op = use,
            .effort = Effort::thorough,
            .cache = {.directory = folder_.string()}};
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (fs::exists(folder_))
      for (const auto& f : fs::recursive_directory_iterator(folder_))
        if (f.is_regular_file()) all.push_back(f.path());
    return all;
  }
  fs::path folder_;
};

TEST_F(Thorough, TakesTheFastestOfThoseItTimed) {
  const auto a = whole("grid:nx=90,ny=60");
  for (const Use use : {Use(Op::none), Use(Op::transpose), both_ops}) {
    const auto p = plan(a.view(), options("cpu", use));
    const Explanation& e = p.explain();
    int timed = 0;
    for (const Candidate& c : e.candidates) {
      if (c.measured_seconds <= 0) continue;
      ++timed;
      if (p.stores_transpose()) continue;  // N and T were timed apart
      EXPECT_GE(c.measured_seconds, e.candidates[0].measured_seconds) << c.kernel->id();
      EXPECT_GT(c.measured_setup, 0);
    }
    EXPECT_GE(timed, 2);
    EXPECT_EQ(e.candidates[0].kernel, &p.kernel());
    EXPECT_TRUE(e.candidates[0].why_not.empty());
    EXPECT_GT(e.timing, 0);
    expect_right(p, a.view());
  }
}

TEST_F(Thorough, TimesOnTheEmulatorToo) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  const auto a = whole("random:rows=150,cols=150,density=0.1");
  const auto p = plan(a.view(), options("emu", Op::transpose));
  EXPECT_GT(p.explain().candidates[0].measured_seconds, 0);
  expect_right(p, a.view());
}

TEST_F(Thorough, RemembersWhatItFound) {
  const auto a = whole("grid:nx=90,ny=60");
  const auto first = plan(a.view(), options());
  EXPECT_FALSE(first.explain().from_cache);
  ASSERT_EQ(files().size(), 1u);
  auto b = a;
  for (double& v : b.values) v += 1;  // the same structure
  const auto second = plan(b.view(), options());
  EXPECT_TRUE(second.explain().from_cache);
  EXPECT_EQ(second.kernel().id(), first.kernel().id());
  EXPECT_EQ(second.parameters(), first.parameters());
  EXPECT_EQ(second.explain().timing, 0);
  expect_right(second, b.view());
  // Another product, type, number of threads or structure is another question.
  EXPECT_FALSE(plan(a.view(), options("cpu", Op::transpose)).explain().from_cache);
  const auto c = csr_cast<float, std::int32_t>(a.view());
  EXPECT_FALSE(plan(c.view(), options()).explain().from_cache);
  PlanOptions three = options();
  three.threads = 3;
  EXPECT_FALSE(plan(a.view(), three).explain().from_cache);
  EXPECT_FALSE(plan(whole("grid:nx=60,ny=90").view(), options()).explain().from_cache);
  EXPECT_EQ(files().size(), 5u);
}

TEST_F(Thorough, TwoCopiesAreRemembered) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  const auto a = whole("grid:nx=20,ny=20");
  PlanOptions o = options("emu", both_ops);
  o.store_transpose = true;
  EXPECT_TRUE(plan(a.view(), o).stores_transpose());
  const auto again = plan(a.view(), o);
  EXPECT_TRUE(again.explain().from_cache);
  EXPECT_TRUE(again.stores_transpose());
  expect_right(again, a.view());
}

TEST_F(Thorough, ABrokenCacheIsNone) {
  const auto a = whole("grid:nx=90,ny=60");
  plan(a.view(), options());
  const fs::path file = files().at(0);
  std::ifstream in(file);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  const auto with = [&](const std::string& text) {
    std::ofstream(file) << text;
    return plan(a.view(), options()).explain().from_cache;
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_TRUE(with(good));
  EXPECT_FALSE(with(""));
  EXPECT_FALSE(with(good.substr(0, good.size() / 2)));
  EXPECT_FALSE(with("[1, 2]"));
  EXPECT_FALSE(with(replaced("cpu/", "cpu/no-such/")));
  EXPECT_FALSE(with(replaced("nonzero-tuning/1", "nonzero-tuning/0")));
  EXPECT_FALSE(with(replaced("nonzeros", "something")));
  EXPECT_TRUE(with(good));
}

TEST_F(Thorough, AFolderThatCannotBeIsNoError) {
  const auto a = whole("grid:nx=90,ny=60");
  std::ofstream(folder_.string()) << "a file";
  const auto p = plan(a.view(), options());
  EXPECT_FALSE(p.explain().from_cache);
  expect_right(p, a.view());
}

TEST_F(Thorough, TheCacheIsOffWhenAskedAndForOtherEfforts) {
  const auto a = whole("grid:nx=90,ny=60");
  PlanOptions o = options();
  o.cache.use = false;
  plan(a.view(), o);
  o = options();
  o.effort = Effort::balanced;
  plan(a.view(), o);
  EXPECT_TRUE(files().empty());
  setenv("NONZERO_TUNING", "off", 1);
  plan(a.view(), options());
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(tuning_folder({.directory = "here"}).empty());
  unsetenv("NONZERO_TUNING");
  EXPECT_EQ(tuning_folder({.directory = "here"}), "here");
}

// What was found out on another processor, or for another question, is not taken for this one.
TEST(TuningKey, SaysWhatWasAskedAndWhere) {
  const Fingerprint m{.rows = 3, .cols = 4, .nnz = 5};
  const DeviceInfo here{.device = cpu_device};
  const auto key = [&](int threads, const PlanOptions& o) {
    return tuning_key(m, ValueType::f64, 4, here, threads, o);
  };
  const std::string plain = key(2, {.op = Op::none});
  EXPECT_NE(plain.find("3 x 4, 5 nonzeros"), plain.npos) << plain;
  EXPECT_NE(plain.find("| f64 32 |"), plain.npos) << plain;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();)
    if (line.starts_with("model name")) {
      EXPECT_NE(plain.find(line.substr(line.find(':') + 1)), plain.npos) << plain;
    }
  EXPECT_EQ(key(2, {.op = Op::none}), plain);
  EXPECT_NE(key(3, {.op = Op::none}), plain);
  EXPECT_NE(key(2, {.op = Op::transpose}), plain);
  EXPECT_NE(key(2, {.op = Op::none, .deterministic = true}), plain);
  EXPECT_NE(key(2, {.op = Op::none, .store_transpose = true}), plain);
  EXPECT_NE(tuning_key(m, ValueType::f32, 4, here, 2, {.op = Op::none}), plain);
  EXPECT_NE(tuning_key(m, ValueType::f64, 8, here, 2, {.op = Op::none}), plain);
}

}  // namespace
}  // namespace nz::test
