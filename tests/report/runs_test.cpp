#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/bench/density.hpp"
#include "lab/report/csv.hpp"
#include "lab/report/figures.hpp"
#include "lab/report/page.hpp"
#include "report/markup.hpp"
#include "report/samples.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

const lab::Sides sides{{"cpu/*", "gpu/*"}, {"peer/*"}};

class RunsTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const lab::Record& record) const {
    lab::write_record(dir_(name), record);
    return dir_(name);
  }
  // The sample's text with a part replaced.
  std::string spoiled(const std::string& part, const std::string& by) const {
    std::string text = lab::text(sample_record());
    const auto at = text.find(part);
    EXPECT_NE(at, text.npos) << part;
    return dir_.write("spoiled.json", text.replace(at, part.size(), by));
  }
  // Why the file is left out; a good one beside it is still read.
  std::string why(const std::string& file) const {
    const lab::Runs runs = lab::read_runs({file, write("good.json", sample_record())}, sides);
    EXPECT_EQ(runs.runs.size(), 1u);
    if (runs.left_out.size() != 1) return "not left out";
    EXPECT_EQ(runs.left_out[0].file, file);
    return runs.left_out[0].why;
  }
  TempDir dir_;
};

TEST_F(RunsTest, WhatCannotBeReadIsNamedAndTheRestIsReported) {
  EXPECT_TRUE(has(why(spoiled("nonzero-bench/1", "nonzero-bench/7")),
                  "another version: nonzero-bench/7; this program"));
  const std::string whole = lab::text(sample_record());
  EXPECT_TRUE(has(why(dir_.write("cut.json", whole.substr(0, whole.size() / 2))), "cut off after"));
  EXPECT_EQ(why(dir_.write("empty.json", "")), "it is empty");
  EXPECT_TRUE(has(why(dir_.write("text.json", "hello, world")), "not JSON: wrong at byte"));
  EXPECT_TRUE(has(why(dir_.write("list.json", "[1, 2]")), "no schema"));
  EXPECT_EQ(why(dir_("absent.json")), "cannot open it");
  lab::Record none = sample_record();
  none.results.clear();
  EXPECT_EQ(why(write("none.json", none)), "it has no results");
  EXPECT_TRUE(has(why(spoiled("\"kernel\"", "\"colonel\"")), "kernel"));
  EXPECT_TRUE(has(why(spoiled("\"status\":\"ok\"", "\"status\":\"splendid\"")), "splendid"));
  EXPECT_TRUE(has(why(spoiled("\"results\"", "\"outcomes\"")), "results"));
  EXPECT_TRUE(has(why(spoiled("\"cores\": 2", "\"cores\": \"two\"")), "not a whole record"));
  EXPECT_TRUE(has(why(spoiled("\"machine\": {", "\"machine\": 3, \"was\": {")),
                  "'machine' is not an object"));
  // Whose exception it was helps nobody.
  EXPECT_EQ(
      why(dir_.write("number.json", R"({"schema":"nonzero-bench/1","results":[{"matrix":5}]})")),
      "a result of the record: type must be string, but is number");
  EXPECT_FALSE(has(why(spoiled("\"cores\": 2", "\"cores\": \"two\"")), "json.exception"));
}

TEST_F(RunsTest, AFileGivenTwiceCountsOnce) {
  const std::string file = write("a.json", sample_record());
  const lab::Runs runs = lab::read_runs({file, file}, sides);
  EXPECT_EQ(runs.runs.size(), 1u);
  ASSERT_EQ(runs.left_out.size(), 1u);
  EXPECT_EQ(runs.left_out[0].why, "given twice");
}

