#include <algorithm>
#include <memory>
#include <vector>

#include <nonzero/formats/dcsr.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/scratch_pool.hpp"
#include "kernels/cpu/touched_sums.hpp"
#include "kernels/cpu/vector/dot.hpp"
#include "kernels/cpu/vector/several_rows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// Only what has entries is touched: sums are added to y, which is scaled before where beta is not
// 1. As many entries to each thread; a row that several share gets what each has of it, one after
// the other. One thread scatters the transposed product into y itself, several into private sums.
template <Value T, Offset O>
class DcsrBalanced final : public cpu::SeveralProduct<T> {
 public:
  DcsrBalanced(const CsrView<T, O>& a, const Parameters& p)
      : a_(dcsr_from_csr(a)),
        threads_(threads()),
        grain_(p.at("grain")),
        team_(cpu::team_size(threads_, listed() + static_cast<std::int64_t>(a.nnz), grain_)),
        cuts_(cpu::split_entries(a_.view().packed(), team_)),
        carried_(static_cast<std::size_t>(team_)) {
    if (team_ > 1)
      sums_ = {{a_.columns.data(), a_.columns.size()}, team_, [&](int part) {
                 return cuts_[part].entry;
               }};
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    // One team for both steps: OpenMP ends the threads that a smaller one leaves out, and creates
    // them again for the larger one, which takes longer than the product.
    const int scaling = beta == T(1) ? 1 : worth(std::ssize(y));
    const int team = std::max(team_, scaling);
    if (beta != T(1)) scale(beta, y, scaling > 1 ? team : 1);
    if (op == Op::none)
      rows(alpha, x.data(), y.data(), team);
    else
      columns(alpha, x.data(), y, team);
  }

  // For T, sums of several columns would need places of their own.
  bool has_several(Op op) const override { return op == Op::none; }

  std::size_t bytes() const override {
    return a_.bytes() + sums_.bytes() + cuts_.size() * sizeof(cpu::Cut) + carried_.bytes();
  }
  bool borrows() const override { return false; }
  // Of x only what entries meet: the listed rows, or at most as many columns as there are entries.
  std::size_t traffic(Op op, bool reads_y) const override {
    const bool n = op == Op::none;
    const std::int64_t in = n ? std::min<std::int64_t>(a_.cols, a_.nnz()) : listed();
    const std::int64_t out = n ? a_.rows : a_.cols;
    return a_.bytes() + static_cast<std::size_t>(in + out + (reads_y ? out : 0)) * sizeof(T);
  }
  Facts facts() const override { return {{"listed_rows", static_cast<double>(listed())}}; }

 private:
  static constexpr std::int64_t short_row = 16;

  cpu::SeveralShape several_shape() const override {
    return several_shape_of<T>(a_.nnz(), threads_);
  }
  void several(Op, const cpu::Several<T>& s) const override {
    const int scaling = worth(std::int64_t{s.y.rows()} * s.columns);
    cpu::scale_several(s.beta, s.y, scaling > 1 && team_ > 1 ? team_ : scaling);
    cpu::Several<T> added = s;
    added.beta = 1;
    const auto a = a_.view();
    several_by_rows<T, O>(added, team_, [&](int part, const TakeRun<T, O>& take) {
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      take({a.values, a.columns, a.offsets, a.row, from.row, to.row, from.entry, to.entry});
    });
  }

  index_t listed() const { return static_cast<index_t>(a_.row.size()); }

  // Threads that scaling so many elements is worth: one takes far less than an entry.
  int worth(std::int64_t elements) const { return cpu::team_size(threads_, elements / 8, grain_); }
  // body(part) for each of the team_ parts, on as many threads or more.
  template <class Body>
  void each_part(int team, Body&& body) const {
    parallel(team, [&](int thread, int count) {
      for (int part = thread; part < team_; part += count) body(part);
    });
  }

  void scale(T beta, std::span<T> y, int team) const {
    parallel(team, [&](int thread, int count) {
      const auto [begin, end] = part_of(y.size(), thread, count);
      cpu::scale(beta, y.subspan(begin, end - begin));
    });
  }

