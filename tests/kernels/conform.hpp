#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/battery.hpp"
#include "kernels/exercises.hpp"

// What every kernel must do, ours and the peers': conform<T, O>(kernel) multiplies every matrix of
// the battery, both operations, every alpha and beta, several parameters and numbers of threads.
namespace nz::test {

// New numbers on every run; NZ_TEST_SEED repeats one.
inline std::uint64_t seed() {
  static const std::uint64_t s = [] {
    const char* given = std::getenv("NZ_TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::uint64_t{std::random_device{}()};
  }();
  return s;
}

inline const std::vector<BatteryMatrix>& shared_battery() {
  static const auto all = battery(seed());
  return all;
}

// A vector between two guard zones, so that a write beyond its ends is seen.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::vector<T> v) : size_(v.size()), all_(size_ + 2 * zone, mark) {
    std::copy(v.begin(), v.end(), all_.begin() + zone);
  }
  std::span<T> span() { return {all_.data() + zone, size_}; }
  bool intact() const {
    const auto marked = [](T v) { return v == mark; };
    return std::all_of(all_.begin(), all_.begin() + zone, marked) &&
           std::all_of(all_.end() - zone, all_.end(), marked);
  }

 private:
  static constexpr std::ptrdiff_t zone = 64;
  static constexpr T mark = T(-7.25);
  std::size_t size_;
  std::vector<T> all_;
};

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
  plan.multiply(e.alpha, x, e.beta, y.span(), e.op);
  EXPECT_TRUE(y.intact()) << "wrote outside y";
  EXPECT_TRUE(same_bits<T>(given, x)) << "changed x";
  const Verdict v = exact.judge(y.span());
  EXPECT_TRUE(v.right()) << v.message();
  EXPECT_EQ(v.unjudged, 0);
  if (plan.kernel().deterministic) {
    Guarded<T> again(start);
    plan.multiply(e.alpha, x, e.beta, again.span(), e.op);
    EXPECT_TRUE(same_bits<T>(y.span(), again.span())) << "called deterministic, but differs";
  }
}

// What is forgiven a kernel of another library, and never one of ours.
struct Forgiven {
  bool refusing = false;           // a matrix it cannot hold
  bool infinities_spread = false;  // it pads by itself, unseen, and multiplies its padding with x
  bool dense = false;              // it stores every zero: spare it, and the check, large matrices
};

template <class T, class O>
void conform(const Kernel& kernel, Exercises<T, O>& exercises, const Parameters& parameters,
             int threads, Forgiven forgiven = {}) {
  SCOPED_TRACE(fmt::format("{}{} on '{}', {}, offsets of {} bits, {} threads, NZ_TEST_SEED={}",
                           kernel.id(), text(parameters), exercises.name(), name(value_type_of<T>),
                           8 * sizeof(O), threads, seed()));
  const Csr<T, O>& a = exercises.matrix();
  if (forgiven.dense && std::int64_t{a.rows} * a.cols > 300'000) return;
  Plan<T> plan;
  try {
    plan = nz::plan(a.view(), {kernel.id(), parameters, threads});
  } catch (const Refused&) {
    if (forgiven.refusing) return;
    throw;
  }
  ASSERT_EQ(&plan.kernel(), &kernel);
  for (std::size_t i = 0; i < exercises.all().size(); ++i) {
    const Exercise<T>& e = exercises.all()[i];
    if (!kernel.supports(e.op)) continue;
    if (forgiven.infinities_spread && e.input == Input::non_finite) continue;
    multiply_and_check(plan, e, exercises.x(e), exercises.before(e),
                       exercises.exact(i, kernel, plan.parameters()));
  }
  // The byte model: both vectors and what is stored of the matrix; y once more when it is read.
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  const auto traffic = [&](bool reads_y) { return plan.product().traffic(Op::none, reads_y); };
  EXPECT_EQ(traffic(true) - traffic(false), rows * sizeof(T));
  EXPECT_GE(traffic(false), (rows + cols) * sizeof(T));
}

template <class T, class O>
void conform(const Kernel& kernel, Forgiven forgiven = {}) {
  if (!kernel.prepare_for<T, O>(kernel.runs_on)) GTEST_SKIP() << "not for these types";
  std::mt19937_64 random(seed() + sizeof(T) * 16 + sizeof(O));
  const auto some_threads = kernel.threaded ? std::vector{1, 2, 3, 7} : std::vector{1};
  const auto sets = parameter_sets(kernel, random);
  // Every third matrix sees the first two sets with every number of threads; all else takes the
  // numbers in turn. Where the turns begin is drawn anew for each type and run.
  std::size_t turn = random() % 12;
  for (const BatteryMatrix& entry : shared_battery()) {
    Exercises<T, O> exercises(entry, random);
    const bool thorough = turn % 3 == 0;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const std::vector one = {some_threads[(turn + set) % some_threads.size()]};
      for (const int threads : thorough&& set < 2 ? some_threads : one) {
        conform<T, O>(kernel, exercises, sets[set], threads, forgiven);
        if (::testing::Test::HasFailure()) return;  // one broken matrix says enough
      }
    }
    ++turn;
  }
}

inline std::string test_name(const ::testing::TestParamInfo<const Kernel*>& info) {
  std::string id = info.param->id();
  std::replace_if(
      id.begin(), id.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return id;
}

}  // namespace nz::test
