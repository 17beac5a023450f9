#include "report/browser.hpp"

#include <cstdlib>
#include <set>

#include <gtest/gtest.h>
#include <png.h>

#include "report/samples.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// The page in a real browser.
namespace nz::test {
namespace {

using nlohmann::json;

class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (browser().empty()) GTEST_SKIP() << "no Chromium here; scripts/packages.txt names it";
    const std::string file = dir_("sample.json");
    lab::write_record(file, record_);
    record_ = lab::read_record(file);  // with as many digits as a record has
    const Outcome o = nonzero({"report", file, "-o", dir_("page.html")});
    ASSERT_EQ(o.code, 0) << o.err;
  }
  std::string page() const { return dir_("page.html"); }

  TempDir dir_;
  lab::Record record_ = explored_record();
};

// The digits of what is written, without unit and grouping.
double number(std::string text) {
  std::erase(text, ',');
  return std::stod(text);
}

// What a step of the last digit written is worth.
double last_digit(const std::string& text) {
  const auto point = text.find('.');
  if (point == text.npos) return 1;
  const auto end = text.find_first_not_of("0123456789", point + 1);
  return std::pow(10, -static_cast<double>((end == text.npos ? text.size() : end) - point - 1));
}

// The explorer on the sample: one matrix of which the record has everything, others without.
void expect_explored(const json& seen) {
  const json& grid = seen["grid"];
  EXPECT_EQ(grid["matrix"], "grid");
  EXPECT_TRUE(grid["picture"].get<bool>());
  EXPECT_EQ(grid["lengths"], json::parse(R"([["2–3", "", "4"], ["4–7", "", "89,996"]])"));
  std::map<std::string, json> kernels;
  double last = 1e9;
  for (const json& k : grid["kernels"]) {
    kernels[k["name"]] = k;
    EXPECT_EQ(k["planned"].get<bool>(), k["name"] == "cpu/packed/slices");
    EXPECT_LE(k["bar"].get<double>(), last + 0.1) << "the fastest first";
    last = k["bar"];
  }
  EXPECT_EQ(kernels.size(), 7u) << "five timed, one wrong, one predicted alone";
  EXPECT_EQ(kernels["cpu/packed/slices"]["predicted"], "400.0 µs");
  EXPECT_EQ(kernels["cpu/csr/omp-rows"]["predicted"], "600.0 µs");
  EXPECT_TRUE(has(kernels["cpu/csr/omp-rows"]["words"], "plain; predicted to be slower"));
  EXPECT_EQ(kernels["cpu/dia/serial"]["measured"], "");
  EXPECT_EQ(kernels["cpu/dia/serial"]["predicted"], "900.0 µs");
  EXPECT_TRUE(has(kernels["cpu/dia/serial"]["words"], "not measured"));
  EXPECT_EQ(kernels["peer/eigen/csr"]["predicted"], "");
  EXPECT_TRUE(has(kernels["cpu/sell/serial"]["words"], "wrong: row 3"));
  EXPECT_TRUE(has(grid["why"], "The plan took cpu/packed/slices: 0.7 of CSR's bytes."));
  EXPECT_TRUE(has(grid["why"], "the fastest of the 3 kernels of ours"));

  const json& before = seen["before_grid"];
  EXPECT_NE(before["matrix"], "grid");
  EXPECT_EQ(seen["after_back"], "grid");
  EXPECT_FALSE(before["picture"].get<bool>());
  EXPECT_TRUE(has(before["text"], "A picture is not in this record"));
  EXPECT_TRUE(has(before["text"], "The lengths of rows are not in this record"));
  EXPECT_TRUE(has(before["text"], "What was predicted is not in this record"));
  EXPECT_TRUE(has(before["why"], "A plan takes cpu/packed/slices. Why is not in this record."));

  EXPECT_EQ(seen["web"]["matrix"], "web");
  EXPECT_EQ(seen["web"]["product"], "f32 T");
  EXPECT_TRUE(has(seen["web"]["link"], "/f32-T"));
}

