#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

// What the battery is too small for: rows over many tiles of coordinates or of slots, tiles of
// several steps, and matrices that are in device memory already.
namespace nz {
namespace {

using Matrix = Csr<double, std::int64_t>;

Matrix with_lengths(std::span<const index_t> lengths, index_t cols) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> value(-1, 1);
  Matrix a{static_cast<index_t>(lengths.size()), cols, Array<std::int64_t>(lengths.size() + 1)};
  a.offsets[0] = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) a.offsets[i + 1] = a.offsets[i] + lengths[i];
  const auto nnz = static_cast<std::size_t>(a.offsets.back());
  a.columns = Array<index_t>(nnz);
  a.values = Array<double>(nnz);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (index_t j = 0; j < lengths[i]; ++j)
      a.columns[static_cast<std::size_t>(a.offsets[i] + j)] =
          static_cast<index_t>(std::int64_t{j} * cols / lengths[i]);
  for (double& v : a.values) v = value(random);
  a.validate();
  return a;
}

std::vector<double> numbers(index_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& e : v) e = value(random);
  return v;
}

class CooTiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (match_kernels("gpu/coo/segmented").empty() ||
        !find_kernel("gpu/coo/segmented").runs_on_device(Device::Kind::emulator))
      GTEST_SKIP() << "built without the emulator";
  }

  static void check(const Matrix& a, std::int64_t threads, std::int64_t entries) {
    SCOPED_TRACE("threads " + std::to_string(threads) + " entries " + std::to_string(entries));
    const auto plan =
        nz::plan(a.view(), {.kernel = "gpu/coo/segmented",
                            .parameters = {{"threads", threads}, {"entries", entries}},
                            .device = emulator_device});
    check(plan, a);
  }
  // gpu/coo/slots; a tile has 4 or 8 slots a thread.
  static Plan<double> slots(const Matrix& a, std::int64_t threads, std::int64_t items,
                            std::int64_t spare) {
    return nz::plan(a.view(),
                    {.kernel = "gpu/coo/slots",
                     .parameters = {{"threads", threads}, {"items", items}, {"spare", spare}},
                     .device = emulator_device});
  }
  static void check_slots(const Matrix& a) {
    for (const auto& [threads, items, spare] :
         {std::tuple{32, 4, 1}, {32, 4, 63}, {64, 8, 30}, {128, 4, 0}}) {
      SCOPED_TRACE("slots " + std::to_string(threads * items) + " spare " + std::to_string(spare));
      check(slots(a, threads, items, spare), a);
    }
  }
  static void check(const Plan<double>& plan, const Matrix& a) {
    const auto x = numbers(a.cols, 1), before = numbers(a.rows, 2);
    auto y = before, again = before;
    plan.multiply(-0.5, x, 2.0, y);
    const Verdict v =
        check_product<double, std::int64_t>(a.view(), Op::none, -0.5, x, 2.0, before, y);
    EXPECT_TRUE(v.right()) << v.message();
    plan.multiply(-0.5, x, 2.0, again);
    EXPECT_EQ(y, again);
  }
};

