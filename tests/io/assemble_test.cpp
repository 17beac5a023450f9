#include "formats/assemble.hpp"

#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

namespace nz {
namespace {

template <class T>
struct Triplets {
  std::vector<index_t> row, column;
  std::vector<T> value;
};

// Values whose sum depends on the order.
template <class T>
Triplets<T> random_triplets(index_t rows, index_t cols, std::size_t n, unsigned skew) {
  std::mt19937_64 random(n + skew);
  Triplets<T> t;
  for (std::size_t k = 0; k < n; ++k) {
    auto i = random() % static_cast<std::uint64_t>(rows);
    if (skew > 0 && random() % skew != 0) i = i % 3;
    t.row.push_back(static_cast<index_t>(i));
    t.column.push_back(static_cast<index_t>(random() % static_cast<std::uint64_t>(cols)));
    t.value.push_back(static_cast<T>(random() % 1000) / T{7});
  }
  return t;
}

// The plain way: a map, filled in order.
template <class T, class O>
Csr<T, O> expected(index_t rows, index_t cols, const Triplets<T>& t, Mirror mirror) {
  std::map<std::pair<index_t, index_t>, T> sum;
  const auto add = [&](index_t i, index_t j, T v) {
    const auto [at, fresh] = sum.try_emplace({i, j}, v);
    if (!fresh) at->second += v;
  };
  for (std::size_t k = 0; k < t.row.size(); ++k) {
    add(t.row[k], t.column[k], t.value[k]);
    if (mirror != Mirror::none && t.row[k] != t.column[k])
      add(t.column[k], t.row[k], mirror == Mirror::skew ? -t.value[k] : t.value[k]);
  }
  Csr<T, O> a{rows, cols, Array<O>(static_cast<std::size_t>(rows) + 1, 0),
              Array<index_t>(sum.size()), Array<T>(sum.size())};
  std::size_t k = 0;
  for (const auto& [place, v] : sum) {
    ++a.offsets[static_cast<std::size_t>(place.first) + 1];
    a.columns[k] = place.second;
    a.values[k++] = v;
  }
  for (index_t i = 0; i < rows; ++i) a.offsets[i + 1] += a.offsets[i];
  return a;
}

template <class T, class O>
void check(index_t rows, index_t cols, std::size_t n, unsigned skew = 0) {
  const int before = threads();
  const auto t = random_triplets<T>(rows, cols, n, skew);
  for (const Mirror mirror : {Mirror::none, Mirror::symmetric, Mirror::skew}) {
    if (mirror != Mirror::none && rows != cols) continue;
    const auto right = expected<T, O>(rows, cols, t, mirror);
    for (const int count : {1, 2, 3, 7}) {
      set_threads(count);
      // In one chunk, and in three of different lengths.
      const std::size_t a = n / 5, b = n / 2;
      const auto chunk = [&](std::size_t from, std::size_t to) {
        return TripletChunk<T>{std::span(t.row).subspan(from, to - from),
                               std::span(t.column).subspan(from, to - from),
                               std::span(t.value).subspan(from, to - from)};
      };
      const TripletChunk<T> one[] = {chunk(0, n)};
      const TripletChunk<T> three[] = {chunk(0, a), chunk(a, b), chunk(b, n)};
      EXPECT_EQ((assemble_csr<T, O>(rows, cols, one, mirror)), right);
      EXPECT_EQ((assemble_csr<T, O>(rows, cols, three, mirror)), right);
    }
  }
  set_threads(before);
}

TEST(Assemble, SmallOnes) {
  check<double, std::int32_t>(1, 1, 0);
  check<double, std::int32_t>(1, 1, 9);
  check<float, std::int64_t>(7, 7, 30);
  check<double, std::int64_t>(5, 9, 20);
  check<float, std::int32_t>(100, 100, 3);
}

TEST(Assemble, NoRowsOrColumns) {
  const TripletChunk<double> nothing[] = {{}};
  EXPECT_EQ((assemble_csr<double, std::int32_t>(0, 0, nothing)), (Csr<double, std::int32_t>{}));
  const auto a = assemble_csr<double, std::int32_t>(3, 0, {});
  EXPECT_EQ(a.offsets, (Array<std::int32_t>{0, 0, 0, 0}));
}

TEST(Assemble, OffsetsMustBeAbleToCount) {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_NO_THROW(require_countable<std::int32_t>(most, "test"));
  EXPECT_NO_THROW(require_countable<std::int64_t>(most + 1, "test"));
  try {
    require_countable<std::int32_t>(most + 1, "test");
    ADD_FAILURE() << "not refused";
  } catch (const Refused& e) {
    EXPECT_STREQ(e.what(), "test: 2147483648 entries do not fit 32-bit offsets; use 64-bit ones");
  }
}

TEST(Assemble, ManyBucketsAndPieces) {
  check<double, std::int32_t>(2000, 2000, 80000);
  check<float, std::int64_t>(70000, 70000, 70000);
}

TEST(Assemble, NearlyAllInThreeRows) { check<double, std::int64_t>(5000, 5000, 40000, 50); }

TEST(Assemble, RowsInOrderStayWhereTheyAre) {
  Csr<double, std::int32_t> a{3, 4, {0, 2, 2, 5}, {1, 3, 0, 1, 2}, {1, 2, 3, 4, 5}};
  const auto before = a;
  sort_rows_and_sum(a);
  EXPECT_EQ(a, before);
}

TEST(Assemble, SortsRowsInPlace) {
  const int before = threads();
  for (const int count : {1, 3}) {
    set_threads(count);
    Csr<double, std::int32_t> a{
        4, 4, {0, 3, 3, 7, 8}, {2, 0, 2, 3, 1, 3, 1, 0}, {1, 2, 3, 4, 5, 6, 7, 8}};
    sort_rows_and_sum(a);
    EXPECT_EQ(
        a, (Csr<double, std::int32_t>{4, 4, {0, 2, 2, 4, 5}, {0, 2, 1, 3, 0}, {2, 4, 12, 10, 8}}));
  }
  set_threads(before);
}

}  // namespace
}  // namespace nz
