#include "io/nzb.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>
#include <nonzero/threads.hpp>

#include "io/crc32c.hpp"
#include "io/packed.hpp"
#include "io/read_text.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::read_file;
using test::TempDir;

TEST(Crc32c, PublishedValues) {
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283u);
  // RFC 3720 appendix B.4.
  const std::string zeros(32, '\0'), ones(32, '\xff');
  EXPECT_EQ(crc32c(zeros.data(), 32), 0x8a9136aau);
  EXPECT_EQ(crc32c(ones.data(), 32), 0x62a8ab43u);
  EXPECT_EQ(crc32c(nullptr, 0), 0u);
}

TEST(Crc32c, TableAndInstructionAgree) {
  std::mt19937_64 random(1);
  std::string bytes(300, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (std::size_t n = 0; n <= bytes.size(); ++n) {
    EXPECT_EQ(crc32c(bytes.data(), n), crc32c_by_table(bytes.data(), n));
    EXPECT_EQ(crc32c(bytes.data() + n, bytes.size() - n, crc32c(bytes.data(), n)),
              crc32c(bytes.data(), bytes.size()));
  }
  std::uint32_t four[4];
  crc32c_of_four(bytes.data() + 1, 72, four);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(four[k], crc32c(bytes.data() + 1 + 72 * k, 72));
}

template <class T, class O>
Csr<T, O> sample(index_t rows, index_t cols, int entries) {
  std::mt19937_64 random(2);
  std::vector<index_t> row, column;
  std::vector<T> value;
  for (int k = 0; k < entries; ++k) {
    row.push_back(static_cast<index_t>(random() % static_cast<std::uint64_t>(rows)));
    column.push_back(static_cast<index_t>(random() % static_cast<std::uint64_t>(cols)));
    value.push_back(static_cast<T>(static_cast<float>(random() >> 44)));
  }
  return csr_from_triplets<T, O>(rows, cols, row, column, value);
}

template <class T, class O>
std::string bytes_of(const Csr<T, O>& a) {
  const TempDir dir;
  write_matrix(dir("a.nzb"), a.view());
  return read_file(dir("a.nzb"));
}

TEST(Nzb, ConvertsOnLoad) {
  const auto a = sample<double, std::int64_t>(300, 200, 5000);
  for (const std::string& bytes : {bytes_of(a), bytes_of(csr_cast<float, std::int32_t>(a.view())),
                                   bytes_of(csr_cast<double, std::int32_t>(a.view())),
                                   bytes_of(csr_cast<float, std::int64_t>(a.view()))}) {
    EXPECT_EQ((read_text<double, std::int64_t>(bytes)), a);
    EXPECT_EQ((read_text<float, std::int32_t>(bytes)), (csr_cast<float, std::int32_t>(a.view())));
    EXPECT_EQ((read_text<float, std::int64_t>(bytes)), (csr_cast<float, std::int64_t>(a.view())));
    EXPECT_EQ((read_text<double, std::int32_t>(bytes)), (csr_cast<double, std::int32_t>(a.view())));
  }
}

TEST(Nzb, KeepsEveryBit) {
  Csr<double, std::int32_t> a{
      1,
      6,
      {0, 6},
      {0, 1, 2, 3, 4, 5},
      {std::nan(""), -std::numeric_limits<double>::infinity(), -0.0, 5e-324, 1e308, 1}};
  const auto b = read_text(bytes_of(a));
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), 6 * sizeof(double)), 0);
}

TEST(Nzb, PatternTakesNoValues) {
  auto a = sample<double, std::int32_t>(1000, 1000, 20000);
  const std::size_t with = bytes_of(a).size();
  for (double& v : a.values) v = 1;
  const std::string bytes = bytes_of(a);
  EXPECT_LT(bytes.size() + 8 * a.values.size(), with + 200);
  FileInfo info;
  EXPECT_EQ(read_text(bytes, usual_piece, &info), a);
  EXPECT_EQ(info.format, "nzb");
  EXPECT_EQ(info.field, Field::pattern);
}

TEST(Nzb, ManyBlocksAndThreads) {
  const auto a = sample<double, std::int64_t>(100000, 90000, 400000);
  const int before = threads();
  std::string first;
  for (const int count : {1, 2, 3, 7}) {
    set_threads(count);
    const std::string bytes = bytes_of(a);
    EXPECT_GT(bytes.size(), 4u << 20);
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
    EXPECT_EQ((read_text<double, std::int64_t>(bytes)), a);
  }
  set_threads(before);
}

