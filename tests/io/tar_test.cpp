// Tar files as the SuiteSparse collection hands them out, and broken ones.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/other_writers.hpp"
#include "io/packed.hpp"
#include "io/refusals.hpp"

namespace nz {
namespace {

using test::tar_header;
using test::tar_member;

const std::string mtx = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n";
const std::string vector = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n";
const std::string end(1024, '\0');
const std::string rb = "title\n3 1 1 1\nRUA 2 2 1\n(3I2) (I2) (F4.1)\n 1 1 2\n 1\n 5.0\n";

std::string plain() {
  return tar_member("HB/", "", '5') + tar_member("A/A_b.mtx", vector) + tar_member("A/A.mtx", mtx) +
         tar_member("A/readme.txt", "about it") + end;
}

TEST(Tar, TheMatrixBesideItsRightHandSides) {
  FileInfo info;
  const auto expected = read_text(mtx);
  for (const auto& bytes : {plain(), gzip(plain()), zstd(plain())})
    EXPECT_EQ(read_text(bytes, usual_piece, &info), expected);
  EXPECT_EQ(info.format, "Matrix Market coordinate in a tar file");
  EXPECT_EQ(read_text(plain(), 16), expected) << "in small pieces";
  EXPECT_EQ(read_text(tar_member("some/where/x.mtx", mtx) + end), expected) << "the only one";
  EXPECT_EQ(read_text(tar_member("A/A.rb", rb) + end), expected);
  // Names that do not fit a header: GNU's and pax's ways.
  const std::string folder(150, 'f'), path = folder + "/" + folder + ".mtx";
  EXPECT_EQ(read_text(tar_member("././@LongLink", path, 'L') + tar_member("short", mtx) + end),
            expected);
  const std::string line = " path=" + path + "\n";
  EXPECT_EQ(read_text(tar_member("PaxHeaders/x", std::to_string(line.size() + 3) + line, 'x') +
                      tar_member("short", mtx) + end),
            expected);
}

TEST(Tar, ErrorsNameTheMemberAndItsLine) {
  const std::string broken = tar_member("A/A.mtx", mtx + "2 2 1\n") + end;
  for (const auto& bytes : {broken, gzip(broken)})
    test::expect_refusals("a.tar.gz",
                          {{bytes, "a.tar.gz: A/A.mtx:4: more than the 1 entries announced"}});
}

TEST(Tar, Hostile) {
  std::string damaged = plain(), endless = tar_header("A/A.mtx", 0777777777777) + mtx,
              huge = tar_header("A/A.mtx", 0);
  damaged[1536] = 'x';
  const std::string base256 =
      std::string("\x80", 1) + std::string(3, '\0') + std::string(8, '\x7f');
  huge.replace(124, 12, base256);
  const std::string two = tar_member("A/A.mtx", mtx) + tar_member("B/B.mtx", mtx) + end;
  test::expect_refusals(
      "a.tar", {{"", "the tar file is cut short"},
                {tar_member("A.mtx", mtx), "the tar file is cut short"},
                {end, "no .mtx or .rb file"},
                {tar_member("A/readme.txt", "about it") + end, "no .mtx or .rb file"},
                {two, "which one? This tar file has 'A/A.mtx', 'B/B.mtx'"},
                {tar_member("a.mtx", mtx) + tar_member("b.mtx", mtx) + end, "'a.mtx', 'b.mtx'"},
                {damaged, "broken tar header at byte 1536"},
                {huge, "broken tar header"},
                {endless, "the tar file is cut short"},
                {"short", "the tar file is cut short"},
                {tar_header("x", 1 << 20, 'L') + mtx, "a name of 1048576 bytes"},
                {tar_member("A/\x1b[2J.mtx", mtx) + end, "a member 'A/\\x1b[2J.mtx'"},
                {tar_member("A/A.mtx", "") + end, "the file is empty"},
                {tar_member("A/A.mtx", "hello\n") + end, "A/A.mtx:1: not a Matrix Market file"},
                {gzip(plain()).substr(0, 150), "gzip data ends early"}});
  test::expect_every_cut_refused("a.tar", plain(), plain().size() - 512);
}

}  // namespace
}  // namespace nz
