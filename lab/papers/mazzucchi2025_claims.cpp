#include <cmath>
#include <functional>
#include <initializer_list>

#include "lab/papers/mazzucchi2025.hpp"
#include "lab/papers/printed.hpp"

namespace nz::lab::mazzucchi2025 {
namespace {

using Names = std::initializer_list<const char*>;
// By table I: fewer than five entries a row, and about eighteen or more. Of the denser ones two are
// symmetric: the paper's program gives their row 0 an entry for each one of the diagonal, so that
// what a thread a row took there is no evidence. They are judged apart.
constexpr Names sparse = {"wiki-Talk", "rajat31", "neos3", "great-britain_osm"};
constexpr Names dense = {"cage14", "af23560"};
constexpr Names dense_burdened = {"pkustk14", "bcsstk13"};

constexpr Limits told_apart = above(1 + no_difference, gpu_noise);

// Of the CPU: in the record of the H200's host nine of ten launches have samples whose two halves
// have medians within 13 % of each other, and so whole ones within about half of that.
constexpr double cpu_noise = 0.07;
constexpr Limits faster_than_cpu = above(1, cpu_noise);

// A coefficient of ten pairs that is smaller cannot be told from none at the level of 5 %.
constexpr double no_correlation = 0.632;

// One side.
struct Side {
  std::function<double(const std::string& matrix, const char* kernel)> ms;

  double over(const std::string& m, const Kernel& slow, const Kernel& quick) const {
    return ms(m, slow.label) / ms(m, quick.label);
  }
  // The quicker one of the paper's two.
  double gpu(const std::string& m) const {
    const double a = ms(m, thread_row.label), b = ms(m, warp_row.label);
    return std::isnan(a) || std::isnan(b) ? no_figure : std::fmin(a, b);
  }
  template <class Of>
  double least(const std::vector<std::string>& matrices, Of&& of) const {
    double low = no_figure;
    for (const std::string& m : matrices) {
      const double one = of(m);
      if (std::isnan(one)) return no_figure;
      low = std::fmin(low, one);
    }
    return low;
  }
};

// Of the logarithms of mean row length and of the gain of OpenMP.
double correlation(const std::vector<MatrixShots>& all, const Side& s) {
  double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (const MatrixShots& m : all) {
    const double x =
        std::log(multiplied(m.name) / printed_figure("mazzucchi2025", "Table I", m.name, "rows"));
    const double y = std::log(s.over(m.name, naive, openmp));
    if (std::isnan(y)) return no_figure;
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    syy += y * y;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

}  // namespace

std::vector<Claim> claims(const AllFigures& f, bool hot) {
  const Side ours{[&](const std::string& matrix, const char* kernel) {
    for (const MatrixShots& m : f.matrices)
      if (m.name == matrix) return 1e3 * m.time(kernel, hot);
    return no_figure;
  }};
  const Side theirs{
      [](const std::string& matrix, const char* kernel) { return printed_ms(matrix, kernel); }};
  std::vector<std::string> names;
  for (const auto& [name, figures] : printed_table("mazzucchi2025", "Table I"))
    names.push_back(name);
  std::vector<Claim> all;
  const auto add = [&](const char* text, const std::function<double(const Side&)>& of,
                       const Limits& holds) {
    all.push_back(Claim::judge(text, of(theirs), of(ours), holds));
  };
  const auto least_of = [](Names matrices, const Kernel& slow, const Kernel& quick) {
    return [=](const Side& s) {
      return s.least({matrices.begin(), matrices.end()},
                     [&](const std::string& m) { return s.over(m, slow, quick); });
    };
  };
  add("a thread a row suits very sparse matrices (warp over thread, least of wiki-Talk, rajat31, "
      "neos3, great-britain_osm)",
      least_of(sparse, warp_row, thread_row), told_apart);
  add("a warp a row suits denser ones (thread over warp, least of cage14, af23560)",
      least_of(dense, thread_row, warp_row), told_apart);
  add("the same of pkustk14 and bcsstk13, no clean evidence there: row 0 has the zeros of the "
      "diagonal (thread over warp, least)",
      least_of(dense_burdened, thread_row, warp_row), told_apart);
  add(
      "but helm2d03, sparse and even, wants warps in its table (thread over warp)",
      [](const Side& s) { return s.over("helm2d03", thread_row, warp_row); }, told_apart);
  add(
      "and so does ins2 with its long row",
      [](const Side& s) { return s.over("ins2", thread_row, warp_row); }, told_apart);
  add(
      "the better of the two beats the naive CPU everywhere (least)",
      [&](const Side& s) {
        return s.least(names,
                       [&](const std::string& m) { return s.ms(m, naive.label) / s.gpu(m); });
      },
      faster_than_cpu);
  // Choosing costs nothing when the product is called: what is noticeably below the better one's
  // speed is a wrong choice.
  all.push_back(Claim::judge(
      "choosing by density is best in all cases (the better of the two over the choice, least)",
      no_figure,
      ours.least(names,
                 [&](const std::string& m) { return ours.gpu(m) / ours.ms(m, by_density.label); }),
      above(1 / (1 + no_difference), gpu_noise)));
  add(
      "OpenMP beats one thread (naive over OpenMP, least)",
      [&](const Side& s) {
        return s.least(names, [&](const std::string& m) { return s.over(m, naive, openmp); });
      },
      faster_than_cpu);
  add(
      "its gain follows no property of the matrix (correlation with mean row length, logarithms)",
      [&](const Side& s) { return correlation(f.matrices, s); },
      between(-no_correlation, no_correlation));
  double worst = no_figure;
  for (const auto& [matrix, kernels] : f.from_eigen)
    for (const auto& [kernel, one] : kernels) worst = std::fmax(worst, one);
  all.push_back(
      Claim::judge("checks with Eigen ensure that the algorithms are correct (largest difference)",
                   eigen_tolerance, worst, below(eigen_tolerance)));
  return all;
}

}  // namespace nz::lab::mazzucchi2025
