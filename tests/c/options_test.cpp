#include "c/options.hpp"

#include <cstddef>
#include <cstring>

#include <gtest/gtest.h>

#include "c/given.hpp"

// A struct that has grown: what a program has that was compiled with the first version of it.
namespace nz::c {
namespace {

struct Grown {
  std::size_t size;
  long first;
  long later;
};
constexpr Grown initial{sizeof(Grown), 1, 2};
constexpr std::size_t short_size = offsetof(Grown, later);

TEST(COptions, OfOldProgramsAreCompleted) {
  Grown theirs{77, 77, 77};
  ASSERT_EQ(initialise(&theirs, short_size, short_size, initial, "it"), NZ_OK);
  EXPECT_EQ(theirs.size, short_size);
  EXPECT_EQ(theirs.first, 1);
  EXPECT_EQ(theirs.later, 77);  // beyond their struct
  theirs.first = 5;
  const Grown ours = completed(&theirs, short_size, initial, "it");
  EXPECT_EQ(ours.first, 5);
  EXPECT_EQ(ours.later, 2);
}

TEST(COptions, OfProgramsOfNowAreTaken) {
  Grown theirs;
  ASSERT_EQ(initialise(&theirs, sizeof theirs, short_size, initial, "it"), NZ_OK);
  theirs.later = 6;
  EXPECT_EQ(completed(&theirs, short_size, initial, "it").later, 6);
  EXPECT_EQ(completed<Grown>(nullptr, short_size, initial, "it").later, 2);
}

TEST(COptions, OfOtherSizesAreRefused) {
  Grown theirs = initial;
  theirs.size = short_size - 1;
  EXPECT_THROW(completed(&theirs, short_size, initial, "it"), InvalidArgument);
  theirs.size = sizeof theirs + 1;
  EXPECT_THROW(completed(&theirs, short_size, initial, "it"), InvalidArgument);
  EXPECT_EQ(initialise(&theirs, 0, short_size, initial, "it"), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(test::says("it: size is 0"));
}

}  // namespace
}  // namespace nz::c
