// What a file may make its reader allocate: counted by a global operator new.
#include <sys/resource.h>
#include <zlib.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "io/budget.hpp"
#include "io/crc32c.hpp"
#include "io/nzb.hpp"
#include "io/other_writers.hpp"
#include "io/packed.hpp"
#include "io/read_text.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace {

std::atomic<std::size_t> held{0};
std::atomic<std::size_t> peak{0};

// A word in front of each block keeps its size.
void* counted(std::size_t n, std::size_t alignment) {
  const std::size_t extra = std::max<std::size_t>(alignment, 16);
  auto* block = static_cast<char*>(std::aligned_alloc(extra, (n + 2 * extra - 1) / extra * extra));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(block + extra - sizeof(n)) = n;
  const std::size_t now = held += n;
  for (std::size_t seen = peak; now > seen && !peak.compare_exchange_weak(seen, now);) {
  }
  return block + extra;
}

void release(void* p, std::size_t alignment) noexcept {
  if (p == nullptr) return;
  auto* at = static_cast<char*>(p);
  held -= *reinterpret_cast<std::size_t*>(at - sizeof(std::size_t));
  std::free(at - std::max<std::size_t>(alignment, 16));
}

}  // namespace

void* operator new(std::size_t n) { return counted(n, 16); }
void* operator new[](std::size_t n) { return counted(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { release(p, 16); }
void operator delete[](void* p) noexcept { release(p, 16); }
void operator delete(void* p, std::size_t) noexcept { release(p, 16); }
void operator delete[](void* p, std::size_t) noexcept { release(p, 16); }
void operator delete(void* p, std::align_val_t a) noexcept {
  release(p, static_cast<std::size_t>(a));
}
void operator delete[](void* p, std::align_val_t a) noexcept {
  release(p, static_cast<std::size_t>(a));
}
void operator delete(void* p, std::size_t, std::align_val_t a) noexcept {
  release(p, static_cast<std::size_t>(a));
}
void operator delete[](void* p, std::size_t, std::align_val_t a) noexcept {
  release(p, static_cast<std::size_t>(a));
}

namespace nz {
namespace {

using test::has;
using test::TempDir;

constexpr std::size_t MiB = std::size_t{1} << 20;
const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

// The most bytes that work() held at once.
std::size_t peak_of(const std::function<void()>& work) {
  const std::size_t before = held;
  peak = before;
  work();
  return peak - before;
}

// What reading it says, and that it took no more than a tiny file may.
std::string refusal(const std::string& path, const ReadOptions& options = {}) {
  std::string said;
  const std::size_t took = peak_of([&] {
    try {
      (void)read_matrix<double, std::int64_t>(path, options);
    } catch (const Error& error) {
      said = error.what();
    }
  });
  EXPECT_LT(took, 96 * MiB) << said;
  EXPECT_NE(said, "") << path;
  return said;
}

// A gzip or zstd file that unpacks to the head and so many megabytes of one text.
std::string bomb(const std::string& head, const std::string& line, int megabytes, bool gz) {
  std::string part;
  while (part.size() < MiB) part += line;
  const std::string frame = gz ? gzip(part) : zstd(part);
  std::string all = gz ? gzip(head) : zstd(head);
  for (int k = 0; k < megabytes; ++k) all += frame;
  return all;
}

TEST(Memory, RowsThatAHeaderClaims) {
  const TempDir dir;
  const std::string text = coordinate + "2000000000 3 0\n";
  for (const auto& bytes : {text, gzip(text), zstd(text)}) {
    const std::string said = refusal(dir.write("a.mtx", bytes));
    EXPECT_TRUE(has(said,
                    "a.mtx:2: a 2000000000 x 3 matrix with its vectors takes 48000000048 "
                    "bytes of memory"))
        << said;
    EXPECT_TRUE(has(said, fmt::format("a file of {} bytes is granted {}", bytes.size(),
                                      64 * MiB + 256 * bytes.size())))
        << said;
  }
  EXPECT_TRUE(has(refusal(dir.write("a.mtx", coordinate + "3 2000000000 0\n")), "takes 320000000"));
  EXPECT_TRUE(has(refusal(dir.write("a.mtx", array + "2000000000 1\n")), "takes 480000000"));
}

// The limit on rows once counted unpacked bytes: blank lines bought rows.
TEST(Memory, BlankLinesBuyNothing) {
  const TempDir dir;
  const std::string head = coordinate + "100000000 100000000 0\n";
  for (const bool gz : {false, true}) {
    const std::string bytes = bomb(head, "\n", 40, gz);
    const std::string said = refusal(dir.write("a.mtx", bytes));
    EXPECT_TRUE(has(said, "takes 4000000000 bytes of memory")) << said;
    EXPECT_TRUE(has(said, fmt::format("a file of {} bytes", bytes.size()))) << said;
  }
}

// However much of it there is, what is no entry is not kept.
TEST(Memory, CommentsAndBlanksAreNotKept) {
  const TempDir dir;
  const std::string head = coordinate + "2 2 1\n1 2 5\n";
  const std::string endless = "%" + std::string(MiB, 'c');
  for (const auto& bytes : {bomb(head, "\n", 30, false), bomb(head, "% comment\n", 50, true),
                            bomb(head, "      ", 30, false), bomb(head + endless, "x", 50, false),
                            bomb(coordinate + endless, "x", 30, false) + zstd("\n2 2 1\n1 2 5\n"),
                            bomb(coordinate, "\n", 30, false) + zstd("\n2 2 1\n1 2 5\n")}) {
    Csr<double, std::int64_t> a;
    const auto path = dir.write("a.mtx", bytes);
    EXPECT_LT(peak_of([&] { a = read_matrix<double, std::int64_t>(path); }), 24 * MiB);
    EXPECT_EQ(a.nnz(), 1);
  }
}

TEST(Memory, LongLinesThatAreNoComments) {
  const TempDir dir;
  for (const auto& text : {coordinate + "2 2 1\n1 2 " + std::string(5 * MiB, '0') + "5\n",
                           coordinate + "2 2 1\n% c\n1 2 5" + std::string(5 * MiB, ' ') + "\n"}) {
    const bool comment = has(text, "% c");
    const std::string said = refusal(dir.write("a.mtx", zstd(text)));
    EXPECT_TRUE(has(said, fmt::format("a.mtx:{}: the line is longer than 4 MiB", comment ? 4 : 3)))
        << said;
  }
  const std::string said =
      refusal(dir.write("a.mtx", zstd(coordinate + std::string(5 * MiB, '1'))));
  EXPECT_TRUE(has(said, "a.mtx:2: the line is longer than 4 MiB")) << said;
}

TEST(Memory, EntriesOfAFewCompressedBytes) {
  const TempDir dir;
  // The entries are there, but a hundred bytes of matrix for each compressed byte are not granted.
  for (const bool gz : {false, true}) {
    const std::string sparse = bomb(coordinate + "9 9 12000000\n", "1 1 1\n", 60, gz);
    EXPECT_TRUE(has(refusal(dir.write("a.mtx", sparse)), " entries or more takes "));
    const std::string dense = bomb(array + "5000 5000\n", "0\n", 60, gz);
    EXPECT_TRUE(has(refusal(dir.write("a.mtx", dense)), " entries or more takes "));
    EXPECT_THROW(
        (void)read_vector<double>(dir.write("v.mtx", bomb(array + "1000000 1\n", "0\n", 60, gz))),
        BadInput);
  }
}

TEST(Memory, ALimitAllowsMoreOrLess) {
  const TempDir dir;
  const auto path = dir.write("a.mtx", coordinate + "4000000 4000000 1\n1 2 5\n");
  EXPECT_TRUE(has(refusal(path), "takes 160000000 bytes of memory"));
  EXPECT_EQ((read_matrix<float, std::int32_t>(path, {.memory_limit = 200000000}).rows), 4000000);
  EXPECT_THROW((void)(read_matrix<float, std::int32_t>(path, {.memory_limit = 160000000})),
               NoResource);
  const std::string said =
      refusal(dir.write("b.mtx", coordinate + "3 3 1000\n"), ReadOptions{.memory_limit = 20000});
  EXPECT_TRUE(has(said,
                  "b.mtx: a matrix of 1000 entries takes 28120 bytes of memory, but the "
                  "memory limit is 20000"))
      << said;
}

TEST(Memory, ALimitIsThatOfAVectorToo) {
  const TempDir dir;
  const auto path = dir.write("v.mtx", array + "5 1\n1\n2\n3\n4\n5\n");
  // The values twice, as they are read and in their order.
  const std::uint64_t need = Budget::shape_bytes(5, 1) + 2 * 5 * sizeof(double);
  EXPECT_EQ((read_vector<double>(path, {.memory_limit = need}).size()), 5u);
  EXPECT_THROW((void)(read_vector<double>(path, {.memory_limit = need - 1})), NoResource);
}

// A count of entries that the file does not have makes no room for them.
TEST(Memory, EntriesThatAHeaderClaims) {
  const TempDir dir;
  std::string entries;
  for (int k = 0; k < 1000; ++k) entries += fmt::format("{} 1 1\n", 1000 * k + 1);
  const auto took = [&](const char* count) {
    const auto path = dir.write("a.mtx", coordinate + "1000000 1000000 " + count + "\n" + entries);
    return peak_of(
        [&] { EXPECT_THROW((void)(read_matrix<double, std::int32_t>(path)), BadInput) << count; });
  };
  EXPECT_LT(took("1000000000000000"), took("1001") + MiB);
}

TEST(Memory, ManyEmptyRowsAreRead) {
  const TempDir dir;
  const auto path = dir.write("a.mtx", coordinate + "1000000 1000000 2\n1 2 5\n999999 1 7\n");
  const auto a = read_matrix<double, std::int32_t>(path);
  EXPECT_EQ(a.rows, 1000000);
  EXPECT_EQ(a.nnz(), 2);
  write_matrix(dir("a.nzb"), a.view());
  EXPECT_EQ((read_matrix<double, std::int32_t>(dir("a.nzb"))), a);
  write_matrix(dir("a.mtx.zst"), a.view());
  EXPECT_EQ((read_matrix<double, std::int32_t>(dir("a.mtx.zst"))), a);
}

// The rows of an .nzb are in the file, its columns are not.
TEST(Memory, ColumnsOfAnNzb) {
  const TempDir dir;
  const Csr<double, std::int64_t> a{1, 2000000000, {0, 1}, {5}, {1.0}};
  write_matrix(dir("a.nzb"), a.view());
  const std::string said = refusal(dir("a.nzb"));
  EXPECT_TRUE(has(said, "a 1 x 2000000000 matrix of 1 entries with its vectors takes 32000000036"))
      << said;
  EXPECT_EQ((read_matrix<double, std::int64_t>(dir("a.nzb"), {.memory_limit = ~std::uint64_t{0}})),
            a);
}

TEST(Memory, UnpackedArrays) {
  const TempDir dir;
  // A million rows without entries are 8 MB of zeros, which zstd makes a few hundred bytes.
  const Csr<double, std::int64_t> a{1000000, 1, Array<std::int64_t>(1000001, 0), {}, {}};
  write_matrix(dir("a.nzb"), a.view());
  const auto packed = dir.write("b.nzb", zstd(test::read_file(dir("a.nzb"))));
  EXPECT_EQ((read_matrix<double, std::int64_t>(packed)), a);
  const auto refused = [&](std::uint64_t limit) {
    return refusal(packed, ReadOptions{.memory_limit = limit});
  };
  EXPECT_TRUE(has(refused(4 * MiB), "b.nzb: unpacked, it takes 5242880 bytes of memory, but"));
  EXPECT_TRUE(has(refused(30 * MiB), "b.nzb: a 1000000 x 1 matrix of 0 entries with its vectors "));
  // Held until then are the unpacked bytes.
  EXPECT_TRUE(has(refused(30 * MiB), fmt::format("takes {} bytes", 24000016 + 8000228)));
  const Array<double> zeros(1000000, 0.0);
  write_vector(dir("v.npy"), std::span<const double>(zeros));
  const auto v = dir.write("v2.npy", zstd(test::read_file(dir("v.npy"))));
  EXPECT_EQ(read_vector<double>(v), zeros);
  EXPECT_THROW((void)read_vector<double>(v, {.memory_limit = 4 * MiB}), NoResource);
  EXPECT_THROW((void)read_vector<double>(v, {.memory_limit = 12 * MiB}), NoResource);
}

// Members and variables that announce, or are, far more than their file.
TEST(Memory, UnpackedMembers) {
  const TempDir dir;
  const std::string zeros(100 * MiB, '\0');
  const auto deflated = [](const std::string& bytes) {
    std::string out(compressBound(bytes.size()), '\0');
    uLongf n = out.size();
    compress2(reinterpret_cast<Bytef*>(out.data()), &n,
              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 1);
    return out.substr(0, n);
  };
  const auto npz = [&](const std::string& data, std::uint64_t announced) {
    return test::zip({{"format.npy", test::npy("|S3", "()", "csr")},
                      {"shape.npy", test::npy("<i8", "(2,)", test::raw<std::int64_t>({2, 3}))},
                      {"data.npy", data, 8, 0, announced}});
  };
  // Without zlib's header it is what zip files have.
  const std::string packed = deflated(zeros), bomb_member = packed.substr(2);
  const std::uint64_t grant = Budget::base + Budget::factor * npz(bomb_member, 0).size();
  EXPECT_TRUE(has(refusal(dir.write("a.npz", npz(bomb_member, grant + 1))), "bytes of memory"));
  EXPECT_TRUE(has(refusal(dir.write("a.npz", npz(bomb_member, MiB))), "there are more"));
  EXPECT_TRUE(has(refusal(dir.write("a.npz", npz("", 0xfffffffe))), "bytes of memory"));

  const auto element = test::little(15, 4) + test::little(packed.size(), 4) + packed;
  EXPECT_TRUE(has(refusal(dir.write("a.mat", test::mat_header() + element)), "is no array"));
  const std::string matrix =
      deflated(test::mat_sparse("A", 3, 2, {2, 0}, {0, 1, 2}, test::mat_element(9, zeros)));
  EXPECT_TRUE(has(refusal(dir.write("a.mat", test::mat_header() + test::little(15, 4) +
                                                 test::little(matrix.size(), 4) + matrix),
                          {.memory_limit = 64 * MiB}),
                  "memory limit"));

  const std::string entry = test::tar_header("A/A.mtx", 200 * MiB);
  EXPECT_TRUE(has(refusal(dir.write("a.tar.gz", bomb(entry, std::string(1024, 'x'), 50, true))),
                  "cut short"));
}

// A zstd frame claims its window before it brings any data.
TEST(Memory, WindowOfAFrame) {
  const TempDir dir;
  const std::string text = coordinate + "1 1 0\n";
  // Magic, no content size, window 2^(10 + 21), one last block of raw bytes.
  std::string frame("\x28\xb5\x2f\xfd\x00\xa8", 6);
  const std::size_t block = text.size() << 3 | 1;
  for (int k = 0; k < 3; ++k) frame += static_cast<char>(block >> 8 * k & 0xff);
  const std::string said = refusal(dir.write("a.mtx", frame + text));
  EXPECT_TRUE(has(said, "needs a larger zstd window than the ")) << said;
}

// The window is the library's to allocate: where there is no memory for it, the file is not broken.
TEST(MemoryDeathTest, NoneForTheWindowOfAFrame) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs the addresses";
#endif
  const std::string text = coordinate + "1 1 0\n";
  std::string frame("\x28\xb5\x2f\xfd\x00\x98", 6);  // a window of 2^(10 + 19)
  const std::size_t block = text.size() << 3 | 1;
  for (int k = 0; k < 3; ++k) frame += static_cast<char>(block >> 8 * k & 0xff);
  frame += text;
  EXPECT_EQ(read_large(frame).rows, 1);
  const auto read_with_little = [&] {
    const rlimit little{std::size_t{256} * MiB, std::size_t{256} * MiB};
    setrlimit(RLIMIT_DATA, &little);
    try {
      (void)read_large(frame);
      std::_Exit(1);
    } catch (const NoResource&) {
      std::_Exit(0);
    } catch (const std::exception& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(2);
    }
  };
  EXPECT_EXIT(read_with_little(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace nz

// The standard library's sorts take their room this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return ::operator new(size, std::nothrow);
}
