#include <cmath>
#include <functional>
#include <initializer_list>
#include <set>

#include "lab/papers/messa2025.hpp"
#include "lab/papers/printed.hpp"

namespace nz::lab::messa2025 {
namespace {

using Names = std::initializer_list<const char*>;
constexpr const char *crankseg = "crankseg_1", *ecology = "ecology1", *f1 = "F1",
                     *inline_1 = "inline_1", *mawi = "mawi_201512012345",
                     *stackoverflow = "sx-stackoverflow";
constexpr Names six = {crankseg, ecology, f1, inline_1, mawi, stackoverflow};

// Milliseconds of one side.
struct Side {
  std::function<double(const std::string& matrix, const std::string& kernel)> ms;

  double gain(const std::string& matrix, const std::string& kernel) const {
    return ms(matrix, plain(kernel)) / ms(matrix, kernel) - 1;
  }
  double over(const std::string& matrix, const char* slow, const char* quick) const {
    return ms(matrix, slow) / ms(matrix, quick);
  }
  // NaN unless all have one.
  double least(Names matrices, const std::function<double(const char*)>& of) const {
    double low = no_figure;
    for (const char* m : matrices) {
      const double one = of(m);
      if (std::isnan(one)) return no_figure;
      low = std::fmin(low, one);
    }
    return low;
  }
  double least_gain(Names matrices, const char* kernel) const {
    return least(matrices, [&](const char* m) { return gain(m, kernel); });
  }
  const char* fastest(const char* matrix) const {
    const char* best = nullptr;
    for (const Kernel& k : kernels)
      if (!std::isnan(ms(matrix, k.label)) && (!best || ms(matrix, k.label) < ms(matrix, best)))
        best = k.label;
    return best;
  }
};

double winners(const Side& s) {
  std::set<std::string> all;
  for (const char* m : six) {
    const char* best = s.fastest(m);
    if (!best) return no_figure;
    all.insert(best);
  }
  return static_cast<double>(all.size());
}

double times_gained(const Side& s, Names matrices, const char* kernel) {
  double n = 0;
  for (const char* m : matrices) {
    const double gain = s.gain(m, kernel);
    if (std::isnan(gain)) return no_figure;
    n += gain > 0;
  }
  return n;
}

// The slowest bound over the fastest, of the matrix where that is most.
double bounds_matter(const std::vector<MatrixShots>& all, bool hot) {
  double most = no_figure;
  for (const MatrixShots& m : all) {
    double low = no_figure, high = no_figure;
    for (const int n : bounds) {
      low = std::fmin(low, m.time(bound(n), hot));
      high = std::fmax(high, m.time(bound(n), hot));
    }
    most = std::fmax(most, high / low);
  }
  return most;
}

}  // namespace

std::vector<Claim> claims(const std::vector<MatrixShots>& all, bool hot) {
  const Side theirs{[](const std::string& matrix, const std::string& kernel) {
    const double form = printed_figure("messa2025", "Figure 3, times", matrix, kernel);
    return std::isnan(form) ? printed_figure("messa2025", "Figure 4, times", matrix, kernel) : form;
  }};
  const Side ours{[&](const std::string& matrix, const std::string& kernel) {
    for (const MatrixShots& m : all)
      if (m.name == matrix) return 1e3 * m.time(kernel, hot);
    return no_figure;
  }};
  std::vector<Claim> made;
  const auto add = [&](const char* text, const std::function<double(const Side&)>& of,
                       const std::function<bool(double)>& holds) {
    made.push_back(Claim::judge(text, of(theirs), of(ours), holds));
  };
  add(
      "a thread a row: the second form is faster on all but ecology1 (least gain in speed)",
      [](const Side& s) {
        return s.least_gain({crankseg, f1, inline_1, mawi, stackoverflow}, thread_row);
      },
      above(0));
  add(
      "and not on ecology1, where rows have three entries (gain)",
      [](const Side& s) { return s.gain(ecology, thread_row); }, below(0.02));
  add(
      "a warp a row: the second form is faster on most (of the five without sx-stackoverflow)",
      [](const Side& s) {
        return times_gained(s, {crankseg, ecology, f1, inline_1, mawi}, warp_row);
      },
      above(2.5));
  add(
      "and slower on sx-stackoverflow (gain)",
      [](const Side& s) { return s.gain(stackoverflow, warp_row); }, below(0));
  add(
      "bins: without searches and atomics far faster on crankseg_1, F1 and inline_1 (least gain)",
      [](const Side& s) {
        return s.least_gain({crankseg, f1, inline_1}, bins);
      },
      above(0.5));
  add(
      "but slower on ecology1 (gain)", [](const Side& s) { return s.gain(ecology, bins); },
      below(0));
  add(
      "and slower on sx-stackoverflow, by bandwidth; by its times it is not (gain)",
      [](const Side& s) { return s.gain(stackoverflow, bins); }, below(0));
  add(
      "hybrid: three classes are faster than two on all six (least gain)",
      [](const Side& s) { return s.least_gain(six, hybrid); }, above(0));
  add(
      "most of all on the mawi matrix with its row of millions (gain)",
      [](const Side& s) { return s.gain(mawi, hybrid); }, above(0.5));
  add(
      "ecology1: a thread a row beats cuSPARSE (its time over the kernel's)",
      [](const Side& s) { return s.over(ecology, cusparse, thread_row); }, above(1));
  add(
      "and so does hybrid", [](const Side& s) { return s.over(ecology, cusparse, hybrid); },
      above(1));
  add(
      "crankseg_1: a warp a row beats cuSPARSE",
      [](const Side& s) { return s.over(crankseg, cusparse, warp_row); }, above(1));
  add(
      "and so does hybrid", [](const Side& s) { return s.over(crankseg, cusparse, hybrid); },
      above(1));
  add(
      "cuSPARSE is faster than all four elsewhere (least of the best kernel's time over its)",
      [](const Side& s) {
        return s.least({f1, inline_1, mawi, stackoverflow}, [&](const char* m) {
          const char* best = s.fastest(m);
          return best ? s.over(m, best, cusparse) : no_figure;
        });
      },
      above(1));
  add(
      "bins beat a warp a row where rows are short (ecology1, sx-stackoverflow: least)",
      [](const Side& s) {
        return s.least({ecology, stackoverflow},
                       [&](const char* m) { return s.over(m, warp_row, bins); });
      },
      above(1));
  add("no kernel is the best on all matrices (how many are on some)", winners, above(1));
  made.push_back(Claim::judge(
      "launch bounds matter to a thread a row (slowest over fastest, where they matter most)",
      no_figure, bounds_matter(all, hot), above(1.05)));
  return made;
}

}  // namespace nz::lab::messa2025
