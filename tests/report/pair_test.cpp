#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/report/page.hpp"
#include "lab/report/record_pair.hpp"
#include "report/markup.hpp"
#include "report/samples.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// Two records beside each other.
namespace nz::test {
namespace {

const lab::Sides sides{{"cpu/*", "gpu/*"}, {"peer/*"}};

class Pairs : public testing::Test {
 protected:
  // The sample on another machine, every time shorter by a factor of its own.
  static double factor(std::size_t i) { return 1.5 + 0.8 * std::sin(static_cast<double>(i)); }
  static lab::Record after() {
    lab::Record r = explored_record();
    r.commit = "fedcba9876543210";
    r.machine["cpu"] = "Another";
    for (std::size_t i = 0; i < r.results.size(); ++i)
      if (r.results[i].median_s) *r.results[i].median_s /= factor(i);
    return r;
  }
  std::string write(const std::string& name, const lab::Record& record) const {
    lab::write_record(dir_(name), record);
    return dir_(name);
  }
  lab::RecordPair pair(const lab::Record& a, const lab::Record& b) {
    runs_ = lab::read_runs({"old one=" + write("a.json", a), write("b.json", b)}, sides);
    const auto p = lab::record_pair(runs_);
    EXPECT_TRUE(p);
    return p.value_or(lab::RecordPair{});
  }
  TempDir dir_;
  lab::Runs runs_;
};

TEST_F(Pairs, EveryCommonCaseHasItsRatio) {
  const lab::Record a = sample_record(), b = after();
  const lab::RecordPair p = pair(a, b);
  EXPECT_EQ(p.first->record_name, "old one");
  EXPECT_EQ(p.second->record_name, "b");
  double logs = 0, worst = 1e9, best = 0;
  std::size_t timed = 0, lost = 0;
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    if (!a.results[i].timed()) continue;
    ++timed;
    logs += std::log(factor(i));
    worst = std::min(worst, factor(i));
    best = std::max(best, factor(i));
    lost += factor(i) < 1 / 1.05;
  }
  EXPECT_EQ(p.same.size(), timed);
  EXPECT_TRUE(p.suited.empty() && p.only_first.empty() && p.only_second.empty());
  EXPECT_TRUE(p.warnings.empty()) << p.warnings[0];
  const std::string text = p.sentence();
  EXPECT_TRUE(
      has(text, fmt::format("b (Another, 2 cores, commit fedcba9876) is {:.2f} times as fast "
                            "as old one (Sample <CPU>, 2 cores, commit 0123456789) in the "
                            "geometric mean of {} cases, {:.2f} times at best",
                            std::exp(logs / static_cast<double>(timed)), timed, best)))
      << text;
  EXPECT_TRUE(has(text, fmt::format("{:.2f} times at worst", worst))) << text;
  EXPECT_TRUE(has(text, fmt::format("{} cases are more than 5 % slower", lost))) << text;
  // What is ours is the plan's choice in both.
  EXPECT_EQ(p.ours.size(), 24u);
  for (const lab::Pair& one : p.ours) EXPECT_EQ(one.ours->kernel, "cpu/packed/slices");
}

TEST_F(Pairs, OtherThreadsAreComparedAtTheirBestAndSaid) {
  lab::Record a, b;
  a = b = sample_record();
  a.results.clear(), b.results.clear();
  const auto add = [](lab::Record& r, int threads, double seconds, const char* kernel) {
    r.results.push_back(sample_result("grid", kernel, "N", "f64", seconds));
    r.results.back().threads = threads;
  };
  add(a, 2, 3, "cpu/csr/omp-rows");
  add(a, 4, 2, "cpu/csr/omp-rows");
  add(a, 2, 5, "cpu/sell/serial");
  add(b, 8, 1, "cpu/csr/omp-rows");
  add(b, 16, 4, "cpu/csr/omp-rows");
  add(b, 2, 5, "cpu/dia/serial");
  b.build_type = "Debug";
  b.dirty = true;
  const lab::RecordPair p = pair(a, b);
  EXPECT_TRUE(p.same.empty());
  ASSERT_EQ(p.suited.size(), 1u);
  EXPECT_EQ(p.suited[0].theirs->threads, 4);
  EXPECT_EQ(p.suited[0].ours->threads, 8);
  EXPECT_DOUBLE_EQ(p.suited[0].ratio(), 2);
  ASSERT_EQ(p.only_first.size(), 1u);
  EXPECT_EQ(p.only_first[0]->kernel, "cpu/sell/serial");
  ASSERT_EQ(p.only_second.size(), 1u);
  EXPECT_EQ(p.only_second[0]->kernel, "cpu/dia/serial");
  std::string all;
  for (const std::string& w : p.warnings) all += w + '\n';
  EXPECT_TRUE(has(all, "The build is Release in old one, Debug in b")) << all;
  EXPECT_TRUE(has(all, "b was measured with changes that were not committed")) << all;
  EXPECT_TRUE(has(all, "1 pair is with other threads or parameters")) << all;
  EXPECT_TRUE(has(lab::pair_html(p), "4 and 8 threads"));
}

TEST_F(Pairs, ANameAloneDoesNotMakeTheSameMatrix) {
  const lab::Record a = sample_record();
  lab::Record b = after();
  for (lab::Result& r : b.results)
    if (r.matrix == "grid") r.nnz += 1;
  const lab::RecordPair p = pair(a, b);
  EXPECT_EQ(p.unlike, std::vector<std::string>{"grid"});
  for (const lab::Pair& one : p.pairs()) EXPECT_NE(one.ours->matrix, "grid");
  for (const lab::Pair& one : p.ours) EXPECT_NE(one.ours->matrix, "grid");
  EXPECT_TRUE(has(p.warnings.at(0), "another matrix of that name: grid")) << p.warnings[0];
}

TEST_F(Pairs, TheSameNumbersTwiceAreWithinTheNoise) {
  const lab::RecordPair p = pair(sample_record(), sample_record());
  EXPECT_EQ(p.within_noise(), p.same.size());
  EXPECT_TRUE(has(p.sentence(), "is 1.00 times as fast as"));
}

TEST_F(Pairs, PlansOnACpuAndOnAGpuAreComparedWhereNothingElseCanBe) {
  lab::Record a, b;
  a = b = sample_record();
  a.results = {sample_result("grid", "plan/balanced/n", "N", "f64", 4)};
  b.results = {sample_result("grid", "plan/balanced/n", "N", "f64", 1)};
  b.results[0].device = "cuda:1";
  b.results[0].threads = 1;
  b.machine["gpu"]["name"] = "Some GPU";
  const lab::RecordPair p = pair(a, b);
  ASSERT_EQ(p.pairs().size(), 1u);
  EXPECT_DOUBLE_EQ(p.pairs()[0].ratio(), 4);
  // With a CPU in both, it is the CPUs that are compared.
  b.results.push_back(a.results[0]);
  EXPECT_EQ(pair(a, b).pairs()[0].ours->device, "cpu");
}

TEST_F(Pairs, ThePageAndTheTerminalSayIt) {
  const std::string a = write("a.json", sample_record()), b = write("b.json", after());
  Outcome o = nonzero({"report", "before=" + a, "after=" + b, "-o", dir_("p.html"), "--figures",
                       dir_("f"), "--formats", "svg"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "after (Another, 2 cores, commit fedcba9876) is ")) << o.out;
  const std::string page = read_file(dir_("p.html"));
  EXPECT_EQ(malformed(page), "");
  EXPECT_EQ(loaded_from_elsewhere(page), "");
  EXPECT_TRUE(has(page, "<h2>after against before</h2>"));
  EXPECT_TRUE(has(page, "2026-03-01T12:00:00Z"));
  EXPECT_TRUE(has(page, "<td>not in this record</td>")) << "the older one has no date";
  EXPECT_TRUE(has(page, "data-kind=\"records\""));
  EXPECT_TRUE(has(page, "id=\"case-after-"));
  EXPECT_TRUE(has(read_file(dir_("f/records.svg")), "after against before"));

  // Kept apart, as three or more are.
  o = nonzero({"report", a, b, "--apart", "-o", dir_("p.html")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(has(read_file(dir_("p.html")), "id=\"records\""));
  EXPECT_FALSE(has(o.out, "geometric mean of 108 cases")) << o.out;
  o = nonzero({"report", a, b, "third=" + write("c.json", after()), "-o", dir_("p.html")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(has(read_file(dir_("p.html")), "id=\"records\""));
  EXPECT_TRUE(has(read_file(dir_("p.html")), "<h2>third <small>"));

  lab::Record other = sample_record();
  other.results = {sample_result("band", "cpu/dia/serial", "N", "f64", 1)};
  o = nonzero({"report", a, write("d.json", other), "-o", dir_("p.html")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "have no timed case in common: nothing is compared")) << o.out;

  o = nonzero({"compare", "before=" + a, "after=" + b});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "ratio: how many times as fast after is.")) << o.out;
}

}  // namespace
}  // namespace nz::test