TEST_F(RunsTest, EveryDeviceIsARunOfItsOwn) {
  lab::Record mixed = sample_record();
  mixed.machine["gpu"]["name"] = "Some GPU";
  for (std::size_t i = 0; i < 60; ++i) mixed.results[i].device = "cuda:0";
  mixed.bandwidth.push_back(
      {.read = 1e12, .array_bytes = 1 << 30, .threads = 1, .device = "cuda:0", .copy = 9e11});
  const lab::Runs runs = lab::read_runs({write("mixed.json", mixed)}, sides);
  ASSERT_EQ(runs.runs.size(), 2u);
  EXPECT_EQ(runs.runs[0].place, "Some GPU");
  EXPECT_EQ(runs.runs[0].record.results.size(), 60u);
  EXPECT_EQ(runs.runs[0].record.bandwidth.size(), 1u);
  EXPECT_EQ(runs.runs[1].place, "Sample <CPU>, 2 cores");
  EXPECT_NE(runs.runs[0].name, runs.runs[1].name);
  std::vector<lab::Chapter> chapters;
  for (const lab::Run& run : runs.runs) chapters.push_back({&run, lab::all_figures(run)});
  const std::string page = lab::report_page("Two", chapters, {{"x<y>.json", "a \"reason\""}});
  EXPECT_EQ(malformed(page), "");
  EXPECT_TRUE(has(page, "These records are of 2 devices"));
  EXPECT_TRUE(has(page, "x&lt;y&gt;.json"));
  EXPECT_FALSE(has(page, "<script>alert(1)")) << "a name or reason got out of its quotes";
}

TEST_F(RunsTest, PapersExperimentsAreStudies) {
  const lab::Runs runs =
      lab::read_runs({NZ_SOURCE_DIR "/results/h200/chirila2025-gpu.json"}, sides);
  ASSERT_EQ(runs.runs.size(), 1u);
  const lab::Run& run = runs.runs[0];
  EXPECT_TRUE(run.study);
  EXPECT_EQ(run.place, "NVIDIA H200");
  EXPECT_TRUE(lab::contests(run).empty());
  std::size_t sweeps = 0;
  for (const lab::Figure& f : lab::all_figures(run)) {
    sweeps += f.kind == "sweep";
    EXPECT_EQ(malformed(f.drawing.file(f.label)), "");
  }
  EXPECT_GE(sweeps, 4u);
  // Its tables: ours and the paper's figures, as the record has them.
  const auto& all = run.paper.at("tables");
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& t) {
    return t.at("title").template get<std::string>().starts_with("Table 7:");
  });
  ASSERT_NE(found, all.end());
  const auto& table = *found;
  const lab::FigureList tables = lab::table_figures(run);
  ASSERT_GE(tables.size(), 8u);
  const auto drawn = std::find_if(tables.begin(), tables.end(), [](const lab::Figure& f) {
    return f.name.starts_with("Table 7");
  });
  ASSERT_NE(drawn, tables.end());
  const auto tips = titles(drawn->drawing.file(""));
  std::size_t figures = 0;
  for (const auto& line : table.at("lines")) {
    const double here = line.at("here").at("Time (s)"), paper = line.at("paper").at("Time (s)");
    const std::string wanted = fmt::format("{}: Time\nhere {:.4g} s\nthe paper {:.4g} s",
                                           line.at("label").get<std::string>(), here, paper);
    EXPECT_EQ(std::count(tips.begin(), tips.end(), wanted), 2) << wanted;
    figures += 2;
  }
  EXPECT_EQ(tips.size(), figures);
  EXPECT_EQ(malformed(lab::report_page("t", {{&run, tables}}, {})), "");
}

TEST_F(RunsTest, APageCountsWhatHoldsAndWhatIsUndecided) {
  const lab::Runs runs = lab::read_runs({NZ_SOURCE_DIR "/results/h200/izawa2023.json"}, sides);
  const lab::Run& run = runs.runs.at(0);
  const std::string page = lab::report_page("t", {{&run, lab::table_figures(run)}}, {});
  std::size_t hold = 0, fail = 0, undecided = 0;
  for (const auto& c : run.paper.at("claims")) {
    hold += c.at("holds") == true;
    fail += c.at("holds") == false;
    undecided += c.at("verdict") == "undecided";
  }
  ASSERT_GT(undecided, 0u);
  EXPECT_TRUE(has(
      page, fmt::format("{} of {} conclusions hold, {} undecided", hold, hold + fail, undecided)));
  EXPECT_TRUE(has(page, "<td>undecided</td>"));
}

