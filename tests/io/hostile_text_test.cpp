#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "io/packed.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::TempDir;

// A broken file and what must be said of it, without the path in front.
struct Hostile {
  std::string bytes;
  std::string message;
};

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
const std::string array = "%%MatrixMarket matrix array real general\n";
const std::string good = real + "3 3 2\n1 1 1\n2 2 2\n";

std::vector<Hostile> banners() {
  return {
      {"", ": the file is empty"},
      {"\n", ":1: not a Matrix Market file"},
      {"1 1 1\n", ":1: not a Matrix Market file: it does not begin with %%MatrixMarket"},
      {"%MatrixMarket matrix coordinate real general\n1 1 0\n", ":1: not a Matrix Market file"},
      {"\n" + good, ":1: not a Matrix Market file"},
      {"\xef\xbb\xbf" + good, ":1: not a Matrix Market file"},
      {"\x7f"
       "ELF\x02\x01\x01" +
           std::string(200, '\0'),
       ":1: not a Matrix Market file"},
      {"BZh91AY&SY", ":1: packed by bzip2, and only gzip and zstd are undone here: unpack it"},
      {std::string("\3757zXZ\0\0", 7), ":1: packed by xz"},
      {"7z\xbc\xaf\x27\x1c", ":1: packed by 7-Zip"},
      {"\x1f\x9d\x90", ":1: packed by compress"},
      {std::string(5000, '\xff'), ":1: not a Matrix Market file"},
      {std::string(300000, 'x'), ":1: not a Matrix Market file"},
      {"%%MatrixMarket", ":1: the banner has 0 words after %%MatrixMarket, needs 4"},
      {"%%MatrixMarket matrix coordinate real\n1 1 0\n", ":1: the banner has 3 words"},
      {"%%MatrixMarket matrix coordinate real general extra\n1 1 0\n",
       ":1: the banner has 5 words"},
      {"%%MatrixMarket vector coordinate real general\n",
       ":1: object 'vector' is not one of matrix"},
      {"%%MatrixMarket matrix sparse real general\n",
       ":1: format 'sparse' is not one of coordinate, array"},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
       ":1: the file has complex values, and is read as real ones"},
      {"%%MatrixMarket matrix coordinate COMPLEX Hermitian\n1 1 1\n1 1 1 0\n",
       ":1: the file has complex values, and is read as real ones"},
      {"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n",
       ":1: a hermitian matrix is complex, this is real"},
      {"%%MatrixMarket matrix coordinate float general\n",
       ":1: field 'float' is not one of real, integer, pattern"},
      {"%%MatrixMarket matrix coordinate real upper\n",
       ":1: symmetry 'upper' is not one of general, symmetric, skew-symmetric"},
      {"%%MatrixMarket matrix coordinate r\x01\x02 general\n",
       ":1: field 'r\\x01\\x02' is not one of"},
      {"%%MatrixMarket matrix coordinate " + std::string(100, 'r') + " general\n",
       ":1: field 'rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr...' is not one of"},
      {"%%MatrixMarket matrix array pattern general\n2 2\n",
       ":1: an array has values, it cannot be a pattern"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 0\n",
       ":1: a pattern has no signs, it cannot be skew-symmetric"},
  };
}

std::vector<Hostile> sizes() {
  return {
      {real, ":1: the file ends before the size line"},
      {real + "% only\n% comments\n", ":3: the file ends before the size line"},
      {real + "3 3\n", ":2: the size line has 2 numbers, needs 3: rows, columns, entries"},
      {real + "3 3 2 1\n", ":2: the size line has 4 numbers, needs 3"},
      {real + "\n% c\n1 2 3 4 5 6 7 8 9\n", ":4: the size line has many numbers, needs 3"},
      {array + "3 3 9\n", ":2: the size line has 3 numbers, needs 2: rows, columns"},
      {real + "three 3 2\n", ":2: the number of rows is 'three'"},
      {real + "3 -3 2\n", ":2: the number of columns is '-3'"},
      {real + "3 3 2.0\n", ":2: the number of entries is '2.0'"},
      {real + "3 3 +2\n", ":2: the number of entries is '+2'"},
      {real + "2147483648 1 1\n1 1 1\n", ":2: 2147483648 rows are more than 2147483647"},
      {real + "1 99999999999999999999999 1\n1 1 1\n",
       ":2: 99999999999999999999999 columns are more than 2147483647"},
      {real + "1 1 9223372036854775808\n1 1 1\n",
       ":2: 9223372036854775808 entries are more than 9223372036854775807"},
      {real + "2147483647 2147483647 0\n",
       ":2: a 2147483647 x 2147483647 matrix with its vectors takes 85899345880 bytes of memory, "
       "but a file of 70 bytes is granted 67126784 (64 MiB + 256 times its size); a memory limit "
       "that is set to more allows it"},
      {real + "2147483647 1 1\n1 1 1\n", ":2: a 2147483647 x 1 matrix with its vectors takes "},
      {pattern + "1 2000000000 1\n1 1\n", ":2: a 1 x 2000000000 matrix with its vectors takes "},
      {array + "2000000000 2000000000\n1\n",
       ":2: a 2000000000 x 2000000000 matrix with its vectors takes "},
      {symmetric + "3 4 1\n1 1 1\n", ":2: 3 x 4 cannot be symmetric"},
      {skew + "4 3 1\n2 1 1\n", ":2: 4 x 3 cannot be skew-symmetric"},
      {"%%MatrixMarket matrix array real symmetric\n2 3\n1\n2\n3\n",
       ":2: 2 x 3 cannot be symmetric"},
      {real + "1000000 1000000 9223372036854775807\n1 1 1\n",
       ":3: the file ends after 1 of 9223372036854775807 entries"},
      {array + "1000000 1000000\n1\n2\n", ":4: the file ends after 2 of 1000000000000 values"},
  };
}

