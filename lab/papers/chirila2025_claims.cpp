#include "lab/papers/chirila2025_claims.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "lab/papers/chirila2025.hpp"

namespace nz::lab::chirila2025 {
namespace {

constexpr const char *scipy = "SciPy", *dense = "NumPy", *granular = "Granular Row",
                     *naive = "Naive Intra-Row Splits", *improved = "Improved Intra-Row Splits",
                     *fixed_max = "Fixed Maximum Task Size", *fixed_size = "Fixed-Size Tasks",
                     *preprocessed = "Preprocessed Fixed-Size Tasks";
constexpr const char* good_ones[] = {granular, improved, fixed_max, fixed_size, preprocessed};

// One side of a stacked table: ours or the paper's.
class Side {
 public:
  Side(const Comparison& c, bool here) : c_(c), here_(here) {}

  double at(const char* label, const std::string& column) const {
    return figure(figures(label), column);
  }
  double at(const char* label, int column) const { return at(label, std::to_string(column)); }

  // Over all columns in which both have figures: the smallest slow / fast.
  double least_gain(const char* slow, const char* fast, const std::string& except = "") const {
    double least = no_figure;
    for (const std::string& column : c_.columns)
      if (column != except) least = std::fmin(least, at(slow, column) / at(fast, column));
    return least;
  }

  // The largest figure of a line over its smallest, within the paper's columns.
  double spread(const char* label) const {
    double low = no_figure, high = no_figure;
    for (const auto& [column, value] : c_.line(label).paper) {
      low = std::fmin(low, at(label, column));
      high = std::fmax(high, at(label, column));
    }
    return high / low;
  }

 private:
  const Figures& figures(const char* label) const {
    return here_ ? c_.line(label).here : c_.line(label).paper;
  }
  const Comparison& c_;
  bool here_;
};

using Measure = std::function<double(const Side&, int cpus)>;

}  // namespace

std::vector<Claim> claims(const std::vector<Comparison>& tables, int cpus) {
  std::vector<Claim> all;
  const auto add = [&](const Comparison& c, std::string text, const Measure& measure,
                       const std::function<bool(double)>& holds) {
    all.push_back(Claim::judge(std::move(text), measure(Side(c, false), logical_cpus),
                               measure(Side(c, true), cpus), holds));
  };
  const auto above = [](double limit) { return [=](double v) { return v > limit; }; };
  const auto at_most = [](double limit) { return [=](double v) { return v <= limit; }; };
  const Comparison &one = tables[0], &two = tables[1], &five = tables[3], &six = tables[4];

  add(
      one, "on one thread all but the naive splits take no more than SciPy's time (worst share)",
      [](const Side& s, int) {
        double worst = no_figure;
        for (const char* label : good_ones)
          worst = std::fmax(worst, s.at(label, 1) / s.at(scipy, 1));
        return worst;
      },
      at_most(1.05));
  add(
      one, "all but the naive splits beat the dense product on any threads (least gain)",
      [](const Side& s, int) {
        double least = no_figure;
        for (const char* label : good_ones) least = std::fmin(least, s.least_gain(dense, label));
        return least;
      },
      above(1));
  add(
      one, "Granular Row gains from every processor (1 thread over all processors)",
      [](const Side& s, int p) { return s.at(granular, 1) / s.at(granular, p); }, above(1.2));
  add(
      one, "the naive splits get slower with more threads (all processors over 1 thread)",
      [](const Side& s, int p) { return s.at(naive, p) / s.at(naive, 1); }, above(1));
  add(
      one, "and break down with more threads than processors (twice as many over as many)",
      [](const Side& s, int p) { return s.at(naive, 2 * p) / s.at(naive, p); }, above(1.5));
  add(
      one, "without the barrier they are faster on any threads above 1 (least gain)",
      [](const Side& s, int) { return s.least_gain(naive, improved, "1"); }, above(1));
  add(
      one, "tasks of equal size are the fastest on all processors (best other over the slower)",
      [](const Side& s, int p) {
        return std::fmin(std::fmin(s.at(granular, p), s.at(naive, p)),
                         std::fmin(s.at(improved, p), s.at(fixed_max, p))) /
               std::fmax(s.at(fixed_size, p), s.at(preprocessed, p));
      },
      above(1));
  add(
      one, "at 8 chunks a thread it matters little who cuts them (Fixed-Size over Preprocessed)",
      [](const Side& s, int p) { return s.at(fixed_size, p) / s.at(preprocessed, p); },
      [](double v) { return std::abs(v - 1) <= 0.05; });
  add(
      one, "twice as many threads as processors cost Preprocessed little (twice over as many)",
      [](const Side& s, int p) { return s.at(preprocessed, 2 * p) / s.at(preprocessed, p); },
      at_most(1.15));
  add(
      two, "serial task creation shows: Fixed-Size with 2048 chunks a thread over 8",
      [](const Side& s, int) { return s.at(fixed_size, 2048) / s.at(fixed_size, 8); }, above(1.2));
  const std::string most = two.columns.back();
  if (most != "2048") {
    const double theirs =
        Side(two, false).at(fixed_size, 2048) / Side(two, false).at(fixed_size, 8);
    const double ours = Side(two, true).at(fixed_size, most) / Side(two, true).at(fixed_size, 8);
    all.push_back(Claim::judge(
        fmt::format("the same with as many tasks in all as there: {} chunks a thread over 8", most),
        theirs, ours, above(1.2)));
  }
  add(
      two, "Preprocessed does not mind the number of chunks (slowest over fastest)",
      [](const Side& s, int) { return s.spread(preprocessed); }, at_most(2.5));
  add(
      two, "with 2048 chunks a thread Fixed Maximum Task Size overtakes it (Preprocessed over it)",
      [](const Side& s, int) { return s.at(preprocessed, 2048) / s.at(fixed_max, 2048); },
      above(1));
  const auto ratio = [&](const Comparison& c, const std::string& line, bool here) {
    const Figures& f = here ? c.line(line).here : c.line(line).paper;
    return figure(f, adapted.label) / figure(f, preprocessed);
  };
  all.push_back(
      Claim::judge("finding places by division costs several times the product, on 1 thread",
                   ratio(five, "1", false), ratio(five, "1", true), above(2)));
  all.push_back(Claim::judge("but scales better: its speedup from 1 to 2 threads over the other's",
                             ratio(six, "1 to 2", false), ratio(six, "1 to 2", true), above(1)));
  return all;
}

}  // namespace nz::lab::chirila2025
