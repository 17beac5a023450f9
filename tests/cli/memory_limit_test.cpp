// Files that claim or unpack to far more than they are, in a program that may not have much.
#include <string>

#include <gtest/gtest.h>

#include "io/packed.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
constexpr std::size_t MiB = std::size_t{1} << 20;

TEST(MemoryLimit, RefusalsHaveBothNumbers) {
  const TempDir dir;
  const auto path = dir.write("a.mtx", coordinate + "200000000 200000000 1\n1 1 1\n");
  for (const char* command : {"info", "check", "plan", "spy"}) {
    const Outcome o = nonzero({command, path});
    EXPECT_EQ(o.code, 3) << command;
    EXPECT_TRUE(has(o.err,
                    "takes 8000000000 bytes of memory, but a file of 74 bytes is granted "
                    "67127808 (64 MiB + 256 times its size)"))
        << o.err;
    EXPECT_TRUE(has(o.err, "; --memory-limit with more allows it")) << o.err;
  }
  const Outcome limited = nonzero({"info", path, "--memory-limit", "1G"});
  EXPECT_EQ(limited.code, 4) << limited.err;
  EXPECT_TRUE(has(limited.err,
                  "takes 8000000000 bytes of memory, but the memory limit is "
                  "1073741824"))
      << limited.err;
  for (const char* no_size :
       {"much", "5x", "5kk", "5 k", "-1k", "0", "k", "nan", "inf", "5ib", "5IB", "5kib b"}) {
    const Outcome o = nonzero({"info", path, std::string("--memory-limit=") + no_size});
    EXPECT_EQ(o.code, 2) << no_size << o.err;
    EXPECT_TRUE(has(o.err, "is not a size")) << o.err;
  }
  // The same sizes for a plan.
  for (const char* size : {"1k", "1K", "1KiB", "1kb", "1024", "1024B"})
    EXPECT_TRUE(has(nonzero({"plan", "gen:grid", "--memory-limit", size}).err, "in 1.0 KiB"))
        << size;
}

TEST(MemoryLimit, AllowsWhatItSays) {
  const TempDir dir;
  const auto path = dir.write("a.mtx", coordinate + "3000000 3 1\n1 1 1\n");
  EXPECT_EQ(nonzero({"info", path}).code, 3);
  EXPECT_EQ(nonzero({"info", path, "--memory-limit", "100M"}).code, 0);
}

// What `check` makes of the largest matrix that a tiny file is granted.
TEST(MemoryLimit, CheckStaysSmall) {
  const TempDir dir;
  const auto path = dir.write("a.mtx", coordinate + "1670000 1670000 1\n1 1 1\n");
  const Outcome o = nonzero_with_memory(
      1024 * MiB, {"check", path, "--kernels", "cpu/csr/serial", "--threads", "2"});
  EXPECT_EQ(o.code, 0) << o.err;
}

TEST(MemoryLimit, BombsAreRefusedInLittleMemory) {
  const TempDir dir;
  std::string bytes = zstd(coordinate + "100000000 1 0\n");
  const std::string blank = zstd(std::string(MiB, '\n'));
  for (int k = 0; k < 60; ++k) bytes += blank;
  const auto path = dir.write("a.mtx.zst", bytes);
  const Outcome o = nonzero_with_memory(512 * MiB, {"check", path});
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_TRUE(has(o.err, "takes 2400000016 bytes of memory")) << o.err;
  // A vector that unpacks to more than is asked for.
  std::string vector = zstd("%%MatrixMarket matrix array real general\n30000000 1\n");
  std::string zeros;
  while (zeros.size() < MiB) zeros += "0\n";
  const std::string frame = zstd(zeros);
  for (int k = 0; k < 60; ++k) vector += frame;
  const auto x = dir.write("x.mtx.zst", vector);
  const auto a = dir.write("b.mtx", coordinate + "2 2 1\n1 1 1\n");
  const Outcome run = nonzero_with_memory(512 * MiB, {"run", a, "--x", x});
  EXPECT_NE(run.code, 0);
  EXPECT_TRUE(has(run.err, "bytes of memory")) << run.err;
}

}  // namespace
}  // namespace nz::test
