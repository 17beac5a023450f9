#include "lab/bench/several_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "base/host_memory.hpp"
#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "lab/bench/vectors.hpp"

namespace nz::lab {
namespace {

constexpr std::uint64_t x_seed = 2, y_seed = 3;  // those of Stage and Judge

template <class T>
Array<T> random_column(index_t rows, std::uint64_t seed, index_t column) {
  Array<T> v(static_cast<std::size_t>(rows));
  fill_random<T>({v.data(), v.size()}, seed_of_column(seed, column));
  return v;
}

template <class T>
Array<T> column_of(const DenseView<const T>& from, index_t j) {
  Array<T> v(static_cast<std::size_t>(from.rows()));
  parallel_ranges(from.rows(), [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) v[static_cast<std::size_t>(i)] = from(i, j);
  });
  return v;
}

// An eighth of what the machine has free now, at least a little.
std::size_t room_for_references() {
  return static_cast<std::size_t>(std::max(free_host_bytes() / 8, 64e6));
}

}  // namespace

template <Value T, Offset O>
void SeveralJudge<T, O>::fill_x(const DenseView<T>& x) {
  fill_random(x, x_seed);
}

template <Value T, Offset O>
void SeveralJudge<T, O>::fill_before(const DenseView<T>& y, double beta) {
  if (beta != 0) return fill_random(y, y_seed);
  T* const all = y.data();
  parallel_ranges(y.extent(), [&](std::int64_t begin, std::int64_t end) {
    std::fill(all + begin, all + end, std::numeric_limits<T>::quiet_NaN());
  });
}

template <Value T, Offset O>
Verdict SeveralJudge<T, O>::column(const Case& c, index_t j, const DenseView<const T>& computed,
                                   int shared_rounding) {
  const Array<T> y = column_of(computed, j);
  const bool turned = c.op == Op::transpose;
  const T alpha = static_cast<T>(c.alpha);
  Array<T> x;
  const auto x_span = [&]() -> std::span<const T> {
    if (x.size() == 0) x = random_column<T>(turned ? a_.rows : a_.cols, x_seed, j);
    return {x.data(), x.size()};
  };
  const auto key = std::tuple(c.op, c.alpha, c.beta, j);
  auto known = kept_.find(key);
  Reference<T> made;
  const Reference<T>* exact = known == kept_.end() ? &made : &known->second;
  if (known == kept_.end()) {
    Array<T> before;
    if (c.beta != 0) before = random_column<T>(computed.rows(), y_seed, j);
    made = exact_product<T, O>(a_, c.op, alpha, x_span(), static_cast<T>(c.beta),
                               {before.data(), before.size()});
    if (kept_bytes_ + made.bytes() <= room_for_references()) {
      kept_bytes_ += made.bytes();
      exact = &kept_.emplace(key, std::move(made)).first->second;
    }
  }
  const std::span<const T> result(y.data(), y.size());
  if (shared_rounding > 0 && !turned)
    return widened(*exact, a_, alpha, x_span(), shared_rounding).judge(result);
  return exact->judge(result);
}

// Sums in double have the error of n products in any order, as the computed ones have.
template <Value T, Offset O>
std::string SeveralJudge<T, O>::against_sums(const Case& c, const DenseView<const T>& computed,
                                             const std::map<index_t, bool>& done) {
  const bool turned = c.op == Op::transpose;
  if (turned && !transposed_) transposed_ = transpose(a_);
  const CsrView<T, O> a = turned ? transposed_->view() : a_;
  const double u = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2 +
                   std::numeric_limits<double>::epsilon() / 2;
  const double eta = static_cast<double>(std::numeric_limits<T>::denorm_min());
  std::string first;
  std::mutex guard;
  for (index_t j = 0; j < computed.columns() && first.empty(); ++j) {
    if (done.contains(j)) continue;
    const Array<T> x = random_column<T>(a.cols, x_seed, j);
    parallel_ranges(a.rows, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        double sum = 0, magnitude = 0;
        for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
          const double term = static_cast<double>(a.values[k]) *
                              static_cast<double>(x[static_cast<std::size_t>(a.columns[k])]);
          sum += term;
          magnitude += std::abs(term);
        }
        if (!(magnitude < static_cast<double>(std::numeric_limits<T>::max()) / 2)) continue;
        const double n = static_cast<double>(a.offsets[i + 1] - a.offsets[i]) + 3;
        const double bound = n * (u * magnitude + 2 * eta);
        const double is = static_cast<double>(computed(i, j));
        if (std::abs(is - sum) <= bound) continue;
        const std::lock_guard lock(guard);
        if (first.empty())
          first = fmt::format(
              "column {}: row {} (counting from 0): {:.17g}, by sums in double "
              "{:.17g}, bound {:.2g}",
              j, i, is, sum, bound);
        return;
      }
    });
  }
  return first;
}

template <Value T, Offset O>
SeveralVerdict SeveralJudge<T, O>::judge(const Case& c, const DenseView<const T>& computed,
                                         int shared_rounding, std::int64_t most_exact_entries) {
  SeveralVerdict all;
  const index_t k = computed.columns();
  const bool sums = c.alpha == 1 && c.beta == 0 && shared_rounding == 0 &&
                    static_cast<std::int64_t>(a_.nnz) * k > most_exact_entries;
  std::map<index_t, bool> done;
  for (index_t j = 0; j < k; ++j)
    if (!sums || j < 2 || j == k / 2 || j == k - 1) done[j] = true;
  for (const auto& [j, yes] : done) {
    const Verdict v = column(c, j, computed, shared_rounding);
    ++all.exact_columns;
    all.worst = std::max(all.worst, v.worst);
    all.unjudged = std::max(all.unjudged, v.unjudged);
    if (v.right()) continue;
    all.right = false;
    all.message = fmt::format("column {}: {}", j, v.message());
    return all;
  }
  if (sums) all.message = against_sums(c, computed, done);
  all.right = all.message.empty();
  return all;
}

#define NZ_INSTANTIATE(T, O) template class SeveralJudge<T, O>;
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