// A file of the reader's: what is drawn of it, and what is said of those that are none.
void expect_own(const json& own, const json& ink) {
  const auto drawn = [](const json& one) {
    json marks = json::array();
    for (const json& alpha : one["picture"]["ink"]) marks.push_back(alpha.get<int>() > 0);
    return marks;
  };
  EXPECT_EQ(own["general"]["picture"]["wide"], 3);
  EXPECT_EQ(own["general"]["picture"]["high"], 2);
  EXPECT_EQ(drawn(own["general"]), json({true, true, false, false, false, true}));
  EXPECT_EQ(own["general"]["picture"]["colour"], ink) << "that of the text on this paper";
  EXPECT_TRUE(has(own["general"]["text"], "small.mtx"));
  EXPECT_TRUE(has(own["general"]["text"], "2 × 3"));
  EXPECT_TRUE(has(own["general"]["text"], "1.5 in the mean"));
  EXPECT_EQ(drawn(own["symmetric"]),
            json({true, true, false, true, false, true, false, true, false}));
  EXPECT_TRUE(has(own["symmetric"]["text"], "5, 3 of them in the file"));
  EXPECT_EQ(drawn(own["integer"]), json({false, true, true, false}));

  // Two rows and two columns a pixel: the first row's are fuller than the rest of the diagonal.
  const json& dense = own["dense"]["picture"];
  ASSERT_EQ(dense["ink"].size(), 384u * 384u);
  const auto at = [&](int i, int j) { return dense["ink"][384 * i + j].get<int>(); };
  EXPECT_EQ(at(0, 0), 255) << "three of four";
  EXPECT_GT(at(0, 0), at(0, 1));
  EXPECT_GT(at(200, 200), 60) << "can be seen";
  EXPECT_EQ(at(200, 200), at(383, 383));
  EXPECT_EQ(at(200, 201), 0);
  EXPECT_EQ(at(0, 51), 0);
  EXPECT_TRUE(has(own["dense"]["text"], "2.00 × 2.00 places, at most 3 nonzeros"));

  const std::vector<std::string> said = {"begins with another line than",
                                         "begins with another line than",
                                         "begins with another line than",
                                         "of the format \"array\": only coordinate files are drawn",
                                         "the field \"quaternion\"",
                                         "the symmetry \"diagonal\"",
                                         "rows, columns and entries are needed",
                                         "line 2: rows, columns and entries are needed",
                                         "0 × 2: there is nothing to draw",
                                         "2 × 3 is symmetric, but not square",
                                         "line 3: row 3 is not from 1 to 2",
                                         "line 3: column 0 is not from 1 to 2",
                                         "line 3: 2 numbers, but an entry of real values has 3",
                                         "line 3: 3 numbers, but an entry of pattern values has 2",
                                         "line 3: a row and a column are needed",
                                         "2 entries are announced, and 1 are there",
                                         "line 3: 3 numbers, but an entry of pattern values has 2",
                                         "values of the field \"constructor\""};
  ASSERT_EQ(own["wrong"].size(), said.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_TRUE(has(own["wrong"][i], said[i])) << own["wrong"][i];
    EXPECT_TRUE(has(own["wrong"][i], "wrong.mtx: "));
  }
  EXPECT_TRUE(has(own["huge"]["text"], "512.0 MiB, and at most 256.0 MiB are read here"));
  EXPECT_TRUE(own["huge"]["picture"].is_null());
  EXPECT_LE(own["cut"].get<int>(), 0);
}