TEST_F(CooTiles, ARowOverManyTilesBetweenShortAndEmptyOnes) {
  std::vector<index_t> lengths = {0, 3, 1, 0, 0, 12'000, 0, 2, 5, 9'000, 4'000, 0};
  lengths.insert(lengths.end(), 400, 0);
  lengths.push_back(7);
  lengths.insert(lengths.end(), 70, 0);
  const Matrix a = with_lengths(lengths, 12'000);
  for (const auto& [threads, entries] : {std::pair{32, 8}, {64, 32}, {256, 8}, {1024, 512}})
    check(a, threads, entries);
  check_slots(a);
}

TEST_F(CooTiles, ShortRowsOverSeveralSteps) {
  std::mt19937_64 random(5);
  std::vector<index_t> lengths(4'000);
  for (index_t& n : lengths) n = static_cast<index_t>(random() % 12);
  const Matrix a = with_lengths(lengths, 300);
  for (const auto& [threads, entries] : {std::pair{32, 8}, {32, 32}, {96, 16}, {256, 32}})
    check(a, threads, entries);
  check_slots(a);
}

TEST_F(CooTiles, RowsThatEndWithTheirTile) {
  check(with_lengths(std::vector<index_t>(64, 256), 256), 32, 8);  // a row a tile
  check(with_lengths(std::vector<index_t>(20, 512), 512), 32, 8);  // a row two tiles
  check(with_lengths(std::vector<index_t>(4'096, 4), 40), 32, 8);  // a row a thread's load
}

// Rows of all lengths up to ten tiles, so that parts meet in every way.
TEST_F(CooTiles, PartsOfARowInSlotsMeetInTheirOrder) {
  std::vector<index_t> lengths;
  for (index_t n = 1; n < 1'280; n += 41) lengths.insert(lengths.end(), {n, n % 5});
  check_slots(with_lengths(lengths, 1'300));
}

// A part leaves its sum as a word in which 0 stands for nobody.
TEST_F(CooTiles, SumsOfAnyBitsMeetInSlots) {
  Matrix a = with_lengths(std::vector<index_t>{700, 3, 700}, 700);
  const double rare = std::bit_cast<double>(std::uint64_t{0x7ffedcba98765432});
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -0.0, rare, infinite}) {
    std::fill(a.values.begin(), a.values.begin() + 700, value);
    const auto plan = slots(a, 32, 4, 1);
    const std::vector<double> x(700, 1.0);
    std::vector<double> y(3, 7.0);
    for (int time = 0; time < 2; ++time) {
      plan.multiply(1.0, x, 0.0, y);
      const Verdict v = check_product<double, std::int64_t>(a.view(), Op::none, 1.0, x, 0.0, {}, y);
      EXPECT_TRUE(v.right()) << value << ": " << v.message();
    }
  }
}

// The same in float. Of two parts either may be the one that leaves its sum; the other one is 0.
TEST_F(CooTiles, SumsOfAnyFloatsMeetInSlots) {
  for (const unsigned bits : {0x98765432u, 0x7f7fffffu, 0x00000001u, 0xff7fffffu})
    for (const std::size_t place : {5, 150}) {
      auto a = csr_cast<float, std::int64_t>(with_lengths(std::vector<index_t>{200}, 200).view());
      std::fill(a.values.begin(), a.values.end(), 0.0f);
      a.values[place] = std::bit_cast<float>(bits);
      const auto plan =
          nz::plan(a.view(), {.kernel = "gpu/coo/slots",
                              .parameters = {{"threads", 32}, {"items", 4}, {"spare", 1}},
                              .device = emulator_device});
      std::vector<float> y(1);
      plan.multiply(1.0f, std::vector<float>(200, 1.0f), 0.0f, y);
      EXPECT_EQ(y[0], a.values[place]) << place;
    }
}

// Few parts of a row meet in pairs of neighbours; many are added by a warp, whose lanes begin with
// those 16 apart. What cancels first leaves what is small.
TEST_F(CooTiles, HowPartsMeetInSlotsDependsOnTheirNumber) {
  const double small = 1e-30;
  constexpr index_t tile = 127;  // slots of a tile but for the spare one
  const auto sum = [&](index_t tiles, index_t one, index_t less_one, index_t rest) {
    Matrix a = with_lengths(std::vector<index_t>{tile * tiles}, tile * tiles);
    std::fill(a.values.begin(), a.values.end(), 0.0);
    a.values[static_cast<std::size_t>(tile * one + 3)] = 1;
    a.values[static_cast<std::size_t>(tile * less_one + 3)] = -1;
    a.values[static_cast<std::size_t>(tile * rest + 3)] = small;
    std::vector<double> y(1);
    slots(a, 32, 4, 1)
        .multiply(1.0, std::vector<double>(static_cast<std::size_t>(a.cols), 1.0), 0.0, y);
    return y[0];
  };
  EXPECT_EQ(sum(3, 0, 1, 2), small);
  EXPECT_EQ(sum(16, 2, 3, 0), small);
  EXPECT_EQ(sum(20, 0, 16, 1), small);
}

TEST_F(CooTiles, TakesAMatrixFromDeviceMemoryAsItLies) {
  const Matrix a = with_lengths(std::vector<index_t>(90, 23), 70);
  const auto nnz = static_cast<std::size_t>(a.nnz());
  for (const std::size_t shift : {0, 1}) {  // the second not aligned for wide loads
    std::vector<index_t> columns(nnz + shift);
    std::vector<double> values(nnz + shift);
    std::copy(a.columns.begin(), a.columns.end(), columns.begin() + std::ptrdiff_t(shift));
    std::copy(a.values.begin(), a.values.end(), values.begin() + std::ptrdiff_t(shift));
    const DeviceArray<std::int64_t> offsets(emulator_device, std::span(a.offsets.data(), 91));
    const DeviceArray<index_t> there_columns(emulator_device, std::span<const index_t>(columns));
    const DeviceArray<double> there_values(emulator_device, std::span<const double>(values));
    const CsrView<double, std::int64_t> view{a.rows,
                                             a.cols,
                                             a.nnz(),
                                             offsets.data(),
                                             there_columns.data() + shift,
                                             there_values.data() + shift};
    const auto plan = nz::plan(view, {.kernel = "gpu/coo/segmented", .device = emulator_device});
    EXPECT_EQ(plan.product().borrows(), shift == 0);
    check(plan, a);
  }
}

}  // namespace
}  // namespace nz
