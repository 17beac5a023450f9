#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/host_matrix.hpp"

// Kolotilina and Yeremin's factored sparse approximate inverse. Row i of G comes of the rows and
// columns J of A that its places name: with the Cholesky factor C of A(J, J), the transpose of C
// times the row is the last unit vector.
namespace nz::solve {
namespace {

constexpr const char* who = "FSAI";

// What one thread needs for its rows.
struct Room {
  std::vector<index_t> places;   // of the row, rising; the last one is the row itself
  std::vector<index_t> reached;  // on the way to powers
  std::vector<index_t> seen;     // the last row that reached each column
  std::vector<double> measure, dense, row;
  std::vector<std::size_t> order;
};

class Factor {
 public:
  Factor(const DoubleView& a, const FsaiOptions& options)
      : a_(a), options_(options), scale_(positive_diagonal(a, who)) {
    for (double& d : scale_) d = 1 / std::sqrt(d);
  }

  DoubleMatrix compute() const {
    const auto room = [&] {
      Room r;
      r.seen.assign(static_cast<std::size_t>(a_.rows), -1);
      return r;
    };
    std::vector<index_t> counts(static_cast<std::size_t>(a_.rows));
    each_row(a_.rows, room, [&](index_t i, Room& r) {
      find_places(i, r);
      counts[static_cast<std::size_t>(i)] = static_cast<index_t>(r.places.size());
      return true;
    });
    DoubleMatrix g;
    g.rows = g.cols = a_.rows;
    g.offsets = offsets_of(counts);
    g.columns = Array<index_t>(static_cast<std::size_t>(g.offsets.back()));
    g.values = Array<double>(static_cast<std::size_t>(g.offsets.back()));
    const index_t bad = each_row(a_.rows, room, [&](index_t i, Room& r) {
      find_places(i, r);
      for (const double shift : {0.0, 1e-8, 1e-6, 1e-4, 1e-2}) {
        if (!solve(r, shift)) continue;
        const auto at = g.offsets[static_cast<std::size_t>(i)];
        std::copy(r.places.begin(), r.places.end(), g.columns.begin() + at);
        std::copy(r.row.begin(), r.row.end(), g.values.begin() + at);
        return true;
      }
      return false;
    });
    if (bad >= 0)
      throw BadInput(fmt::format(
          "{}: the matrix is not positive definite: its part that belongs to row {} (counting from "
          "0) is not",
          who, bad));
    return g;
  }

 private:
  double scaled(index_t i, std::int64_t k) const {
    return a_.values[k] * scale_[static_cast<std::size_t>(i)] *
           scale_[static_cast<std::size_t>(a_.columns[k])];
  }
  bool kept(index_t i, std::int64_t k) const {
    return a_.columns[k] == i || std::abs(scaled(i, k)) >= options_.drop;
  }

  void find_places(index_t i, Room& r) const {
    r.places.clear();
    r.measure.clear();
    const auto add = [&](index_t j, double size) {
      r.places.push_back(j);
      r.measure.push_back(size);
    };
    for (auto k = a_.offsets[i]; k < a_.offsets[i + 1] && a_.columns[k] < i; ++k)
      if (kept(i, k)) add(a_.columns[k], std::abs(scaled(i, k)));
    if (options_.power > 1) add_reached(i, r, add);
    const auto most = static_cast<std::size_t>(options_.row_limit) - 1;
    if (r.places.size() > most) {
      r.order.resize(r.places.size());
      std::iota(r.order.begin(), r.order.end(), std::size_t(0));
      std::stable_sort(r.order.begin(), r.order.end(),
                       [&](std::size_t x, std::size_t y) { return r.measure[x] > r.measure[y]; });
      r.reached.clear();
      for (std::size_t k = 0; k < most; ++k) r.reached.push_back(r.places[r.order[k]]);
      std::swap(r.places, r.reached);
    }
    std::sort(r.places.begin(), r.places.end());
    r.places.push_back(i);
  }

