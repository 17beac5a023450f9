#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "gpu/conversions.hpp"
#include "gpu/device/parts_there.hpp"

// What GPU kernels are made of, each by itself.
namespace nz::test {
namespace {

class PartsOfKernels : public ::testing::TestWithParam<Device> {
 protected:
  void SetUp() override { NZ_NEEDS(GetParam()); }
  std::mt19937 random{20};

  // Numbers whose sum depends on the order in which they are added.
  template <class T>
  std::vector<T> uneven(std::size_t n) {
    std::vector<T> v(n);
    for (T& e : v)
      e = std::ldexp(static_cast<T>(random() % 1000 + 1), static_cast<int>(random() % 40) - 20);
    return v;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PartsOfKernels);

template <class T>
std::pair<std::vector<T>, std::vector<unsigned>> met(Device device, const std::vector<T>& parts,
                                                     int each, int launches) {
  NZ_RETURN_FROM_HOME(device, sums_that_meet(parts, each, launches));
}
template <class T>
std::vector<T> met_by_lanes(Device device, const std::vector<T>& parts, int each, int launches) {
  NZ_RETURN_FROM_HOME(device, lanes_that_meet(parts, each, launches));
}
template <class O>
std::vector<index_t> rows_found(Device device, const std::vector<O>& offsets) {
  NZ_RETURN_FROM_HOME(device, rows_of_entries(offsets));
}
std::vector<int> columns_found(Device device, const std::vector<index_t>& columns,
                               const std::vector<index_t>& wanted, int guesses) {
  NZ_RETURN_FROM_HOME(device, first_columns(columns, wanted, guesses));
}
std::pair<std::vector<int>, std::vector<index_t>> by_line(Device device,
                                                          const std::vector<index_t>& line,
                                                          index_t lines) {
  NZ_RETURN_FROM_HOME(device, items_by_line(line, lines));
}
std::vector<index_t> extremes(Device device, const std::vector<index_t>& of_lanes) {
  NZ_RETURN_FROM_HOME(device, warp_extremes(of_lanes));
}
template <class V>
std::vector<V> copied(Device device, const std::vector<V>& from) {
  NZ_RETURN_FROM_HOME(device, packed_copy(from));
}
template <class T>
std::vector<T> tile_sums(Device device, const std::vector<T>& products,
                         const std::vector<int>& starts, int mark, int threads, T untouched) {
  NZ_RETURN_FROM_HOME(device, tile_row_sums(products, starts, mark, threads, untouched));
}
template <class T>
std::vector<T> long_sums(Device device, const CsrView<T, std::int32_t>& a, const std::vector<T>& x,
                         std::int64_t most, int piece, T untouched) {
  NZ_RETURN_FROM_HOME(device, long_row_sums(a, x, most, piece, untouched));
}

// The order in which a warp adds n numbers: every 32nd by a lane, then halves.
template <class T>
T warp_sum(const T* v, int n) {
  T lane[32] = {};
  for (int i = 0; i < n; ++i) lane[i % 32] += v[i];
  for (int by = 16; by > 0; by /= 2)
    for (int i = 0; i < by; ++i) lane[i] += lane[i + by];
  return lane[0];
}

// Lines without items, at both ends and between, and none at all.
TEST_P(PartsOfKernels, ItemsByLineKeepTheirOrder) {
  for (const std::size_t n : {0u, 1u, 31u, 1000u}) {
    std::vector<index_t> line(n);
    for (index_t& l : line) l = static_cast<index_t>(random() % 40 * 7 + 3);
    const index_t lines = 300;
    std::vector<index_t> items(n);
    std::iota(items.begin(), items.end(), 0);
    std::stable_sort(items.begin(), items.end(), [&](index_t a, index_t b) {
      return line[static_cast<std::size_t>(a)] < line[static_cast<std::size_t>(b)];
    });
    std::vector<int> starts;
    for (index_t l = 0; l <= lines; ++l)
      starts.push_back(static_cast<int>(
          std::count_if(line.begin(), line.end(), [&](index_t its) { return its < l; })));
    const auto [its_starts, its_items] = by_line(GetParam(), line, lines);
    EXPECT_EQ(its_starts, starts) << n;
    EXPECT_EQ(its_items, items) << n;
  }
}

TEST_P(PartsOfKernels, ExtremesAreThoseOfAllLanes) {
  std::vector<index_t> of_lanes(96), expected;
  for (std::size_t w = 0; w < 3; ++w) {
    const auto first = of_lanes.begin() + static_cast<std::ptrdiff_t>(32 * w), end = first + 32;
    const auto zeros = static_cast<std::ptrdiff_t>(13 * w);
    std::generate(first + zeros, end, [&] { return static_cast<index_t>(random() % 99 + 1) * -1; });
    expected.insert(expected.end(), {*std::min_element(first, end), *std::max_element(first, end),
                                     static_cast<index_t>(zeros)});
  }
  EXPECT_EQ(extremes(GetParam(), of_lanes), expected);
}

TEST_P(PartsOfKernels, SumsThatMeetHaveTheBitsOfTheirOrder) {
  for (const int each : {1, 2, 3, 31, 32, 33, 70}) {
    const auto parts = uneven<double>(71);
    const auto [sums, arrived] = met(GetParam(), parts, each, 3);
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const std::size_t first = s * static_cast<std::size_t>(each);
      const auto n = std::min<std::size_t>(static_cast<std::size_t>(each), parts.size() - first);
      EXPECT_EQ(sums[s], warp_sum(parts.data() + first, static_cast<int>(n))) << each;
    }
    EXPECT_EQ(arrived, std::vector<unsigned>(parts.size())) << "not ready for the next launch";
  }
  const auto floats = uneven<float>(40);
  EXPECT_EQ(met(GetParam(), floats, 40, 2).first[0], warp_sum(floats.data(), 40));
}

TEST_P(PartsOfKernels, LanesThatMeet) {
  for (const int each : {1, 2, 5, 12}) {
    const auto parts = uneven<double>(12 * 32);
    const auto sums = met_by_lanes(GetParam(), parts, each, 2);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double sum = 0;
      for (int p = 0; p < each; ++p) {
        const std::size_t warp =
            i / 32 * static_cast<std::size_t>(each) + static_cast<std::size_t>(p);
        if (warp < 12) sum += parts[warp * 32 + i % 32];
      }
      EXPECT_EQ(sums[i], sum) << each << " warps, sum " << i;
    }
  }
}

TEST_P(PartsOfKernels, RowsOfEntries) {
  for (const int longest : {1, 3, 400}) {
    std::vector<std::int32_t> offsets = {0};
    std::vector<index_t> expected;
    while (expected.size() < 500) {
      const auto n = static_cast<std::int32_t>(random() % static_cast<unsigned>(longest + 1));
      expected.insert(expected.end(), static_cast<std::size_t>(n),
                      static_cast<index_t>(offsets.size() - 1));
      offsets.push_back(offsets.back() + n);
    }
    offsets.insert(offsets.end(), 3, offsets.back());  // empty rows at the end
    EXPECT_EQ(rows_found(GetParam(), offsets), expected);
    const std::vector<std::int64_t> wide(offsets.begin(), offsets.end());
    EXPECT_EQ(rows_found(GetParam(), wide), expected);
  }
}

TEST_P(PartsOfKernels, FirstColumnsFromAnyGuess) {
  for (const std::size_t n : {0u, 1u, 2u, 7u, 64u}) {
    std::vector<index_t> columns(n);
    for (index_t& c : columns) c = static_cast<index_t>(random() % 40);
    std::sort(columns.begin(), columns.end());
    std::vector<index_t> wanted(42);
    std::iota(wanted.begin(), wanted.end(), 0);
    constexpr int guesses = 70;
    const auto found = columns_found(GetParam(), columns, wanted, guesses);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto first = std::lower_bound(columns.begin(), columns.end(), wanted[i / guesses]);
      EXPECT_EQ(found[i], first - columns.begin()) << n << " columns, guess " << i % guesses;
    }
  }
}

