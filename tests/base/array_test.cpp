#include <nonzero/array.hpp>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace nz {
namespace {

TEST(Array, CopiesMovesAndCompares) {
  Array<int> a{1, 2, 3};
  Array<int> b = a;
  EXPECT_EQ(a, b);
  EXPECT_NE(a.data(), b.data());
  const int* where = b.data();
  Array<int> c = std::move(b);
  EXPECT_EQ(c.data(), where);
  EXPECT_TRUE(b.empty());
  c[1] = 7;
  EXPECT_FALSE(a == c);
  a = c;
  EXPECT_EQ(a, c);
  a = Array<int>{};
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a, Array<int>());
}

TEST(Array, IsAlignedAndFilled) {
  for (std::size_t n : {1u, 3u, 1000u}) {
    const Array<float> a(n, 2.5f);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    EXPECT_EQ(std::vector<float>(a.begin(), a.end()), std::vector<float>(n, 2.5f));
  }
}

TEST(Array, TruncateOnlyShrinks) {
  Array<int> a{1, 2, 3};
  a.truncate(5);
  EXPECT_EQ(a.size(), 3u);
  a.truncate(2);
  EXPECT_EQ(a, (Array<int>{1, 2}));
}

TEST(Array, RefusesSizesThatOverflow) {
  EXPECT_THROW(Array<double>(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

}  // namespace
}  // namespace nz
