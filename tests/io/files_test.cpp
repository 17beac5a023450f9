// The file system's side: what may stand under a name, and what is left there when writing fails.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>
#include <nonzero/threads.hpp>

#include "io/packed.hpp"
#include "io/read_text.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::read_file;
using test::TempDir;

namespace fs = std::filesystem;

const std::string good = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n";

void expect_refused(const fs::path& path, const std::string& message) {
  for (const bool vector : {false, true}) try {
      vector ? (void)read_vector<double>(path) : (void)read_matrix<double, std::int32_t>(path);
      ADD_FAILURE() << "not refused: " << path;
    } catch (const BadInput& error) {
      EXPECT_EQ(std::string(error.what()), path.string() + message);
    }
}

TEST(Files, GraphsAreNamedByWhatTheyAre) {
  const TempDir dir;
  const std::string edges = dir.write("g", "# from to\n0 1 5\n1 0 2\n");
  const auto a = read_matrix<float, std::int32_t>("edges:" + edges);
  EXPECT_EQ(a.rows, 2);
  EXPECT_EQ(a.columns[0], 1);
  EXPECT_EQ(a.values[0], 5.0f);
  EXPECT_EQ((read_matrix<std::complex<double>, std::int64_t>("edges:" + edges).nnz()), 2);
  const auto same = read_matrix<double, std::int64_t>("edges:" + edges);
  EXPECT_EQ(same, (csr_cast<double, std::int64_t>(a.view())));
  const std::string metis = dir.write("m", "2 1\n2\n1\n");
  FileInfo info;
  const auto b = read_matrix<double, std::int64_t>("metis:" + metis, {.info = &info});
  EXPECT_EQ(b.nnz(), 2);
  EXPECT_EQ(info.file_bytes, fs::file_size(metis));
  EXPECT_THROW((read_matrix<double, std::int64_t>("edges:" + dir("missing"))), BadInput);
  EXPECT_THROW((read_matrix<double, std::int64_t>("metis:" + edges)), BadInput);
}

TEST(Files, MissingFolderPipeDevice) {
  const TempDir dir;
  expect_refused(dir("missing.mtx"), ": No such file or directory");
  expect_refused(dir("missing/a.mtx"), ": No such file or directory");
  expect_refused("", ": No such file or directory");
  fs::create_directory(dir("folder.mtx"));
  expect_refused(dir("folder.mtx"), ": Is a directory");
  ASSERT_EQ(::mkfifo(dir("pipe.mtx").c_str(), 0600), 0);
  expect_refused(dir("pipe.mtx"), ": not a regular file (a pipe or a device)");
  expect_refused("/dev/zero", ": not a regular file (a pipe or a device)");
  expect_refused(dir.write("file", good) + "/a.mtx", ": Not a directory");
  fs::create_symlink("loop.mtx", dir("loop.mtx"));
  expect_refused(dir("loop.mtx"), ": Too many levels of symbolic links");
}

TEST(Files, Unreadable) {
  const TempDir dir;
  const auto path = dir.write("secret.mtx", good);
  fs::permissions(path, fs::perms::none);
  // Permissions do not hold root back: be someone else for a moment.
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  expect_refused(path, ": Permission denied");
  const auto a = read_text(good);
  EXPECT_THROW(write_matrix(path, a.view()), Error);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
}

TEST(Files, ContentDecidesNotTheName) {
  const TempDir dir;
  const auto expected = read_text(good);
  for (const auto& bytes : {good, gzip(good), zstd(good)})
    for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.zst", "a.nzb", "a"})
      EXPECT_EQ((read_matrix<double, std::int32_t>(dir.write(name, bytes))), expected) << name;
}