TEST_P(PartsOfKernels, PackedLoads) {
  std::vector<float> floats(1024);
  std::iota(floats.begin(), floats.end(), 1.0f);
  EXPECT_EQ(copied(GetParam(), floats), floats);
  const std::vector<double> doubles(floats.begin(), floats.end());
  EXPECT_EQ(copied(GetParam(), doubles), doubles);
  const std::vector<index_t> numbers(floats.begin(), floats.end());
  EXPECT_EQ(copied(GetParam(), numbers), numbers);
}

TEST_P(PartsOfKernels, RowsOfATile) {
  constexpr int mark = 1 << 20;
  for (const auto& [rows, longest, threads] :
       {std::tuple{1, 300, 64}, {3, 100, 32}, {40, 9, 64}, {200, 2, 64}, {64, 4, 128}}) {
    std::vector<int> starts = {0};
    std::vector<double> products;
    std::vector<bool> elsewhere;
    for (int r = 0; r < rows; ++r) {
      elsewhere.push_back(random() % 5 == 0);
      const int n = elsewhere.back() ? 0 : static_cast<int>(random() % unsigned(longest + 1));
      for (int i = 0; i < n; ++i) products.push_back(static_cast<double>(random() % 100));
      starts.push_back(static_cast<int>(products.size()));
    }
    std::vector<int> marked = starts;
    for (int r = 0; r < rows; ++r)
      if (elsewhere[static_cast<std::size_t>(r)]) marked[static_cast<std::size_t>(r)] |= mark;
    if (products.empty()) products.push_back(0);
    const auto sums = tile_sums(GetParam(), products, marked, mark, threads, -7.0);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const double* const begin = products.data() + starts[r];
      const double sum =
          std::accumulate(begin, std::as_const(products).data() + starts[r + 1], 0.0);
      EXPECT_EQ(sums[r], elsewhere[r] ? -7.0 : sum) << "row " << r << " of " << rows;
    }
  }
}

TEST_P(PartsOfKernels, LongRowsInPieces) {
  const std::vector<int> lengths = {3, 0, 300, 20, 21, 1000, 1, 64};
  std::vector<std::int32_t> offsets = {0};
  for (const int n : lengths) offsets.push_back(offsets.back() + n);
  const auto nnz = static_cast<std::size_t>(offsets.back());
  std::vector<index_t> columns;
  for (const int n : lengths)
    for (int i = 0; i < n; ++i) columns.push_back(i);
  std::vector<double> values(nnz), x(1000);
  for (double& v : values) v = static_cast<double>(random() % 16);
  for (double& v : x) v = static_cast<double>(random() % 16);
  const CsrView<double, std::int32_t> a{static_cast<index_t>(lengths.size()),
                                        1000,
                                        offsets.back(),
                                        offsets.data(),
                                        columns.data(),
                                        values.data()};
  for (const int piece : {32, 100, 5000}) {
    const auto y = long_sums(GetParam(), a, x, 20, piece, -1.0);
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      double sum = 0;
      for (auto k = static_cast<std::size_t>(offsets[r]);
           k < static_cast<std::size_t>(offsets[r + 1]); ++k)
        sum += values[k] * x[static_cast<std::size_t>(columns[k])];
      EXPECT_EQ(y[r], lengths[r] > 20 ? sum : -1.0) << "row " << r << ", pieces of " << piece;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, PartsOfKernels, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
