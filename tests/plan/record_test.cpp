#include "plan/planned.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/temp_dir.hpp"

// Records of the tuning cache that somebody else has written.
namespace nz::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A thorough plan, its record, and another one with that record changed.
class Record {
 public:
  Record(const std::string& device, Use use, bool deterministic = false, bool two = false)
      : a_(whole("grid:nx=20,ny=20")),
        options_{.device = device_named(device),
                 .op = use,
                 .effort = Effort::thorough,
                 .deterministic = deterministic,
                 .store_transpose = two,
                 .cache = {.directory = folder_("cache")}} {
    unsetenv("NONZERO_TUNING");
    plan(a_.view(), options_);
    for (const auto& f : fs::recursive_directory_iterator(folder_("cache")))
      if (f.is_regular_file()) file_ = f.path().string();
    good_ = Json::parse(read_file(file_));
  }

  const Json& good() const { return good_; }
  const std::string& file() const { return file_; }
  std::string kernel() const { return good_["taken"][0]["kernel"]; }

  // Whether a plan took what the text says. It is right in any case, and writes a good record.
  bool taken(const std::string& text) {
    std::ofstream(file_, std::ios::binary) << text;
    return works();
  }
  bool taken(const Json& j) { return taken(j.dump()); }
  // The same with the first of what was taken alone, and changed.
  bool taken_with(const std::function<void(Json&)>& change) {
    Json j = good_;
    j["taken"] = Json::array({good_["taken"][0]});
    change(j["taken"][0]);
    return taken(j);
  }
  bool works() {
    const auto p = plan(a_.view(), options_);
    for (const Op op : all_ops) {
      if (!options_.op.has(op)) continue;
      EXPECT_EQ(product(p, op), product(a_.view(), op));
    }
    return p.explain().from_cache;
  }

 private:
  TempDir folder_;
  Csr<double, std::int32_t> a_;
  PlanOptions options_;
  std::string file_;
  Json good_;
};

TEST(TuningRecord, OfAnotherDeviceCountsAsNone) {
  for (const std::string& device : places()) {
    Record r(device, Op::none);
    EXPECT_TRUE(r.taken(r.good()));
    for (const Kernel& k : kernels()) {
      if (k.runs_on_device(device_named(device).kind)) continue;
      EXPECT_FALSE(r.taken_with([&](Json& t) {
        t["kernel"] = k.id();
        t["parameters"] = Json::object();
      })) << k.id()
          << " on " << device;
      if (device == "emu") break;  // one is enough there
    }
    EXPECT_TRUE(r.works()) << "the last plan wrote a good one";
  }
}

// A kernel that has another id since the record was written is still the one that was measured.
TEST(TuningRecord, WithAnOldIdIsTaken) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  Record r("emu", Op::none);
  EXPECT_TRUE(r.taken_with([&](Json& t) {
    t["kernel"] = "gpu/compact/slabs";
    t["parameters"] = Json::object();
    t["transposed"] = false;
  }));
}

TEST(TuningRecord, WithoutTheProductCountsAsNone) {
  for (const std::string& device : places())
    for (const Use use : {Use(Op::transpose), both_ops}) {
      Record r(device, use);
      int tried = 0;
      for (const Kernel& k : kernels()) {
        if (k.supports(Op::transpose) || !k.runs_on_device(device_named(device).kind)) continue;
        if (++tried > 2) break;
        const auto with = [&](bool transposed) {
          return r.taken_with([&](Json& t) {
            t["kernel"] = k.id();
            t["parameters"] = Json::object();
            t["transposed"] = transposed;
          });
        };
        EXPECT_FALSE(with(false)) << k.id();
        if (use == both_ops) {
          EXPECT_FALSE(with(true)) << k.id();
        }
      }
      EXPECT_GT(tried, 0) << device;
    }
}

TEST(TuningRecord, ThatDoesNotRepeatCountsAsNone) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  Record r("emu", Op::transpose, true);
  EXPECT_FALSE(r.taken_with([&](Json& t) {
    t["kernel"] = "gpu/csr/balanced";
    t["parameters"] = Json::object();
    t["transposed"] = false;
  }));
}

