#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

namespace {

// The locks that a thread takes while it is told to. What it locks while it holds `launch` is the
// emulator's business, as a driver's would be.
struct Locks {
  bool watched = false;
  const void* first = nullptr;
  const void* launch = nullptr;
  bool launching = false;
  int taken = 0;
};
thread_local Locks locks;

using Change = int(pthread_mutex_t*);

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto lock = reinterpret_cast<Change*>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  if (locks.watched) {
    if (!locks.first) locks.first = mutex;
    if (mutex == locks.launch)
      locks.launching = true;
    else if (!locks.launching)
      ++locks.taken;
  }
  return lock(mutex);
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto unlock = reinterpret_cast<Change*>(dlsym(RTLD_NEXT, "pthread_mutex_unlock"));
  if (mutex == locks.launch) locks.launching = false;
  return unlock(mutex);
}

namespace nz::test {
namespace {

template <class Body>
Locks locks_of(const void* launch, Body&& body) {
  locks = {.watched = true, .launch = launch};
  body();
  return std::exchange(locks, {});
}

// Launches take turns on the emulator, by a lock. What a bound product
// locks beside it is the library's own. multiply() shows that such locks are found.
TEST(Locks, ABoundProductTakesNone) {
  const auto all = devices();
  if (std::none_of(all.begin(), all.end(),
                   [](const DeviceInfo& d) { return d.device == emulator_device; }))
    GTEST_SKIP() << "this build has no emulator";
  const auto a = generate("rmat:scale=7,degree=6").matrix;
  const std::vector<double> ones(static_cast<std::size_t>(a.rows), 1.0);
  DeviceArray<double> x(emulator_device, std::span(ones)), y(emulator_device, std::span(ones));
  int products = 0;
  for (const Kernel& k : kernels()) {
    if (k.source != "own" || !k.runs_on_device(Device::Kind::emulator)) continue;
    Plan<double> plan;
    try {
      plan = nz::plan(a.view(), {.kernel = k.id(), .device = emulator_device});
    } catch (const Refused&) {
      continue;
    }
    for (const Op op : {Op::none, Op::transpose}) {
      if (!k.supports(op)) continue;
      SCOPED_TRACE(k.id() + ' ' + std::string(name(op)));
      const auto bound = plan.bind(op);
      // Of one launch and nothing else, the first lock is the launch's.
      const auto scale = [&] { bound->enqueue(0.0, x.data(), 2.0, y.data()); };
      const void* const launch = locks_of(nullptr, scale).first;
      ASSERT_NE(launch, nullptr);
      EXPECT_EQ(locks_of(launch, scale).taken, 0);
      const auto multiply = [&] { plan.multiply(1.0, x.span(), 0.0, y.span(), op); };
      EXPECT_EQ(locks_of(launch, [&] { bound->enqueue(1.0, x.data(), 0.5, y.data()); }).taken, 0);
      EXPECT_GT(locks_of(launch, multiply).taken, 0);
      ++products;
    }
  }
  EXPECT_GT(products, 10);
}

}  // namespace
}  // namespace nz::test