TEST_F(Browser, ReadersCanUseIt) {
  const json seen = selftest(page(), Medium::desk, Paper::light);
  EXPECT_EQ(seen["errors"], json::array());
  EXPECT_EQ(seen["loaded"], json::array()) << "the page needs a network";
  EXPECT_EQ(seen["all"], record_.results.size());
  EXPECT_EQ(seen["shown_first"], 100);
  EXPECT_EQ(seen["shown_all"], record_.results.size());
  EXPECT_EQ(seen["paper"], "rgb(255, 255, 255)");

  // The table fits, with columns to choose from; titles and the first column stay in sight.
  EXPECT_LE(seen["table_cut"].get<int>(), 0) << "the table goes on beyond the edge";
  const auto columns = seen["first_columns"].get<std::set<std::string>>();
  EXPECT_EQ(seen["first_columns"][0], "matrix");
  EXPECT_TRUE(columns.contains("setup_s") && !columns.contains("noise"));
  const auto others = seen["other_columns"].get<std::set<std::string>>();
  EXPECT_TRUE(!others.contains("setup_s") && others.contains("noise"));
  EXPECT_EQ(seen["usual_columns"], seen["first_columns"]);
  EXPECT_GT(seen["all_columns"].size(), columns.size() + 4);
  EXPECT_GT(seen["scrolled"][0].get<double>(), 100);
  EXPECT_GT(seen["scrolled"][1].get<double>(), 100);
  EXPECT_NEAR(seen["head_off"].get<double>(), 0, 2);
  EXPECT_NEAR(seen["first_off"].get<double>(), 0, 2);
  EXPECT_FALSE(seen["head_hidden"].get<bool>());
  EXPECT_GT(seen["gallery_share"].get<double>(), 0.99) << "the pictures do not fill the page";

  // Addresses of cases.
  EXPECT_EQ(seen["named"], json::array({seen["named_wanted"]}));
  EXPECT_TRUE(seen["named_in_sight"].get<bool>());
  EXPECT_EQ(seen["addresses"], record_.results.size());
  EXPECT_EQ(seen["ids_twice"], 0);
  expect_explored(seen);
  expect_own(seen["own"], {0x1c, 0x21, 0x27});
  EXPECT_FALSE(seen["drop_opens"].get<bool>()) << "the browser would leave the page";

  // Sorted, what has no time last either way.
  std::vector<double> up, down;
  for (const auto& [from, to] : {std::pair{"ascending", &up}, {"descending", &down}}) {
    bool none = false;
    for (const json& v : seen[from]) {
      if (v.is_null())
        none = true;
      else
        EXPECT_FALSE(none) << "a time behind what has none";
      if (!v.is_null()) to->push_back(std::stod(v.get<std::string>()));
    }
    EXPECT_EQ(seen[from].size(), record_.results.size());
  }
  EXPECT_TRUE(std::is_sorted(up.begin(), up.end()));
  EXPECT_TRUE(std::is_sorted(down.rbegin(), down.rend()));
  EXPECT_GT(up.size(), 100u);
  EXPECT_EQ(seen["sort_mark"], "ascending");
  const auto names = seen["by_kernel"].get<std::vector<std::string>>();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));

  // Filtered.
  EXPECT_EQ(seen["filtered"].size(), 24u);
  for (const json& k : seen["filtered"]) EXPECT_EQ(k, "cpu/csr/serial");
  EXPECT_EQ(seen["count_text"], "24 of " + std::to_string(record_.results.size()) + " cases");
  EXPECT_EQ(seen["none"], 0);
  EXPECT_EQ(seen["only_t"].size(), 60u);
  for (const json& op : seen["only_t"]) EXPECT_EQ(op, "T");
  EXPECT_EQ(seen["refused_reasons"].size(), 12u);
  for (const json& r : seen["refused_reasons"]) EXPECT_EQ(r, "has no transposed product");

  // Figures of one variant at a time, and what a mark says.
  EXPECT_EQ(seen["variant"], "f32 T");
  EXPECT_EQ(seen["empty_figures"], 0);
  EXPECT_EQ(seen["figures_first"].size(), seen["figures_last"].size());
  EXPECT_NE(seen["figures_first"], seen["figures_last"]);
  EXPECT_FALSE(seen["tip_hidden"].get<bool>());
  EXPECT_TRUE(seen["tip_hidden_again"].get<bool>());
  EXPECT_GT(seen["tip"].get<std::string>().size(), 20u);

  // Every number of the table is the record's.
  ASSERT_EQ(seen["cells"].size(), record_.results.size());
  const auto expect = [](const json& cell, const std::optional<double>& v, double unit) {
    if (!v) {
      EXPECT_EQ(cell[1], "");
      return;
    }
    EXPECT_NEAR(std::stod(cell[1].get<std::string>()), *v, 1e-5 * std::abs(*v));
    const std::string text = cell[0];
    EXPECT_NEAR(number(text) * unit, *v, 0.51 * last_digit(text) * unit) << cell;
  };
  for (std::size_t i = 0; i < record_.results.size(); ++i) {
    const lab::Result& r = record_.results[i];
    const json& c = seen["cells"][i];
    EXPECT_EQ(c["matrix"][0], r.matrix);
    EXPECT_EQ(c["kernel"][0], r.kernel);
    EXPECT_EQ(c["status"][0], std::string(name(r.status)));
    EXPECT_EQ(c["reason"][0], r.reason);
    expect(c["nnz"], static_cast<double>(r.nnz), 1);
    const auto unit = [](const json& cell) {
      const std::string text = cell[0];
      return text.ends_with("ns")   ? 1e-9
             : text.ends_with("µs") ? 1e-6
             : text.ends_with("ms") ? 1e-3
                                    : 1.0;
    };
    expect(c["median_s"], r.median_s, unit(c["median_s"]));
    expect(c["setup_s"], r.setup_s, unit(c["setup_s"]));
    expect(c["bandwidth_share"], r.bandwidth_share, 0.01);
    expect(c["speedup"], r.speedup, 1);
    if (r.timed()) expect(c["rate"], static_cast<double>(*r.bytes) / *r.median_s, 1e9);
  }
}

TEST_F(Browser, NothingIsCutOnASmallDesk) {
  const json seen = selftest(page(), Medium::desk, Paper::light);
  EXPECT_EQ(seen["width"], 1200);
  EXPECT_LE(seen["explorer_cut"].get<int>(), 0);
  EXPECT_LE(seen["kernels_cut"].get<int>(), 0) << "the explorer's table goes on beyond its edge";
  EXPECT_LT(seen["figure_gap"].get<double>(), 60) << "a hole between two figures";
}

