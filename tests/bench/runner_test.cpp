#include <algorithm>
#include <new>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "fake_kernels.hpp"
#include "lab/bench/runner.hpp"
#include "lab/report/bench_text.hpp"

namespace nz::test {
namespace {

using lab::Record;
using lab::Result;
using lab::Status;
using View = CsrView<double, std::int32_t>;

int prepared = 0;

// Not in the registry, which other tests of this program see too: an order names kernels itself.
const Kernel& good() {
  static const Kernel k = [] {
    Kernel made = fake_kernel("good", [](const View& a, const Parameters&) {
      ++prepared;
      return fake_product(a, [](std::span<double>) {});
    });
    made.threaded = true;
    made.parameters = {{"size", "of something", 4, 1, 8}, {"other", "thing", 1, 1, 2}};
    return made;
  }();
  return k;
}

const Kernel& broken() {
  static const Kernel k = fake_kernel("broken", [](const View& a, const Parameters&) {
    return fake_product(a, [](std::span<double> y) { y[0] = 42; });
  });
  return k;
}

lab::Order small_order() {
  lab::Order o;
  o.matrices = {{"small", "gen:grid:nx=5,ny=5", ""},
                {"wide", "gen:random:rows=9,cols=20,density=0.2", ""}};
  o.kernels = {&find_kernel("cpu/csr/serial"), &good()};
  o.threads = {1, 2};
  o.budget = {0, 0, 3, 3};
  o.buffer_bytes = 1 << 20;
  return o;
}

std::size_t count(const Record& r, const std::string& kernel, int threads) {
  return static_cast<std::size_t>(std::count_if(
      r.results.begin(), r.results.end(),
      [&](const Result& one) { return one.kernel == kernel && one.threads == threads; }));
}

TEST(Runner, MeasuresEveryCaseOnceAndSerialKernelsOnOneThread) {
  Record r;
  lab::Listener quiet;
  EXPECT_TRUE(lab::run(small_order(), r, quiet));
  EXPECT_EQ(r.results.size(), 2u * (1 + 2));
  EXPECT_EQ(count(r, "cpu/csr/serial", 1), 2u);
  EXPECT_EQ(count(r, "test/csr/good", 1), 2u);
  EXPECT_EQ(count(r, "test/csr/good", 2), 2u);
  EXPECT_EQ(r.bandwidth.size(), 2u);
  std::set<std::string> keys;
  for (const Result& one : r.results) {
    keys.insert(key(one));
    EXPECT_TRUE(one.timed()) << one.reason;
    EXPECT_EQ(one.samples_s.size(), 3u);
    EXPECT_NEAR(*one.gflops, 2e-9 * static_cast<double>(one.nnz) / *one.median_s, 1e-12);
    EXPECT_EQ(one.baseline, "cpu/csr/serial");
    const double read = r.memory(one.threads)->read;
    EXPECT_NEAR(*one.bandwidth_share * read * *one.median_s, static_cast<double>(*one.bytes), 1e-6);
  }
  EXPECT_EQ(keys.size(), r.results.size());
  const Result& first = r.results.front();
  EXPECT_EQ(first.csr_bytes, 105 * 12 + 26 * 4 + 50 * 8) << "105 nonzeros, 25 rows, x and y";
  EXPECT_EQ(*first.bytes, first.csr_bytes);
}

TEST(Runner, RoundsTimeAllKernelsOfAMatrixInTurn) {
  lab::Order order = small_order();
  order.kernels.push_back(&broken());
  order.rounds = 4;
  order.ops = {Op::none, Op::transpose};
  Record r;
  lab::Listener quiet;
  prepared = 0;
  EXPECT_TRUE(lab::run(order, r, quiet));
  EXPECT_EQ(prepared, 4) << "two matrices, two numbers of threads: prepared once for all rounds";
  ASSERT_EQ(r.results.size(), 2u * 2 * (1 + 2 + 1));
  for (const Result& one : r.results) {
    if (one.status != Status::ok) {
      EXPECT_TRUE(one.samples_s.empty()) << one.kernel;
      continue;
    }
    EXPECT_EQ(one.samples_s.size(), 4u * 3) << one.kernel;
    lab::Timing all{.samples = one.samples_s};
    EXPECT_EQ(*one.median_s, all.median());
    EXPECT_EQ(*one.noise, all.noise());
  }
}

// A matrix whose kernels have not had all their turns is timed again by who goes on.
TEST(Runner, RoundsThatWereStoppedAreDoneAgain) {
  struct Impatient final : lab::Listener {
    explicit Impatient(int n) : left(n) {}
    int left;
    bool stop() override { return --left < 0; }
  };
  lab::Order order = small_order();
  order.rounds = 4;
  for (const int stops : {1, 3, 6, 16}) {
    SCOPED_TRACE(stops);
    Record r;
    Impatient impatient(stops);
    EXPECT_FALSE(lab::run(order, r, impatient));
    EXPECT_EQ(r.results.size(), stops < 16 ? 0u : 3u) << "the first matrix has three cases";
    lab::Listener quiet;
    EXPECT_TRUE(lab::run(order, r, quiet));
    ASSERT_EQ(r.results.size(), 6u);
    for (const Result& one : r.results) EXPECT_EQ(one.samples_s.size(), 4u * 3) << one.kernel;
  }
}

// A kernel that fails in a later turn has no times of earlier ones.
TEST(Runner, WhatFailsInALaterTurnHasNoTime) {
  static int left = 0;
  static const Kernel fails_late = fake_kernel("late", [](const View& a, const Parameters&) {
    return fake_product(a, [](std::span<double>) {
      if (--left < 0) throw std::bad_alloc();
    });
  });
  lab::Order order = small_order();
  order.matrices.resize(1);
  order.kernels = {&fails_late};
  order.rounds = 3;
  left = 6;
  Record r;
  lab::Listener quiet;
  EXPECT_TRUE(lab::run(order, r, quiet));
  ASSERT_EQ(r.results.size(), 1u);
  const Result& late = r.results[0];
  EXPECT_EQ(late.status, Status::failed);
  EXPECT_TRUE(late.samples_s.empty());
  EXPECT_FALSE(late.median_s || late.noise || late.gflops || late.bandwidth_share);
}

TEST(Runner, GoesOnWhereTheRecordEnds) {
  struct Impatient final : lab::Listener {
    int left = 2;
    bool stop() override { return --left < 0; }
  } impatient;
  lab::Order order = small_order();
  Record r;
  EXPECT_FALSE(lab::run(order, r, impatient));
  const std::size_t before = r.results.size();
  EXPECT_GT(before, 0u);
  EXPECT_LT(before, 6u);

  struct Counting final : lab::Listener {
    int loads = 0, saves = 0;
    lab::Source load(const lab::SuiteMatrix& m) override {
      ++loads;
      return lab::load(m.source);
    }
    void measured(const Record&) override { ++saves; }
  } counting;
  prepared = 0;
  EXPECT_TRUE(lab::run(order, r, counting));
  EXPECT_EQ(r.results.size(), 6u);
  EXPECT_EQ(counting.loads, 2);
  EXPECT_EQ(counting.saves, static_cast<int>(6 - before));
  // All done: nothing is loaded, nothing prepared.
  counting.loads = 0;
  prepared = 0;
  EXPECT_TRUE(lab::run(order, r, counting));
  EXPECT_EQ(counting.loads, 0);
  EXPECT_EQ(prepared, 0);
  EXPECT_EQ(r.results.size(), 6u);
  // Another matrix under an old name is no continuation.
  order.matrices[0].source = "gen:grid:nx=6,ny=5";
  order.ops = {Op::transpose};
  EXPECT_THROW(lab::run(order, r, counting), BadInput);
}

TEST(Runner, WhatPlansThinkStandsBesideWhatWasMeasured) {
  lab::Order order = small_order();
  order.ops = {Op::none, Op::transpose};
  order.plan = true;
  Record r;
  lab::Listener quiet;
  EXPECT_TRUE(lab::run(order, r, quiet));
  EXPECT_EQ(r.row_lengths.at("small").max, 5);
  EXPECT_EQ(r.row_lengths.at("small").min, 3);
  EXPECT_EQ(r.row_lengths.at("wide").count, 9);
  EXPECT_EQ(r.forecasts.size(), 2u * 2 * 2) << "one a matrix, op and number of threads";
  for (const lab::Forecast& f : r.forecasts) {
    ASSERT_FALSE(f.predictions.empty());
    EXPECT_EQ(f.predictions.front().why_not, "");
    for (const lab::Prediction& p : f.predictions) EXPECT_GT(p.seconds, 0) << p.kernel;
    EXPECT_FALSE(f.why.empty());
    EXPECT_TRUE(std::any_of(r.results.begin(), r.results.end(), [&](const Result& one) {
      return one.matrix == f.matrix && one.op == f.op && one.kernel == f.kernel && *one.planned;
    })) << f.kernel;
  }
  // Going on with the record adds none.
  EXPECT_TRUE(lab::run(order, r, quiet));
  EXPECT_EQ(r.forecasts.size(), 8u);
}

TEST(Runner, AWrongKernelStaysInTheRecordWithoutATime) {
  lab::Order order = small_order();
  order.kernels = {&broken()};
  Record r;
  lab::Listener quiet;
  lab::run(order, r, quiet);
  ASSERT_EQ(r.results.size(), 2u);
  for (const Result& one : r.results) {
    EXPECT_EQ(one.status, Status::wrong);
    EXPECT_TRUE(one.reason.starts_with("row 0 (counting from 0): 42")) << one.reason;
    EXPECT_FALSE(one.median_s);
    EXPECT_TRUE(one.samples_s.empty());
    EXPECT_TRUE(one.setup_s);
  }
  const std::string text = lab::bench_text(r, false);
  EXPECT_NE(text.find("WRONG: row 0 (counting from 0): 42"), text.npos) << text;
  EXPECT_NE(text.find("test/csr/broken (f64 N)"), text.npos) << text;
}

TEST(Runner, AMatrixTooLargeForTheMemoryStaysInTheRecord) {
  struct Poor final : lab::Listener {
    lab::Source load(const lab::SuiteMatrix& m) override {
      if (m.name == "small") throw NoResource("not that much");
      return lab::load(m.source);
    }
  } poor;
  Record r;
  EXPECT_TRUE(lab::run(small_order(), r, poor));
  EXPECT_EQ(r.results.size(), 6u);
  EXPECT_EQ(r.results[0].status, Status::failed);
  EXPECT_EQ(r.results[0].reason, "not that much");
  EXPECT_EQ(r.results[3].status, Status::ok);
}

TEST(Runner, ParametersSweep) {
  lab::Order order = small_order();
  order.threads = {2};
  order.parameters = {{"size", {2, 8}}, {"other", {1, 2}}};
  const auto jobs = lab::jobs(order);
  ASSERT_EQ(jobs.size(), 5u) << "four of the one that has them, one of the other";
  EXPECT_TRUE(jobs[0].parameters.empty());
  std::set<Parameters> choices;
  for (std::size_t i = 1; i < jobs.size(); ++i) choices.insert(jobs[i].parameters);
  EXPECT_EQ(choices.size(), 4u);
  Record r;
  lab::Listener quiet;
  lab::run(order, r, quiet);
  EXPECT_EQ(count(r, "test/csr/good", 2), 8u);
  EXPECT_NE(lab::bench_text(r, false).find("test/csr/good other=1 size=8"), std::string::npos);

  order.parameters = {{"size", {9}}};
  EXPECT_THROW(lab::jobs(order), InvalidArgument);
  order.parameters = {{"colour", {1}}};
  EXPECT_THROW(lab::jobs(order), InvalidArgument);
}

TEST(Runner, BothTypesOfOneMatrix) {
  lab::Order order = small_order();
  order.kernels = {&find_kernel("cpu/csr/serial"), &find_kernel("cpu/dia/serial")};
  order.types = {ValueType::f32, ValueType::f64};
  order.ops = {Op::none, Op::transpose};
  Record r;
  lab::Listener quiet;
  EXPECT_TRUE(lab::run(order, r, quiet));
  EXPECT_EQ(r.results.size(), 16u);
  std::set<std::string> refused;
  for (const Result& one : r.results) {
    EXPECT_TRUE(one.status == Status::ok || one.status == Status::refused) << one.reason;
    if (one.status == Status::refused) refused.insert(one.matrix + ' ' + one.kernel);
  }
  EXPECT_EQ(refused, std::set<std::string>{"wide cpu/dia/serial"});
}

}  // namespace
}  // namespace nz::test
