#include <filesystem>

#include <gtest/gtest.h>

#include "report/markup.hpp"
#include "report/samples.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// `nonzero report`, and what `nonzero bench` writes for it.
namespace nz::test {
namespace {

namespace fs = std::filesystem;

class ReportCommand : public testing::Test {
 protected:
  std::string record(const std::string& name = "sample.json") const {
    lab::write_record(dir_(name), sample_record());
    return dir_(name);
  }
  TempDir dir_;
};

TEST_F(ReportCommand, WritesThePage) {
  const Outcome o = nonzero({"report", record(), "-o", dir_("r.html"), "--title", "A & B"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "On Sample <CPU>, 2 cores, what a plan chooses is")) << o.out;
  const std::string page = read_file(dir_("r.html"));
  EXPECT_EQ(malformed(page), "");
  EXPECT_TRUE(has(page, "<h1>A &amp; B</h1>"));
  EXPECT_EQ(loaded_from_elsewhere(page), "") << "needs a network";
}

// The check itself, on planted pages.
TEST(Markup, SeesWhatAPageWouldLoad) {
  for (const char* page : {"<img src=\"https://x.org/a.png\">",
                           "<img src=\"http://x.org/a.png\">",
                           "<script src=\"//x.org/a.js\"></script>",
                           "<script src='https://x.org/a.js'></script>",
                           "<script src=https://x.org/a.js></script>",
                           "<IMG SRC=\"HTTPS://x.org/a.png\">",
                           "<link rel=\"stylesheet\" href=\"https://x.org/a.css\">",
                           "<link rel=icon href=a.ico>",
                           "<img src=\"beside.png\">",
                           "<img srcset=\"https://x.org/a.png 2x\">",
                           "<iframe src=\"https://x.org\"></iframe>",
                           "<object data=\"https://x.org\"></object>",
                           "<image xlink:href=\"https://x.org/a.png\"/>",
                           "<use href=\"https://x.org/a.svg#b\"/>",
                           "<style>@import 'https://x.org/a.css';</style>",
                           "<style>a{background:url( \"https://x.org/a.png\")}</style>",
                           "<style>a{background:url(//x.org/a.png)}</style>",
                           "<script>fetch('https://x.org')</script>",
                           "<script>new XMLHttpRequest()</script>",
                           "<script>import('./a.js')</script>"})
    EXPECT_NE(loaded_from_elsewhere(page), "") << page;
  for (const char* page :
       {"<a href=\"https://x.org\">there</a>", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>",
        "<image href=\"data:image/png;base64,iVBO\"/>", "<p>see https://x.org</p>",
        "<style>a{fill:url(#pattern)}</style>", "<a href=\"#top\">up</a>", "<use href=\"#b\"/>",
        "<td title=\"src=https\">x</td>"})
    EXPECT_EQ(loaded_from_elsewhere(page), "") << page;
}

TEST_F(ReportCommand, WritesFiguresAndSaysWhatPngNeeds) {
  // Without programs on the path there is no rsvg-convert.
  const Outcome o =
      nonzero({"report", record(), "--figures", dir_("deep/figures")}, {{"PATH", "/nowhere"}});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.err, "PNG pictures need rsvg-convert")) << o.err;
  EXPECT_TRUE(has(o.err, "librsvg2-bin")) << o.err;
  std::size_t svg = 0, others = 0;
  for (const auto& entry : fs::directory_iterator(dir_("deep/figures"))) {
    entry.path().extension() == ".svg" ? ++svg : ++others;
    EXPECT_EQ(malformed(read_file(entry.path())), "") << entry.path();
  }
  EXPECT_GT(svg, 20u);
  EXPECT_EQ(others, 0u);
  EXPECT_TRUE(fs::exists(dir_("deep/figures/roofline-f64-N.svg")));
}

TEST_F(ReportCommand, ReportsTheRestOfWhatCannotBeRead) {
  const std::string good = record(), cut = dir_.write("cut.json", read_file(good).substr(0, 5000));
  Outcome o = nonzero({"report", cut, good, "-o", dir_("r.html")});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, cut + ": cut off after")) << o.err;
  const std::string page = read_file(dir_("r.html"));
  EXPECT_TRUE(has(page, "cut.json</code>: cut off after"));
  EXPECT_TRUE(has(page, "times as fast as the best peer"));

  o = nonzero({"report", cut, "-o", dir_("none.html")});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "none of the records can be reported")) << o.err;
  EXPECT_FALSE(fs::exists(dir_("none.html")));

  o = nonzero({"report", good});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "-o FILE.html, --figures DIR or --csv FILE")) << o.err;
  o = nonzero({"report", good, "-o", dir_("no/such/folder/r.html")});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "no/such/folder")) << o.err;
}

TEST_F(ReportCommand, WhatIsMeasuredCanBeReported) {
  Outcome o = nonzero({"bench", "gen:grid:nx=30,ny=30", "--kernels", "cpu/csr/*,cpu/sell/serial",
                       "--threads", "1", "--time-limit", "0.001", "--buffer", "4", "--json",
                       dir_("b.json"), "--csv", dir_("b.csv")});
  ASSERT_EQ(o.code, 0) << o.err;
  const lab::Record measured = lab::read_record(dir_("b.json"));
  const std::string csv = read_file(dir_("b.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'),
            static_cast<std::ptrdiff_t>(measured.results.size()) + 1);
  EXPECT_EQ(measured.pictures.at("gen:grid:nx=30,ny=30").size(), 64u);
  o = nonzero({"report", dir_("b.json"), "-o", dir_("b.html"), "--csv", dir_("c.csv")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(read_file(dir_("b.html")), "data-kind=\"spy\""));
  const std::string again = read_file(dir_("c.csv"));
  EXPECT_EQ(std::count(again.begin(), again.end(), '\n'), std::count(csv.begin(), csv.end(), '\n'));
}

}  // namespace
}  // namespace nz::test
