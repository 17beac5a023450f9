#include "plan/timing.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <vector>

#include <nonzero/threads.hpp>

namespace nz {
namespace {

double worked() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Works for so long, product after product, and so long for all that follow.
class Scripted final : public Product<double> {
 public:
  explicit Scripted(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  void multiply(Op, double, std::span<const double>, double, std::span<double>) const override {
    const double until = worked() + seconds_[std::min(calls, seconds_.size() - 1)];
    ++calls;
    while (worked() < until) {
    }
  }
  std::size_t bytes() const override { return 0; }
  bool borrows() const override { return false; }
  std::size_t traffic(Op, bool) const override { return 0; }
  mutable std::size_t calls = 0;

 private:
  std::vector<double> seconds_;
};

constexpr double quick = 0.001, slow = 0.02, between = 0.01;

struct Timed {
  double seconds;
  std::size_t calls;
};
Timed timed(std::vector<double> seconds, Few few) {
  const ThreadScope alone(1);  // then the clock is the thread's own, whoever else is busy
  const Scripted product(std::move(seconds));
  std::vector<double> x(1), y(1);
  const double s = time_few<double>(product, Op::none, 1, Layout::row_major, x, y, few);
  return {s, product.calls};
}

TEST(TimeFew, TheShortestAfterOneThatWarmsUp) {
  const Timed t = timed({quick, slow, slow, quick, slow}, {.products = 3});
  EXPECT_EQ(t.calls, 4u);
  EXPECT_LT(t.seconds, between);
  EXPECT_EQ(timed({slow, slow, slow, quick}, {.products = 3, .enough = between}).calls, 3u);
}

// What disturbs a product may last for several: where the result is doubted, more are taken, until
// it is no longer, but not many.
TEST(TimeFew, DoubtsWhatIsDisturbed) {
  const Few few{.products = 3, .enough = between, .doubtful = between};
  const Timed disturbed = timed({slow, slow, slow, slow, quick}, few);
  EXPECT_LT(disturbed.seconds, between);
  EXPECT_EQ(disturbed.calls, 5u);
  const Timed slower = timed({slow}, few);
  EXPECT_GT(slower.seconds, between);
  EXPECT_EQ(slower.calls, 6u);
  EXPECT_EQ(timed({quick}, few).calls, 4u);
}

}  // namespace
}  // namespace nz
