// In which order a file reaches the disk, and what stays when the system refuses a step: the calls
// of the library are caught here on their way to the system.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "io/output_file.hpp"
#include "support/temp_dir.hpp"

namespace {

std::vector<std::string> calls;
std::string refused;  // the call that fails

int caught(const std::string& call) {
  calls.push_back(call);
  if (call != refused) return 0;
  errno = EIO;
  return -1;
}

}  // namespace

extern "C" int fsync(int fd) {
  struct stat about {};
  ::fstat(fd, &about);
  if (caught(S_ISDIR(about.st_mode) ? "flush folder" : "flush file") != 0) return -1;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (caught("rename") != 0) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace nz {
namespace {

using test::read_file;
using test::TempDir;
using Calls = std::vector<std::string>;

std::size_t files_beside(const TempDir& dir) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir("")), {}));
}

TEST(Flushed, FileThenNameThenFolder) {
  const TempDir dir;
  refused.clear();
  for (const char* name : {"a.npy", "a.mtx", "a.mtx.gz"}) {
    calls.clear();
    const std::vector<double> v{1, 2};
    write_vector(dir(name), std::span<const double>(v));
    EXPECT_EQ(calls, (Calls{"flush file", "rename", "flush folder"})) << name;
  }
  // A name without a folder, and a device, which cannot be flushed.
  calls.clear();
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir(""));
  write_file("here", "text");
  std::filesystem::current_path(before);
  EXPECT_EQ(calls, (Calls{"flush file", "rename", "flush folder"}));
  EXPECT_EQ(read_file(dir("here")), "text");
  calls.clear();
  write_file("/dev/null", "text");
  EXPECT_EQ(calls, Calls{});
}

TEST(Flushed, WhatIsRefusedLeavesTheOldFile) {
  const TempDir dir;
  dir.write("a", "old");
  for (const char* call : {"flush file", "rename"}) {
    refused = call;
    EXPECT_THROW(write_file(dir("a"), "new"), Error) << call;
    EXPECT_EQ(read_file(dir("a")), "old");
    EXPECT_EQ(files_beside(dir), 1u) << call;
  }
  refused = "flush folder";
  EXPECT_THROW(write_file(dir("a"), "new"), Error);
  refused.clear();
  EXPECT_EQ(read_file(dir("a")), "new");
  EXPECT_EQ(files_beside(dir), 1u);
}

TEST(Flushed, TryingLeavesEverythingAsItIs) {
  const TempDir dir;
  refused.clear();
  dir.write("a", "old");
  require_writable(dir("a"));
  require_writable(dir("b"));
  require_writable("/dev/null");
  EXPECT_EQ(read_file(dir("a")), "old");
  EXPECT_EQ(files_beside(dir), 1u);
  EXPECT_THROW(require_writable(dir("missing/a")), Error);
  EXPECT_THROW(require_writable(dir("")), Error);
}

// What a signal handler does, in a process that ends by it.
TEST(Flushed, UnfinishedFilesAreRemoved) {
  const TempDir dir;
  refused.clear();
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFile done(dir("done")), one(dir("one")), two(dir("two"));
    done.write("whole");
    done.commit();
    one.write("half");
    const bool begun = files_beside(dir) == 3;
    remove_unfinished_files();
    bool later = false;
    try {
      OutputFile three(dir("three"));
    } catch (const Error&) {
      later = true;
    }
    ::_exit(begun && later && files_beside(dir) == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(dir("done")), "whole");
}

// Many files come and go in several threads while the process is told to end.
TEST(Flushed, NothingStaysWhicheverMomentItIs) {
  refused.clear();
  for (int round = 0; round < 20; ++round) {
    const TempDir dir;
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<std::thread> writers;
      for (int t = 0; t < 3; ++t)
        writers.emplace_back([&, t] {
          for (int k = 0;; ++k) try {
              OutputFile file(dir("f" + std::to_string(t) + "-" + std::to_string(k)));
              file.write("x");
            } catch (const Error&) {
              return;
            }
        });
      ::usleep(static_cast<useconds_t>(500 * round));
      remove_unfinished_files();
      // Not waiting for the writers is the point.
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(files_beside(dir), 0u);
  }
}

}  // namespace
}  // namespace nz
