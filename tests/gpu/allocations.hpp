#pragma once
#include "gpu/problem.hpp"
#include "simt/backend.hpp"

namespace nz::test {

// Runs `body`, which allocates on a device, again and again with another of its allocations
// failing, until it gets by. It must throw NoResource and keep nothing. Returns how often it
// failed.
template <class Body>
int fail_in_turn(Body&& body) {
  for (int n = 0; n < 200; ++n) {
    const std::size_t before = simt::live_allocations();
    simt::fail_allocation_after(n);
    bool done = false;
    std::string said;
    try {
      body();
      done = true;
    } catch (const NoResource& e) {
      said = e.what();
    } catch (...) {
      simt::fail_allocation_after(-1);
      throw;
    }
    simt::fail_allocation_after(-1);
    EXPECT_EQ(simt::live_allocations(), before) << "after failure of allocation " << n;
    if (done) return n;
    EXPECT_NE(said.find("needed"), said.npos) << said;
    EXPECT_NE(said.find("free"), said.npos) << said;
  }
  ADD_FAILURE() << "200 allocations, and no end";
  return 200;
}

// Preparing, and the first product of vectors in host memory.
inline void fail_each_allocation(const Place& place) {
  for (const Op op : ops_of(*place.kernel)) {
    const Problem<double> p(op);
    EXPECT_GT(fail_in_turn([&] { plan_in(place, p.a.view()); }), 0);

    const auto plan = plan_in(place, p.a.view());
    std::vector<double> y = p.before;
    const std::size_t before = simt::live_allocations();
    for (int n = 0; n < 100; ++n) {
      simt::fail_allocation_after(n);
      bool done = false;
      try {
        plan.multiply(p.alpha, p.x, p.beta, y, op);
        done = true;
      } catch (const NoResource&) {
      }
      simt::fail_allocation_after(-1);
      if (done) {
        EXPECT_GT(n, 0) << "host vectors need memory on the device";
        break;
      }
      EXPECT_EQ(y, p.before) << "failed, but wrote";
    }
    p.judge(y);
    // What came to be is kept for the next time: a pinned and a device buffer each for x and y.
    EXPECT_LE(simt::live_allocations(), before + 4);
  }
}

}  // namespace nz::test
