#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>

#include "lab/bench/source.hpp"
#include "lab/papers/recall.hpp"
#include "lab/papers/trials.hpp"

// A run in parts: what one part has measured the next takes over, and what is left says so.
namespace nz::test {
namespace {

using namespace lab;
using Json = nlohmann::ordered_json;

class InPartsTest : public testing::Test {
 protected:
  Trials<double> trials(const InParts& parts) const {
    Trials<double> all(a_.view(), "gen:grid",
                       {.warm_up_seconds = 0, .seconds = 0, .min_samples = 2});
    all.in_parts(parts);
    return all;
  }
  static Json record_of(const Trials<double>& all) {
    Json record{{"schema", "nonzero-reproduction/1"},
                {"experiment", "chirila2025-cpu"},
                {"scale", 1},
                {"results", Json::array()},
                {"tables", Json::array()},
                {"facts", Json::array()},
                {"machine", Json::object()}};
    all.add_to(record["results"]);
    return record;
  }

  Csr<double, std::int32_t> a_ = csr_with_offsets<std::int32_t>(generate("grid:nx=8,ny=8").matrix);
  const lab::Setup serial_{"cpu/csr/serial", 1, {}};
  const lab::Setup tasks_{"cpu/bsr/fixed-size-tasks", 1, {{"chunks_per_thread", 4}}};
};

TEST_F(InPartsTest, NothingIsBegunWhenTheTimeIsOver) {
  auto all = trials({.until = std::chrono::steady_clock::now()});
  all.run({serial_}, {});
  EXPECT_EQ(all.find(serial_)->reason, left_for_later);
  EXPECT_EQ(all.missing(serial_.kernel), left_for_later);
}

TEST_F(InPartsTest, TheNextPartMeasuresWhatIsLeft) {
  auto first = trials({});
  first.run({serial_}, {});
  const Recall before(record_of(first), "first");
  auto second = trials({.before = &before});
  second.run({serial_, tasks_}, {});
  EXPECT_EQ(second.find(serial_)->timing.samples, first.find(serial_)->timing.samples);
  EXPECT_EQ(second.find(tasks_)->status, Status::ok);
  // The record of both is as if all had been measured at once.
  const Json record = record_of(second);
  ASSERT_EQ(record["results"].size(), 2u);
  const Json& kept = record["results"][1];
  EXPECT_EQ(kept, record_of(first)["results"][0]);
}

TEST_F(InPartsTest, WhatFailedOrHasOtherParametersIsMeasuredAgain) {
  auto none = trials({.until = std::chrono::steady_clock::now()});
  none.run({tasks_}, {});
  const Recall nothing(record_of(none), "none");
  auto next = trials({.before = &nothing});
  next.run({tasks_}, {});
  EXPECT_EQ(next.find(tasks_)->status, Status::ok);
  const Recall before(record_of(next), "next");
  auto last = trials({.before = &before, .until = std::chrono::steady_clock::now()});
  const lab::Setup other{tasks_.kernel, 1, {{"chunks_per_thread", 8}}};
  last.run({tasks_, other}, {});
  EXPECT_EQ(last.find(tasks_)->status, Status::ok);
  EXPECT_EQ(last.find(other)->reason, left_for_later);
}

}  // namespace
}  // namespace nz::test