// Offsets, columns and values that are so long that units of work lie within each of them. Those
// are read to where they belong, unless the types differ.
TEST(Nzb, UnitsWithinOneArray) {
  constexpr index_t rows = 550000, cols = 1000, a_row = 4;
  constexpr std::size_t entries = std::size_t{rows} * a_row;
  static_assert(rows * sizeof(std::int64_t) > nzb_unit && entries * sizeof(index_t) > 2 * nzb_unit);
  Csr<double, std::int64_t> a{rows, cols, Array<std::int64_t>(rows + 1), Array<index_t>(entries),
                              Array<double>(entries)};
  for (std::size_t i = 0; i < a.offsets.size(); ++i)
    a.offsets[i] = static_cast<std::int64_t>(a_row * i);
  for (std::size_t k = 0; k < entries; ++k) {
    a.columns[k] = static_cast<index_t>(k / a_row % (cols - a_row) + k % a_row);
    a.values[k] = static_cast<double>(k);
  }
  const std::string bytes = bytes_of(a);
  EXPECT_TRUE((read_text<double, std::int64_t>(bytes)) == a);
  EXPECT_TRUE((read_text<float, std::int32_t>(bytes)) == (csr_cast<float, std::int32_t>(a.view())));
}

TEST(Nzb, LayoutIsAsDocumented) {
  const std::string bytes = bytes_of(sample<double, std::int64_t>(10, 20, 50));
  NzbHeader h;
  std::memcpy(&h, bytes.data(), sizeof(h));
  EXPECT_EQ(bytes.substr(0, 8), "\x89NZB\r\n\x1a\n");
  EXPECT_EQ(h.version, 1u);
  EXPECT_EQ(h.offsets_at, 128u);
  EXPECT_EQ(h.columns_at, 256u);  // 11 offsets of 8 bytes, then up to a multiple of 64
  EXPECT_EQ(h.columns_at % 64, 0u);
  EXPECT_EQ(h.values_at % 64, 0u);
  EXPECT_EQ(h.file_bytes, bytes.size());
  const std::string full = bytes_of(sample<double, std::int64_t>(7, 20, 50));
  std::memcpy(&h, full.data(), sizeof(h));
  EXPECT_EQ(h.columns_at, 192u);  // 8 offsets of 8 bytes are a multiple of 64 themselves
}

TEST(Nzb, CompressedToo) {
  const auto a = sample<double, std::int32_t>(100, 100, 500);
  EXPECT_EQ(read_text(gzip(bytes_of(a))), a);
  EXPECT_EQ(read_text(zstd(bytes_of(a))), a);
}

void expect_refused(const std::string& bytes, const std::string& message) {
  try {
    read_text<double, std::int32_t>(bytes);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("a.mtx:"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
        << "said: " << error.what() << "\nexpected: " << message;
  }
}

TEST(Nzb, EveryFlippedBitIsSeen) {
  for (const auto& bytes : {bytes_of(sample<double, std::int64_t>(5, 4, 9)),
                            bytes_of(sample<float, std::int32_t>(0, 0, 0))})
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      EXPECT_THROW((read_text<double, std::int64_t>(damaged)), BadInput) << "bit " << bit;
    }
}

TEST(Nzb, EveryTruncationAndExtensionIsSeen) {
  const std::string bytes = bytes_of(sample<double, std::int32_t>(5, 4, 9));
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(read_text(bytes.substr(0, n)), BadInput) << n;
  expect_refused(bytes.substr(0, 100), "the nzb header is cut short");
  expect_refused(bytes + '\0', fmt::format("{} bytes long, but its nzb header says {}",
                                           bytes.size() + 1, bytes.size()));
}

TEST(Nzb, NamesTheDamagedBlock) {
  std::string bytes = bytes_of(sample<double, std::int32_t>(100000, 90000, 400000));
  bytes[128 + (3 << 20) + 5] ^= 1;
  bytes[128 + (2 << 20) + 5] ^= 1;
  expect_refused(bytes,
                 fmt::format("the checksum of the block at byte {} is wrong", 128 + (2 << 20)));
}

// A file with right checksums and wrong contents, made on purpose.
std::string forged(std::uint64_t rows, std::uint64_t cols, const std::vector<std::int64_t>& offsets,
                   const std::vector<std::int32_t>& columns,
                   const std::function<void(NzbHeader&)>& change = {}) {
  NzbHeader h = nzb_layout(rows, cols, columns.size(), 0, 8);
  std::string data(h.checksums_at - sizeof(h), '\0');
  if (!offsets.empty()) std::memcpy(data.data(), offsets.data(), offsets.size() * 8);
  if (!columns.empty())
    std::memcpy(data.data() + (h.columns_at - sizeof(h)), columns.data(), columns.size() * 4);
  if (change) change(h);
  h.checksum = crc32c(&h, offsetof(NzbHeader, checksum));
  std::string bytes(reinterpret_cast<const char*>(&h), sizeof(h));
  bytes += data;
  std::vector<std::uint32_t> checksums((data.size() + nzb_block - 1) / nzb_block);
  nzb_checksums(data.data(), data.size(), checksums.data());
  checksums.push_back(crc32c(checksums.data(), 4 * checksums.size()));
  bytes.append(reinterpret_cast<const char*>(checksums.data()), 4 * checksums.size());
  return bytes;
}

