#include <limits>

#include <gtest/gtest.h>

#include "lab/report/plot.hpp"
#include "lab/report/scale.hpp"
#include "lab/report/strip.hpp"
#include "lab/report/svg.hpp"
#include "report/markup.hpp"
#include "support/program.hpp"

namespace nz::test {
namespace {

using namespace nz::lab;

TEST(Scale, PutsValuesInTheirPlace) {
  const Scale line = Scale::linear(0, 10, 100, 200);
  EXPECT_DOUBLE_EQ(line(0), 100);
  EXPECT_DOUBLE_EQ(line(5), 150);
  EXPECT_DOUBLE_EQ(line(10), 200);
  const Scale log = Scale::logarithmic(1, 100, 0, 60);
  EXPECT_DOUBLE_EQ(log(1), 0);
  EXPECT_NEAR(log(10), 30, 1e-12);
  EXPECT_NEAR(log(100), 60, 1e-12);
  // Upwards on paper is towards 0.
  EXPECT_DOUBLE_EQ(Scale::linear(0, 1, 300, 100)(0.25), 250);
}

TEST(Scale, TicksAreRoundAndWithin) {
  EXPECT_EQ(Scale::linear(0, 10, 0, 1).ticks(5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(Scale::logarithmic(1, 100, 0, 1).ticks(),
            (std::vector<double>{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(Scale::logarithmic(0.5, 2e4, 0, 1).ticks(),
            (std::vector<double>{1, 10, 100, 1000, 10000}));
  for (const auto& [low, high] : {std::pair{0.9, 1.3}, {0.43, 1.5}, {3e-5, 4e6}, {7.0, 7.5}}) {
    const auto ticks = Scale::logarithmic(low, high, 0, 1).ticks();
    EXPECT_GE(ticks.size(), 3u) << low;
    EXPECT_LE(ticks.size(), 12u) << low;
    for (const double t : ticks) {
      EXPECT_GE(t, low * 0.999);
      EXPECT_LE(t, high * 1.001);
    }
  }
  // A scale of one value is still one.
  EXPECT_FALSE(Scale::linear(3, 3, 0, 1).ticks().empty());
  EXPECT_FALSE(Scale::logarithmic(3, 3, 0, 1).ticks().empty());
}

TEST(Scale, RangesLeaveOutWhatHasNoLogarithm) {
  const double none = std::numeric_limits<double>::infinity();
  const Range r = log_range(std::vector<double>{0, -1, 2, none, 8}, 0);
  EXPECT_DOUBLE_EQ(r.low, 2);
  EXPECT_DOUBLE_EQ(r.high, 8);
  const Range empty = log_range({}, 0.1);
  EXPECT_LT(empty.low, empty.high);
  const Range one = log_range(std::vector<double>{5}, 0.1);
  EXPECT_LT(one.low, 5);
  EXPECT_GT(one.high, 5);
}

TEST(Scale, TickTextsAreShort) {
  EXPECT_EQ(tick_text(0), "0");
  EXPECT_EQ(tick_text(0.5), "0.5");
  EXPECT_EQ(tick_text(12), "12");
  EXPECT_EQ(tick_text(4500), "4.5k");
  EXPECT_EQ(tick_text(2e6), "2M");
  EXPECT_EQ(tick_text(0.03125), "0.031");
}

TEST(Svg, EscapesAndIsWellFormed) {
  Drawing d(100, 50);
  d.text({1, 2}, "a<b> & \"c\"", {.bold = true, .halo = true});
  d.dot({3, 4}, 5, {.ink = Ink::peer, .tip = "x < y\nsecond line", .opacity = 0.5});
  d.ring({3, 4}, 5, {.ink = Ink::ours}, "ring");
  d.box({0, 0}, -3, 4, {});
  d.path({{0, 0}, {1.005, 2.3333}}, {.ink = Ink::green, .dash = "3 2"});
  d.path({}, {});
  d.line({0, -0.0001}, {1, 1}, {});
  d.image({0, 0}, 4, 4, "\x01\x02\x03\x04", "picture");
  const std::string svg = d.file("label & \"more\"");
  EXPECT_EQ(malformed(svg), "");
  EXPECT_TRUE(has(svg, "a&lt;b&gt; &amp; &quot;c&quot;"));
  EXPECT_TRUE(has(svg, "<title>x &lt; y\nsecond line</title>"));
  EXPECT_TRUE(has(svg, "viewBox=\"-8 -8 116 66\""));
  EXPECT_TRUE(has(d.inline_svg("l"), "viewBox=\"0 0 100 50\""));
  EXPECT_TRUE(has(svg, "AQIDBA==")) << "base64 of four bytes";
  EXPECT_FALSE(has(svg, "-0\"")) << "no negative zero";
  EXPECT_TRUE(has(svg, "prefers-color-scheme:dark"));
  EXPECT_FALSE(has(d.file("l", false), "prefers-color-scheme"));
  EXPECT_FALSE(has(d.inline_svg("l"), "<style>")) << "a page has the styles once";
  EXPECT_EQ(titles(svg).size(), 3u);
}

TEST(Svg, BytesThatAreNoCharactersAreReplaced) {
  EXPECT_EQ(escaped("a\x01"
                    "b\x1b[31m\tc\n"),
            "a\uFFFDb\uFFFD[31m\tc\n");
  EXPECT_EQ(escaped("µ ≤ 𝄞 é"), "µ ≤ 𝄞 é");
  const std::string one = "\uFFFD";
  EXPECT_EQ(escaped("x\xff"
                    "y"),
            "x" + one + "y");
  EXPECT_EQ(escaped("\xc3"), one) << "cut off";
  EXPECT_EQ(escaped("\xc0\xaf"), one + one) << "longer than it need be";
  EXPECT_EQ(escaped("\xed\xa0\x80"), one + one + one) << "half of a pair";
  EXPECT_EQ(escaped("\xef\xbf\xbf"), one + one + one) << "U+FFFF";
  EXPECT_EQ(escaped("\xf5\x80\x80\x80"), one + one + one + one) << "beyond Unicode";
}

TEST(Svg, EveryInkHasAColourOnBothPapers) {
  const std::string styles = ink_styles(true);
  for (const Ink ink : {Ink::text, Ink::soft, Ink::axis, Ink::grid, Ink::paper, Ink::ours,
                        Ink::peer, Ink::other, Ink::green, Ink::purple, Ink::gold, Ink::cyan}) {
    const std::string rule = ".f-" + std::string(name(ink)) + "{fill:#";
    const auto first = styles.find(rule);
    ASSERT_NE(first, styles.npos) << rule;
    EXPECT_NE(styles.find(rule, first + 1), styles.npos) << rule << " on dark paper";
  }
}

TEST(Plot, CountsHaveNoFractions) {
  Drawing d(200, 100);
  add_x_axis(d, {10, 10, 190, 70}, Scale::linear(0.5, 1.5, 10, 190), {.title = "n", .whole = true});
  const std::string one = d.inline_svg("n");
  EXPECT_TRUE(has(one, ">1</text>")) << one;
  EXPECT_FALSE(has(one, "0.8")) << one;
}

TEST(Plot, LabelsKeepTheirDistance) {
  const auto at = spread_out({10, 11, 50, 12}, 10, 0, 55);
  std::vector<double> sorted = at;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) EXPECT_GE(sorted[i] - sorted[i - 1], 10 - 1e-9);
  EXPECT_LE(sorted.back(), 55);
  EXPECT_LT(at[0], at[1]);
  EXPECT_LT(at[1], at[3]) << "the order stays";
}

TEST(Plot, LabelsDoNotCoverMarks) {
  Drawing d(200, 100);
  Labels labels({0, 0, 200, 100});
  labels.occupy(Point{50, 50}, 4);
  EXPECT_TRUE(labels.place(d, {50, 50}, Labels::Side::right, "one", {}));
  for (int i = 0; i < 20; ++i) labels.place(d, {50, 50}, Labels::Side::right, "one", {});
  EXPECT_FALSE(labels.place(d, {50, 50}, Labels::Side::right, "one", {})) << "no room is left";
  EXPECT_FALSE(labels.place(d, {199, 50}, Labels::Side::right, "beyond the paper", {}));
}

TEST(Plot, TheFirstFreePlaceIsTaken) {
  Labels labels({0, 0, 100, 100});
  labels.occupy(0, 40, 100, 42);
  const auto place = labels.first_free({{0, 35}, {95, 50}, {20, 43}, {20, 60}}, 30, 10);
  ASSERT_TRUE(place) << "the third lies on nothing";
  EXPECT_DOUBLE_EQ(place->x, 20);
  EXPECT_DOUBLE_EQ(place->y, 43);
  EXPECT_FALSE(labels.first_free({{0, 35}}, 30, 10));
}

TEST(Plot, LongTextsAreCut) {
  EXPECT_EQ(fitted_text("short", 10, 100), "short");
  const std::string cut = fitted_text("a very long text indeed, with µ", 10, 60);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(text_width(cut, 10), 60);
  const std::string name = fitted_name("cusparse/csr-stored-transpose-pre", 9, 90);
  EXPECT_TRUE(name.starts_with("cusparse"));
  EXPECT_TRUE(name.ends_with("-pre"));
  EXPECT_LE(text_width(name, 9), 90);
  // Between characters, however many bytes they have.
  for (double width = 30; width < 120; ++width) {
    const std::string accents = fitted_name("čžšřěáíé-ůúďťň-ąęłńśźżó", 9, width);
    const auto behind = accents.find("…") + std::string("…").size();
    ASSERT_GT(accents.size(), behind) << accents;
    EXPECT_NE(accents[behind] & 0xC0, 0x80) << width;
  }
}

TEST(Strip, ShowsMediansAndWhatNeverComes) {
  const double never = std::numeric_limits<double>::infinity();
  const Drawing d = strip({{"first", Ink::ours, {{1, "one"}, {2, "two"}, {40, "forty"}}},
                           {"second", Ink::peer, {{3, "three"}, {never, "n1"}, {never, "n2"}}}},
                          {.title = "T", .about = "about", .axis = "x", .never = true});
  const std::string svg = d.file("strip");
  EXPECT_EQ(malformed(svg), "");
  // Four dots with a value, and one for the two that never come.
  EXPECT_EQ(titles(svg), (std::vector<std::string>{"one", "two", "forty", "three",
                                                   "second: never for\nn1\nn2"}));
  EXPECT_TRUE(has(svg, ">2</text>"));
  EXPECT_TRUE(has(svg, ">never</text>"));
}

}  // namespace
}  // namespace nz::test
