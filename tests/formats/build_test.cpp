#include <vector>

#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>

#include "formats/messages.hpp"

// Building CSR and COO from entries as they come.
namespace nz {
namespace {

using Indices = std::vector<index_t>;

template <class T>
Csr<T, std::int32_t> build(index_t rows, index_t cols, const Indices& row, const Indices& column,
                           const std::vector<T>& value) {
  return csr_from_triplets<T, std::int32_t>(rows, cols, row, column, value);
}

TEST(Triplets, AreSorted) {
  const auto a = build<double>(3, 4, {2, 0, 2, 0, 0}, {3, 2, 0, 0, 3}, {1, 2, 3, 4, 5});
  const Csr<double, std::int32_t> want{3, 4, {0, 3, 3, 5}, {0, 2, 3, 0, 3}, {4, 2, 5, 3, 1}};
  EXPECT_TRUE(a == want);
}

TEST(Triplets, WithTheSamePlaceAreSummedInTheOrderGiven) {
  // In float, (1 + 1e8) - 1e8 = 0, while any order with 1 last gives 1.
  const float big = 1e8f;
  const auto a = build<float>(2, 2, {1, 0, 1, 1}, {1, 0, 1, 1}, {1, 7, big, -big});
  EXPECT_TRUE(a == (Csr<float, std::int32_t>{2, 2, {0, 1, 2}, {0, 1}, {7, 0}}));
  const auto b = build<float>(2, 2, {1, 0, 1, 1}, {1, 0, 1, 1}, {big, 7, -big, 1});
  EXPECT_TRUE(b == (Csr<float, std::int32_t>{2, 2, {0, 1, 2}, {0, 1}, {7, 1}}));
}

TEST(Triplets, KeepExplicitZeros) {
  const auto a = build<double>(1, 3, {0, 0, 0}, {2, 1, 2}, {5, 0, -5});
  EXPECT_TRUE(a == (Csr<double, std::int32_t>{1, 3, {0, 2}, {1, 2}, {0, 0}}));
}

TEST(Triplets, OfNothing) {
  EXPECT_TRUE(build<double>(0, 0, {}, {}, {}) == (Csr<double, std::int32_t>{}));
  EXPECT_TRUE(build<double>(2, 0, {}, {}, {}) ==
              (Csr<double, std::int32_t>{2, 0, {0, 0, 0}, {}, {}}));
}

TEST(Triplets, OutsideTheShapeAreNamed) {
  const auto say = [](index_t rows, index_t cols, Indices row, Indices column) {
    return message_of<BadInput>(
        [&] { build<double>(rows, cols, row, column, std::vector<double>(row.size(), 1)); });
  };
  EXPECT_EQ(say(3, 3, {0, 3}, {0, 0}),
            "triplets: entry 1: row 3 is outside 0 to 2 (counting from 0)");
  EXPECT_EQ(say(3, 3, {0, -1}, {0, 0}),
            "triplets: entry 1: row -1 is outside 0 to 2 (counting from 0)");
  EXPECT_EQ(say(3, 3, {0, 1, 2}, {0, 0, 3}),
            "triplets: entry 2: column 3 is outside 0 to 2 (counting from 0)");
  EXPECT_EQ(say(3, 3, {0}, {-2}),
            "triplets: entry 0: column -2 is outside 0 to 2 (counting from 0)");
  EXPECT_EQ(say(-1, 3, {}, {}), "triplets: negative shape -1 x 3");
  EXPECT_EQ(say(0, 3, {0}, {0}), "triplets: entry 0: row 0 is outside 0 to -1 (counting from 0)");
}

TEST(Triplets, OfDifferentLengths) {
  EXPECT_EQ(message_of<InvalidArgument>([] {
              build<double>(2, 2, {0, 1}, {0}, {1, 2});
            }),
            "triplets: 2 rows, 1 columns and 2 values");
}

TEST(Triplets, GiveCooTheSameWay) {
  const Indices row{1, 0, 1}, column{0, 1, 0};
  const std::vector<double> value{1, 2, 3};
  EXPECT_TRUE(coo_from_triplets<double>(2, 2, row, column, value) ==
              (Coo<double>{2, 2, {0, 1}, {1, 0}, {2, 4}}));
}

TEST(CsrFromArrays, SortsAndSums) {
  const std::vector<std::int64_t> offsets{0, 3, 3, 5};
  const Indices columns{2, 0, 2, 1, 0};
  const std::vector<double> values{1, 2, 3, 4, 5};
  const auto a = csr_from_arrays<double, std::int64_t>(3, 3, offsets, columns, values);
  EXPECT_TRUE(a == (Csr<double, std::int64_t>{3, 3, {0, 2, 2, 4}, {0, 2, 0, 1}, {2, 4, 5, 4}}));
  EXPECT_NO_THROW(a.validate());
}

TEST(CsrFromArrays, ChecksThem) {
  const auto say = [](index_t rows, std::vector<std::int32_t> offsets, Indices columns,
                      std::vector<double> values) {
    return message_of<BadInput>(
        [&] { csr_from_arrays<double, std::int32_t>(rows, 2, offsets, columns, values); });
  };
  EXPECT_EQ(say(2, {0, 1}, {0}, {1}), "CSR: offsets has 2 elements, needs 3");
  EXPECT_EQ(say(1, {0, 1}, {0}, {1, 2}), "CSR: values has 2 elements, needs 1");
  EXPECT_EQ(say(1, {0, 2}, {0}, {1}), "CSR: offsets end at 2, but there are 1 entries");
  EXPECT_EQ(say(1, {0, 1}, {2}, {1}),
            "CSR: row 0, entry 0: index 2 is outside 0 to 1 (counting from 0)");
  EXPECT_EQ(say(-1, {}, {}, {}), "CSR: negative shape -1 x 2");
}

}  // namespace
}  // namespace nz
