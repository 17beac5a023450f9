// Figures for print: PDF and PNG that are made without another program.
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "lab/report/canvas.hpp"
#include "lab/report/dashes.hpp"
#include "lab/report/glyphs.hpp"
#include "lab/report/letters.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/print.hpp"
#include "support/program.hpp"

namespace nz::test {
namespace {

using namespace nz::lab;

Drawing sample() {
  Drawing d(200, 100);
  d.box({20, 30}, 40, 20, {.ink = Ink::ours});
  d.text({100, 60}, "speed (10³ µs) \\ é", {.anchor = Anchor::middle, .halo = true});
  d.path({{0, 0}, {50, 50}, {200, 0}}, {.ink = Ink::peer, .dash = "4 3", .opacity = 0.5});
  d.ring({150, 50}, 5, {.ink = Ink::ours});
  d.dot({170, 50}, 5, {.ink = Ink::green});
  d.frame({1, 1}, 198, 98, {.ink = Ink::axis});
  d.image({5, 5}, 10, 10, "no PNG");
  return d;
}

// Each entry of the table of a PDF names the byte where its object begins.
void expect_whole(const std::string& pdf) {
  ASSERT_TRUE(pdf.starts_with("%PDF-1."));
  ASSERT_TRUE(pdf.ends_with("%%EOF\n"));
  const auto told = pdf.rfind("startxref\n");
  const auto table = std::strtoul(pdf.c_str() + told + 10, nullptr, 10);
  ASSERT_EQ(pdf.compare(table, 7, "xref\n0 "), 0);
  const int objects = std::atoi(pdf.c_str() + table + 7);
  ASSERT_GE(objects, 6);
  auto entry = pdf.find('\n', table + 7) + 1 + 20;  // behind that of object 0
  for (int i = 1; i < objects; ++i, entry += 20) {
    const auto at = std::strtoul(pdf.c_str() + entry, nullptr, 10);
    EXPECT_EQ(pdf.compare(at, std::to_string(i).size() + 7, std::to_string(i) + " 0 obj\n"), 0)
        << i;
  }
}

TEST(Pdf, IsWhole) {
  const std::string pdf = pdf_file(sample(), "Speed (all)", {});
  expect_whole(pdf);
  EXPECT_TRUE(has(pdf, "/MediaBox [0 0 162.000 87.000]")) << "216 x 116 units of 3/4 point";
  EXPECT_TRUE(has(pdf, "/Title (Speed \\(all\\))"));
  EXPECT_TRUE(has(pdf, "[4 3] 0 d"));
  EXPECT_TRUE(has(pdf, "/O50 << /ca 0.50 /CA 0.50 >>"));
  EXPECT_FALSE(has(pdf, "/Subtype /Image")) << "what is no picture is left out";
}

TEST(Pdf, LettersAreShapes) {
  Drawing d(100, 50);
  d.text({10, 20}, "ab 10³", {.size = 10});
  d.text({10, 40}, "ñ", {.size = 10, .bold = true, .halo = true});
  const std::string pdf = pdf_file(d, "π and 𝄞", {});
  expect_whole(pdf);
  for (const char* of_fonts : {"/Font", "Helvetica", " Tf", " Tj"})
    EXPECT_FALSE(has(pdf, of_fonts)) << of_fonts;
  EXPECT_TRUE(has(pdf, "q 10.000 0 0 10.000 10.000 20.000 cm /F61 Do Q")) << pdf;
  EXPECT_TRUE(has(pdf, "q 7.000 0 0 7.000 ")) << "the exponent is smaller";
  EXPECT_TRUE(has(pdf, " 16.400 cm /F33 Do Q")) << "and raised";
  EXPECT_TRUE(has(pdf, "0.3000 w [] 0 d /BF1 Do Q")) << "the paper around it";
  EXPECT_TRUE(has(pdf, "0.0450 w [] 0 d /BF1 Do Q")) << "and it, bold";
  EXPECT_FALSE(has(pdf, "/F20 Do")) << "a space is nothing";
  EXPECT_TRUE(has(pdf, "/Title <FEFF03C0002000610")) << "any letter may be in the title";
  EXPECT_TRUE(has(pdf, "D834DD1E>"));
}

TEST(Glyphs, WhatIsNotThereIsDrawnAsWhatIsLikeIt) {
  EXPECT_EQ(glyph(U'’').advance, glyph(U'\'').advance);
  EXPECT_EQ(glyph(U'漢').advance, glyph(U'?').advance);
}

// The lowest and the highest point; y is downward.
std::pair<double, double> reach(const Glyph& g) {
  double top = 1, bottom = -1;
  for (const Glyph::Step& s : g.steps)
    if (s.kind != 'Z') top = std::min(top, s.to.y), bottom = std::max(bottom, s.to.y);
  return {bottom, top};
}

std::string steps_of(char32_t code) {
  std::string all;
  for (const Glyph::Step& s : glyph(code).steps)
    all += fmt::format("{}{} {} ", s.kind, s.to.x, s.to.y);
  return all;
}

TEST(Glyphs, LettersOfLatinScriptsHaveTheirAccents) {
  std::set<std::string> plain;
  for (char32_t code = U' '; code < 0x7F; ++code) plain.insert(steps_of(code));
  for (char32_t code = 0xC0; code < 0x180; ++code)
    EXPECT_FALSE(plain.contains(steps_of(code))) << std::hex << static_cast<unsigned>(code);
  for (const auto& [letter, base] : std::vector<std::pair<char32_t, char32_t>>{
           {U'å', U'a'}, {U'ñ', U'n'}, {U'č', U'c'}, {U'ž', U'z'}, {U'ő', U'o'}, {U'Š', U'S'}}) {
    EXPECT_LT(reach(glyph(letter)).second, reach(glyph(base)).second - 0.05) << "above it";
    EXPECT_EQ(glyph(letter).advance, glyph(base).advance);
  }
  for (const auto& [letter, base] : std::vector<std::pair<char32_t, char32_t>>{
           {U'ç', U'c'}, {U'ę', U'e'}, {U'Ş', U'S'}, {U'ț', U't'}})
    EXPECT_GT(reach(glyph(letter)).first, reach(glyph(base)).first + 0.05) << "below it";
}

TEST(Pdf, PicturesAreInIt) {
  Drawing inner(4, 4), d(50, 50);
  d.image({5, 5}, 10, 10, png_file(inner, {.margin = 0}, 96));
  const std::string pdf = pdf_file(d, "", {});
  expect_whole(pdf);
  EXPECT_TRUE(has(pdf, "/Subtype /Image /Width 4 /Height 4")) << pdf;
  EXPECT_TRUE(has(pdf, "/I0 Do"));
}

struct At {
  int r, g, b;
};
At at(const Pixels& p, double x, double y) {
  const auto i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) +
                      static_cast<std::size_t>(x));
  return {p.rgb.at(i), p.rgb.at(i + 1), p.rgb.at(i + 2)};
}
void expect_colour(const At& seen, const Colour& wanted) {
  EXPECT_NEAR(seen.r, wanted.red, 1);
  EXPECT_NEAR(seen.g, wanted.green, 1);
  EXPECT_NEAR(seen.b, wanted.blue, 1);
}

