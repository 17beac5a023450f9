#include <algorithm>
#include <numeric>
#include <random>

#include "gpu/conversions.hpp"
#include "gpu/device/sort_there.hpp"

// Keys are sorted by the bits that are asked for and by no others, in the same way on every device.
namespace nz::test {
namespace {

template <class Key, class Payload>
std::pair<std::vector<Key>, std::vector<Payload>> sorted_on(Device device,
                                                            const std::vector<Key>& keys,
                                                            const std::vector<Payload>& payloads,
                                                            int bits, int without) {
  NZ_RETURN_FROM_HOME(device, sort_there(keys, payloads, bits, without));
}

class SortOnDevice : public ::testing::TestWithParam<Device> {
 protected:
  // Returns the payloads in their new order, once they are known to be right.
  template <class Key, class Payload>
  std::vector<Payload> sort(const std::vector<Key>& keys, int bits, int without) {
    SCOPED_TRACE(fmt::format("{} keys of {} bits, by bits {} to {}", keys.size(), 8 * sizeof(Key),
                             without, bits));
    std::vector<Payload> payloads(keys.size());
    std::iota(payloads.begin(), payloads.end(), Payload{0});
    const auto part = [&](Key key) {
      Key mask = 0;
      for (int b = without; b < bits; ++b) mask |= Key{1} << b;
      return key & mask;
    };
    auto expected = payloads;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](Payload a, Payload b) { return part(keys[a]) < part(keys[b]); });
    const auto [sorted, got] = sorted_on(GetParam(), keys, payloads, bits, without);
    EXPECT_EQ(got, expected);
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(sorted[i], keys[got[i]]);
    return got;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SortOnDevice);

TEST_P(SortOnDevice, ByTheBitsThatCount) {
  NZ_NEEDS(GetParam());
  // The highest bit would turn the order of the first two around.
  const std::vector<std::uint32_t> two = {0x80000001u, 0x00000002u};
  EXPECT_EQ((sort<std::uint32_t, std::uint32_t>(two, 31, 0)), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ((sort<std::uint32_t, std::uint32_t>(two, 32, 0)), (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ((sort<std::uint32_t, std::uint32_t>({3, 2, 1}, 2, 1)),
            (std::vector<std::uint32_t>{2, 0, 1}));
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> keys(3000);
  std::vector<std::uint32_t> small(keys.size());
  for (auto& k : keys) k = random() & 0xff00ff00ff00ffffu;
  std::transform(keys.begin(), keys.end(), small.begin(),
                 [](std::uint64_t k) { return static_cast<std::uint32_t>(k >> 20); });
  for (const auto& [bits, without] :
       {std::pair{64, 0}, {64, 63}, {40, 0}, {17, 16}, {9, 3}, {1, 0}, {33, 32}}) {
    sort<std::uint64_t, std::uint32_t>(keys, bits, without);
    sort<std::uint64_t, std::uint64_t>(keys, bits, without);
    sort<std::uint32_t, std::uint32_t>(small, std::min(bits, 32), std::min(without, 31));
  }
}

INSTANTIATE_TEST_SUITE_P(, SortOnDevice, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
