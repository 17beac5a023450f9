#include <vector>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/vector/lanes.hpp"
#include "kernels/cpu/windows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// The sum of value * x over n entries, four chains of additions side by side.
template <class T>
NZ_INLINE T dot_by_one(const T* values, const index_t* columns, std::int64_t n, const T* x) {
  T sum = 0;
  std::int64_t k = 0;
  if (n >= 8) {
    T a = 0, b = 0, c = 0, d = 0;
    for (; k + 4 <= n; k += 4) {
      a += values[k] * x[columns[k]];
      b += values[k + 1] * x[columns[k + 1]];
      c += values[k + 2] * x[columns[k + 2]];
      d += values[k + 3] * x[columns[k + 3]];
    }
    sum = (a + b) + (c + d);
  }
  for (; k < n; ++k) sum += values[k] * x[columns[k]];
  return sum;
}

// The same by vectors, two chains. Rows shorter than a vector are faster without one.
template <class T>
NZ_INLINE T dot(const T* values, const index_t* columns, std::int64_t n, const T* x) {
  using L = Lanes<T>;
  constexpr std::int64_t w = L::width;
  if (!L::can_gather || n < w / 2) return dot_by_one(values, columns, n, x);
  auto even = L::zero(), odd = L::zero();
  std::int64_t k = 0;
  for (; k + 2 * w <= n; k += 2 * w) {
    even = L::fma(L::load(values + k), L::gather(x, L::indices(columns + k)), even);
    odd = L::fma(L::load(values + k + w), L::gather(x, L::indices(columns + k + w)), odd);
  }
  if (k + w <= n) {
    even = L::fma(L::load(values + k), L::gather(x, L::indices(columns + k)), even);
    k += w;
  }
  if (k < n) {
    const auto rest = L::first(static_cast<int>(n - k));
    odd = L::fma(L::load_some(rest, values + k),
                 L::gather_some(rest, x, L::indices_some(rest, columns + k)), odd);
  }
  return L::sum(L::add(even, odd));
}

// CSR in place. A part is a run of entries; a row that several parts share is finished by the last
// of them, and what the others have of it is added afterwards.
template <Value T, Offset O>
class CsrBalanced final : public Product<T> {
 public:
  CsrBalanced(const CsrView<T, O>& a, const Parameters& p)
      : a_(a),
        team_(cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"))),
        cuts_(cpu::split_entries(a, team_)),
        windows_(a.cols, column_ranges()),
        carried_(static_cast<std::size_t>(team_), T(0)) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (alpha == T(0))
      cpu::scale(beta, y);
    else if (op == Op::none)
      rows(alpha, x.data(), beta, y.data());
    else
      columns(alpha, x.data(), beta, y.data());
  }

  std::size_t bytes() const override {
    return windows_.bytes() + cuts_.size() * sizeof(cpu::Cut) + carried_.size() * sizeof(T);
  }
  bool borrows() const override { return true; }
  std::size_t traffic(Op op, bool reads_y) const override {
    const std::size_t in = static_cast<std::size_t>(op == Op::none ? a_.cols : a_.rows);
    const std::size_t out = static_cast<std::size_t>(op == Op::none ? a_.rows : a_.cols);
    return a_.bytes() + (in + out + (reads_y ? out : 0)) * sizeof(T);
  }

 private:
  void rows(T alpha, const T* x, T beta, T* y) const {
    parallel_parts(team_, [&](int part) {
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      std::int64_t k = from.entry;
      for (index_t i = from.row; i < to.row; ++i) {
        const auto end = static_cast<std::int64_t>(a_.offsets[i + 1]);
        cpu::store(y[i], alpha, dot(a_.values + k, a_.columns + k, end - k, x), beta);
        k = end;
      }
      carried_[part] = dot(a_.values + k, a_.columns + k, to.entry - k, x);
    });
    for (int part = 0; part + 1 < team_; ++part)
      if (const cpu::Cut end = cuts_[part + 1]; shared(end)) y[end.row] += alpha * carried_[part];
  }

  void columns(T alpha, const T* x, T beta, T* y) const {
    parallel_parts(team_, [&](int part) {
      T* sums = windows_.clear(part);
      const index_t first = windows_.range(part).begin;
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      std::int64_t k = from.entry;
      for (index_t i = from.row; i <= to.row && k < to.entry; ++i) {
        const auto end = std::min(to.entry, static_cast<std::int64_t>(a_.offsets[i + 1]));
        const T factor = x[i];
        for (; k < end; ++k) sums[a_.columns[k] - first] += a_.values[k] * factor;
      }
    });
    windows_.reduce(team_, alpha, beta, y);
  }

  // Whether the part that ends there has a share of the row, not all of which is its own.
  bool shared(const cpu::Cut& end) const {
    return end.row < a_.rows && end.entry > static_cast<std::int64_t>(a_.offsets[end.row]);
  }

  // The columns that each part touches.
  std::vector<cpu::ColumnRange> column_ranges() const {
    std::vector<cpu::ColumnRange> ranges(static_cast<std::size_t>(team_));
    parallel_parts(team_, [&](int part) {
      index_t low = a_.cols, high = 0;
      for (std::int64_t k = cuts_[part].entry; k < cuts_[part + 1].entry; ++k) {
        low = std::min(low, a_.columns[k]);
        high = std::max(high, a_.columns[k] + 1);
      }
      if (low < high) ranges[part] = {low, high};
    });
    return ranges;
  }

  CsrView<T, O> a_;
  int team_;
  std::vector<cpu::Cut> cuts_;
  mutable cpu::Windows<T> windows_;
  mutable std::vector<T> carried_;
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<CsrBalanced<T, O>>(a, p);
}

}  // namespace

Kernel cpu_csr_balanced() {
  return {.device = "cpu",
          .format = "csr",
          .strategy = "balanced",
          .transposes = true,
          .deterministic = true,
          .threaded = true,
          .source = "own",
          .summary = "equal entries a thread, vectorised; T into private sums",
          .parameters = {{"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = {prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                      prepare<double, std::int32_t>, prepare<double, std::int64_t>}};
}

#include "kernels/cpu/vector/isa_end.hpp"