TEST_F(RunsTest, SeveralNumbersOfVectorsAreLines) {
  const std::string file = NZ_SOURCE_DIR "/results/h200/several.json";
  const lab::Runs runs = lab::read_runs({file}, sides);
  ASSERT_EQ(runs.runs.size(), 13u);  // 1 vector, and 2 to 64 by rows and by columns
  for (std::size_t i = 1; i < runs.runs.size(); ++i)
    EXPECT_TRUE(lab::vectors_figures(runs.runs[i]).empty()) << "told twice";
  const lab::Run& run = runs.runs[0];
  const lab::FigureList figures = lab::vectors_figures(run);
  // Eight matrices in float and double, in both layouts.
  EXPECT_EQ(figures.size(), 32u);
  double read = 0;
  for (const lab::Bandwidth& b : run.record.bandwidth) read = std::max(read, b.read);
  for (const lab::Figure& f : figures) {
    EXPECT_EQ(malformed(f.drawing.file(f.label)), "");
    if (f.name != "report-fem-rows" || f.variant != "f64 N") continue;
    const auto tips = titles(f.drawing.file(""));
    std::size_t timed = 0;
    for (const lab::Result& r : run.of_all_vectors) {
      if (r.matrix != "report-fem" || r.type != "f64" || r.vectors.layout != Layout::row_major ||
          !r.timed())
        continue;
      ++timed;
      // Offsets of 4 bytes, 12 an entry, and the rows of X and Y.
      const double bytes = 4.0 * (r.rows + 1) + 12.0 * static_cast<double>(r.nnz) +
                           8.0 * r.vectors.count * (static_cast<double>(r.rows) + r.cols);
      const std::string wanted =
          fmt::format("{} vectors\n{}, {} each\n{:.2f} times the bytes of CSR", r.vectors.count,
                      lab::time_text(r), lab::time_of(*r.median_s / r.vectors.count),
                      *r.median_s / (bytes / read));
      EXPECT_TRUE(std::any_of(tips.begin(), tips.end(), [&](const std::string& tip) {
        return tip.ends_with(wanted);
      })) << wanted;
    }
    EXPECT_EQ(tips.size(), timed);
  }
  // A record of one number of vectors has none.
  const lab::Runs one = lab::read_runs({write("one.json", sample_record())}, sides);
  EXPECT_TRUE(lab::vectors_figures(one.runs.at(0)).empty());
}

TEST_F(RunsTest, TablesOverNumbersAreLines) {
  const lab::Runs runs =
      lab::read_runs({NZ_SOURCE_DIR "/results/cpu/neoverse-2-chirila2025.json"}, sides);
  const lab::Run& run = runs.runs.at(0);
  const auto& tables = run.paper.at("tables");
  const auto found = std::find_if(tables.begin(), tables.end(), [](const auto& t) {
    return t.at("title").template get<std::string>().starts_with("Table 1 ");
  });
  ASSERT_NE(found, tables.end());
  std::size_t values = 0;
  for (const auto& line : found->at("lines"))
    values += line.at("here").size() + line.at("paper").size();
  const lab::FigureList figures = lab::table_figures(run);
  const auto drawn = std::find_if(figures.begin(), figures.end(), [](const lab::Figure& f) {
    return f.name.starts_with("Table 1 ");
  });
  ASSERT_NE(drawn, figures.end());
  const std::string svg = drawn->drawing.file("");
  EXPECT_EQ(titles(svg).size(), values);
  EXPECT_TRUE(has(svg, "stroke-dasharray=\"3 3\"")) << "the paper's lines";
  EXPECT_EQ(malformed(svg), "");
}

TEST_F(RunsTest, APaperIsToldOnceAndOfAllItsDevices) {
  const lab::Runs runs = lab::read_runs({NZ_SOURCE_DIR "/results/h200/dinoia2025.json"}, sides);
  ASSERT_EQ(runs.runs.size(), 2u);
  const auto on_gpu = [](const lab::Run& run) { return run.place == "NVIDIA H200"; };
  EXPECT_EQ(std::count_if(runs.runs.begin(), runs.runs.end(), on_gpu), 1);
  for (const lab::Run& run : runs.runs) {
    const lab::FigureList figures = lab::table_figures(run);
    EXPECT_EQ(figures.empty(), !on_gpu(run)) << run.name;
    for (const lab::Figure& f : figures)
      for (const lab::Run& any : runs.runs) EXPECT_TRUE(has(f.caption, any.place)) << f.caption;
    EXPECT_EQ(has(lab::headline(run).sentence, "conclusions hold"), on_gpu(run));
  }
}

