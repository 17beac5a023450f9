#include "simt/warp.hpp"

#include <random>
#include <vector>

#include "simt/run.hpp"

namespace nz::test {
namespace {

TEST(Warp, SumsOfGroups) {
  for (const int width : {1, 2, 4, 8, 16, 32}) {
    std::vector<double> down(64), all(64);
    run(1, 64, 0, [d = down.data(), a = all.data(), width](Thread& t) {
      d[t.index()] = emulated::reduce_to_first_lane(t, static_cast<double>(t.index()), width);
      a[t.index()] = emulated::sum_all(t, static_cast<double>(t.index()), width);
    });
    for (int i = 0; i < 64; ++i) {
      const int begin = i / width * width;
      const double sum = width * begin + width * (width - 1) / 2.0;
      EXPECT_EQ(all[static_cast<std::size_t>(i)], sum) << width;
      EXPECT_EQ(down[static_cast<std::size_t>(begin)], sum) << width;
    }
  }
}

TEST(Warp, SegmentedSumsEndWhereKeysChange) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> keys(64), values(64), got(64);
    for (std::size_t i = 0; i < 64; ++i) {
      const bool same = i > 0 && random() % 8 < static_cast<unsigned>(round % 9);
      keys[i] = i == 0 ? 0 : keys[i - 1] + !same;
      values[i] = static_cast<int>(random() % 1000);
    }
    run(1, 64, 0, [k = keys.data(), v = values.data(), g = got.data()](Thread& t) {
      g[t.index()] = emulated::segmented_sum(t, v[t.index()], k[t.index()]);
    });
    for (std::size_t i = 0; i < 64; ++i) {
      const bool goes_on = i % 32 > 0 && keys[i] == keys[i - 1];
      EXPECT_EQ(got[i], values[i] + (goes_on ? got[i - 1] : 0));
    }
  }
}

}  // namespace
}  // namespace nz::test
