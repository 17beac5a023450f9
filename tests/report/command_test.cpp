#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "lab/report/pixels.hpp"
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

TEST_F(ReportCommand, WritesFiguresWithoutAnotherProgram) {
  const Outcome o = nonzero({"report", record(), "--figures", dir_("deep/figures"), "--dpi", "60"},
                            {{"PATH", "/nowhere"}});
  EXPECT_EQ(o.code, 0) << o.err;
  std::size_t svg = 0, pdf = 0, png = 0;
  for (const auto& entry : fs::directory_iterator(dir_("deep/figures"))) {
    const std::string ending = entry.path().extension(), bytes = read_file(entry.path());
    if (ending == ".svg") {
      ++svg;
      EXPECT_EQ(malformed(bytes), "") << entry.path();
    } else if (ending == ".pdf") {
      ++pdf;
      EXPECT_TRUE(bytes.starts_with("%PDF-") && bytes.ends_with("%%EOF\n")) << entry.path();
    } else {
      ++png;
      EXPECT_EQ(lab::decoded_png(bytes).width, 254) << entry.path();  // 406 units of 3/4 point
    }
  }
  EXPECT_GT(svg, 20u);
  EXPECT_EQ(pdf, svg);
  EXPECT_EQ(png, svg);
  EXPECT_TRUE(fs::exists(dir_("deep/figures/roofline-f64-N.svg")));
}

TEST_F(ReportCommand, FiguresForAPaper) {
  const std::string from = record();
  const auto figures = [&](const std::vector<std::string>& more) {
    fs::remove_all(dir_("f"));
    std::vector<std::string> words{"report", from, "--figures", dir_("f")};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome o = nonzero(words);
    EXPECT_EQ(o.code, 0) << o.err;
  };
  figures({"--width", "88mm", "--font", "8", "--no-title", "--palette", "grey", "--formats",
           "svg,pdf"});
  const std::string svg = read_file(dir_("f/roofline-f64-N.svg"));
  EXPECT_TRUE(has(svg, "width=\"249.45pt\"")) << svg.substr(0, 400);  // 88 mm
  EXPECT_FALSE(has(svg, ">Roofline<")) << "no title";
  EXPECT_TRUE(has(svg, ".f-ours{fill:#1a1a1a}"));
  EXPECT_FALSE(has(svg, "prefers-color-scheme"));
  EXPECT_TRUE(has(read_file(dir_("f/roofline-f64-N.pdf")), "/MediaBox [0 0 249.449 "));
  EXPECT_FALSE(fs::exists(dir_("f/roofline-f64-N.png")));
  // Letters of 9.5 units are 8 points high.
  EXPECT_TRUE(has(read_file(dir_("f/roofline-f64-N.pdf")), "0.84211 0 0 -0.84211"));

  // Every kernel on one matrix, where somebody asks.
  EXPECT_FALSE(fs::exists(dir_("f/kernels-grid-f64-N.svg")));
  const std::string name = sample_record().results.front().matrix;
  figures({"--matrix", name, "--formats", "svg"});
  std::size_t kernels = 0, rooflines = 0;
  for (const auto& entry : fs::directory_iterator(dir_("f"))) {
    const std::string file = entry.path().filename();
    kernels += file.starts_with("kernels-");
    rooflines += file.starts_with("roofline-");
    if (!file.starts_with("kernels-")) continue;
    EXPECT_TRUE(has(read_file(entry.path()), "Every kernel on ")) << file;
  }
  EXPECT_GE(kernels, 2u) << "one a variant";
  EXPECT_GT(rooflines, kernels);

  for (const auto& [option, value] : {std::pair{"--width", "88"},
                                      {"--width", "1mm"},
                                      {"--palette", "neon"},
                                      {"--font", "400"},
                                      {"--formats", "bmp"}}) {
    const Outcome o = nonzero({"report", from, "--figures", dir_("g"), option, value});
    EXPECT_EQ(o.code, 2) << option;
    EXPECT_TRUE(has(o.err, value)) << o.err;
  }
}

TEST_F(ReportCommand, EveryFigureHasItsOwnFile) {
  lab::Record r = sample_record();
  const std::string first = r.results.front().matrix;
  std::erase_if(r.results, [&](const lab::Result& one) {
    return one.matrix != "grid" && one.matrix != "fem";
  });
  ASSERT_FALSE(r.results.empty()) << first;
  for (lab::Result& one : r.results) one.matrix = one.matrix == "grid" ? "A b" : "a+b";
  lab::write_record(dir_("alike.json"), r);
  const Outcome o =
      nonzero({"report", dir_("alike.json"), "--figures", dir_("f"), "--formats", "svg"});
  EXPECT_EQ(o.code, 0) << o.err;
  std::size_t files = 0;
  std::set<std::string> small;
  for (const auto& entry : fs::directory_iterator(dir_("f"))) {
    std::string name = entry.path().filename();
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_TRUE(small.insert(name).second) << name;
    ++files;
  }
  EXPECT_TRUE(has(o.out + o.err, "wrote " + std::to_string(files) + " figures")) << o.out << o.err;
  EXPECT_TRUE(has(read_file(dir_("f/kernels-A-b-f64-N-2.svg")), "Every kernel on A b"));
  EXPECT_TRUE(has(read_file(dir_("f/kernels-a-b-f64-N.svg")), "Every kernel on a+b"));
}

TEST_F(ReportCommand, ThePageCountsFromOneAndTheTableFromZero) {
  lab::Record r = sample_record();
  lab::Result refused = r.results.front();
  refused.kernel = "cpu/dia/serial";
  refused.status = lab::Status::refused;
  refused.reason = "row 7 is too long (counting from 0)";
  for (auto* v : {&refused.median_s, &refused.gflops, &refused.bandwidth_share}) v->reset();
  r.results.push_back(refused);
  lab::write_record(dir_("zero.json"), r);
  const Outcome o =
      nonzero({"report", dir_("zero.json"), "-o", dir_("r.html"), "--csv", dir_("r.csv")});
  EXPECT_EQ(o.code, 0) << o.err;
  const std::string page = read_file(dir_("r.html"));
  EXPECT_TRUE(has(page, "row 8 is too long (counting from 1)"));
  EXPECT_FALSE(has(page, "row 7 is too long"));
  EXPECT_TRUE(has(read_file(dir_("r.csv")), "row 7 is too long (counting from 0)"));
}

TEST_F(ReportCommand, AMatrixThatIsNotThereIsNamed) {
  const std::string from = record();
  Outcome o = nonzero({"report", from, "-o", dir_("r.html"), "--matrix", "grid,nomatch*"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "no matrix of the records matches 'nomatch*'")) << o.err;
  EXPECT_FALSE(fs::exists(dir_("r.html")));
  o = nonzero({"report", from, "-o", dir_("r.html"), "--matrix", "gr*"});
  EXPECT_EQ(o.code, 0) << o.err;
}

TEST_F(ReportCommand, NeverWritesOverARecord) {
  const std::string from = record(), before = read_file(from);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"report", from, "--csv", from},
                                             {"report", from, "-o", from},
                                             {"compare", from, "--json", from}}) {
    const Outcome o = nonzero(words);
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_TRUE(has(o.err, "one would overwrite the other")) << o.err;
  }
  EXPECT_EQ(read_file(from), before);
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