TEST_F(Browser, FitsAPhoneAndDarkPaper) {
  const json seen = selftest(page(), Medium::phone, Paper::dark);
  EXPECT_EQ(seen["errors"], json::array());
  EXPECT_EQ(seen["width"], 360);
  EXPECT_LE(seen["too_wide"].get<int>(), 0) << "the page scrolls sideways";
  EXPECT_EQ(seen["summary_hidden"], 0) << "the summary goes on beyond the edge";
  EXPECT_EQ(seen["paper"], "rgb(21, 25, 30)");
  EXPECT_EQ(seen["empty_figures"], 0);
  // Cases are cards: each value behind its title, nothing cut off.
  EXPECT_TRUE(seen["head_hidden"].get<bool>());
  EXPECT_EQ(seen["row_display"], "flex");
  EXPECT_EQ(seen["card_title"], "time");
  EXPECT_EQ(seen["cut_cells"], 0);
  EXPECT_LE(seen["explorer_cut"].get<int>(), 0);
  expect_explored(seen);
  expect_own(seen["own"], {0xe8, 0xea, 0xed});
}

TEST_F(Browser, CanBePrinted) {
  const json seen = selftest(page(), Medium::print, Paper::light);
  EXPECT_EQ(seen["errors"], json::array());
  EXPECT_EQ(seen["width"], 720);
  EXPECT_LE(seen["too_wide"].get<int>(), 0) << "goes on beyond the sheet";
  EXPECT_TRUE(seen["filters_hidden"].get<bool>());
  EXPECT_FALSE(seen["head_hidden"].get<bool>());
  EXPECT_LE(seen["explorer_cut"].get<int>(), 0);
  EXPECT_EQ(seen["cut_cells"], 0);
  const std::string pdf = printed(page());
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  std::size_t pages = 0;
  for (std::size_t at = 0; (at = pdf.find("/Type /Page", at)) != pdf.npos; at += 11)
    pages += pdf[at + 11] != 's';
  EXPECT_GE(pages, 4u);
  EXPECT_LE(pages, 40u);
}

TEST_F(Browser, SaysEverythingWithoutAScript) {
  const json seen = without_script(page());
  ASSERT_EQ(seen["rows"].size(), record_.results.size());
  std::set<std::string> ids;
  for (std::size_t i = 0; i < record_.results.size(); ++i) {
    const json& row = seen["rows"][i];
    EXPECT_EQ(row[1], record_.results[i].matrix);
    EXPECT_EQ(row[2], record_.results[i].kernel);
    EXPECT_EQ(row[5].get<std::string>().empty(), !record_.results[i].median_s);
    EXPECT_TRUE(has(row[8], record_.results[i].reason));
    EXPECT_EQ(seen["links"][i], "#" + row[0].get<std::string>());
    ids.insert(row[0]);
  }
  EXPECT_EQ(ids.size(), record_.results.size()) << "every case has an address";
  EXPECT_EQ(seen["notices"].size(), 2u) << "of the explorer and of the table";
  EXPECT_EQ(seen["controls"], 0) << "what does nothing is not shown";
  EXPECT_GT(seen["figures"].get<int>(), 10) << "of every product";
  EXPECT_EQ(seen["pictures"], 2);
  EXPECT_LE(seen["too_wide"].get<int>(), 0);
}

TEST_F(Browser, APictureOfItIsNotBlank) {
  const std::string png = screenshot(page(), 1000, 1400, Paper::light);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_memory(&image, png.data(), png.size())) << image.message;
  image.format = PNG_FORMAT_RGB;
  std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr));
  EXPECT_EQ(image.width, 1000u);
  // Ink in every quarter of the height, and ours' blue among it.
  std::vector<std::size_t> ink(4);
  std::set<std::array<png_byte, 3>> colours;
  const std::size_t count = std::size_t{image.width} * image.height;
  for (std::size_t p = 0; p < count; ++p) {
    const std::array<png_byte, 3> c{pixels[3 * p], pixels[3 * p + 1], pixels[3 * p + 2]};
    colours.insert(c);
    ink[4 * p / count] += c != std::array<png_byte, 3>{255, 255, 255};
  }
  for (const std::size_t n : ink) EXPECT_GT(n, count / 400);
  EXPECT_TRUE(colours.contains({0x0a, 0x6e, 0xbd}));
  EXPECT_GT(colours.size(), 50u);
}

}  // namespace
}  // namespace nz::test