TEST(Png, HasTheSizeThatItSays) {
  const std::string png = png_file(sample(), {.points_per_unit = 0.75, .margin = 8}, 192);
  const Pixels p = decoded_png(png);
  EXPECT_EQ(p.width, 432) << "216 units, 3/4 point each, 192 dots in 72 points";
  EXPECT_EQ(p.height, 232);
  const auto size = png.find("pHYs");
  ASSERT_NE(size, png.npos);
  // 192 dots an inch are 7559 a metre.
  EXPECT_EQ(
      static_cast<unsigned char>(png[size + 6]) * 256 + static_cast<unsigned char>(png[size + 7]),
      7559);
}

TEST(Png, ShapesAreWhereTheyShouldBe) {
  const Paper paper{.points_per_unit = 0.75, .margin = 0};
  const Pixels p = decoded_png(png_file(sample(), paper, 192));  // two pixels a unit
  const Colour ours = colour_of(Ink::ours, Palette::standard),
               white = colour_of(Ink::paper, Palette::standard);
  expect_colour(at(p, 2 * 55, 2 * 35), ours);
  expect_colour(at(p, 2 * 20, 2 * 30), ours);
  expect_colour(at(p, 2 * 20 - 1, 2 * 40), white);
  expect_colour(at(p, 2 * 60, 2 * 40), white);
  expect_colour(at(p, 2 * 150, 2 * 50), white);         // within the ring
  EXPECT_NEAR(at(p, 2 * 155, 2 * 50).b, ours.blue, 8);  // on it, whose corners are cut a little
  expect_colour(at(p, 2 * 170, 2 * 50), colour_of(Ink::green, Palette::standard));
  // Half of a pixel is half covered.
  Drawing half(10, 10);
  half.box({0, 0}, 2.25, 10, {.ink = Ink::text});
  const Pixels h = decoded_png(png_file(half, {.points_per_unit = 0.75, .margin = 0}, 192));
  const Colour text = colour_of(Ink::text, Palette::standard);
  EXPECT_NEAR(at(h, 4, 5).r, (text.red + 255) / 2, 1);
}

