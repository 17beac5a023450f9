#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/battery.hpp"
#include "kernels/conform_bytes.hpp"
#include "kernels/device_vectors.hpp"
#include "kernels/exercises.hpp"
#include "support/seed.hpp"

// What every kernel must do, ours and the peers': conform<T, O>(kernel, device) multiplies every
// matrix of the battery, both operations, every alpha and beta, several parameters and numbers of
// threads. With NZ_TEST_THIN in the environment, a sixth of the matrices with the initial
// parameters: for tools that make a program many times slower.
namespace nz::test {

inline bool thin() { return std::getenv("NZ_TEST_THIN") != nullptr; }

inline const std::vector<BatteryMatrix>& shared_battery() {
  static const auto all = battery(seed());
  return all;
}

// The limit on wasted space is lifted everywhere: the battery is made of matrices that no sane
// limit lets through.
inline Parameters without_limit(const Kernel& kernel) {
  Parameters p;
  for (const Parameter& q : kernel.parameters)
    if (q.name == "max_ratio") p.emplace(q.name, q.max);
  return p;
}

// The initial parameters, all at their smallest, and a few drawn at random.
inline std::vector<Parameters> parameter_sets(const Kernel& kernel, std::mt19937_64& random) {
  std::vector<Parameters> sets = {without_limit(kernel)};
  const auto draw = [&](auto&& choose) {
    Parameters p = sets.front();
    for (const Parameter& q : kernel.parameters) p.try_emplace(std::string(q.name), choose(q));
    if (p != sets.front()) sets.push_back(p);
  };
  if (thin()) return sets;
  draw([](const Parameter& q) { return q.min; });
  for (int k = 0; k < 3; ++k)
    draw([&](const Parameter& q) {
      const auto high = std::min(q.max, 3 * q.initial + 5);
      return std::uniform_int_distribution<std::int64_t>(q.min, std::max(q.min, high))(random);
    });
  return sets;
}

inline std::string text(const Parameters& p) {
  std::string s;
  for (const auto& [name, value] : p) s += fmt::format(" {}={}", name, value);
  return s;
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// One product with guards, poison and repetition.
template <class T>
void multiply_and_check(const Plan<T>& plan, const Exercise<T>& e, const std::vector<T>& x,
                        const std::vector<T>& before, const Reference<T>& exact) {
  SCOPED_TRACE(fmt::format("op {} alpha {} beta {}", name(e.op), e.alpha, e.beta));
  const std::vector<T> given = x;
  const std::vector<T> start = e.beta == T(0) ? std::vector<T>(before.size(), nan<T>) : before;
  Guarded<T> y(start);
  std::vector<T> x_after = x;
  multiply<T>(plan, e.op, e.alpha, x_after, e.beta, y);
  EXPECT_TRUE(y.intact()) << "wrote outside y";
  EXPECT_TRUE(same_bits<T>(given, x_after)) << "changed x";
  const Verdict v = exact.judge(y.span());
  EXPECT_TRUE(v.right()) << v.message();
  if (plan.kernel().shared_rounding == 0 && !std::isinf(e.alpha)) {
    EXPECT_EQ(v.unjudged, 0);
  }
  if (plan.kernel().repeats(e.op)) {
    Guarded<T> again(start);
    multiply<T>(plan, e.op, e.alpha, x_after, e.beta, again);
    EXPECT_TRUE(same_bits<T>(y.span(), again.span())) << "called deterministic, but differs";
  }
}

// What is forgiven a kernel of another library, and never one of ours.
struct Forgiven {
  bool refusing = false;           // a matrix it cannot hold, an operation it turns out to lack
  bool infinities_spread = false;  // it pads by itself, unseen, and multiplies its padding with x
  bool dense = false;              // it stores every zero: spare it, and the check, large matrices
  bool own_scalars = false;        // what scalars mean that are extreme or not finite
};

// Which of the exercises: every one, or one in `step`.
struct Pace {
  std::size_t first = 0, step = 1;
};

template <class T, class O>
void multiply_all(const Kernel& kernel, Exercises<T, O>& exercises, const Parameters& parameters,
                  Device device, int threads, Forgiven forgiven, Pace pace);

template <class T, class O>
void conform(const Kernel& kernel, Exercises<T, O>& exercises, const Parameters& parameters,
             Device device, int threads, Forgiven forgiven = {}, Pace pace = {}) {
  SCOPED_TRACE(
      fmt::format("{}{} on '{}' on {}, {}, offsets of {} bits, {} threads, NZ_TEST_SEED={}",
                  kernel.id(), text(parameters), exercises.name(), device.name(),
                  name(value_type_of<T>), 8 * sizeof(O), threads, seed()));
  try {
    multiply_all(kernel, exercises, parameters, device, threads, forgiven, pace);
  } catch (const std::exception& e) {  // here, where the trace still says of what
    ADD_FAILURE() << e.what();
  }
}

template <class T, class O>
void multiply_all(const Kernel& kernel, Exercises<T, O>& exercises, const Parameters& parameters,
                  Device device, int threads, Forgiven forgiven, Pace pace) {
  const Csr<T, O>& a = exercises.matrix();
  if (forgiven.dense && std::int64_t{a.rows} * a.cols > 300'000) return;
  // A kernel of ours refuses exactly what its entry says it declines.
  std::string declined;
  if (kernel.declines)
    declined = kernel.declines(kernel.fit ? kernel.resolve(parameters, Pattern(a.view()))
                                          : kernel.resolve(parameters));
  Plan<T> plan;
  try {
    plan = nz::plan(
        a.view(),
        {.kernel = kernel.id(), .parameters = parameters, .threads = threads, .device = device});
  } catch (const Refused& e) {
    if (forgiven.refusing) return;
    if (declined.empty()) throw;
    EXPECT_NE(std::string(e.what()).find(declined), std::string::npos) << e.what();
    return;
  }
  ASSERT_EQ(declined, "") << "not refused";
  ASSERT_EQ(&plan.kernel(), &kernel);
  ASSERT_EQ(plan.device(), device);
  for (std::size_t i = pace.first; i < exercises.all().size(); i += pace.step) {
    const Exercise<T>& e = exercises.all()[i];
    if (!kernel.supports(e.op)) continue;
    if (forgiven.infinities_spread && e.input == Input::non_finite) continue;
    if (forgiven.own_scalars && !e.finite_scalars()) continue;
    try {
      const Reference<T>& exact = exercises.exact(i, kernel, plan.parameters());
      const bool flushes = kernel.flushes(e.op, value_type_of<T>, device.kind);
      multiply_and_check(plan, e, exercises.x(e), exercises.before(e),
                         flushes ? flushed(exact, a.view(), e.op, e.alpha) : exact);
    } catch (const Refused&) {
      if (!forgiven.refusing) throw;
    }
  }
  check_bytes(plan, a, exercises.value_bytes());
}

template <class T, class O>
void conform(const Kernel& kernel, Device device, Forgiven forgiven = {}) {
  if (!kernel.prepare_for<T, O>(device.kind)) GTEST_SKIP() << "not for these types";
  std::mt19937_64 random(seed() + sizeof(T) * 16 + sizeof(O));
  const auto some_threads = kernel.threaded ? std::vector{1, 2, 3, 7} : std::vector{1};
  const auto sets = parameter_sets(kernel, random);
  // Every third matrix sees the first two sets with every number of threads; all else takes the
  // numbers in turn. Where the turns begin is drawn anew for each type and run. The emulator, which
  // takes long, does every exercise with the initial parameters and offsets of 32 bits, half of
  // them in float and the other half in double; a third of them, in turn too, with one of the other
  // sets of parameters and with extreme numbers; a sixth with offsets of 64 bits, which change
  // little but conversions.
  std::size_t turn = random() % 12, number = 0;  // of the matrix
  const auto pace = [&](std::size_t set, bool extreme) {
    if (device.kind != Device::Kind::emulator) return Pace{};
    if (sizeof(O) == 4 && set == 0 && !extreme) return Pace{(number + sizeof(T) / 4) % 2, 2};
    const std::size_t step = sizeof(O) == 8 ? 6 : 3;
    return Pace{(turn + set) % step, step};
  };
  for (const BatteryMatrix& entry : shared_battery()) {
    if (thin() && turn % 6 != 0) {
      ++turn, ++number;
      continue;
    }
    Exercises<T, O> exercises(entry, random);
    const bool thorough = turn % 3 == 0;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      if (device.kind == Device::Kind::emulator && set > 0 && set != 1 + turn % (sets.size() - 1))
        continue;
      const std::vector one = {some_threads[(turn + set) % some_threads.size()]};
      for (const int threads : thorough&& set < 2 ? some_threads : one) {
        conform<T, O>(kernel, exercises, sets[set], device, threads, forgiven, pace(set, false));
        if (::testing::Test::HasFailure()) return;  // one broken matrix says enough
      }
    }
    if (!forgiven.own_scalars) {
      auto extreme = Exercises<T, O>::extreme(entry, random);
      const std::size_t set = turn % sets.size();
      conform<T, O>(kernel, extreme, sets[set], device, some_threads[turn % some_threads.size()],
                    forgiven, pace(set, true));
      if (::testing::Test::HasFailure()) return;
    }
    ++turn, ++number;
  }
  if (!forgiven.refusing) check_bytes_of_random_matrix<T, O>(kernel, sets.front(), device);
}

// A kernel and where to run it.
struct Place {
  const Kernel* kernel = nullptr;
  Device device{};
};

inline void PrintTo(const Place& p, std::ostream* out) {
  *out << p.kernel->id() << " on " << p.device.name();
}

// Every kernel that matches, on every device that it was built for. One that this machine does not
// have stays in the list: the test says so, and fails with NZ_REQUIRE_GPU.
inline std::vector<Place> places(std::string_view pattern) {
  std::vector<Place> all;
  for (const Kernel* k : match_kernels(pattern))
    for (const auto kind : {Device::Kind::cpu, Device::Kind::emulator, Device::Kind::cuda})
      if (k->runs_on_device(kind)) all.push_back({k, {kind, 0}});
  return all;
}

// Whether the test can go on; otherwise it is skipped, or has failed.
#define NZ_NEEDS(device)                                                                         \
  if ((device).kind == Device::Kind::cuda && !why_no_cuda().empty()) {                           \
    if (std::getenv("NZ_REQUIRE_GPU")) FAIL() << "NZ_REQUIRE_GPU is set, but " << why_no_cuda(); \
    GTEST_SKIP() << "no CUDA device: " << why_no_cuda();                                         \
  }

inline std::string test_name(const ::testing::TestParamInfo<Place>& info) {
  std::string id = info.param.kernel->id();
  if (info.param.kernel->runs_on != Device::Kind::cpu) id += "/on/" + info.param.device.name();
  std::replace_if(
      id.begin(), id.end(), [](char c) { return c == '/' || c == '-' || c == ':'; }, '_');
  return id;
}

}  // namespace nz::test