TEST(Files, ConcatenatedMembersAndFrames) {
  const TempDir dir;
  const auto expected = read_text(good);
  const std::string gz = gzip(good.substr(0, 20)) + gzip("") + gzip(good.substr(20));
  EXPECT_EQ((read_matrix<double, std::int32_t>(dir.write("a.mtx.gz", gz))), expected);
  EXPECT_EQ((read_matrix<double, std::int32_t>(dir.write("a.mtx.gz", gz + std::string(512, '\0')))),
            expected);
  const std::string zst = zstd(good.substr(0, 20)) + zstd("") + zstd(good.substr(20));
  EXPECT_EQ((read_matrix<double, std::int32_t>(dir.write("a.mtx.zst", zst))), expected);
  // A skippable frame in front, as some tools write it.
  const std::string skip("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  EXPECT_EQ((read_matrix<double, std::int32_t>(dir.write("a.mtx.zst", skip + zst))), expected);
}

TEST(Files, MatrixMarketText) {
  const TempDir dir;
  const Csr<double, std::int32_t> a{2, 3, {0, 2, 3}, {0, 2, 1}, {0.1, -2, 1e300}};
  write_matrix(dir("a.mtx"), a.view(), "made by a test\n\nthird line");
  EXPECT_EQ(read_file(dir("a.mtx")),
            "%%MatrixMarket matrix coordinate real general\n% made by a test\n% \n% third line\n"
            "2 3 3\n1 1 0.1\n1 3 -2\n2 2 1e+300\n");
}

TEST(Files, SameBytesForEveryNumberOfThreads) {
  const TempDir dir;
  std::string text = "%%MatrixMarket matrix array real general\n150 900\n";
  for (int k = 0; k < 135000; ++k) text += fmt::format("{}\n", 0.37 * (k + 1));
  const auto a = read_text(text);
  const int before = threads();
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.zst", "a.nzb"}) {
    set_threads(1);
    write_matrix(dir(name), a.view());
    const std::string first = read_file(dir(name));
    for (const int count : {2, 7}) {
      set_threads(count);
      write_matrix(dir(name), a.view());
      EXPECT_EQ(read_file(dir(name)) == first, true) << name;
      EXPECT_EQ((read_matrix<double, std::int32_t>(dir(name))), a);
    }
  }
  set_threads(before);
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(Files, WritingFailsWhole) {
  const TempDir dir;
  const auto a = read_text(good);
  const auto expect_error = [&](const fs::path& path, const std::string& message) {
    try {
      write_matrix(path, a.view());
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), path.string() + message);
    }
  };
  expect_error(dir("missing/a.mtx"), ": cannot write: No such file or directory");
  fs::create_directory(dir("a.nzb"));
  expect_error(dir("a.nzb"), ": cannot write: Is a directory");
  expect_error(dir("a.txt"), ": the name's ending is not one of .mtx, .mtx.gz, .mtx.zst, .nzb");
  EXPECT_EQ(files_in(dir("")), 1u);

  // A matrix that cannot be written leaves the old file as it was.
  dir.write("old.mtx", "old");
  auto b = a;
  b.values[0] = std::nan("");
  EXPECT_THROW(write_matrix(dir("old.mtx"), b.view()), InvalidArgument);
  b.values[0] = -INFINITY;
  try {
    write_matrix(dir("old.mtx"), b.view());
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what())
                  .find("old.mtx: entry (1, 2) is -inf: Matrix Market has no text for it"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(read_file(dir("old.mtx")), "old");
  EXPECT_EQ(files_in(dir("")), 2u);
}

TEST(Files, FullDisk) {
  // A limit on the size of files stands in for a full disk.
  const TempDir dir;
  std::string text = "%%MatrixMarket matrix array real general\n1000 100\n";
  for (int k = 0; k < 100000; ++k) text += "0.125\n";
  const auto a = read_text(text);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  for (const char* name : {"a.mtx", "a.nzb"}) try {
      write_matrix(dir(name), a.view());
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), dir(name) + ": cannot write: File too large");
    }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(files_in(dir("")), 0u);
}

TEST(Files, ReplacesWhatASymbolicLinkPointsTo) {
  const TempDir dir;
  dir.write("target.mtx", "old");
  fs::permissions(dir("target.mtx"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target.mtx", dir("link.mtx"));
  write_matrix(dir("link.mtx"), read_text(good).view());
  EXPECT_TRUE(fs::is_symlink(dir("link.mtx")));
  EXPECT_EQ((read_matrix<double, std::int32_t>(dir("target.mtx"))), read_text(good));
  EXPECT_EQ(fs::status(dir("target.mtx")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(Files, WritesIntoAPipe) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo(dir("pipe.mtx").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(dir("pipe.mtx")); });
  write_matrix(dir("pipe.mtx"), read_text(good).view());
  reader.join();
  EXPECT_EQ(got, good);
  EXPECT_TRUE(fs::is_fifo(dir("pipe.mtx")));
}

TEST(Files, ProgressRisesToTheEnd) {
  const TempDir dir;
  std::string text = "%%MatrixMarket matrix array real general\n1000 300\n";
  for (int k = 0; k < 300000; ++k) text += "0.125\n";
  for (const auto& bytes : {text, gzip(text), zstd(text)}) {
    const auto path = dir.write("a.mtx", bytes);
    std::vector<std::uint64_t> seen;
    std::atomic<int> inside{0};
    const auto a =
        read_matrix<double, std::int32_t>(path, [&](std::uint64_t done, std::uint64_t total) {
          EXPECT_EQ(inside++, 0);
          EXPECT_EQ(total, bytes.size());
          seen.push_back(done);
          --inside;
        });
    ASSERT_FALSE(seen.empty());
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_EQ(seen.back(), bytes.size());
    seen.clear();
    std::uint64_t last = 0;
    write_matrix(dir("b.mtx"), a.view(), {}, [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_LE(last, done);
      EXPECT_LE(done, total);
      last = done;
    });
    EXPECT_GT(last, 0u);
  }
}

TEST(Files, ProgressMayCancel) {
  const TempDir dir;
  const auto path = dir.write("a.mtx", good);
  const auto cancel = [](std::uint64_t, std::uint64_t) { throw std::runtime_error("enough"); };
  EXPECT_THROW((read_matrix<double, std::int32_t>(path, cancel)), std::runtime_error);
  EXPECT_THROW(write_matrix(dir("b.mtx"), read_text(good).view(), {}, cancel), std::runtime_error);
}

}  // namespace
}  // namespace nz
