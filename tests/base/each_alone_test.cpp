#include "base/each_alone.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace nz {
namespace {

TEST(EachAlone, EveryIndexOnceAndByOneThreadToItself) {
  for (const int team : {1, 2, 5}) {
    const ThreadScope scope(team);
    for (const int n : {0, 1, 3, 17}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
      std::atomic<int> with_a_team{0};
      each_alone(n, [&](int i) {
        ++calls[static_cast<std::size_t>(i)];
        with_a_team += threads() != 1;
      });
      for (const auto& c : calls) EXPECT_EQ(c, 1) << n << " of " << team;
      EXPECT_EQ(with_a_team, 0) << n << " of " << team;
    }
    EXPECT_EQ(threads(), team);
  }
}

TEST(EachAlone, PassesOnWhatIsThrown) {
  const ThreadScope scope(3);
  const auto fails = [](int i) {
    if (i == 4) throw std::runtime_error("four");
  };
  EXPECT_THROW(each_alone(6, fails), std::runtime_error);
  EXPECT_EQ(threads(), 3);
}

}  // namespace
}  // namespace nz