TEST(Nzb, ForgedContentsAreRefused) {
  EXPECT_EQ(read_text(forged(2, 3, {0, 2, 3}, {0, 2, 1})).nnz(), 3);  // the honest one
  expect_refused(forged(2, 3, {1, 2, 3}, {0, 2, 1}), "CSR: offsets start at 1, not 0");
  expect_refused(forged(2, 3, {0, 2, 2}, {0, 2, 1}), "CSR: ");
  expect_refused(forged(3, 3, {0, 2, 1, 3}, {0, 2, 1}),
                 "CSR: row 1 ends at 1, before its start 2 (counting from 0)");
  expect_refused(forged(3, 3, {0, 900, 1, 3}, {0, 2, 1}),
                 "CSR: row 1 ends at 1, before its start 900 (counting from 0)");
  expect_refused(forged(2, 3, {0, -1, 3}, {0, 2, 1}), "offset 1 is -1");
  expect_refused(forged(2, 3, {0, (std::int64_t{1} << 32) + 2, 3}, {0, 2, 1}),
                 "offset 1 is 4294967298");
  expect_refused(forged(2, 3, {0, 2, 3}, {0, 3, 1}),
                 "CSR: row 0, entry 1: index 3 is outside 0 to 2 (counting from 0)");
  expect_refused(forged(2, 3, {0, 2, 3}, {0, 2, -1}),
                 "CSR: row 1, entry 2: index -1 is outside 0 to 2 (counting from 0)");
  expect_refused(forged(2, 3, {0, 2, 3}, {2, 0, 1}),
                 "CSR: row 0, entry 1: index 0 does not follow 2 (counting from 0)");
  expect_refused(forged(2, 3, {0, 2, 3}, {1, 1, 1}),
                 "CSR: row 0, entry 1: index 1 does not follow 1 (counting from 0)");
  expect_refused(forged(1, 0, {0, 1}, {0}), "CSR: row 0, entry 0: index 0 is outside");
}

TEST(Nzb, ForgedWhereUnitsMeet) {
  // One row that is longer than a unit of work, in order but for the place where two of them meet.
  std::vector<std::int32_t> columns(nzb_unit / 4 + 1000);
  for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<std::int32_t>(2 * k);
  const auto n = static_cast<std::int64_t>(columns.size());
  EXPECT_EQ(read_text(forged(1, 4000000, {0, n}, columns)).nnz(), n);
  const std::size_t seam = nzb_unit / 4 - 64 / 4;  // the columns begin 64 bytes into the data
  columns[seam] = columns[seam - 1];
  expect_refused(
      forged(1, 4000000, {0, n}, columns),
      fmt::format("CSR: row 0, entry {0}: index {1} does not follow {1} (counting from 0)", seam,
                  columns[seam]));
  EXPECT_EQ(read_text(forged(2, 4000000, {0, static_cast<std::int64_t>(seam), n}, columns)).nnz(),
            n);
}

TEST(Nzb, ForgedHeadersAreRefused) {
  const auto with = [](const std::function<void(NzbHeader&)>& change) {
    return forged(2, 3, {0, 2, 3}, {0, 2, 1}, change);
  };
  expect_refused(with([](NzbHeader& h) { h.version = 2; }), "nzb version 2 is not known (only 1)");
  expect_refused(with([](NzbHeader& h) { h.value_bytes = 2; }), "types or sizes are impossible");
  expect_refused(with([](NzbHeader& h) { h.offset_bytes = 16; }), "types or sizes are impossible");
  expect_refused(with([](NzbHeader& h) { h.rows = std::uint64_t{1} << 31; }),
                 "types or sizes are impossible");
  expect_refused(with([](NzbHeader& h) { h.rows = ~std::uint64_t{0}; }),
                 "types or sizes are impossible");
  expect_refused(with([](NzbHeader& h) { h.nnz = std::uint64_t{1} << 62; }),
                 "types or sizes are impossible");
  expect_refused(with([](NzbHeader& h) { h.rows = 20; }),
                 "sections are not where its sizes put them");
  expect_refused(with([](NzbHeader& h) { h.nnz = 40; }),
                 "sections are not where its sizes put them");
  expect_refused(with([](NzbHeader& h) { h.columns_at = 128; }),
                 "sections are not where its sizes put them");
  expect_refused(with([](NzbHeader& h) { h.values_at = ~std::uint64_t{63}; }),
                 "sections are not where its sizes put them");
  expect_refused(with([](NzbHeader& h) { h.block_bytes = 4096; }),
                 "sections are not where its sizes put them");
  expect_refused(with([](NzbHeader& h) { h.zero[3] = 1; }),
                 "sections are not where its sizes put them");
  expect_refused(with([](NzbHeader& h) { h.file_bytes += 1; }),
                 "bytes long, but its nzb header says");
}

TEST(Nzb, ValuesThatFloatCannotHold) {
  const Csr<double, std::int32_t> a{1, 2, {0, 2}, {0, 1}, {1.5, 1e300}};
  const std::string bytes = bytes_of(a);
  try {
    read_text<float, std::int32_t>(bytes);
    ADD_FAILURE();
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "a.mtx: entry 1: 1e+300 does not fit 32-bit floating point");
  }
}

}  // namespace
}  // namespace nz
