// Texts on a terminal: folded to its width, and how long it still takes.
#include <string>

#include <gtest/gtest.h>

#include "cli/folding.hpp"
#include "cli/progress.hpp"

namespace nz::test {
namespace {

using cli::folded;
using cli::left_text;

TEST(Folding, LeavesAloneWhatFits) {
  EXPECT_EQ(folded("short\n\n  lines\n", 20), "short\n\n  lines\n");
  EXPECT_EQ(folded("", 20), "");
  EXPECT_EQ(folded("exactly ten", 11), "exactly ten");
}

TEST(Folding, BreaksAtSpaces) {
  EXPECT_EQ(folded("one two three four", 10), "one two\nthree four");
  EXPECT_EQ(folded("error: one two three", 12, 2), "error: one\n  two three");
}

TEST(Folding, GoesOnInItsColumn) {
  EXPECT_EQ(folded("  --x N     what it is and does\n", 24),
            "  --x N     what it is\n            and does\n");
  // The next line of the same column takes up the rest.
  EXPECT_EQ(folded("  --x N     what it is and\n            does here\nend\n", 24),
            "  --x N     what it is\n            and does\n            here\nend\n");
  // Another option does not, nor what follows a sentence.
  EXPECT_EQ(folded("  --x N     what it is and\n  --y       more\n", 24),
            "  --x N     what it is\n            and\n  --y       more\n");
  EXPECT_EQ(folded("one two three.\nfour\n", 10), "one two\nthree.\nfour\n");
}

TEST(Folding, ColoursAndLettersTakeTheirRoom) {
  EXPECT_EQ(folded("\033[1mone two\033[0m", 7), "\033[1mone two\033[0m");
  EXPECT_EQ(folded("µµµ µµµ", 7), "µµµ µµµ");
}

TEST(Folding, LongWordsBreakBehindACommaOrStay) {
  EXPECT_EQ(folded("gen:x:a=1,b=2,c=3", 12), "gen:x:a=1,\nb=2,c=3");
  EXPECT_EQ(folded("/a/path/without/any", 8), "/a/path/without/any");
}

TEST(Progress, TellsWhatIsLeft) {
  EXPECT_EQ(left_text(0.5, 0.5), "") << "too early to tell";
  EXPECT_EQ(left_text(10, 0.001), "");
  EXPECT_EQ(left_text(10, 0.5), "10 s left");
  EXPECT_EQ(left_text(60, 0.25), "3 min left");
  EXPECT_EQ(left_text(3600, 0.25), "3.0 h left");
  EXPECT_EQ(left_text(10, 0.9999), "1 s left");
  EXPECT_EQ(left_text(10, 1), "");
}

}  // namespace
}  // namespace nz::test
