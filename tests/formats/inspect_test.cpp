#include "formats/inspect.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

namespace nz::test {
namespace {

using View = CsrView<double, std::int32_t>;

// Rows of 1 to 9 entries, some empty, and one that is longer than what is looked at together.
struct Rows {
  std::vector<std::int32_t> offsets{0};
  std::vector<index_t> columns;
  std::vector<double> values;
  static constexpr index_t cols = 50'000;

  explicit Rows(std::int32_t first) : offsets{first}, columns(static_cast<std::size_t>(first), -1) {
    std::mt19937 random(7);
    for (int row = 0; row < 30'000; ++row) {
      const int n = row == 9'000 ? 20'000 : static_cast<int>(random() % 10);
      for (int k = 0; k < n; ++k) columns.push_back(2 * k + static_cast<int>(random() % 2));
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    values.resize(columns.size());
  }
  View view() const {
    return {static_cast<index_t>(offsets.size()) - 1,
            cols,
            offsets.back() - offsets[0],
            offsets.data(),
            columns.data(),
            values.data()};
  }
};

bool rising(const Rows& a) {
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i)
    for (std::int32_t k = a.offsets[i] + 1; k < a.offsets[i + 1]; ++k)
      if (a.columns[static_cast<std::size_t>(k)] <= a.columns[static_cast<std::size_t>(k - 1)])
        return false;
  return true;
}

// Wherever two columns change places or become the same: at the seams of what is looked at
// together, too.
TEST(Inspect, SeesEveryPlaceThatDoesNotRise) {
  for (const std::int32_t first : {0, 5})
    for (const int threads : {1, 2, 3, 7}) {
      const ThreadScope scope(threads);
      Rows a(first);
      EXPECT_TRUE(inspect(a.view()).rising);
      EXPECT_EQ(inspect(a.view()).from_zero, first == 0);
      const auto begin = static_cast<std::size_t>(first) + 1, end = a.columns.size();
      std::vector<std::size_t> places;
      for (std::size_t at = begin; at < end; at += 4096)
        for (std::size_t k = at; k < std::min(end, at + 3); ++k) places.push_back(k);
      places.push_back(end - 1);
      for (const std::size_t k : places) {
        const index_t before = a.columns[k];
        a.columns[k] = a.columns[k - 1];
        EXPECT_EQ(inspect(a.view()).rising, rising(a)) << k;
        a.columns[k] = before;
        std::swap(a.columns[k], a.columns[k - 1]);
        EXPECT_EQ(inspect(a.view()).rising, rising(a)) << k;
        std::swap(a.columns[k], a.columns[k - 1]);
      }
    }
}

TEST(Inspect, SeesEveryColumnOutOfRange) {
  Rows a(5);
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    for (std::size_t k = 5; k < a.columns.size(); k += 511) {
      const index_t before = a.columns[k];
      for (const index_t bad : {-1, Rows::cols, 0x7fffffff}) {
        a.columns[k] = bad;
        try {
          inspect(a.view());
          ADD_FAILURE() << k;
        } catch (const InvalidArgument& e) {
          EXPECT_NE(std::string(e.what()).find(", entry " + std::to_string(k) + ": column " +
                                               std::to_string(bad)),
                    std::string::npos)
              << e.what();
        }
      }
      a.columns[k] = before;
    }
  }
}

}  // namespace
}  // namespace nz::test
