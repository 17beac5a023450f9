#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <nonzero/device.hpp>

#include "lab/report/table.hpp"

// What a reproduction shows: the papers' tables with our figures beside theirs, and which of their
// conclusions hold here.
namespace nz::lab {

inline constexpr double no_figure = std::numeric_limits<double>::quiet_NaN();

// Figures by the name of their column.
using Figures = std::map<std::string, double, std::less<>>;
double figure(const Figures& all, std::string_view column);  // no_figure where there is none

// Words by the name of their column, where a table has a name instead of a figure.
using Words = std::map<std::string, std::string, std::less<>>;

// How a column's figures are written: "1.23", "12", "0.123", "12.3 %".
enum class Style { figure, count, seconds, percent };

// A table in the layout of the paper.
struct Comparison {
  struct Line {
    std::string label;
    Figures here, paper;
    Words here_words{}, paper_words{};
  };
  enum class Layout {
    stacked,  // a line of ours above each line of the paper's, where it has one
    beside    // a column of ours left of each column of the paper's
  };
  std::string title;
  std::string corner;  // what the labels of the lines are
  std::vector<std::string> columns;
  std::vector<Line> lines;
  Layout layout = Layout::stacked;
  std::vector<std::string> notes{};
  std::map<std::string, Style, std::less<>> styles{};  // of columns; Style::figure where not given
  bool histogram = false;  // its figures are gains and losses, shown as bars, too

  const Line& line(std::string_view label) const;  // throws std::out_of_range
};

// Between two medians of the same launch on a GPU: the record of an H200
// (results/h200/messa2025.json) has twelve launches twice, whose medians differ by up to 0.72 %.
inline constexpr double gpu_noise = 0.01;
// Medians that differ by less are alike: about twice that.
inline constexpr double no_difference = 2 * gpu_noise;

// "Several times", "far faster": more than twice, since what is twice as fast is so once again.
inline constexpr double several_times = 2;

// Between which limits a figure must be, and how far a figure may be from what another run would
// have given: one that is as near to a limit neither holds nor fails.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double noise = 0;  // as a share of the limit that is near

  bool undecided(double figure) const;
  bool operator()(double figure) const { return figure > low && figure < high; }
};
constexpr Limits above(double limit, double noise = 0) { return {.low = limit, .noise = noise}; }
constexpr Limits below(double limit, double noise = 0) { return {.high = limit, .noise = noise}; }
constexpr Limits between(double low, double high, double noise = 0) { return {low, high, noise}; }

// A conclusion of the paper, the figure it rests on, and ours.
struct Claim {
  std::string text;
  double paper = no_figure;
  double here = no_figure;
  std::optional<bool> holds{};  // empty: not measured, or undecided
  bool undecided = false;       // measured, and too near to the limit to say
  std::string why_not{};        // why it is not measured, where no run of this program measures it

  // Judged where we have a figure.
  static Claim judge(std::string text, double paper, double here, const Limits& limits);
  // A conclusion that stays without a verdict.
  static Claim unmeasured(std::string text, double paper, std::string why_not);
};
// "yes", "no", "undecided", "not judged", "not measured" or "not measured: why".
std::string verdict(const Claim& c);

// One side of all tables, for conclusions to be judged by: ours or the paper's.
class Side {
 public:
  // Borrows the tables.
  Side(const std::vector<Comparison>& tables, bool here) : tables_(tables), here_(here) {}
  // Of the table whose title begins so. Throws std::out_of_range where there is no such table or
  // line; no_figure where there is no figure.
  double at(std::string_view table, std::string_view label, std::string_view column) const;

 private:
  const std::vector<Comparison>& tables_;
  bool here_;
};

struct Reproduction {
  std::string title;
  std::vector<std::string> facts;  // what was measured, one line each
  std::vector<Comparison> tables{};
  std::vector<Claim> claims{};
  Device device{};                                                   // where it was measured
  nlohmann::ordered_json about = nlohmann::ordered_json::object();   // more keys of the record
  nlohmann::ordered_json results = nlohmann::ordered_json::array();  // every trial
};

// A plain figure has three digits below 0.1, and so have seconds; "" for none.
std::string figure_text(double figure, Style style = Style::figure);

Table table_of(const Comparison& c);
// The bars of a histogram, a line a figure of ours with the paper's below; "" where there is none.
// A bar of twenty signs is a gain of 100 %; one that is longer ends in ">".
std::string bars_of(const Comparison& c);
Table table_of(const std::vector<Claim>& claims);
std::string markdown(const Reproduction& r);
nlohmann::ordered_json to_json(const Reproduction& r);

}  // namespace nz::lab
