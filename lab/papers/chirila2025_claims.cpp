#include "lab/papers/chirila2025_claims.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lab/papers/chirila2025.hpp"
#include "lab/papers/complete.hpp"

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

  // The least gain of twice the threads, up to so many.
  double least_step(const char* label, int most) const {
    double least = no_figure;
    for (int n = 1; 2 * n <= most; n *= 2)
      least = std::fmin(least, at(label, n) / at(label, 2 * n));
    return least;
  }

  // The farthest that two lines are apart, by columns up to so many.
  double apart(const char* one, const char* other, int most) const {
    double farthest = no_figure;
    for (const auto& [column, value] : c_.line(one).paper) {
      const double ratio = at(one, column) / at(other, column);
      if (std::stoi(column) <= most) farthest = std::fmax(farthest, std::fmax(ratio, 1 / ratio));
    }
    return farthest;
  }

  // The fewest threads with which a line takes no more than another one's single figure; 0 where
  // none are enough.
  double threads_to_match(const char* label, double time) const {
    double fewest = no_figure;
    bool measured = false;
    for (const std::string& column : c_.columns) {
      const double one = at(label, column);
      if (std::isnan(one) || std::isnan(time)) continue;
      measured = true;
      if (one <= time) fewest = std::fmin(fewest, std::stod(column));
    }
    return measured && std::isnan(fewest) ? 0 : fewest;
  }

 private:
  const Figures& figures(const char* label) const {
    return here_ ? c_.line(label).here : c_.line(label).paper;
  }
  const Comparison& c_;
  bool here_;
};

template <class Of>
std::vector<double> of_good_ones(Of&& of) {
  std::vector<double> all;
  for (const char* label : good_ones) all.push_back(of(label));
  return all;
}

using Measure = std::function<double(const Side&, int cpus)>;

// Tables 1 and 2 of the paper have 1.41 and 1.18 s for one configuration (Fixed Maximum Task Size,
// 32 threads, 8 chunks): smaller differences say nothing.
constexpr double noticeable = 1.2;
// Of our medians: in a record of 16 cores (commit 6274ebe, in the history) nine of ten launches
// have samples whose two halves have medians within 5.7 % of each other, and so whole ones within
// about half of that. A run of one batch a launch is known less well.
constexpr double cpu_noise = 0.03;
constexpr Limits faster = above(1, cpu_noise), noticeably_slower = above(noticeable, cpu_noise),
                 costs_little = below(noticeable, cpu_noise),
                 about_alike = between(1 / noticeable, noticeable, cpu_noise);
// Above: a kernel that is "an outlier even with one thread" takes 9.25 s for SciPy's 8.55.
constexpr double outlier = 9.25 / 8.55;
// How the outlier is told from the others, all of which take at most SciPy's time there: halfway.
constexpr double apart_from_others = (1 + outlier) / 2;
// Halfway between a time that does not mind twice the tasks and one that follows their number.
constexpr double breaks = 1.5;

// The place of Granular Row among the kernels on all processors, told where no other is so near to
// it that the places might be exchanged.
Claim third_best(const Comparison& c, int cpus) {
  const auto place = [](const Side& s, int threads, double by) {
    double before = 1;
    for (const char* label : {naive, improved, fixed_max, fixed_size, preprocessed}) {
      const double gain = s.at(granular, threads) / s.at(label, threads);
      if (std::isnan(gain)) return no_figure;
      before += gain > by;
    }
    return before;
  };
  const Side theirs(c, false), ours(c, true);
  Claim claim =
      Claim::judge("Granular Row is the third best on all processors (its place among the six)",
                   place(theirs, logical_cpus, 1), place(ours, cpus, 1), between(2.5, 3.5));
  if (place(ours, cpus, 1 + cpu_noise) != place(ours, cpus, 1 / (1 + cpu_noise))) {
    claim.undecided = claim.holds.has_value();
    claim.holds.reset();
  }
  return claim;
}

