#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <png.h>

#include "base/size_text.hpp"
#include "lab/report/spy.hpp"
#include "lab/report/table.hpp"
#include "lab/report/text.hpp"
#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

struct Picture {
  unsigned width = 0, height = 0;
  std::vector<unsigned char> grey;  // 0 black to 255 white
  unsigned char at(unsigned y, unsigned x) const { return grey[y * width + x]; }
};

Picture decode(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  Picture p;
  if (!png_image_begin_read_from_file(&image, path.c_str())) return p;
  image.format = PNG_FORMAT_GRAY;
  p.width = image.width;
  p.height = image.height;
  p.grey.resize(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, p.grey.data(), 0, nullptr)) p.grey.clear();
  return p;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(Spy, PngShowsTheNonzeros) {
  const TempDir dir;
  const std::string png = dir("small.png");
  const Outcome o = nonzero({"spy", dir.write("a.mtx", small_mtx), "-o", png, "--size", "40"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(has(o.err, "40 x 30 pixels")) << o.err;
  EXPECT_TRUE(read_file(png).starts_with("\x89PNG\r\n\x1a\n"));
  const Picture p = decode(png);
  ASSERT_EQ(p.width, 40u);
  ASSERT_EQ(p.height, 30u);
  ASSERT_FALSE(p.grey.empty());
  const bool nonzero_at[3][4] = {{1, 1, 0, 0}, {0, 0, 0, 0}, {0, 1, 1, 1}};
  for (unsigned y = 0; y < 30; ++y)
    for (unsigned x = 0; x < 40; ++x) {
      const bool dark = p.at(y, x)<100, light = p.at(y, x)> 240;
      ASSERT_TRUE(nonzero_at[y / 10][x / 10] ? dark : light) << y << ' ' << x;
    }
}

TEST(Spy, PngOfALargeMatrixKeepsLoneEntriesVisible) {
  const TempDir dir;
  const std::string png = dir("tall.png");
  const Outcome o = nonzero({"spy", "gen:giant:n=20000,length=10000,degree=0.01", "-o", png});
  ASSERT_EQ(o.code, 0) << o.err;
  const Picture p = decode(png);
  ASSERT_EQ(p.width, 800u);
  ASSERT_EQ(p.height, 800u);
  const auto paper = *std::max_element(p.grey.begin(), p.grey.end());
  const auto inked = std::count_if(p.grey.begin(), p.grey.end(), [&](auto g) { return g < paper; });
  EXPECT_GT(inked, 800) << "the giant row and the others";
  EXPECT_LT(inked, 800 * 20) << "mostly paper";
  for (const auto g : p.grey) ASSERT_TRUE(g == paper || g < paper - 50) << "too faint to see";
}

TEST(Spy, PictureKeepsTheShape) {
  const auto check = [](index_t rows, index_t cols, int height, int width) {
    const lab::PictureSize s = lab::picture_size(rows, cols, 320);
    EXPECT_EQ(s.height, height) << rows << ' ' << cols;
    EXPECT_EQ(s.width, width) << rows << ' ' << cols;
  };
  check(100, 100, 320, 320);
  check(50, 100, 160, 320);
  check(1000000, 500000, 320, 160);
  check(1, 1000000, 10, 320);
  check(0, 0, 320, 320);
}

TEST(Spy, DensityCountsEveryEntryOnce) {
  const auto a = generate("rmat:scale=10").matrix;
  for (const auto& [height, width] : {std::pair{7, 13}, {64, 64}, {1, 1}, {5000, 3}}) {
    const lab::DensityGrid g = lab::density_grid(a.view(), height, width);
    double entries = 0;
    for (int y = 0; y < g.height; ++y)
      for (int x = 0; x < g.width; ++x) {
        const auto cells = [](int c, int n, int of) {
          return (static_cast<std::int64_t>(c + 1) * n + of - 1) / of -
                 (static_cast<std::int64_t>(c) * n + of - 1) / of;
        };
        entries += g.at(y, x) * static_cast<double>(cells(y, a.rows, g.height)) *
                   static_cast<double>(cells(x, a.cols, g.width));
      }
    EXPECT_NEAR(entries, static_cast<double>(a.nnz()), 1e-6 * entries);
  }
}

TEST(Spy, BrailleIsExactForSmallMatrices) {
  const TempDir dir;
  const Outcome o = nonzero({"spy", dir.write("a.mtx", small_mtx)});
  ASSERT_EQ(o.code, 0) << o.err;
  // Dots of row 1: both of the first character; of row 3: second of it, both of the next.
  EXPECT_TRUE(has(o.out, ": 3 x 4, 5 nonzeros\n┌──┐\n│⠩⠤│\n└──┘\n")) << o.out;
}

TEST(Spy, PlainAsciiWithoutUtf8OrWhenAsked) {
  const TempDir dir;
  const std::string path = dir.write("a.mtx", small_mtx);
  const std::string picture = "+--------+\n|@@@@    |\n|        |\n|  @@@@@@|\n+--------+\n";
  EXPECT_TRUE(has(nonzero({"spy", path, "--ascii"}).out, picture));
  EXPECT_TRUE(has(nonzero({"spy", path}, {{"LC_ALL", "C"}}).out, picture));
  EXPECT_TRUE(has(nonzero({"spy", path}, {{"LC_ALL", ""}, {"LANG", "POSIX"}}).out, picture));
  EXPECT_TRUE(has(nonzero({"spy", path}, {{"LC_ALL", ""}, {"LANG", "de_DE.utf8"}}).out, "│⠩⠤│"));
}

TEST(Spy, FitsTheTerminal) {
  for (const char* spec : {"gen:grid:nx=60,ny=60", "gen:lp", "gen:empty:rows=30,cols=9000",
                           "gen:random:rows=5000,cols=3,density=0.5"}) {
    for (const char* ascii : {"--ascii", "--threads=1"}) {
      const Outcome o = nonzero_on_terminal({"spy", spec, ascii});
      ASSERT_EQ(o.code, 0) << o.out;
      const auto lines = lines_of(o.out);
      EXPECT_LE(lines.size(), 23u) << spec;
      EXPECT_GE(lines.size(), 4u) << spec;
      for (std::size_t i = 1; i < lines.size(); ++i)  // the first is the name
        EXPECT_LE(lab::display_width(lines[i]), 81u) << "with its carriage return: " << lines[i];
    }
  }
}

TEST(Spy, BlankOnlyWhereNothingIs) {
  // One entry in a million rows.
  const Array<index_t> at{500000};
  const Array<double> one{1};
  const auto a = csr_from_triplets<double, std::int64_t>(1000000, 1000000, {at.data(), 1},
                                                         {at.data(), 1}, {one.data(), 1});
  for (const auto glyphs : {lab::Glyphs::braille, lab::Glyphs::ascii}) {
    const std::string text = lab::spy_text(a.view(), 42, 22, glyphs);
    const bool braille = glyphs == lab::Glyphs::braille;
    EXPECT_EQ(lines_of(text).size(), 22u);
    EXPECT_TRUE(braille ? has(text, "\xE2\xA0") : has(text, "@")) << text;
  }
}

TEST(Spy, Errors) {
  const TempDir dir;
  EXPECT_EQ(nonzero({"spy", "gen:grid", "-o", dir("a.jpg")}).code, 2);
  EXPECT_EQ(nonzero({"spy", "gen:grid", "-o", dir("no/such/folder/a.png")}).code, 3);
  EXPECT_EQ(nonzero({"spy", "gen:grid", "--size", "0"}).code, 2);
  EXPECT_EQ(nonzero({"spy", "gen:grid", "--size", "100000"}).code, 2);
}

TEST(Table, AlignsByDisplayWidth) {
  lab::Table t({{"name"}, {"n", lab::Align::right}, {"rest"}});
  t.add({"§ α", "1", "x"});
  t.add({"漢字", "100"});
  t.add_gap();
  t.add({"abcdef", "22", {"y", lab::Tone::good}});
  EXPECT_EQ(t.text(false),
            "name      n  rest\n"
            "§ α       1  x\n"
            "漢字    100\n"
            "\n"
            "abcdef   22  y\n");
  EXPECT_TRUE(has(t.text(true), "\033[32my\033[0m\n"));
  EXPECT_EQ(t.markdown(),
            "| name | n | rest |\n| --- | ---: | --- |\n| § α | 1 | x |\n| 漢字 | 100 |  |\n"
            "| abcdef | 22 | y |\n");
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(lab::count_text(0), "0");
  EXPECT_EQ(lab::count_text(999), "999");
  EXPECT_EQ(lab::count_text(1000), "1,000");
  EXPECT_EQ(lab::count_text(-1234567), "-1,234,567");
  EXPECT_EQ(size_text(1023.0), "1023 B");
  EXPECT_EQ(size_text(1024.0), "1.0 KiB");
  EXPECT_EQ(size_text(1024.0 * 1024 * 1024 * 1.5), "1.5 GiB");
  EXPECT_EQ(lab::seconds_text(0.0123), "12.30 ms");
  EXPECT_EQ(lab::seconds_text(2), "2.00 s");
  EXPECT_EQ(lab::percent_text(0.5), "50.0 %");
  EXPECT_EQ(lab::percent_text(0.0123), "1.2 %");
  EXPECT_EQ(lab::percent_text(0.000123), "0.012 %");
  EXPECT_EQ(lab::percent_text(0), "0.0 %");
  EXPECT_EQ(lab::plural(1, "row", "rows"), "1 row");
  EXPECT_EQ(lab::plural(2000, "row", "rows"), "2,000 rows");
}

}  // namespace
}  // namespace nz::test
