#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>
#include <nonzero/error.hpp>
#include <nonzero/version.hpp>

#include "c/given.hpp"
#include "c/guard.hpp"
#include "support/devices.hpp"
#include "support/failing_allocations.hpp"

namespace nz::test {
namespace {

TEST(CLibrary, HasTheVersion) { EXPECT_EQ(nz_version(), nz::version()); }

TEST(CLibrary, NamesEveryStatus) {
  std::vector<std::string> names;
  for (nz_status s = NZ_OK; s <= NZ_INTERNAL; ++s) {
    const std::string name = nz_status_name(s);
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << name;
    EXPECT_NE(name, "unknown status") << s;
    names.push_back(name);
  }
  EXPECT_STREQ(nz_status_name(-1), "unknown status");
  EXPECT_STREQ(nz_status_name(NZ_INTERNAL + 1), "unknown status");
}

TEST(CLibrary, EveryExceptionHasItsStatus) {
  const auto status = [](auto what) { return c::guarded([&] { throw what; }); };
  EXPECT_EQ(c::guarded([] {}), NZ_OK);
  EXPECT_EQ(status(InvalidArgument("a")), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(BadInput("b")), NZ_BAD_INPUT);
  EXPECT_EQ(status(Refused("c")), NZ_REFUSED);
  EXPECT_EQ(status(NoResource("d")), NZ_NO_RESOURCE);
  EXPECT_EQ(status(DeviceFault("e")), NZ_DEVICE_FAULT);
  EXPECT_STREQ(nz_last_error(), "e");
  EXPECT_EQ(status(Error("f")), NZ_FAILED);
  EXPECT_EQ(status(std::bad_alloc()), NZ_NO_RESOURCE);
  EXPECT_TRUE(says("memory"));
  EXPECT_EQ(status(std::length_error("g")), NZ_NO_RESOURCE);
  EXPECT_EQ(status(std::runtime_error("h")), NZ_INTERNAL);
  EXPECT_STREQ(nz_last_error(), "h");
  EXPECT_EQ(status(17), NZ_INTERNAL);
  EXPECT_TRUE(says("std::exception"));
}

TEST(CLibrary, SetsThreads) {
  const std::int32_t before = nz_threads();
  EXPECT_GE(before, 1);
  ASSERT_EQ(nz_set_threads(3), NZ_OK);
  EXPECT_EQ(nz_threads(), 3);
  EXPECT_EQ(nz_set_threads(0), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_threads(), 3);
  EXPECT_EQ(nz_set_threads(before), NZ_OK);
}

TEST(CLibrary, KeepsAnErrorForEachThread) {
  EXPECT_EQ(nz_set_threads(-5), NZ_INVALID_ARGUMENT);
  const std::string here = nz_last_error();
  EXPECT_NE(here, "");
  std::string fresh = "?", there;
  std::thread other([&] {
    fresh = nz_last_error();
    nz_device_check("abacus");
    there = nz_last_error();
  });
  other.join();
  EXPECT_EQ(fresh, "");
  EXPECT_NE(there.find("abacus"), std::string::npos);
  EXPECT_EQ(nz_last_error(), here);
  // What succeeds leaves it as it is.
  EXPECT_EQ(nz_device_check("cpu"), NZ_OK);
  EXPECT_EQ(nz_last_error(), here);
}

TEST(CLibrary, KeepsTheTextOfBindings) {
  EXPECT_EQ(nz_fail(NZ_BAD_INPUT, "rows are missing"), NZ_BAD_INPUT);
  EXPECT_STREQ(nz_last_error(), "rows are missing");
  EXPECT_EQ(nz_fail(NZ_REFUSED, nz_last_error() + 5), NZ_REFUSED);
  EXPECT_STREQ(nz_last_error(), "are missing");
  EXPECT_EQ(nz_fail(NZ_FAILED, nullptr), NZ_FAILED);
  EXPECT_STREQ(nz_last_error(), "");
}

TEST(CLibrary, CutsLongErrors) {
  const std::string name(5000, 'x');
  EXPECT_EQ(nz_device_check(name.c_str()), NZ_INVALID_ARGUMENT);
  const std::string said = nz_last_error();
  EXPECT_EQ(said.size(), 1023u);
  EXPECT_TRUE(said.ends_with("xxx"));
}

TEST(CLibrary, KnowsItsDevices) {
  EXPECT_EQ(nz_device_check("cpu"), NZ_OK);
  EXPECT_EQ(nz_device_check("emu"), has_emulator() ? NZ_OK : NZ_NO_RESOURCE);
  EXPECT_EQ(nz_device_check("cuda:1234"), NZ_NO_RESOURCE);
  EXPECT_EQ(nz_device_check("cuda:x"), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_device_check(nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("device is NULL"));
}

TEST(CLibrary, TheCpuHasNoMemoryOfItsOwn) {
  void* memory = &memory;
  EXPECT_EQ(nz_device_allocate(&memory, "cpu", 8), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(nz_device_free(nullptr, "cpu"), NZ_INVALID_ARGUMENT);
  char to = 0, from = 1;
  EXPECT_EQ(nz_device_copy(&to, &from, 1, "cpu"), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_device_allocate(&memory, nullptr, 8), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_device_free(nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_device_copy(&to, &from, 1, nullptr), NZ_INVALID_ARGUMENT);
}

// Whichever allocation fails, the answer is a status, and nothing is left behind.
TEST(CLibrary, SaysWhereMemoryIsShort) {
  const auto a = bar<double>(50);
  nz_plan_options o = plan_options();
  o.threads = 1;
  int failures = 0;
  kernels();  // made once in a process, by whoever asks first
  for (long after = 0;; ++after) {
    nz_matrix* m = nullptr;
    nz_plan* p = nullptr;
    bool met = false;
    nz_status status = NZ_OK;
    const long before = live_host_allocations();
    {
      const FailingAllocation fails(after);
      status = nz_matrix_csr_f64_i32(&m, a.rows, a.cols, a.nnz(), a.offsets.data(),
                                     a.columns.data(), a.values.data(), NZ_COPY);
      if (status == NZ_OK) status = nz_plan_create(&p, m, &o);
      met = fails.met();
    }
    nz_plan_destroy(p);
    nz_matrix_destroy(m);
    if (!met) {
      EXPECT_EQ(status, NZ_OK) << nz_last_error();
      break;
    }
    if (status != NZ_OK) {
      EXPECT_EQ(status, NZ_NO_RESOURCE) << nz_last_error();
      EXPECT_TRUE(says("memory")) << nz_last_error();
      EXPECT_EQ(p, nullptr);
      if (after > 0) {
        EXPECT_EQ(live_host_allocations(), before) << after;
      }
      ++failures;
    }
    ASSERT_LT(after, 100000);
  }
  EXPECT_GT(failures, 3);
}

}  // namespace
}  // namespace nz::test
