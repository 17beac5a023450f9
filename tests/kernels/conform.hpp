#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/battery.hpp"

// What every kernel must do, ours and the peers': conform<T, O>(kernel) multiplies every matrix of
// the battery, both operations, every alpha and beta, on several numbers of threads.
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

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

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

enum class Input { finite, non_finite };

template <class T>
std::vector<T> numbers(std::mt19937_64& random, std::size_t n, Input kind) {
  std::uniform_real_distribution<T> value(T(-1), T(1));
  std::vector<T> v(n);
  for (T& e : v) e = value(random);
  if (kind == Input::non_finite) {
    const T odd[] = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                     nan<T>};
    for (std::size_t i = 1; i < n; i += 11) v[i] = odd[(i / 11) % 3];
  }
  return v;
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

// One product with guards, poison and repetition; the reference matrix is `truth`.
template <class T, class O>
void multiply_and_check(const Plan<T>& plan, const Csr<T, O>& truth, Op op, T alpha, T beta,
                        const std::vector<T>& x, const std::vector<T>& before) {
  SCOPED_TRACE(fmt::format("op {} alpha {} beta {}", name(op), alpha, beta));
  const std::vector<T> given = x;
  const std::vector<T> start = beta == T(0) ? std::vector<T>(before.size(), nan<T>) : before;
  Guarded<T> y(start);
  plan.multiply(alpha, x, beta, y.span(), op);
  EXPECT_TRUE(y.intact()) << "wrote outside y";
  EXPECT_TRUE(same_bits<T>(given, x)) << "changed x";
  const Verdict v = check_product<T, O>(truth.view(), op, alpha, x, beta, before, y.span());
  EXPECT_TRUE(v.right()) << v.message();
  EXPECT_EQ(v.unjudged, 0);
  if (plan.kernel().deterministic) {
    Guarded<T> again(start);
    plan.multiply(alpha, x, beta, again.span(), op);
    EXPECT_TRUE(same_bits<T>(y.span(), again.span())) << "called deterministic, but differs";
  }
}

// What is forgiven a kernel of another library, and never one of ours.
struct Forgiven {
  bool refusing = false;           // a matrix it cannot hold
  bool infinities_spread = false;  // it pads by itself, unseen, and multiplies its padding with x
};

template <class T, class O>
void conform(const Kernel& kernel, const BatteryMatrix& entry, const Parameters& parameters,
             int threads, std::mt19937_64& random, Forgiven forgiven = {}) {
  SCOPED_TRACE(fmt::format("{}{} on '{}', {}, offsets of {} bits, {} threads, NZ_TEST_SEED={}",
                           kernel.id(), text(parameters), entry.name, name(value_type_of<T>),
                           8 * sizeof(O), threads, seed()));
  const auto a = csr_cast<T, O>(entry.matrix.view());
  Plan<T> plan;
  try {
    plan = nz::plan(a.view(), {kernel.id(), parameters, threads});
  } catch (const Refused&) {
    if (forgiven.refusing) return;
    throw;
  }
  ASSERT_EQ(&plan.kernel(), &kernel);
  // With an infinite x, stored zeros count: truth is the matrix as the format fills it.
  const auto filled =
      kernel.with_fill
          ? csr_cast<T, O>(kernel.with_fill(entry.matrix.view(), plan.parameters()).view())
          : a;
  for (const Op op : all_ops) {
    if (!kernel.supports(op)) continue;
    const auto in = static_cast<std::size_t>(op == Op::none ? a.cols : a.rows);
    const auto out = static_cast<std::size_t>(op == Op::none ? a.rows : a.cols);
    const auto before = numbers<T>(random, out, Input::finite);
    for (const T alpha : {T(0), T(1), T(-0.5)})
      for (const T beta : {T(0), T(1), T(-0.5)}) {
        multiply_and_check(plan, a, op, alpha, beta, numbers<T>(random, in, Input::finite), before);
        if (!forgiven.infinities_spread)
          multiply_and_check(plan, filled, op, alpha, beta,
                             numbers<T>(random, in, Input::non_finite), before);
      }
    // alpha = 0 reads neither A nor x; the battery's NaN in A and this x would show.
    multiply_and_check(plan, a, op, T(0), T(-0.5), std::vector<T>(in, nan<T>), before);
  }
  // The byte model: both vectors and what is stored of the matrix; y once more when it is read.
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  const auto traffic = [&](bool reads_y) { return plan.product().traffic(Op::none, reads_y); };
  EXPECT_EQ(traffic(true) - traffic(false), rows * sizeof(T));
  EXPECT_GE(traffic(false), (rows + cols) * sizeof(T));
}

template <class T, class O>
void conform(const Kernel& kernel, Forgiven forgiven = {}) {
  if (!std::get<Prepare<T, O>>(kernel.prepare)) GTEST_SKIP() << "not for these types";
  std::mt19937_64 random(seed());
  const auto some_threads = kernel.threaded ? std::vector{1, 2, 3, 7} : std::vector{1};
  const auto sets = parameter_sets(kernel, random);
  std::size_t turn = 0;
  for (std::size_t set = 0; set < sets.size(); ++set)
    for (const BatteryMatrix& entry : shared_battery()) {
      // The first two sets with every number of threads, the others with each in turn.
      const std::vector one = {some_threads[turn++ % some_threads.size()]};
      for (const int threads : set < 2 ? some_threads : one) {
        conform<T, O>(kernel, entry, sets[set], threads, random, forgiven);
        if (::testing::Test::HasFailure()) return;  // one broken matrix says enough
      }
    }
}

inline std::string test_name(const ::testing::TestParamInfo<const Kernel*>& info) {
  std::string id = info.param->id();
  std::replace_if(
      id.begin(), id.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return id;
}

}  // namespace nz::test
