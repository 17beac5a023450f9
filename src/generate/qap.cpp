#include <algorithm>

#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// The linear program of Adams and Johnson (1994) for assigning n things to n places. Variables:
// x_ij (thing i at place j), then y_ijkl for i < k, j != l, which stands for x_ij x_kl.
// Constraints: each thing has a place, each place a thing, and for all k, l
//   sum over j of y_ijkl = x_kl  for i != k,     sum over i of y_ijkl = x_kl  for j != l.
struct Program {
  std::int64_t n;
  index_t rows, cols;

  explicit Program(const Settings& all)
      : n(whole(all, "n")),
        rows(static_cast<index_t>(2 * n + 2 * n * n * (n - 1))),
        cols(static_cast<index_t>(n * n + n * n * (n - 1) * (n - 1) / 2)) {}

  index_t x(std::int64_t i, std::int64_t j) const { return static_cast<index_t>(i * n + j); }
  index_t y(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) const {
    if (i > k) {
      std::swap(i, k);
      std::swap(j, l);
    }
    const std::int64_t before = i * (n - 1) - i * (i - 1) / 2;  // pairs i' < k with i' < i
    return static_cast<index_t>(n * n + (n - 1) * (n * before + j * (n - 1 - i) + k - i - 1) + l -
                                (l > j));
  }
};

GeneratedMatrix make_qap(const Settings& all) {
  const Program program(all);
  const std::int64_t n = program.n;
  return from_rows(
      program.rows, program.cols, [&](index_t) { return n; },
      [&](index_t row, index_t* columns, double* values, std::int64_t length) {
        std::fill_n(values, length, 1.0);
        index_t* out = columns;
        if (row < 2 * n) {
          for (std::int64_t t = 0; t < n; ++t)
            *out++ = row < n ? program.x(row, t) : program.x(t, row - n);
          return;
        }
        const std::int64_t half = n * n * (n - 1), place = (row - 2 * n) % half;
        const std::int64_t k = place / (n * (n - 1)), l = place / (n - 1) % n;
        const std::int64_t other = place % (n - 1);
        const bool over_places = row - 2 * n < half;
        const std::int64_t kept = over_places ? k : l, free = other + (other >= kept);
        *out++ = program.x(k, l);
        values[0] = -1;  // x before all y
        for (std::int64_t t = 0; t < n; ++t)
          if (t != (over_places ? l : k))
            *out++ = over_places ? program.y(free, t, k, l) : program.y(t, free, k, l);
        std::sort(columns, out);
      });
}

MatrixSize size_qap(const Settings& all) {
  const Program program(all);
  return size_by_rows(program.rows, program.cols,
                      static_cast<double>(program.rows) * static_cast<double>(program.n));
}

}  // namespace

Family qap_family() {
  return {"qap",
          "linear program of quadratic assignment (Adams and Johnson): n a row, 1 and -1, exact",
          "own",
          "qap:n=12",
          {{"n", "things to assign, and entries of a row", 15, 1, 200}},
          make_qap,
          size_qap};
}

}  // namespace nz