std::vector<Hostile> entries() {
  return {
      {real + "3 3 2\n1 1 1\n", ":3: the file ends after 1 of 2 entries"},
      {real + "3 3 2\n1 1 1\n\n% c\n", ":5: the file ends after 1 of 2 entries"},
      {real + "3 3 2", ":2: the file ends after 0 of 2 entries"},
      {real + "3 3 1\n1 1 1\n\n2 2 2\n3 3 3\n", ":5: more than the 1 entries announced"},
      {real + "3 3 0\n% c\n2 2 2", ":4: more than the 0 entries announced"},
      {real + "0 0 1\n1 1 1\n", ":3: row 1 exceeds 0"},
      {real + "3 3 2\n1 1 1\n0 1 1\n", ":4: row 0: counting starts at 1"},
      {real + "3 3 2\n1 1 1\n1 0 1\n", ":4: column 0: counting starts at 1"},
      {real + "3 3 2\n1 1 1\n1 000 1\n", ":4: column 0: counting starts at 1"},
      {real + "3 3 2\n4 1 1\n1 1 1\n", ":3: row 4 exceeds 3"},
      {real + "62451 62451 2\r\n% c\r\n1 1 1\r\n1 62452 1\r\n", ":5: column 62452 exceeds 62451"},
      {real + "3 3 1\n99999999999999999999999999999 1 1\n",
       ":3: row 99999999999999999999999999999 exceeds 3"},
      {real + "3 3 1\n18446744073709551617 1 1\n", ":3: row 18446744073709551617 exceeds 3"},
      {real + "3 3 1\n1 4294967297 1\n", ":3: column 4294967297 exceeds 3"},
      {real + "3 3 1\n-1 1 1\n", ":3: expected a row number, found '-1'"},
      {real + "3 3 1\n+1 1 1\n", ":3: expected a row number, found '+1'"},
      {real + "3 3 1\n1.0 1 1\n", ":3: expected a row number, found '1.0'"},
      {real + "3 3 1\n1 one 1\n", ":3: expected a column number, found 'one'"},
      {real + "3 3 1\n1,1,1\n", ":3: expected a row number, found '1,1,1'"},
      {real + "3 3 1\n1\n", ":3: expected a column number, found the end of the line"},
      {real + "3 3 1\n1 1\n", ":3: expected a number, found the end of the line"},
      {real + "3 3 1\n1 1 1 1\n", ":3: unexpected '1' after the entry"},
      {real + "3 3 1\n1 1 1x\n", ":3: expected a number, found '1x'"},
      {real + "3 3 1\n1 1 1e\n", ":3: expected a number, found '1e'"},
      {real + "3 3 1\n1 1 1.5d3\n", ":3: expected a number, found '1.5d3'"},
      {real + "3 3 1\n1 1 0x10\n", ":3: expected a number, found '0x10'"},
      {real + "3 3 1\n1 1 nan\n", ":3: expected a number, found 'nan'"},
      {real + "3 3 1\n1 1 -NaN\n", ":3: expected a number, found '-NaN'"},
      {real + "3 3 1\n1 1 inf\n", ":3: expected a number, found 'inf'"},
      {real + "3 3 1\n1 1 -Infinity\n", ":3: expected a number, found '-Infinity'"},
      {real + "3 3 1\n1 1 1e999\n", ":3: '1e999' does not fit 64-bit floating point"},
      {real + "3 3 1\n1 1 -1" + std::string(400, '0') + "\n",
       ":3: '-1000000000000000000000000000000...' does not fit 64-bit"},
      {real + "3 3 1\n1 1 --5\n", ":3: expected a number, found '--5'"},
      {real + "3 3 1\n1 1 %5\n", ":3: expected a number, found '%5'"},
      {integer + "3 3 1\n1 1 1.5\n", ":3: expected an integer, found '1.5'"},
      {integer + "3 3 1\n1 1 1e3\n", ":3: expected an integer, found '1e3'"},
      {integer + "3 3 1\n1 1 " + std::string(400, '9') + "\n",
       ":3: '99999999999999999999999999999999...' does not fit"},
      {pattern + "3 3 1\n1 1 1\n", ":3: unexpected '1' after the entry"},
      {pattern + "3 3 1\n1 4\n", ":3: column 4 exceeds 3"},
      {skew + "3 3 2\n2 1 1\n2 2 5\n", ":4: entry (2, 2) of a skew-symmetric matrix is not zero"},
      {real + std::string("3 3 1\n1 1 \0\n", 11), ":3: expected a number, found '\\x00'"},
      {real + std::string("3 3 1\n1\0 1 1\n", 13), ":3: expected a row number, found '1\\x00'"},
      {real + "3 3 1\n1 1 1\xff\n", ":3: expected a number, found '1\\xff'"},
      // The same bytes as the digit before it but for one bit.
      {real + "3 3 2\n2 1 1\n\xb2 1 1\n", ":4: expected a row number, found '\\xb2'"},
      {real + "3 3 2\n" + std::string(1000, '\0'), ":3: expected a row number, found '\\x00"},
      {array + "2 2\n1\n2\n3\n", ":5: the file ends after 3 of 4 values"},
      {array + "2 2\n1\n2\n3\n4\n5\n", ":7: more than the 4 values announced"},
      {array + "2 2\n1 2\n3 4\n", ":3: unexpected '2' after the entry"},
      {array + "2 2\n1\n2\nthree\n4\n", ":5: expected a number, found 'three'"},
      {array + "2 2\n1\n2\nnan\n4\n", ":5: expected a number, found 'nan'"},
      {"%%MatrixMarket matrix array integer general\n1 2\n1\n2.5\n",
       ":4: expected an integer, found '2.5'"},
  };
}

