#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "lab/bench/sweep.hpp"
#include "lab/report/sweep_text.hpp"

namespace nz::test {
namespace {

using Values = std::vector<std::int64_t>;

TEST(Sweep, UsualValuesCoverTheRange) {
  EXPECT_EQ(lab::usual_values({"threads", "", 256, 32, 1024}),
            (Values{32, 64, 128, 256, 512, 1024}));
  EXPECT_EQ(lab::usual_values({"level", "", 2, 0, 3}), (Values{0, 1, 2, 3}));
  EXPECT_EQ(lab::usual_values({"one", "", 7, 7, 7}), (Values{7}));
  const Values wide = lab::usual_values({"blocks", "", 100, 1, std::int64_t{1} << 40});
  EXPECT_LE(wide.size(), 8u);
  EXPECT_EQ(wide.front(), 1);
  EXPECT_EQ(wide.back(), std::int64_t{1} << 40);
  EXPECT_TRUE(std::count(wide.begin(), wide.end(), 100)) << "the initial value";
  const Values all = lab::usual_values({"huge", "", 5, 0, INT64_MAX});
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.front(), 0);
  for (const std::int64_t v : lab::usual_values({"odd", "", 100, 90, 110}))
    EXPECT_TRUE(v >= 90 && v <= 110) << v;
}

TEST(Sweep, ValuesAreListsOrDoublingRanges) {
  EXPECT_EQ(lab::parse_values("n", "3,1,1"), (Values{1, 3}));
  EXPECT_EQ(lab::parse_values("n", "32..256"), (Values{32, 64, 128, 256}));
  EXPECT_EQ(lab::parse_values("n", "3..20"), (Values{3, 6, 12, 20}));
  EXPECT_EQ(lab::parse_values("n", "5..5"), (Values{5}));
  for (const char* text : {"", "x", "1,", "0..4", "8..4", "1..", "..3", "1..2..3"})
    EXPECT_THROW(lab::parse_values("n", text), InvalidArgument) << text;
}

TEST(Sweep, TakesTheNamedParametersOrTheFirstTwo) {
  Kernel k{.family = "test", .format = "csr", .strategy = "swept"};
  EXPECT_THROW(lab::swept_parameters(k, {}), InvalidArgument) << "it has none";
  k.parameters = {{"a", "", 1, 1, 2}, {"b", "", 1, 1, 2}, {"c", "", 1, 1, 2}};
  const auto first = lab::swept_parameters(k, {});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].name, "b");
  const auto named = lab::swept_parameters(k, {{"c", {2}}});
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].values, (Values{2}));
  EXPECT_THROW(lab::swept_parameters(k, {{"c", {3}}}), InvalidArgument);
  EXPECT_THROW(lab::swept_parameters(k, {{"d", {1}}}), InvalidArgument);
}

TEST(Sweep, TheTableMarksTheBest) {
  lab::Record r;
  const auto add = [&](std::int64_t a, std::int64_t b, double seconds) {
    lab::Result one;
    one.matrix = "m", one.kernel = "k", one.op = "N", one.type = "f64";
    one.parameters = {{"a", a}, {"b", b}};
    one.bytes = 1000000;
    if (seconds > 0) {
      one.median_s = seconds;
    } else {
      one.status = lab::Status::wrong;
      one.reason = "row 3";
    }
    r.results.push_back(one);
  };
  add(1, 8, 1e-3);
  add(1, 16, 5e-4);
  add(2, 8, 2.5e-4);
  add(2, 16, -1);
  const std::string text = lab::sweep_text(r, {{"a", {1, 2}}, {"b", {8, 16}}}, false, false);
  EXPECT_NE(text.find("m k f64 N on 1 thread, GB/s\n"
                      "a     b=8   b=16\n"
                      "1    1.00   2.00\n"
                      "2  4.00 *  WRONG\n"
                      "*: the best: 250.0 us, 4.00 GB/s\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("row 3"), text.npos) << text;
  const std::string times = lab::sweep_text(r, {{"a", {1, 2}}, {"b", {8, 16}}}, true, false);
  EXPECT_NE(times.find("250.0 us *"), times.npos) << times;
}

}  // namespace
}  // namespace nz::test