TEST(Png, AreasAreExact) {
  // What a circle and a slanted shape cover adds up to their areas.
  const Colour black{0, 0, 0}, white{255, 255, 255};
  const auto ink_of = [&](const std::vector<Outline>& shape) {
    Canvas c(60, 60, white);
    c.fill(shape, black, 1);
    const Pixels p = c.pixels();
    return (3 * 255.0 * 3600 - std::accumulate(p.rgb.begin(), p.rgb.end(), 0.0)) / (3 * 255);
  };
  EXPECT_NEAR(ink_of({circle({30.3, 29.7}, 20)}), M_PI * 400, 12);
  EXPECT_NEAR(ink_of({{{5.2, 7.1}, {55.9, 20.4}, {12.6, 51.3}}}),
              std::abs((55.9 - 5.2) * (51.3 - 7.1) - (12.6 - 5.2) * (20.4 - 7.1)) / 2, 3);
  // A hole runs the other way round.
  Outline hole = circle({30, 30}, 10);
  std::reverse(hole.begin(), hole.end());
  EXPECT_NEAR(ink_of({circle({30, 30}, 20), hole}), M_PI * 300, 14);
  // What lies beyond the paper costs nothing.
  EXPECT_NEAR(ink_of({{{-50, -50}, {30, -50}, {30, 30}, {-50, 30}}}), 900, 1);
}

TEST(Png, LettersHaveTheirHoles) {
  Drawing d(40, 40);
  d.text({20, 30}, "o", {.size = 30, .anchor = Anchor::middle});
  const Pixels p = decoded_png(png_file(d, {.points_per_unit = 1, .margin = 0}, 144));
  expect_colour(at(p, 40, 44), colour_of(Ink::paper, Palette::standard));
  int dark = 0;
  for (int x = 0; x < p.width; ++x) dark += at(p, x, 44).r < 60;
  EXPECT_GT(dark, 6) << "its two sides";
  EXPECT_LT(dark, 20);
}

TEST(Letters, ExponentsAreRaised) {
  const auto all = letters("10⁻⁵ µ\xff");
  ASSERT_EQ(all.size(), 6u) << "what is no character is none";
  EXPECT_FALSE(all[1].raised);
  EXPECT_TRUE(all[2].raised);
  EXPECT_EQ(all[2].code, U'-');
  EXPECT_EQ(all[3].code, U'5');
  EXPECT_EQ(all[5].code, U'µ');
}

// As file systems of macOS keep names.
TEST(Letters, AccentsOfTheirOwnAreOneWithTheirLetter) {
  const auto all = letters("Zu\u0308ric\u030c x\u0301 \u0141o\u0301dz\u0301");
  std::u32string text;
  for (const Letter& l : all) text += l.code;
  EXPECT_EQ(text, U"Z\u00fcri\u010d x \u0141\u00f3d\u017a") << "no letter is x with an acute";
  EXPECT_EQ(letters("\u0301a").size(), 2u) << "it stands on nothing";
  const Glyph& unknown = glyph(U'?');
  for (const Letter& l : all) EXPECT_NE(&glyph(l.code), &unknown);
  const auto place = placed_glyphs("e\u0301", {0, 0}, 1, Anchor::start);
  ASSERT_EQ(place.size(), 1u);
  EXPECT_EQ(place[0].glyph, &glyph(U'\u00e9'));
}