TEST_F(RunsTest, TablesOfSpeedUpsShowTheSpeedUps) {
  const lab::Runs runs = lab::read_runs({NZ_SOURCE_DIR "/results/h200/izawa2023.json"}, sides);
  const lab::Run& run = runs.runs.at(0);
  const lab::FigureList figures = lab::table_figures(run);
  std::size_t checked = 0;
  for (const auto& table : run.paper.at("tables")) {
    const std::string title = table.at("title");
    if (!title.starts_with("Figures 4.")) continue;
    const std::string name = title.substr(0, title.find(':'));
    const auto figure = std::find_if(figures.begin(), figures.end(),
                                     [&](const lab::Figure& f) { return f.name == name; });
    ASSERT_NE(figure, figures.end()) << name;
    // Every number but the times that the speed-ups are over.
    std::size_t values = 0;
    for (const auto& line : table.at("lines"))
      for (const char* side : {"here", "paper"})
        for (const auto& [column, value] : line.at(side).items())
          values += !column.ends_with("(ms)");
    const std::string svg = figure->drawing.file("");
    EXPECT_EQ(titles(svg).size(), values) << name;
    EXPECT_FALSE(has(svg, "(ms)")) << name;
    ++checked;
  }
  EXPECT_EQ(checked, 2u);
}

TEST_F(RunsTest, SweepsMarkTheBestChoice) {
  lab::Record record = sample_record();
  record.results.clear();
  record.settings["sweep"] = "cpu/sell/serial";
  for (const std::int64_t chunk : {4, 8, 16, 32})
    for (const std::int64_t sigma : {1, 64, 256}) {
      lab::Result r =
          sample_result("grid", "cpu/sell/serial", "N", "f64",
                        1e-3 * (1 + std::abs(std::log2(chunk / 16.0))) * (sigma == 64 ? 1 : 1.25));
      r.parameters = {{"chunk", chunk}, {"sigma", sigma}};
      record.results.push_back(r);
    }
  const std::string file = dir_("sweep.json");
  lab::write_record(file, record);
  const lab::Runs runs = lab::read_runs({file}, sides);
  const lab::FigureList figures = lab::sweep_figures(runs.runs.at(0));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_TRUE(has(figures[0].caption, "1.00 ms with chunk=16 sigma=64")) << figures[0].caption;
  const auto tips = titles(figures[0].drawing.file(""));
  EXPECT_EQ(tips.size(), 12u);
  int best = 0, quarter = 0;
  for (const std::string& tip : tips) {
    best += has(tip, "1.00 times the best");
    quarter += has(tip, "1.25 times the best");
  }
  EXPECT_EQ(best, 1);
  EXPECT_EQ(quarter, 2);
}

TEST_F(RunsTest, RecordsWithoutPeersOrTimesStillSaySomething) {
  lab::Record record = sample_record();
  std::erase_if(record.results, [](const lab::Result& r) { return r.kernel.starts_with("peer/"); });
  lab::write_record(dir_("own.json"), record);
  lab::Runs runs = lab::read_runs({dir_("own.json")}, sides);
  EXPECT_TRUE(has(lab::headline(runs.runs.at(0)).sentence, "times as fast as plain CSR"));
  EXPECT_EQ(malformed(lab::report_page("t", {{&runs.runs[0], lab::all_figures(runs.runs[0])}}, {})),
            "");

  std::erase_if(record.results, [](const lab::Result& r) { return r.timed(); });
  lab::write_record(dir_("untimed.json"), record);
  runs = lab::read_runs({dir_("untimed.json")}, sides);
  EXPECT_TRUE(has(lab::headline(runs.runs.at(0)).sentence, "nothing was timed"));
  EXPECT_TRUE(lab::all_figures(runs.runs[0]).empty());
  EXPECT_EQ(malformed(lab::report_page("t", {{&runs.runs[0], {}}}, {})), "");
}