TEST(TuningRecord, OfTwoWhereOneWasAskedForCountsAsNone) {
  Record r("cpu", Op::none);
  Json j = r.good();
  const Json one = j["taken"][0];
  j["taken"] = {one, one};
  EXPECT_FALSE(r.taken(j));
  j["taken"] = {one, one, one};
  EXPECT_FALSE(r.taken(j));
  j["taken"] = Json::array();
  EXPECT_FALSE(r.taken(j));
  Record both("cpu", both_ops);
  j = both.good();
  Json n = j["taken"][0], t = n;
  n["kernel"] = t["kernel"] = "cpu/csr/serial";
  n["parameters"] = t["parameters"] = Json::object();
  n["transposed"] = false;
  t["transposed"] = true;
  j["taken"] = {n, t};
  EXPECT_TRUE(both.taken(j));
  j["taken"] = {t, n};
  EXPECT_FALSE(both.taken(j));
  j["taken"] = {n, n};
  EXPECT_FALSE(both.taken(j));
}

TEST(TuningRecord, OfOtherParametersOrTypesCountsAsNone) {
  Record r("cpu", Op::none);
  const auto with = [&](const char* what, const Json& value) {
    return r.taken_with([&](Json& t) { t[what] = value; });
  };
  EXPECT_TRUE(with("parameters", r.good()["taken"][0]["parameters"]));
  EXPECT_TRUE(with("seconds", 0));
  for (const char* text :
       {R"({"no-such":1})", R"({"grain":-1})", R"({"grain":0})", R"({"grain":1.5})",
        R"({"grain":1e300})", R"({"grain":18446744073709551615})", R"({"grain":"64"})",
        R"({"grain":null})", R"({"grain":true})", R"({"grain":[1]})", R"([1, 2])", "[]", "null",
        "3", R"("grain")"})
    EXPECT_FALSE(r.taken_with([&](Json& t) {
      t["kernel"] = "cpu/csr/balanced";
      t["parameters"] = Json::parse(text);
    })) << text;
  for (const char* text : {"null", "1", "[]", "{}", R"("")", R"("cpu")", R"("cpu/csr")",
                           R"("cpu/csr/*")", R"("cpu/csr/serial/")", R"("peer/eigen/csr")"})
    EXPECT_FALSE(with("kernel", Json::parse(text))) << text;
  for (const char* text : {"null", "0", R"("false")", "[]"})
    EXPECT_FALSE(with("transposed", Json::parse(text))) << text;
  for (const char* text : {"null", R"("1")", "-1", "[]", "true"})
    EXPECT_FALSE(with("seconds", Json::parse(text))) << text;
  for (const char* what : {"kernel", "parameters", "transposed", "seconds"})
    EXPECT_FALSE(r.taken_with([&](Json& t) { t.erase(what); })) << what;
  for (const char* what : {"schema", "key", "taken"})
    for (const char* text : {"null", "1", "{}", R"("x")", "[1]", "[[]]", "[{}]"}) {
      Json j = r.good();
      j[what] = Json::parse(text);
      EXPECT_FALSE(r.taken(j)) << what << text;
      j.erase(what);
      EXPECT_FALSE(r.taken(j)) << what;
    }
}

TEST(TuningRecord, OfGarbageCountsAsNone) {
  Record r("cpu", Op::none);
  const std::string good = r.good().dump();
  std::string zeros(100, '\0'), deep(60'000, '['), long_one = good + std::string(100'000, ' ');
  for (const std::string& text :
       {std::string(), std::string("\xff\xfe\x00{", 4), zeros, deep, long_one, good + "}",
        good.substr(1), std::string("nan"), std::string("[1, 2]"), std::string("\"text\"")})
    EXPECT_FALSE(r.taken(text)) << text.substr(0, 20);
  for (std::size_t n = 0; n < good.size(); n += 23) EXPECT_FALSE(r.taken(good.substr(0, n)));
  EXPECT_TRUE(r.taken(good));
  fs::remove(r.file());
  fs::create_directory(r.file());
  EXPECT_FALSE(r.works());
}

}  // namespace
}  // namespace nz::test
