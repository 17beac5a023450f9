#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/io.hpp>

#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// Numbers on the command line: what no number type holds is refused, never bent.
namespace nz::test {
namespace {

using nlohmann::json;

using Words = std::vector<std::string>;

const std::vector<std::pair<Words, std::string>> real_options{
    {{"run", "gen:grid:nx=3,ny=3"}, "--alpha"},
    {{"run", "gen:grid:nx=3,ny=3"}, "--beta"},
    {{"bench", "gen:grid:nx=3,ny=3"}, "--noise"},
    {{"bench", "gen:grid:nx=3,ny=3"}, "--time-limit"},
    {{"sweep", "cpu/sell/serial", "gen:grid:nx=3,ny=3"}, "--time-limit"},
    {{"solve", "gen:grid:nx=3,ny=3"}, "--tolerance"},
    {{"pagerank", "gen:grid:nx=3,ny=3"}, "--damping"},
    {{"pagerank", "gen:grid:nx=3,ny=3"}, "--tolerance"},
    {{"stationary", "gen:grid:nx=3,ny=3"}, "--laziness"},
    {{"reproduce", "chirila2025-cpu"}, "--scale"},
    {{"reproduce", "chirila2025-cpu"}, "--seconds"}};

void expect_refused(Words command, const std::string& option, const std::string& value) {
  command.push_back(option + '=' + value);
  const Outcome o = nonzero(command);
  EXPECT_EQ(o.code, 2) << command[0] << ' ' << command.back() << ": " << o.err << o.out;
  EXPECT_TRUE(has(o.err, option)) << o.err;
  EXPECT_EQ(o.out, "") << command[0] << ' ' << command.back();
}

TEST(CommandLineNumbers, WhatIsNoNumberIsRefusedEverywhere) {
  for (const auto& [command, option] : real_options)
    for (const char* value : {"1e999", "-1e999", "1e-999", "1x", "0x10", "1,5", "--1", "+-1"})
      expect_refused(command, option, value);
}

TEST(CommandLineNumbers, OnlyScalarsMayBeInfiniteOrNone) {
  for (const auto& [command, option] : real_options)
    if (command[0] != "run")
      for (const char* value : {"inf", "-inf", "nan"}) expect_refused(command, option, value);
}

TEST(CommandLineNumbers, WholeNumbersStayWholeAndInRange) {
  const std::vector<std::pair<Words, std::string>> options{
      {{"info", "gen:empty"}, "--threads"},
      {{"bench", "gen:grid:nx=3,ny=3"}, "--threads"},
      {{"bench", "gen:grid:nx=3,ny=3"}, "--max-samples"},
      {{"bench", "gen:grid:nx=3,ny=3"}, "--buffer"},
      {{"solve", "gen:grid:nx=3,ny=3"}, "--max-iterations"},
      {{"spy", "gen:grid:nx=3,ny=3"}, "--size"}};
  for (const auto& [command, option] : options)
    for (const char* value : {"99999999999999999999", "4294967297", "1.5", "nan", "1e999", "-1"})
      expect_refused(command, option, value);
  for (const char* value :
       {"chunk=99999999999999999999", "chunk=1e999", "chunk=nan", "chunk=2.5", "chunk="})
    expect_refused({"run", "gen:grid:nx=3,ny=3", "--kernel", "cpu/sell/serial"}, "--param", value);
  for (const char* value : {"random:18446744073709551616", "random:-1", "random:1e3"})
    expect_refused({"run", "gen:grid:nx=3,ny=3"}, "--x", value);
}

TEST(CommandLineNumbers, InfinityAndNanTypedOutAreScalars) {
  const TempDir dir;
  const std::string matrix = dir.write("a.mtx", small_mtx);  // A 1 = (3, 0, 4)
  const auto y = [&](const std::string& alpha, const std::string& type = "f64") {
    const Outcome o =
        nonzero({"run", matrix, "--alpha=" + alpha, "--type", type, "-o", dir("y.npy")});
    EXPECT_EQ(o.code, 0) << alpha << ": " << o.err;
    const Array<double> v = read_vector<double>(dir("y.npy"));
    return std::vector<double>(v.begin(), v.end());
  };
  for (const char* type : {"f64", "f32"}) {
    for (const double v : y("nan", type)) EXPECT_TRUE(std::isnan(v)) << type;
    const auto up = y("inf", type), down = y("-Infinity", type);
    EXPECT_EQ(up.at(0), HUGE_VAL) << type;
    EXPECT_TRUE(std::isnan(up.at(1))) << type << ": 0 times inf";
    EXPECT_EQ(down.at(2), -HUGE_VAL) << type;
  }
  EXPECT_EQ(y("+0.5"), (std::vector<double>{1.5, 0, 2}));
  EXPECT_EQ(y("1e300").at(0), 3e300);
}

TEST(CommandLineNumbers, AFactorMustFitItsType) {
  const Words command{"run", "gen:grid:nx=3,ny=3", "--type", "f32"};
  expect_refused(command, "--alpha", "1e39");
  expect_refused(command, "--beta", "-1e300");
}

TEST(CommandLineNumbers, SettingsOfFamiliesToo) {
  for (const char* spec :
       {"gen:grid:nx=1e999", "gen:grid:nx=inf", "gen:grid:nx=nan", "gen:random:density=1e999",
        "gen:grid:nx=1e10", "gen:diagonal:seed=1e300"}) {
    const Outcome o = nonzero({"info", spec});
    EXPECT_EQ(o.code, 2) << spec << o.err;
    EXPECT_EQ(o.out, "");
  }
}

// Before the first row: counting the rows of these would take hours.
TEST(CommandLineNumbers, AbsurdMatricesAreRefusedWithWhatTheyTake) {
  for (const char* spec :
       {"gen:banded:n=2147483647,lower=2147483647,upper=2147483647",
        "gen:lp:rows=2147483647,cols=2147483647,per_row=1048576,dense_cols=1048576"}) {
    const Outcome o = nonzero({"info", spec});
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_TRUE(has(o.err, " TiB to make, there are ")) << o.err;
  }
}

TEST(CommandLineNumbers, ManyStarsAreNoWork) {
  std::string stars;
  for (int i = 0; i < 44; ++i) stars += "*c";
  EXPECT_EQ(nonzero({"list", stars + "x"}).code, 2);
  EXPECT_EQ(nonzero({"bench", "gen:grid:nx=3,ny=3", "--only", stars + "x"}).code, 2);
  EXPECT_EQ(nonzero({"bench", "gen:grid:nx=3,ny=3", "--without", stars + "x,*"}).code, 2);
}

}  // namespace
}  // namespace nz::test
