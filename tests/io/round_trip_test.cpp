#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::TempDir;

// Values of every size, subnormal ones among them, and rows from empty to full.
template <class T, class O>
Csr<T, O> sample(index_t rows, index_t cols, std::size_t entries, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<index_t> row, column;
  std::vector<T> value;
  for (std::size_t k = 0; k < entries && rows > 0 && cols > 0; ++k) {
    const auto i = static_cast<index_t>(random() % static_cast<std::uint64_t>(rows));
    row.push_back(i < rows / 2 ? i / 7 * 7 : i);
    column.push_back(static_cast<index_t>(random() % static_cast<std::uint64_t>(cols)));
    const int most = std::numeric_limits<T>::max_exponent - 4;
    const int exponent = static_cast<int>(random() % (2 * most + 60)) - most - 60;
    const T v = static_cast<T>(std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53, exponent));
    value.push_back(random() % 2 ? v : -v);
  }
  return csr_from_triplets<T, O>(rows, cols, row, column, value);
}

template <class>
struct RoundTrip : testing::Test {};
using Types = testing::Types<std::tuple<float, std::int32_t>, std::tuple<float, std::int64_t>,
                             std::tuple<double, std::int32_t>, std::tuple<double, std::int64_t>>;
TYPED_TEST_SUITE(RoundTrip, Types);

constexpr const char* endings[] = {"a.mtx", "a.mtx.gz", "a.mtx.zst", "a.nzb"};

TYPED_TEST(RoundTrip, EveryFormatGivesTheSameBits) {
  using T = std::tuple_element_t<0, TypeParam>;
  using O = std::tuple_element_t<1, TypeParam>;
  const TempDir dir;
  std::vector<std::tuple<index_t, index_t, std::size_t>> shapes = {
      {0, 0, 0}, {0, 5, 0},     {5, 0, 0},      {1, 1, 1},
      {3, 4, 0}, {40, 30, 200}, {1, 3000, 900}, {3000, 1, 900}};
  // More than one piece of work for the writers; once will do.
  if (sizeof(T) + sizeof(O) == 16) shapes.emplace_back(5000, 4000, 70000);
  for (const auto& [rows, cols, entries] : shapes)
    for (const char* ending : endings) {
      const auto a = sample<T, O>(rows, cols, entries, 7);
      write_matrix(dir(ending), a.view(), "two\nlines");
      FileInfo info;
      const auto b = read_matrix<T, O>(dir(ending), {}, &info);
      b.validate();
      EXPECT_EQ(a, b) << ending << ' ' << rows << " x " << cols;
      EXPECT_EQ(info.stored_entries, static_cast<std::int64_t>(a.nnz()));
      EXPECT_EQ(info.file_bytes, std::filesystem::file_size(dir(ending)));
    }
}

}  // namespace
}  // namespace nz
