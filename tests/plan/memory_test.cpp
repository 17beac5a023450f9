#include "plan/given.hpp"

#include <functional>

#include <gtest/gtest.h>
#include <nonzero/solve.hpp>

#include "base/no_memory.hpp"
#include "simt/backend.hpp"
#include "support/failing_allocations.hpp"
#include "support/message_of.hpp"

namespace nz::test {
namespace {

// What became of a call with one allocation after the other failing.
struct Outcomes {
  int points = 0, refused = 0, done = 0;  // done: although one has failed
};

// Calls until no allocation fails any more: each call ends as if nothing had happened, or with
// NoResource. Every `step`th one.
Outcomes with_failures(const std::function<void()>& call, long step = 1) {
  Outcomes o;
  call();  // what is made once is made now
  const std::size_t far = simt::live_allocations();
  for (long after = 0;; after += step) {
    bool met = false, thrown = false;
    try {
      const FailingAllocation failing(after);
      try {
        call();
      } catch (...) {
        met = failing.met();
        throw;
      }
      met = failing.met();
    } catch (const NoResource& e) {
      thrown = true;
      EXPECT_NE(std::string(e.what()).find("memory"), std::string::npos) << e.what();
    } catch (const std::exception& e) {
      thrown = true;
      ADD_FAILURE() << "allocation " << after << " failed: " << e.what();
    }
    EXPECT_EQ(simt::live_allocations(), far) << after;
    if (!met) {
      EXPECT_FALSE(thrown);
      return o;
    }
    ++o.points;
    ++(thrown ? o.refused : o.done);
  }
}

TEST(Memory, EveryHostAllocationOfAPlanMayFail) {
  const auto a = whole("grid:nx=60,ny=50");
  for (const std::string& device : places())
    for (const Use use : all_uses)
      for (const Effort effort : all_efforts) {
        SCOPED_TRACE(device + ", " + std::string(name(effort)));
        // Thorough plans take long, and so does the emulator.
        const long step = (effort == Effort::thorough ? 97 : 5) * (device == "emu" ? 11 : 1);
        const Outcomes o = with_failures(
            [&] {
              const auto p = plan(a.view(), {.threads = 2,
                                             .device = device_named(device),
                                             .op = use,
                                             .effort = effort,
                                             .cache = {.use = false}});
              EXPECT_EQ(p.rows(), a.rows);
            },
            step);
        EXPECT_GT(o.refused, 0);
      }
}

// A candidate that cannot be had makes room for the next.
TEST(Memory, APlanGoesOnWithTheNextCandidate) {
  const auto a = whole("grid:nx=90,ny=60");
  for (const Effort effort : {Effort::balanced, Effort::thorough}) {
    const PlanOptions options{
        .threads = 1, .op = Op::transpose, .effort = effort, .cache = {.use = false}};
    const std::string usual = plan(a.view(), options).kernel().id();
    int others = 0;
    for (long after = 0;; after += effort == Effort::thorough ? 7 : 1) {
      const FailingAllocation failing(after);
      try {
        const auto p = plan(a.view(), options);
        if (!failing.met()) break;
        for (const Candidate& c : p.explain().candidates)
          others += c.why_not.starts_with("not enough memory for preparing ");
        EXPECT_EQ(product(p, Op::transpose), product(a.view(), Op::transpose));
      } catch (const NoResource&) {
      }
    }
    EXPECT_GT(others, 0) << usual << ", " << name(effort);
  }
}

// Whatever it was for, there is another way.
TEST(Memory, OneAllocationOnTheDeviceThatFailsDoesNotEndAPlan) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  const auto a = whole("grid:nx=40,ny=30");
  for (const Use use : all_uses)
    for (const bool two : {false, true}) {
      const PlanOptions options{.device = emulator_device, .op = use, .store_transpose = two};
      const std::size_t before = simt::live_allocations();
      for (int after = 0; after < 24; ++after) {
        simt::fail_allocation_after(after);
        {
          const auto p = plan(a.view(), options);
          simt::fail_allocation_after(-1);
          expect_right(p, a.view());
        }
        EXPECT_EQ(simt::live_allocations(), before) << after;
      }
    }
  // Of arrays that lie there, the look needs one, too.
  const auto g = given<double, std::int32_t>("grid:nx=40,ny=30");
  const Lying<double, std::int32_t> there(g, g.view(), {"emu", true});
  simt::fail_allocation_after(0);
  EXPECT_THROW(plan(there.view(), {.device = emulator_device}), NoResource);
  simt::fail_allocation_after(-1);
}

TEST(Memory, NewValuesThatFailLeaveThePlanAsItWas) {
  const auto a = whole("grid:nx=40,ny=30");
  auto b = a;
  for (double& v : b.values) v = 2 * v + 1;
  const auto unsorted = turned(given<double, std::int32_t>("grid:nx=40,ny=30"));
  for (const bool sorted : {true, false}) {
    auto p = plan(b.view(), {.kernel = "cpu/compact/balanced", .threads = 2, .op = both_ops});
    const Outcomes o = with_failures([&] {
      p.update_values(b.view());
      try {
        p.update_values(sorted ? a.view() : unsorted.view());
      } catch (...) {
        expect_right(p, b.view());
        throw;
      }
    });
    EXPECT_GT(o.refused, 3);
    expect_right(p, a.view());
  }
}

TEST(Memory, OtherDoorsSayNoResourceToo) {
  const auto a = whole("grid:nx=20,ny=20");
  const auto p = plan(a.view(), {.threads = 2});
  std::vector<double> b(400, 1.0), x(400);
  EXPECT_GT(with_failures([&] { p.measure(); }, 1).refused, 0);
  EXPECT_GT(with_failures([&] { prepare(find_kernel("cpu/coo/serial"), a.view()); }).refused, 0);
  EXPECT_GT(with_failures([&] { choose(a.view(), Op::none); }).refused, 0);
  EXPECT_GT(with_failures([&] { solve::jacobi(a.view()); }).refused, 0);
  EXPECT_GT(with_failures([&] { solve::block_jacobi(a.view(), 4); }, 3).refused, 0);
  for (const auto& method : solve::methods<double>())
    EXPECT_GT(with_failures(
                  [&] {
                    std::fill(x.begin(), x.end(), 0.0);
                    method.solve(p, b, x, {.max_iterations = 3});
                  },
                  3)
                  .refused,
              0)
        << method.name;
}

TEST(Memory, SaysSoWithNoneLeft) {
  // Those of the message fail, too.
  for (long after = 0; after < 4; ++after) {
    const FailingAllocation failing(after);
    EXPECT_THROW(throw_no_memory("a sentence that is too long for any short string to keep"),
                 NoResource);
  }
  EXPECT_EQ(message_of<NoResource>([] {
              or_no_memory("so much", [] { std::vector<double> v(static_cast<std::size_t>(-1)); });
            }),
            "not enough memory for so much");
}

TEST(Memory, WhatCanNeverBeIsNoResource) {
  // The arrays say that there are no entries; the vectors of a multiply cannot be had.
  std::vector<std::int32_t> offsets(4, 0);
  const CsrView<double, std::int32_t> a{3, 3, 0, offsets.data(), nullptr, nullptr};
  EXPECT_NO_THROW(plan(a));
  const FailingAllocation failing(0);
  EXPECT_THROW(plan(a), NoResource);
}

}  // namespace
}  // namespace nz::test