  void rows(T alpha, const T* x, T* y, int team) const {
    if (team_ == 1) {
      row_sums(a_.view(), cuts_[0], cuts_[1], alpha, x, y);
      return;
    }
    auto lease = carried_.borrow();
    T* const carried = lease.data();
    each_part(team, [&](int part) {
      carried[part] = row_sums(a_.view(), cuts_[part], cuts_[part + 1], alpha, x, y);
    });
    for (int part = 0; part + 1 < team_; ++part) {
      const cpu::Cut end = cuts_[part + 1];
      if (end.row < listed() && end.entry > static_cast<std::int64_t>(a_.offsets[end.row]))
        y[a_.row[end.row]] += alpha * carried[part];
    }
  }

  // Returns what the part has of a row that goes on behind it. All by value, so that nothing of it
  // is loaded again after every store to y.
  static T row_sums(DcsrView<T, O> a, cpu::Cut from, cpu::Cut to, T alpha, const T* x, T* y) {
    const PlainValues<T, T> values{a.values};
    std::int64_t k = from.entry;
    for (index_t i = from.row; i < to.row; ++i) {
      const auto next = static_cast<std::int64_t>(a.offsets[i + 1]);
      // Boundary rows have few entries: below two vectors, one by one is faster.
      const std::int64_t n = next - k;
      y[a.row[i]] += alpha * (n < short_row ? dot_by_one(values, k, a.columns + k, n, x)
                                            : dot<T>(values, k, a.columns + k, n, x));
      k = next;
    }
    return k < to.entry ? dot<T>(values, k, a.columns + k, to.entry - k, x) : T(0);
  }

  void columns(T alpha, const T* x, std::span<T> y, int team) const {
    if (team_ == 1) {
      T* const to = y.data();
      const index_t* const at = a_.columns.data();
      scatter(a_.view(), cuts_[0], cuts_[1], x,
              [=](std::int64_t k, T product) { to[at[k]] += alpha * product; });
      return;
    }
    typename cpu::TouchedSums<T>::Sums all(sums_);
    each_part(team, [&](int part) {
      T* const sums = all.clear(part);
      const index_t* const at = sums_.places();
      scatter(a_.view(), cuts_[part], cuts_[part + 1], x,
              [=](std::int64_t k, T product) { sums[at[k]] += product; });
    });
    all.add_to(y.data(), static_cast<index_t>(y.size()), alpha, team);
  }

  template <class Add>
  static void scatter(DcsrView<T, O> a, cpu::Cut from, cpu::Cut to, const T* x, Add add) {
    std::int64_t k = from.entry;
    for (index_t i = from.row; i <= to.row && k < to.entry; ++i) {
      const auto next = std::min(to.entry, static_cast<std::int64_t>(a.offsets[i + 1]));
      const T factor = x[a.row[i]];
      for (; k < next; ++k) add(k, a.values[k] * factor);
    }
  }

  Dcsr<T, O> a_;
  int threads_;
  std::int64_t grain_;
  int team_;
  std::vector<cpu::Cut> cuts_;
  cpu::TouchedSums<T> sums_;  // of several threads
  mutable cpu::ScratchPool<T> carried_;
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare_dcsr(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<DcsrBalanced<T, O>>(a, p);
}

}  // namespace

Kernel cpu_dcsr_balanced() {
  return {.family = "cpu",
          .format = "dcsr",
          .strategy = "balanced",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
          .threaded = true,
          .source = "own",
          .summary = "rows with entries alone are stored; beta = 1 leaves the rest of y untouched",
          .parameters = {{"grain", "fewest listed rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = {prepare_dcsr<float, std::int32_t>, prepare_dcsr<float, std::int64_t>,
                      prepare_dcsr<double, std::int32_t>, prepare_dcsr<double, std::int64_t>}};
}

#include "kernels/cpu/vector/isa_end.hpp"