const Comparison& starting(const std::vector<Comparison>& tables, std::string_view title) {
  for (const Comparison& c : tables)
    if (c.title.starts_with(title)) return c;
  throw std::out_of_range(fmt::format("no table '{}'", title));
}

// Tables 2 and 3 on as many threads as there, where that was measured.
const Comparison& granularity(const std::vector<Comparison>& tables, int number) {
  for (const Comparison& c : tables)
    if (c.title.starts_with(fmt::format("Table {} and figure {}, as", number, number + 1)) &&
        !std::isnan(Side(c, true).at(preprocessed, 2048)))
      return c;
  return starting(tables, fmt::format("Table {} ", number));
}

}  // namespace

std::vector<Claim> claims(const std::vector<Comparison>& tables, int cpus) {
  std::vector<Claim> all;
  const auto add = [&](const Comparison& c, std::string text, const Measure& measure,
                       const Limits& holds) {
    all.push_back(Claim::judge(std::move(text), measure(Side(c, false), logical_cpus),
                               measure(Side(c, true), cpus), holds));
  };
  const Comparison &one = starting(tables, "Table 1 "), &two = granularity(tables, 2),
                   &three = granularity(tables, 3), &five = starting(tables, "Table 5 "),
                   &six = starting(tables, "Table 6");

  add(
      one, "on one thread all but the naive splits take no more than SciPy's time (worst share)",
      [](const Side& s, int) {
        return most_of_all(
            of_good_ones([&](const char* label) { return s.at(label, 1) / s.at(scipy, 1); }));
      },
      below(outlier, cpu_noise));
  add(
      one,
      "and the naive splits are an outlier (their time on one thread over the slowest other sparse "
      "one's)",
      [](const Side& s, int) {
        auto others = of_good_ones([&](const char* label) { return s.at(label, 1); });
        others.push_back(s.at(scipy, 1));
        return s.at(naive, 1) / most_of_all(others);
      },
      above(apart_from_others, cpu_noise));
  add(
      one, "NumPy needs four threads for SciPy's time (the fewest with which it does; 0: none)",
      [](const Side& s, int) { return s.threads_to_match(dense, s.at(scipy, 1)); }, between(3, 5));
  add(
      one, "all but the naive splits beat the dense product on any threads (least gain)",
      [](const Side& s, int) {
        return least_of_all(
            of_good_ones([&](const char* label) { return s.least_gain(dense, label); }));
      },
      faster);
  add(
      one, "the naive splits lose to the dense product on some (least gain)",
      [](const Side& s, int) { return s.least_gain(dense, naive); }, below(1, cpu_noise));
  add(
      one, "and it slows down with more threads than processors (twice as many over as many)",
      [](const Side& s, int p) { return s.at(dense, 2 * p) / s.at(dense, p); }, noticeably_slower);
  add(
      one, "Granular Row gains from every processor (least gain of twice the threads)",
      [](const Side& s, int p) { return s.least_step(granular, p); }, faster);
  add(
      one, "and more threads than processors cost it little (twice as many over as many)",
      [](const Side& s, int p) { return s.at(granular, 2 * p) / s.at(granular, p); }, costs_little);
  all.push_back(third_best(one, cpus));
  add(
      one, "the naive splits get slower with more threads (all processors over 1 thread)",
      [](const Side& s, int p) { return s.at(naive, p) / s.at(naive, 1); }, faster);
  add(
      one, "and break down with more threads than processors (twice as many over as many)",
      [](const Side& s, int p) { return s.at(naive, 2 * p) / s.at(naive, p); },
      above(breaks, cpu_noise));
  add(
      one, "without the barrier they are faster on any threads above 1 (least gain)",
      [](const Side& s, int) { return s.least_gain(naive, improved, "1"); }, faster);
  add(
      one, "but gain no more beyond 8 threads (16 over 8)",
      [](const Side& s, int) { return s.at(improved, 16) / s.at(improved, 8); },
      above(1 / noticeable, cpu_noise));
  add(
      one, "Fixed Maximum Task Size gains from every processor (least gain of twice the threads)",
      [](const Side& s, int p) { return s.least_step(fixed_max, p); }, faster);
  add(
      one, "but less than linearly (speedup on all processors over their number)",
      [](const Side& s, int p) { return s.at(fixed_max, 1) / s.at(fixed_max, p) / p; },
      below(1, cpu_noise));
  // Its "slight degradation" is 1.23 times, which is noticed and is no break.
  add(
      one, "and loses slightly with more threads than processors (twice as many over as many)",
      [](const Side& s, int p) { return s.at(fixed_max, 2 * p) / s.at(fixed_max, p); },
      between(1, breaks, cpu_noise));
  add(
      one, "tasks beat nested loops (improved splits over Fixed Maximum Task Size, all processors)",
      [](const Side& s, int p) { return s.at(improved, p) / s.at(fixed_max, p); },
      noticeably_slower);
  add(
      one, "tasks of equal size are the fastest on all processors (best other over the slower)",
      [](const Side& s, int p) {
        return least_of_all(
                   {s.at(granular, p), s.at(naive, p), s.at(improved, p), s.at(fixed_max, p)}) /
               most_of_all({s.at(fixed_size, p), s.at(preprocessed, p)});
      },
      noticeably_slower);
  // "Virtually identical": not told apart by our noise.
  add(
      one, "at 8 chunks a thread it matters little who cuts them (Fixed-Size over Preprocessed)",
      [](const Side& s, int p) { return s.at(fixed_size, p) / s.at(preprocessed, p); },
      between(1 / (1 + 2 * cpu_noise), 1 + 2 * cpu_noise, cpu_noise));
  add(
      one, "twice as many threads as processors cost Fixed-Size little (twice over as many)",
      [](const Side& s, int p) { return s.at(fixed_size, 2 * p) / s.at(fixed_size, p); },
      costs_little);
  add(
      one, "twice as many threads as processors cost Preprocessed little (twice over as many)",
      [](const Side& s, int p) { return s.at(preprocessed, 2 * p) / s.at(preprocessed, p); },
      costs_little);
  add(
      two, "table 2: up to 64 chunks a thread Fixed-Size and Preprocessed are alike (farthest)",
      [](const Side& s, int) { return s.apart(fixed_size, preprocessed, 64); }, about_alike);
  add(
      two, "table 2: from 64 to 128 Fixed-Size breaks (128 over 64)",
      [](const Side& s, int) { return s.at(fixed_size, 128) / s.at(fixed_size, 64); },
      above(breaks, cpu_noise));
  add(
      two, "table 2: and is slower there than improved splits and Fixed Maximum Task Size (least)",
      [](const Side& s, int) {
        return s.at(fixed_size, 128) / most_of_all({s.at(improved, 128), s.at(fixed_max, 128)});
      },
      noticeably_slower);
  add(
      two, "table 2: Preprocessed does not break (128 over 64)",
      [](const Side& s, int) { return s.at(preprocessed, 128) / s.at(preprocessed, 64); },
      costs_little);
  add(
      two, "serial task creation shows: Fixed-Size with 2048 chunks a thread over 8",
      [](const Side& s, int) { return s.at(fixed_size, 2048) / s.at(fixed_size, 8); },
      noticeably_slower);
  const std::string most = two.columns.back();
  if (most != "2048") {
    const double theirs =
        Side(two, false).at(fixed_size, 2048) / Side(two, false).at(fixed_size, 8);
    const double ours = Side(two, true).at(fixed_size, most) / Side(two, true).at(fixed_size, 8);
    all.push_back(Claim::judge(
        "the same with as many tasks in all as there (the most chunks a thread over 8)", theirs,
        ours, noticeably_slower));
  }
  add(
      two,
      "Preprocessed minds the number of chunks less (spread of Fixed-Size over its own, 1 to 2048)",
      [](const Side& s, int) { return s.spread(fixed_size) / s.spread(preprocessed); }, faster);
  add(
      two, "with 2048 chunks a thread Fixed Maximum Task Size overtakes it (Preprocessed over it)",
      [](const Side& s, int) { return s.at(preprocessed, 2048) / s.at(fixed_max, 2048); }, faster);
  add(
      three, "table 3: up to 256 chunks a thread Fixed-Size and Preprocessed are alike (farthest)",
      [](const Side& s, int) { return s.apart(fixed_size, preprocessed, 256); }, about_alike);
  add(
      three, "table 3: from 256 to 512 Fixed-Size breaks (512 over 256)",
      [](const Side& s, int) { return s.at(fixed_size, 512) / s.at(fixed_size, 256); },
      above(breaks, cpu_noise));
  add(
      three, "table 3: and Preprocessed remains stable (512 over 256)",
      [](const Side& s, int) { return s.at(preprocessed, 512) / s.at(preprocessed, 256); },
      about_alike);
  // The text has 1.04 to 1.98 s, which is table 2's: table 3 itself shows the contrary.
  add(
      three, "table 3, as the text has it: Preprocessed slows down from 1024 to 2048 chunks",
      [](const Side& s, int) { return s.at(preprocessed, 2048) / s.at(preprocessed, 1024); },
      noticeably_slower);
  const auto ratio = [&](const Comparison& c, const std::string& line, bool here) {
    const Figures& f = here ? c.line(line).here : c.line(line).paper;
    return figure(f, adapted.label) / figure(f, preprocessed);
  };
  all.push_back(Claim::judge(
      "finding places by division costs several times the product, on 1 thread",
      ratio(five, "1", false), ratio(five, "1", true), above(several_times, cpu_noise)));
  // A ratio of ratios, with twice the noise.
  all.push_back(Claim::judge("but scales better: its speedup from 1 to 2 threads over the other's",
                             ratio(six, "1 to 2", false), ratio(six, "1 to 2", true),
                             above(1, 2 * cpu_noise)));
  // While every thread has a core; the paper's machine has 16.
  const auto scaling = [&](const char* kernel, bool here, bool largest) {
    const int cores = here ? std::min(cpus, logical_cpus / 2) : logical_cpus / 2;
    double step_of_all = no_figure;
    for (int n = 1; 2 * n <= cores; n *= 2)
      for (const Comparison::Line& l : six.lines)
        if (l.label == fmt::format("{} to {}", n, 2 * n)) {
          const double step = figure(here ? l.here : l.paper, kernel);
          step_of_all = largest ? std::fmax(step_of_all, step) : std::fmin(step_of_all, step);
        }
    return step_of_all;
  };
  const auto scales = [&](std::string text, const char* kernel, bool largest, const Limits& holds) {
    all.push_back(Claim::judge(std::move(text), scaling(kernel, false, largest),
                               scaling(kernel, true, largest), holds));
  };
  // "Near-ideal, between 1.9 and 2", when rounded.
  scales("nearly ideally while every thread has a core (least speedup of twice the threads)",
         adapted.label, false, above(1.85, cpu_noise));
  // "Between 1.5 and 1.9", when rounded.
  scales("while Preprocessed gains 1.5 times or more up to 16 threads (least speedup of twice)",
         preprocessed, false, above(1.45, cpu_noise));
  scales("and no more than 1.9 times (largest)", preprocessed, true, below(1.95, cpu_noise));
  const auto second_threads = [&](bool here) {
    for (const Comparison::Line& l : six.lines)
      if (l.label == "16 to 32") return figure(here ? l.here : l.paper, adapted.label);
    return no_figure;
  };
  // "Almost no difference" is the paper's 1.004; that of Preprocessed, 1.128, is one: less than the
  // middle of the two.
  all.push_back(Claim::judge("32 threads on 16 cores gain nothing more (speedup from 16 to 32)",
                             second_threads(false), second_threads(true),
                             below((1.004 + 1.128) / 2, cpu_noise)));
  return all;
}

}  // namespace nz::lab::chirila2025
