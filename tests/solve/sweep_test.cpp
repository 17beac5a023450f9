#include "solve/workspace.hpp"

#include "solve/systems.hpp"

// Every device makes the same of a sweep: of any shape, any length, and from odd addresses.
namespace nz::test {
namespace {

using solve::Slot;
using solve::SolverWorkspace;

template <class T>
struct Outcome {
  std::vector<T> y, z;
  std::vector<double> scalars;
};

// Three vectors in one piece of memory, so that odd lengths make odd addresses.
template <class T>
Outcome<T> run(const std::string& place, std::size_t n, int shape) {
  SolverWorkspace<T> m(device_named(place), 3, {.tolerance = 0, .max_iterations = 9, .scalars = 5});
  const std::vector<Slot> s = m.scalars(5);
  const std::vector<T> numbers_ = cast<T>(numbers(3 * n + 1));
  T* x = m.vector(3 * n + 1);
  m.put(x, numbers_);
  T *y = x + n, *z = x + 2 * n;
  m.run({solve::set(s[3], 0.5), solve::set(s[4], -2)});
  auto pass = m.pass(n);
  const int updates = shape / 4 % 4, sums = shape % 4;
  if (updates > 0) pass.update(y, s[3], x, s[4]);
  if (updates > 1) pass.update(z, -s[3], y, 1.0, x).plus(0.25);
  if (updates > 2) pass.update(y, 2.0, z, 0.0);
  if (sums > 0 && updates > 0 && shape % 3 == 0)
    pass.change(s[0]);
  else if (sums > 0)
    pass.dot(y, z, s[0]);
  if (sums > 1) pass.dot(y, y, s[1]);
  if (sums > 2) pass.sum(z, s[2]);
  pass.then();
  m.run({solve::multiply(s[4], s[0], s[3])});
  return {m.fetch(y, n), m.fetch(z, n), m.read(s[0], 5)};
}

template <class T>
void agree() {
  for (const std::string& place : places())
    for (const std::size_t n : {0u, 1u, 7u, 64u, 1023u, 3000u})
      for (int shape = 0; shape < 16; ++shape) {
        const Outcome<T> here = run<T>("cpu", n, shape), there = run<T>(place, n, shape);
        SCOPED_TRACE(place + ", " + std::to_string(n) + ", shape " + std::to_string(shape));
        // A GPU may fuse a product and a sum that others round.
        const double close = sizeof(T) == 8 ? 1e-13 : 1e-5;
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_NEAR(here.y[i], there.y[i], close);
          EXPECT_NEAR(here.z[i], there.z[i], close);
        }
        for (std::size_t i = 0; i < 5; ++i)
          EXPECT_NEAR(here.scalars[i], there.scalars[i],
                      close * (1.0 + 3 * static_cast<double>(n)));
        EXPECT_EQ(run<T>(place, n, shape).scalars, there.scalars);  // the same bits again
      }
}

TEST(Sweeps, DevicesAgreeF64) { agree<double>(); }
TEST(Sweeps, DevicesAgreeF32) { agree<float>(); }

// The sweeps of an iteration go as one kernel on a GPU. Once stopped, the rest of a row of sweeps
// does nothing: at 0 before the first, at 1 after it, at 2 not at all.
template <class T>
std::vector<double> run_row(const std::string& place, std::size_t n, int method, int stop) {
  SolverWorkspace<T> m(device_named(place), 3, {.tolerance = 0, .max_iterations = 9, .scalars = 4});
  const std::vector<Slot> s = m.scalars(4);
  const std::vector<T> start = cast<T>(numbers(6 * n));
  std::vector<T*> v;
  for (std::size_t k = 0; k < 6; ++k) {
    v.push_back(m.vector(n));
    m.put(v[k], std::span<const T>(start).subspan(k * n, n));
  }
  m.run({solve::set(s[1], 0.5), solve::set(s[2], stop == 1 ? 0 : 1)});
  if (stop == 0) m.decide(solve::Stop::stopped);
  m.pass(n).dot(v[0], v[1], s[0]).then({solve::need_nonzero(s[2]), solve::push(s[0])});
  if (method == 3) {
    m.pass(n)
        .update(v[0], s[1], v[1], 0.0)
        .plus(s[0])
        .change(s[2])
        .update(v[2], 1.0, v[0], 0.0, v[3])
        .then({solve::push(s[2])});
  } else {
    auto second = m.pass(n);
    second.update(v[2], -s[1], v[1]);
    if (method > 0)
      second.update(v[3], s[1], v[4], method == 1 ? 0.0 : 1.0, method == 1 ? v[5] : nullptr);
    second.dot(v[2], v[2], s[2]);
    if (method > 0) second.dot(v[2], v[3], s[3]);
    second.then({solve::divide(s[1], s[2], s[0]), solve::push(s[1])});
    auto third = m.pass(n);
    third.update(v[5], s[1], v[0]).update(v[0], 1.0, v[2], s[2]);
    if (method == 2) third.update(v[4], 1.0, v[3], s[2]);
    third.then();
  }
  std::vector<double> all = m.read(s[0], 4);
  for (T* each : v)
    for (const T e : m.fetch(each, n)) all.push_back(static_cast<double>(e));
  return all;
}

template <class T>
void rows_agree() {
  for (const std::string& place : places())
    for (const std::size_t n : {1u, 66u, 3001u})
      for (int method = 0; method < 4; ++method)
        for (int stop = 0; stop < 3; ++stop) {
          SCOPED_TRACE(place + ", " + std::to_string(n) + ", method " + std::to_string(method));
          const auto here = run_row<T>("cpu", n, method, stop),
                     there = run_row<T>(place, n, method, stop);
          for (std::size_t i = 0; i < here.size(); ++i)
            EXPECT_NEAR(here[i], there[i],
                        (sizeof(T) == 8 ? 1e-12 : 1e-4) * (std::abs(here[i]) + 1));
          EXPECT_EQ(run_row<T>(place, n, method, stop), there);  // the same bits again
        }
}

TEST(Sweeps, RowsAgreeF64) { rows_agree<double>(); }
TEST(Sweeps, RowsAgreeF32) { rows_agree<float>(); }

// On the CPU, against sums that can be done by hand.
TEST(Sweeps, DoWhatTheySay) {
  SolverWorkspace<double> m(cpu_device, 2, {.tolerance = 0, .max_iterations = 1, .scalars = 3});
  const auto s = m.scalars(3);
  double* x = m.vector(3);
  double* y = m.vector(3);
  m.put(x, std::vector<double>{1, 2, 3});
  m.put(y, std::vector<double>{4, 5, 6});
  m.pass(3)
      .update(y, 2.0, x, -1.0)
      .dot(x, y, s[0])
      .sum(y, s[1])
      .then({solve::divide(s[2], s[0], s[1])});
  EXPECT_EQ(m.fetch(y, 3), (std::vector<double>{-2, -1, 0}));
  EXPECT_EQ(m.read(s[0], 3), (std::vector<double>{-4, -3, 4.0 / 3}));
  m.pass(3).fill(y, 1.0).change(s[0]).then();
  EXPECT_EQ(m.read(s[0]), 3 + 2 + 1);
  m.decide(solve::Stop::stopped);  // and then nothing changes any more
  m.pass(3).fill(y, 7.0).sum(y, s[0]).then();
  EXPECT_EQ(m.fetch(y, 3), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(m.read(s[0]), 6);
}

// A program of a solver that asks for more than a sweep has room for must not write behind it.
TEST(Sweeps, HaveRoomForThreeOfEach) {
  SolverWorkspace<double> m(cpu_device, 1, {.tolerance = 0, .max_iterations = 1, .scalars = 1});
  const Slot s = m.scalar();
  double* y = m.vector(1);
  auto updates = m.pass(1);
  updates.fill(y, 1.0).fill(y, 2.0).fill(y, 3.0);
  EXPECT_THROW(updates.fill(y, 4.0), Error);
  auto sums = m.pass(1);
  sums.sum(y, s).sum(y, s).sum(y, s);
  EXPECT_THROW(sums.sum(y, s), Error);
  EXPECT_THROW(m.pass(1).plus(1.0), Error);
  EXPECT_THROW(m.pass(1).change(s), Error);
  EXPECT_THROW(m.pass(1).fill(y, 1.0).sum(y, s).change(s), Error);
  auto steps = m.pass(1);
  EXPECT_THROW(
      steps.then({solve::next(), solve::next(), solve::next(), solve::next(), solve::next(),
                  solve::next(), solve::next(), solve::next(), solve::next(), solve::next(),
                  solve::next(), solve::next(), solve::next(), solve::next(), solve::next(),
                  solve::next(), solve::next(), solve::next(), solve::next(), solve::next(),
                  solve::next(), solve::next(), solve::next(), solve::next(), solve::next()}),
      Error);
}

}  // namespace
}  // namespace nz::test