std::vector<Hostile> packed() {
  const std::string gz = gzip(good), zst = zstd(good);
  std::string flipped_gz = gz, flipped_zst = zst, wrong_sum = gz;
  flipped_gz[gz.size() / 2] ^= 0x10;
  flipped_zst[zst.size() - 2] ^= 0x10;
  wrong_sum[gz.size() - 6] ^= 1;
  // More than a hundred megabytes of blank lines in a file of a hundred kilobytes or less.
  const std::string blank(1 << 20, '\n'), head = real + "1 1 0\n";
  const std::string gz_member = gzip(blank), zst_frame = zstd(blank);
  std::string bomb_gz = gzip(head), bomb_zst = zstd(head);
  for (int k = 0; k < 120; ++k) {
    bomb_gz += gz_member;
    bomb_zst += zst_frame;
  }
  return {
      {gz.substr(0, gz.size() - 10), ": gzip data ends early"},
      {gz.substr(0, 12), ": gzip data ends early"},
      {gz.substr(0, 2), ": gzip data ends early"},
      {gz.substr(0, 1), ":1: not a Matrix Market file"},
      {flipped_gz, ": broken gzip data: "},
      {wrong_sum, ": broken gzip data: incorrect data check"},
      {gz + "junk", ": junk after the gzip data"},
      {gz + gz.substr(0, 9), ": gzip data ends early"},
      {gzip(real + "3 3 1\n1 4 1\n"), ":3: column 4 exceeds 3"},
      {gzip(gzip(good)), ":1: not a Matrix Market file"},
      {gzip(""), ": the file is empty"},
      {zst.substr(0, zst.size() - 10), ": zstd data ends early"},
      {zst.substr(0, 5), ": zstd data ends early"},
      {flipped_zst, ": broken zstd data: "},
      {zst + "junk", ": broken zstd data: "},
      {zst + zst.substr(0, 7), ": zstd data ends early"},
      {zstd(real + "3 3 1\n1 1 nan\n"), ":3: expected a number, found 'nan'"},
      {bomb_gz, ": decompresses to more than "},
      {bomb_zst, ": decompresses to more than "},
      {zstd(bomb_gz), ":1: not a Matrix Market file"},
  };
}

void expect_refused(const std::vector<Hostile>& files, const std::string& name) {
  const TempDir dir;
  for (const auto& [bytes, message] : files) {
    const auto path = dir.write(name, bytes);
    try {
      read_matrix<double, std::int64_t>(path);
      ADD_FAILURE() << "not refused: " << bytes.substr(0, 200);
    } catch (const BadInput& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path + message, 0), 0u)
          << "said:     " << error.what() << "\nexpected: " << path + message;
    }
  }
}

TEST(HostileText, Banners) { expect_refused(banners(), "a.mtx"); }
TEST(HostileText, Sizes) { expect_refused(sizes(), "a.mtx"); }
TEST(HostileText, Entries) { expect_refused(entries(), "a.mtx"); }
TEST(HostileText, Packed) { expect_refused(packed(), "a.mtx.gz"); }

TEST(HostileText, AtLeastSixty) {
  EXPECT_GE(banners().size() + sizes().size() + entries().size() + packed().size(), 60u);
}

TEST(HostileText, WholePiecesOfAGoodFile) {
  // Cut anywhere, a file is refused or, where only trailing digits are gone, still readable; never
  // anything else.
  const TempDir dir;
  for (std::size_t n = 0; n < good.size(); ++n) {
    const auto path = dir.write("cut.mtx", good.substr(0, n));
    try {
      read_matrix<float, std::int32_t>(path).validate();
      EXPECT_GE(n, good.size() - 2);
    } catch (const BadInput&) {
    }
  }
}

}  // namespace
}  // namespace nz
