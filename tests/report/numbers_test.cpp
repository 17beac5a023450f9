#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/report/figures.hpp"
#include "lab/report/page.hpp"
#include "lab/report/standings.hpp"
#include "report/markup.hpp"
#include "report/samples.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// Every number of a report is the record's, or follows from it: computed here a second time, from
// the JSON alone.
namespace nz::test {
namespace {

using nlohmann::json;

const lab::Sides sides{{"cpu/*", "gpu/*"}, {"peer/*"}};

struct Loaded {
  json raw;
  lab::Runs runs;
  const lab::Run& run() const { return runs.runs.at(0); }
};

Loaded load(const std::string& file) {
  return {json::parse(read_file(file)), lab::read_runs({file}, sides)};
}

// A made-up record, and one that was measured.
std::vector<Loaded> records() {
  const TempDir dir;
  const std::string file = dir("sample.json");
  lab::write_record(file, sample_record());
  return {load(file), load(NZ_SOURCE_DIR "/results/h200/tiles.json")};
}

// Ours and the best peer of a product, by the JSON alone.
struct Duel {
  const json* ours = nullptr;
  const json* peer = nullptr;
  double ratio() const {
    return peer->at("median_s").get<double>() / ours->at("median_s").get<double>();
  }
};
std::map<std::string, Duel> duels(const json& raw) {
  std::map<std::string, Duel> all;
  for (const json& r : raw["results"]) {
    if (r["status"] != "ok" || r["median_s"].is_null()) continue;
    const std::string kernel = r["kernel"];
    const bool peer = kernel.starts_with("peer/");
    if (!peer && !r.value("planned", false)) continue;
    Duel& d = all[fmt::format("{} {} {}", r["matrix"].get<std::string>(),
                              r["type"].get<std::string>(), r["op"].get<std::string>())];
    const json*& side = peer ? d.peer : d.ours;
    if (!side || r["median_s"] < (*side)["median_s"]) side = &r;
  }
  std::erase_if(all, [](const auto& d) { return !d.second.ours || !d.second.peer; });
  return all;
}

std::string svg_of(const lab::FigureList& figures, const std::string& kind,
                   const std::string& variant) {
  for (const lab::Figure& f : figures)
    if (f.kind == kind && f.variant == variant) return f.drawing.file(f.label);
  ADD_FAILURE() << "no figure " << kind << " " << variant;
  return "";
}

// Of "grid · f64 N · 448,800 nonzeros".
std::string matrix_of(const std::string& tip) { return tip.substr(0, tip.find(" · ")); }
std::string product_of(const std::string& tip) {
  const std::string separator = " · ";
  const auto first = tip.find(separator), second = tip.find(separator, first + 1);
  return tip.substr(0, first) + ' ' +
         tip.substr(first + separator.size(), second - first - separator.size());
}

TEST(Numbers, ThePageHasEveryCaseAsTheRecordHasIt) {
  for (const Loaded& l : records()) {
    const std::vector<lab::Chapter> chapters{{&l.run(), {}}};
    const std::string page = lab::report_page("Title", chapters, {});
    const json data = json::parse(embedded_data(page));
    ASSERT_EQ(data["rows"].size(), l.raw["results"].size());
    for (std::size_t i = 0; i < data["rows"].size(); ++i) {
      const json& raw = l.raw["results"][i];
      for (std::size_t c = 0; c < data["columns"].size(); ++c) {
        const std::string key = data["columns"][c]["key"];
        const json& shown = data["rows"][i][c];
        if (key == "record" || key == "parameters") continue;
        if (key == "planned") {
          EXPECT_EQ(shown.get<bool>(), raw.value("planned", false));
        } else if (key == "rate") {
          if (raw["median_s"].is_null() || raw["bytes"].is_null())
            EXPECT_TRUE(shown.is_null());
          else
            EXPECT_NEAR(
                shown.get<double>() * raw["median_s"].get<double>() / raw["bytes"].get<double>(), 1,
                1e-5);
        } else if (!raw.contains(key)) {
          EXPECT_TRUE(shown.is_null()) << key;
        } else {
          EXPECT_TRUE(shown == raw[key]) << key;
        }
      }
    }
  }
}

TEST(Numbers, TheSummaryFollowsFromTheRecord) {
  for (const Loaded& l : records()) {
    const auto all = duels(l.raw);
    ASSERT_GT(all.size(), 10u);
    double logs = 0, worst = 1e9, best = 0;
    for (const auto& [name, d] : all) {
      logs += std::log(d.ratio());
      worst = std::min(worst, d.ratio());
      best = std::max(best, d.ratio());
    }
    const double mean = std::exp(logs / static_cast<double>(all.size()));
    const std::string sentence = lab::headline(l.run()).sentence;
    EXPECT_TRUE(has(sentence, fmt::format(" {:.2f} times as fast as the best peer", mean)))
        << sentence;
    EXPECT_TRUE(has(sentence, fmt::format(" {:.2f} times at worst", worst))) << sentence;
    EXPECT_TRUE(has(sentence, fmt::format(" {:.2f} times at best", best))) << sentence;
    EXPECT_TRUE(has(sentence, fmt::format("mean of {} products", all.size()))) << sentence;
  }
}

TEST(Numbers, TheSpeedUpFigureHasEveryProduct) {
  for (const Loaded& l : records()) {
    const auto all = duels(l.raw);
    const auto tips = titles(svg_of(lab::speedup_figures(l.run()), "speedup", ""));
    EXPECT_EQ(tips.size(), all.size());
    std::multiset<std::string> wanted, shown;
    for (const auto& [name, d] : all) wanted.insert(fmt::format("{} {:.2f}", name, d.ratio()));
    for (const std::string& tip : tips)
      shown.insert(fmt::format("{} {:.2f}", product_of(tip), number_before(tip, " times as fast")));
    EXPECT_EQ(shown, wanted);
  }
}

TEST(Numbers, TheRooflineHasEveryTimedCaseThatIsNotFarBelow) {
  for (const Loaded& l : records()) {
    const std::string svg = svg_of(lab::roofline_figures(l.run()), "roofline", "f64 N");
    std::size_t timed = 0;
    for (const json& r : l.raw["results"])
      timed += r["type"] == "f64" && r["op"] == "N" && !r["median_s"].is_null();
    const auto tips = titles(svg);
    EXPECT_LE(tips.size(), timed + 3);  // the ceilings speak too
    EXPECT_GT(tips.size(), timed / 2);
    const double read = l.raw["bandwidth"][0]["read"];
    EXPECT_TRUE(has(svg, fmt::format("{:.0f} GB/s", read / 1e9)));
    // "10.1 GFLOP/s at 0.133 flop a byte" and "80.0 GB/s" belong together.
    int checked = 0;
    for (const std::string& tip : tips) {
      const double flops = number_before(tip, " GFLOP/s"), rate = number_before(tip, " GB/s");
      if (std::isnan(flops)) continue;
      EXPECT_NEAR(flops / rate, number_before(tip, " flop a byte"), 0.0006 + 0.1 / rate) << tip;
      ++checked;
    }
    EXPECT_GE(checked, 6);
  }
}

TEST(Numbers, BarsAreAsLongAsTheirSpeeds) {
  const TempDir dir;
  const std::string file = dir("sample.json");
  lab::write_record(file, sample_record());
  const Loaded l = load(file);
  const std::string svg = svg_of(lab::bars_figures(l.run()), "bars", "f32 T");
  double longest = 0, fastest = 0;
  std::vector<std::pair<double, double>> bars;
  for (std::size_t at = 0; (at = svg.find("<rect ", at)) != svg.npos; ++at) {
    const std::string bar = svg.substr(at, svg.find("</rect>", at) - at);
    const double rate = number_before(bar, " GB/s as if");
    if (bar.find("<rect ", 1) == bar.npos && rate > 0)
      bars.emplace_back(number_behind(bar, " width=\""), rate);
  }
  EXPECT_EQ(bars.size(), 12u);  // ours and the best peer of six matrices
  for (const auto& [width, rate] : bars)
    if (rate > fastest) fastest = rate, longest = width;
  for (const auto& [width, rate] : bars) EXPECT_NEAR(width / longest, rate / fastest, 0.004);
}

TEST(Numbers, TheLineOfReadCrossesNoTime) {
  std::size_t lines = 0, figures = 0;
  for (const Loaded& l : records())
    for (const lab::Figure& f : lab::bars_figures(l.run())) {
      ++figures;
      for (const lab::Shape& line : f.drawing.shapes()) {
        if (line.kind != lab::Shape::Kind::line || line.pen.dash.empty()) continue;
        ++lines;
        const double x = line.points[0].x, top = line.points[0].y, bottom = line.points[1].y;
        for (const lab::Shape& text : f.drawing.shapes()) {
          if (text.kind != lab::Shape::Kind::text || !text.words.ends_with("s")) continue;
          if (text.type.size != 8.5) continue;  // times alone
          const double from = text.points[0].x, base = text.points[0].y;
          const double to = from + lab::text_width(text.words, text.type.size);
          EXPECT_FALSE(x > from && x < to && top < base && bottom > base - 5)
              << f.id() << ": " << text.words;
        }
      }
    }
  EXPECT_GT(lines, figures) << "no time stands where the line would be: this tests nothing";
}

TEST(Numbers, ProfilesCountAsDolanAndMore) {
  for (const Loaded& l : records()) {
    const lab::Standings all = lab::standings(l.run(), {"f64", "N"});
    // By the JSON alone: the best time of each matrix, and of each kernel there.
    std::map<std::string, double> best;
    std::map<std::string, std::map<std::string, double>> times;
    for (const json& r : l.raw["results"]) {
      if (r["type"] != "f64" || r["op"] != "N" || r["median_s"].is_null()) continue;
      const double t = r["median_s"];
      const auto keep = [t](std::map<std::string, double>& m, const std::string& k) {
        const auto [at, fresh] = m.emplace(k, t);
        if (!fresh) at->second = std::min(at->second, t);
      };
      keep(best, r["matrix"]);
      keep(times[r["kernel"]], r["matrix"]);
      if (r.value("planned", false)) keep(times["plan"], r["matrix"]);
    }
    ASSERT_EQ(all.matrices.size(), best.size());
    for (const lab::Standing& s : all.kernels)
      for (const double factor : {1.0, 1.1, 2.0, 10.0}) {
        double n = 0;
        for (const auto& [matrix, t] : times[s.kernel])
          n += t <= factor * best[matrix] * (1 + 1e-12);
        EXPECT_DOUBLE_EQ(s.within(factor, all.best), n / static_cast<double>(best.size()))
            << s.kernel << ' ' << factor;
      }
    for (const lab::Standing* s : lab::leaders(all, 5)) EXPECT_EQ(s->tried, best.size());
  }
}

TEST(Numbers, CostsFollowFromTheRecord) {
  for (const Loaded& l : records()) {
    std::map<std::string, const json*> of;  // by case and kernel
    for (const json& r : l.raw["results"])
      if (!r["prepared_bytes"].is_null() && r["type"] == "f64" && r["op"] == "N")
        of[r["matrix"].get<std::string>() + ' ' + lab::short_name(r["kernel"])] = &r;
    int checked = 0;
    for (const std::string& tip : titles(svg_of(lab::memory_figures(l.run()), "memory", "f64 N"))) {
      const json& r = *of.at(matrix_of(tip) + ' ' + line_of(tip, 1));
      const double held =
          r["csr_bytes"].get<double>() - 8 * (r["rows"].get<double>() + r["cols"].get<double>());
      EXPECT_NEAR(number_before(tip, " times CSR's"), r["prepared_bytes"].get<double>() / held,
                  0.006)
          << tip;
      ++checked;
    }
    EXPECT_GT(checked, 10);
    checked = 0;
    for (const std::string& tip :
         titles(svg_of(lab::break_even_figures(l.run()), "break-even", "f64 N"))) {
      const double products = number_behind(tip, "paid after ");
      if (std::isnan(products)) continue;
      const std::string line = line_of(tip, 1);
      const json& r = *of.at(matrix_of(tip) + ' ' + line.substr(0, line.find(':')));
      EXPECT_EQ(products, r["break_even"].get<double>()) << tip;
      EXPECT_NEAR(number_before(tip, " times as fast as plain"), r["speedup"].get<double>(), 0.006);
      ++checked;
    }
    EXPECT_GT(checked, 3);
  }
}

TEST(Numbers, APeerThatIsLeftOutIsInNoFigure) {
  const TempDir dir;
  const std::string file = dir("sample.json");
  lab::write_record(file, sample_record());
  const lab::Sides all{{"plan/*"}, {"peer/*"}}, some{{"plan/*"}, {"peer/mkl/*"}};
  const auto drawn = [&](const lab::Sides& whose, const char* kind) {
    lab::Runs runs = lab::read_runs({file}, whose);
    runs.runs[0].close_ups = {"grid"};
    std::string svg;
    for (const lab::Figure& f : lab::all_figures(runs.runs[0]))
      if (f.kind == kind && f.variant == "f64 N") svg += f.drawing.file(f.label);
    return svg;
  };
  for (const char* kind : {"memory", "setup", "break-even", "profile", "kernels"}) {
    EXPECT_TRUE(has(drawn(all, kind), "eigen")) << kind;
    EXPECT_FALSE(has(drawn(some, kind), "eigen")) << kind;
    EXPECT_TRUE(has(drawn(some, kind), "mkl")) << kind;
    // Ours stay ours, though --ours names only a part of them.
    EXPECT_TRUE(has(drawn(some, kind), "packed")) << kind;
  }
  EXPECT_EQ(lab::party(some, "peer/eigen/csr"), lab::Party::none);
  EXPECT_EQ(lab::party(some, "peer/mkl/csr"), lab::Party::peer);
  EXPECT_EQ(lab::party(some, "cpu/csr/serial"), lab::Party::ours);
  EXPECT_EQ(lab::party({{"peer/eigen/*"}, {"cpu/*"}}, "peer/eigen/csr"), lab::Party::ours);
}

TEST(Numbers, NothingLiesOnTheNamesOfTheRoofs) {
  for (const Loaded& l : records()) {
    lab::FigureList all = lab::roofline_figures(l.run());
    const std::string matrix = l.run().record.results.front().matrix;
    for (const lab::Variant& v : lab::variants(l.run()))
      if (auto f = lab::roofline_of(l.run(), v, matrix)) all.push_back(std::move(*f));
    for (const lab::Figure& f : all) {
      double named = 0, highest = 1e9;
      for (const lab::Shape& s : f.drawing.shapes()) {
        if (has(s.words, " GB/s")) named = std::max(named, s.points[0].y);
        if (s.kind == lab::Shape::Kind::path || !s.fill.tip.empty())
          for (const lab::Point& p : s.points) highest = std::min(highest, p.y - s.radius);
      }
      EXPECT_GT(named, 0) << f.label;
      EXPECT_LT(named, highest) << f.label;
    }
  }
}

TEST(Numbers, NoNameLiesAcrossARoof) {
  const Loaded l = load(NZ_SOURCE_DIR "/results/h200/tiles.json");
  int names = 0;
  for (const lab::Variant& v : lab::variants(l.run())) {
    const auto f = lab::roofline_of(l.run(), v, l.run().record.results.front().matrix);
    ASSERT_TRUE(f);
    for (const lab::Shape& s : f->drawing.shapes()) {
      if (s.kind != lab::Shape::Kind::text || s.type.size != 7.5) continue;
      ++names;
      const double left = s.points[0].x, right = left + lab::text_width(s.words, 7.5);
      for (const lab::Shape& roof : f->drawing.shapes()) {
        if (roof.kind != lab::Shape::Kind::path) continue;
        const lab::Point a = roof.points.front(), b = roof.points.back();
        const auto y = [&](double x) { return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x); };
        // Above the line at both ends of the name, or below it at both.
        const bool above = s.points[0].y < std::min(y(left), y(right));
        const bool below = s.points[0].y - 6 > std::max(y(left), y(right));
        EXPECT_TRUE(above || below) << s.words << " in " << f->label;
      }
    }
  }
  EXPECT_GT(names, 10);
  const auto first = lab::roofline_of(l.run(), {"f64", "N"}, "block-band");
  EXPECT_TRUE(has(first->drawing.file(""), ">gpu/bsr/balanced<")) << "the fastest has its name";
}

TEST(Numbers, SetupIsCountedInProducts) {
  const TempDir dir;
  const std::string file = dir("sample.json");
  lab::Record record = sample_record();
  for (const bool plain : {true, false}) {
    if (!plain)
      for (lab::Result& r : record.results)
        r.baseline.clear(), r.speedup.reset(), r.break_even.reset();
    lab::write_record(file, record);
    const Loaded l = load(file);
    const auto tips = titles(svg_of(lab::setup_figures(l.run()), "setup", "f64 N"));
    EXPECT_EQ(tips.size(), 30u);  // five kernels on six matrices
    for (const std::string& tip : tips) {
      if (!has(tip, "packed/slices")) continue;
      // The sample's setup takes seven products of its own; plain CSR takes 1.4 of these.
      const char* unit = plain ? " products of plain CSR" : " products of its own";
      EXPECT_NEAR(number_before(tip, unit), plain ? 7 / 1.4 : 7, 0.06) << tip;
    }
  }
}

TEST(Numbers, EveryFigureIsWellFormedAndNamedOnce) {
  for (const Loaded& l : records()) {
    std::set<std::string> ids, kinds;
    for (const lab::Figure& f : lab::all_figures(l.run())) {
      EXPECT_EQ(malformed(f.drawing.file(f.label)), "") << f.id();
      EXPECT_TRUE(ids.insert(f.id()).second) << f.id();
      EXPECT_EQ(f.id().find_first_of(" /<>&:=,"), std::string::npos) << f.id();
      EXPECT_FALSE(f.caption.empty()) << f.id();
      EXPECT_FALSE(has(f.drawing.file(f.label), "nan")) << f.id();
      EXPECT_FALSE(has(f.drawing.file(f.label), "inf\"")) << f.id();
      if (f.kind == "profile" || f.kind == "setup" || f.kind == "break-even") {
        EXPECT_FALSE(has(f.drawing.file(f.label), "…")) << f.id() << " cuts a kernel's name";
      }
      kinds.insert(f.kind);
    }
    for (const char* kind :
         {"speedup", "roofline", "profile", "bars", "memory", "setup", "break-even"})
      EXPECT_TRUE(kinds.contains(kind)) << kind;
  }
}

}  // namespace
}  // namespace nz::test