  // Columns before i within `power` steps. Rows that are longer than the limit are not gone
  // through: all others would reach all their columns.
  template <class Add>
  void add_reached(index_t i, Room& r, Add&& add) const {
    r.reached.assign(1, i);
    r.seen[static_cast<std::size_t>(i)] = i;
    std::size_t begin = 0;
    for (int step = 0; step < options_.power; ++step) {
      const std::size_t end = r.reached.size();
      for (; begin < end; ++begin) {
        const index_t from = r.reached[begin];
        if (step > 0 && a_.offsets[from + 1] - a_.offsets[from] > options_.row_limit) continue;
        for (auto k = a_.offsets[from]; k < a_.offsets[from + 1]; ++k) {
          const index_t j = a_.columns[k];
          if (!kept(from, k) || r.seen[static_cast<std::size_t>(j)] == i) continue;
          r.seen[static_cast<std::size_t>(j)] = i;
          r.reached.push_back(j);
          if (step > 0 && j < i) add(j, 0.0);
        }
      }
    }
  }

  // False where the scaled A(J, J) + shift I is not positive definite but for rounding.
  bool solve(Room& r, double shift) const {
    const std::size_t n = r.places.size();
    r.dense.assign(n * n, 0.0);
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return r.dense[i * n + j]; };
    for (std::size_t p = 0; p < n; ++p) {
      const index_t i = r.places[p];
      std::size_t q = 0;
      for (auto k = a_.offsets[i]; k < a_.offsets[i + 1] && q <= p; ++k) {
        while (q <= p && r.places[q] < a_.columns[k]) ++q;
        if (q <= p && r.places[q] == a_.columns[k]) at(p, q) = scaled(i, k);
      }
      at(p, p) = 1 + shift;
    }
    const double least = 1e-14 * static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        at(i, j) = (at(i, j) - dot_of(&at(i, 0), &at(j, 0), j)) / at(j, j);
      }
      const double pivot = at(i, i) - dot_of(&at(i, 0), &at(i, 0), i);
      if (!(pivot > least)) return false;
      at(i, i) = std::sqrt(pivot);
    }
    r.row.assign(n, 0.0);
    r.row[n - 1] = 1;
    for (std::size_t i = n; i-- > 0;) {
      r.row[i] /= at(i, i);
      for (std::size_t j = 0; j < i; ++j) r.row[j] -= at(i, j) * r.row[i];
    }
    for (std::size_t p = 0; p < n; ++p) r.row[p] *= scale_[static_cast<std::size_t>(r.places[p])];
    return true;
  }

  const DoubleView& a_;
  const FsaiOptions& options_;
  Array<double> scale_;  // 1 / root of the diagonal
};

void check(const FsaiOptions& o) {
  if (o.power < 1 || o.power > 4)
    throw InvalidArgument(fmt::format("{}: a power of 1 to 4, not {}", who, o.power));
  if (!(o.drop >= 0 && o.drop < 1))
    throw InvalidArgument(fmt::format("{}: a drop of at least 0 and below 1, not {}", who, o.drop));
  if (o.row_limit < 1 || o.row_limit > 1000)
    throw InvalidArgument(fmt::format("{}: rows of 1 to 1000 places, not {}", who, o.row_limit));
}

}  // namespace

template <RealValue T, Offset O>
Preconditioner<T> fsai(const CsrView<T, O>& a, const FsaiOptions& options, Device device) try {
  check(options);
  const HostMatrix from(a, who);
  const Factor factor(from.view(), options);
  LinearOperator<T> g(plan(narrowed<T>(factor.compute(), who), {.device = device, .op = both_ops}));
  return preconditioner(detail::multiplied<T>(detail::turned(g), g, who));
}
NZ_OR_NO_MEMORY("a preconditioner")

#define NZ_INSTANTIATE(T, O) \
  template Preconditioner<T> fsai(const CsrView<T, O>&, const FsaiOptions&, Device);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::solve
