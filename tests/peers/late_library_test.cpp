#include "lab/peers/late_library.hpp"

#include <string>

#include <gtest/gtest.h>

namespace nz::lab::peers {
namespace {

TEST(LateLibrary, CallsWhatIsInTheLibrary) {
  LateLibrary c("libc.so.6", "/nowhere/libc.so.6");
  const LateFunction<long(long)> labs(c, "labs");
  EXPECT_EQ(labs(-7L), 7L);
  EXPECT_EQ(labs(5L), 5L);
}

TEST(LateLibrary, ComesFromTheFolderOfTheBuildWhereNoOtherIs) {
  LateLibrary c("libnonzero-absent.so.1", "libc.so.6");
  const LateFunction<long(long)> labs(c, "labs");
  EXPECT_EQ(labs(-3L), 3L);
}

// A function that the header does not know may be there all the same, or not.
TEST(LateLibrary, LooksIntoWhatTheProgramIsLinkedWith) {
  LateLibrary linked("libc");
  const LateFunction<long(long)> labs(linked, "labs");
  EXPECT_EQ(labs(-7L), 7L);
  EXPECT_TRUE(linked.has("labs"));
  EXPECT_FALSE(linked.has("nonzero_absent"));
  const LateFunction<int()> none(linked, "nonzero_absent");
  try {
    none();
    ADD_FAILURE() << "called";
  } catch (const NoResource& e) {
    EXPECT_STREQ(e.what(), "libc has no nonzero_absent");
  }
}

TEST(LateLibrary, SaysWhatIsMissing) {
  LateLibrary absent("libnonzero-absent.so.1", "/nowhere/libnonzero-absent.so.1");
  const LateFunction<long(long)> labs(absent, "labs");
  try {
    labs(1L);
    ADD_FAILURE() << "called";
  } catch (const NoResource& e) {
    const std::string said = e.what();
    EXPECT_TRUE(said.starts_with(
        "cannot load libnonzero-absent.so.1 (or /nowhere/libnonzero-absent.so.1): "))
        << said;
    EXPECT_NE(said.find("No such file"), said.npos) << said;
  }
  LateLibrary c("libc.so.6", "");
  const LateFunction<int()> none(c, "nonzero_absent");
  try {
    none();
    ADD_FAILURE() << "called";
  } catch (const NoResource& e) {
    EXPECT_STREQ(e.what(), "libc.so.6 has no nonzero_absent");
  }
}

}  // namespace
}  // namespace nz::lab::peers