TEST(Dashes, AreAsLongAsTheySay) {
  const auto pieces = dashed({{0, 0}, {10, 0}, {10, 10}}, "4 2");
  double ink = 0;
  for (const auto& piece : pieces)
    for (std::size_t i = 1; i < piece.size(); ++i)
      ink += std::hypot(piece[i].x - piece[i - 1].x, piece[i].y - piece[i - 1].y);
  EXPECT_NEAR(ink, 4 + 4 + 4 + 2, 1e-9);
  EXPECT_EQ(pieces.size(), 4u);
  EXPECT_EQ(dashed({{0, 0}, {1, 1}}, "").size(), 1u);
}

struct Light {
  double red, green, blue;
};
Light light_of(const Colour& c) {
  const auto linear = [](int v) { return std::pow(v / 255.0, 2.2); };
  return {linear(c.red), linear(c.green), linear(c.blue)};
}
double brightness(const Light& l) { return 0.2126 * l.red + 0.7152 * l.green + 0.0722 * l.blue; }

// As readers without red or without green cones see it, after Viénot, Brettel and Mollon.
Light seen_without(const Light& l, bool red) {
  const double both = red ? 0.1124 * l.red + 0.8876 * l.green : 0.2928 * l.red + 0.7072 * l.green;
  const double blue =
      red ? l.blue + 0.0040 * (l.red - l.green) : l.blue - 0.0223 * (l.red - l.green);
  return {both, both, std::max(0.0, blue)};
}

double apart(const Light& a, const Light& b) {
  const auto even = [](double v) { return std::pow(std::max(0.0, v), 1 / 2.2); };
  return std::hypot(even(a.red) - even(b.red), even(a.green) - even(b.green),
                    even(a.blue) - even(b.blue));
}

TEST(Palettes, OursAndPeersDifferForEveryEye) {
  for (const std::string& name : palette_names()) {
    const Palette p = palette_named(name);
    const Light ours = light_of(colour_of(Ink::ours, p)), peer = light_of(colour_of(Ink::peer, p));
    EXPECT_GT(apart(ours, peer), 0.35) << name;
    for (const bool red : {false, true})
      EXPECT_GT(apart(seen_without(ours, red), seen_without(peer, red)), 0.35) << name << red;
    EXPECT_GT(brightness(light_of(colour_of(Ink::paper, p))),
              brightness(light_of(colour_of(Ink::text, p))) + 0.7);
  }
  // Without colour, only the one that is made for it.
  EXPECT_GT(std::pow(brightness(light_of(colour_of(Ink::peer, Palette::grey))), 1 / 2.2) -
                std::pow(brightness(light_of(colour_of(Ink::ours, Palette::grey))), 1 / 2.2),
            0.35);
  EXPECT_THROW(palette_named("neon"), Error);
}

TEST(Plot, NoTitleRunsOff) {
  const std::string title(200, 'm');
  Drawing d(FigureStyle{.width = 300}, 100);
  add_title(d, title, title);
  for (const Shape& s : d.shapes()) EXPECT_LE(text_width(s.words, s.type.size), 300) << s.words;
  EXPECT_EQ(d.shapes().size(), 2u);
  Drawing without(FigureStyle{.width = 300, .titles = false}, 100);
  EXPECT_LT(add_title(without, title, title), 10);
  EXPECT_TRUE(without.shapes().empty());
}

TEST(Plot, LongAxesHavePowersOfTen) {
  Drawing d(300, 200);
  const Scale y = Scale::logarithmic(1e-8, 1e4, 150, 10);
  add_y_axis(d, {30, 10, 290, 150}, y, {.title = "residual"});
  std::string all;
  for (const Shape& s : d.shapes()) all += s.words + ' ';
  EXPECT_TRUE(has(all, "10³ ")) << all;
  EXPECT_TRUE(has(all, "10⁻⁶ ")) << all;
  EXPECT_FALSE(has(all, "e+") || has(all, "e-")) << all;
  EXPECT_EQ(power_text(1), "1");
  EXPECT_EQ(power_text(1e3), "10³");
  EXPECT_EQ(power_text(1e-12), "10⁻¹²");
  EXPECT_EQ(tick_text(2e-5), "2·10⁻⁵");
  EXPECT_EQ(tick_text(1e-5), "10⁻⁵");
  EXPECT_EQ(tick_text(-3e16), "-3·10¹⁶");
}

}  // namespace
}  // namespace nz::test