TEST_F(RunsTest, RecordsKeepPicturesOfTheirMatrices) {
  lab::Record record = sample_record();
  record.pictures["grid"] = {"0f", "80"};
  lab::write_record(dir_("pictures.json"), record);
  lab::Runs runs = lab::read_runs({dir_("pictures.json")}, sides);
  EXPECT_EQ(runs.runs.at(0).record.pictures, record.pictures);
  const lab::FigureList spy = lab::spy_figures(runs.runs[0]);
  ASSERT_EQ(spy.size(), 1u);
  const std::string svg = spy[0].drawing.file("");
  EXPECT_TRUE(has(svg, "data:image/png;base64,iVBORw0KGgo"));
  EXPECT_TRUE(has(spy[0].caption, "no picture of 5 matrices"));
}

TEST(Thumbnail, IsDarkWhereTheNonzerosAre) {
  // A diagonal of 256 rows: 64 x 64 digits, dark on the diagonal only.
  std::vector<std::int64_t> offsets(257);
  std::vector<index_t> columns(256);
  std::vector<double> values(256, 1);
  for (int i = 0; i <= 256; ++i) offsets[static_cast<std::size_t>(i)] = i;
  for (int i = 0; i < 256; ++i) columns[static_cast<std::size_t>(i)] = i;
  const CsrView<double, std::int64_t> a{.rows = 256,
                                        .cols = 256,
                                        .nnz = 256,
                                        .offsets = offsets.data(),
                                        .columns = columns.data(),
                                        .values = values.data()};
  const auto lines = lab::thumbnail(a);
  ASSERT_EQ(lines.size(), 64u);
  for (std::size_t y = 0; y < 64; ++y) {
    ASSERT_EQ(lines[y].size(), 64u);
    for (std::size_t x = 0; x < 64; ++x) EXPECT_EQ(lines[y][x], x == y ? 'f' : '0');
  }
}

// The fields of a CSV text, line by line.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      lines.back().back() += text[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      lines.back().emplace_back();
    else if (!quoted && c == '\n')
      lines.push_back({""});
    else
      lines.back().back() += c;
  }
  lines.pop_back();  // after the last line end
  return lines;
}

TEST_F(RunsTest, CsvHasALineACase) {
  lab::Record record = sample_record();
  record.results[0].parameters = {{"chunk", 8}, {"sigma", 64}};
  record.results[1].reason = "two\nlines, \"quoted\"";
  const auto lines = parse_csv(lab::csv({{"first, record", &record}}));
  ASSERT_EQ(lines.size(), record.results.size() + 1);
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < lines[0].size(); ++i) at[lines[0][i]] = i;
  const auto number = [](const std::optional<double>& v) {
    return v ? fmt::format("{:.6g}", *v) : "";
  };
  const auto expect = [&](const std::vector<std::string>& line, const char* key,
                          const std::string& wanted) {
    ASSERT_TRUE(at.contains(key)) << key;
    const std::string& text = line[at[key]];
    // 0.001 may be written as 1e-3.
    if (text.empty() || wanted.empty() || !std::isdigit(static_cast<unsigned char>(wanted[0])))
      EXPECT_EQ(text, wanted) << key;
    else
      EXPECT_EQ(std::stod(text), std::stod(wanted)) << key;
  };
  for (std::size_t i = 0; i < record.results.size(); ++i) {
    const auto& line = lines[i + 1];
    const lab::Result& r = record.results[i];
    ASSERT_EQ(line.size(), lines[0].size()) << i;
    expect(line, "record", "first, record");
    expect(line, "machine", "Sample <CPU>");
    expect(line, "matrix", r.matrix);
    expect(line, "kernel", r.kernel);
    expect(line, "status", std::string(name(r.status)));
    expect(line, "reason", r.reason);
    expect(line, "nnz", std::to_string(r.nnz));
    expect(line, "planned", r.planned.value_or(false) ? "true" : "false");
    expect(line, "bytes", r.bytes ? std::to_string(*r.bytes) : "");
    expect(line, "median_s", number(r.median_s));
    expect(line, "setup_s", number(r.setup_s));
    expect(line, "bandwidth_share", number(r.bandwidth_share));
    expect(line, "speedup", number(r.speedup));
    expect(line, "break_even", number(r.break_even));
    expect(line, "hot_median_s", "");
  }
  EXPECT_EQ(lines[1][at["parameters"]], "chunk=8 sigma=64");
}

}  // namespace
}  // namespace nz::test
