#include "device/fetch.hpp"
#include "kernels/gpu/papers/dinoia2025/coo_prefix_sum.hpp"

// dinoia2025 §VI-C: the sums within rows of a warp, with a thread's entries a block apart as in
// map-block; and the choice between that and sums over 1024, made beforehand or on the device.
namespace nz::NZ_HOME {
namespace {

// The block's entries, `each` of them a thread. Unrolled is the loop of the five shuffles.
template <bool unrolled, class To, class K = typename To::Count>
NZ_DEVICE void jump(const To& to, Thread& t, K each) {
  using T = typename To::Value;
  const K step = t.block_size();
  const K begin = t.block() * each * step;
  const K end = begin + each * step < to.size() ? begin + each * step : to.size();
  // The whole warp goes on while its first lane has an entry.
  for (K k = begin + t.index(); k - t.lane() < end; k += step) {
    const bool mine = k < end;
    scan_and_add<true, unrolled>(to, t, mine ? to.a.row[k] : -1, mine ? to.product(k) : T(0));
  }
}

template <class To, bool unrolled>
struct JumpBlock : To {
  static constexpr const char* name =
      unrolled ? "gpu/coo/ps-32-warp-jump-block-unroll" : "gpu/coo/ps-32-warp-jump-block";
  typename To::Count each;
  NZ_DEVICE void operator()(Thread& t) const { jump<unrolled>(*this, t, each); }
};

// §VII's check: how many rows have entries, by the entries after which the row is another.
template <class T>
struct CountRows {
  static constexpr const char* name = "count rows with entries";
  CooView<T> a;
  unsigned* count;
  NZ_DEVICE void operator()(Thread& t) const {
    int ends = 0;
    for (std::int64_t k = t.global_index(); k < a.nnz; k += t.global_size())
      ends += k + 1 == a.nnz || a.row[k] != a.row[k + 1];
    ends = reduce_to_first_lane(t, ends);
    if (t.lane() == 0 && ends > 0) t.atomic_add(count, static_cast<unsigned>(ends));
  }
};

// y = beta y, and nothing counted yet.
template <class T>
struct ScaleAndClear {
  static constexpr const char* name = "scale y, clear the count";
  Scale<T> scale;
  unsigned* count;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.global_index() == 0) *count = 0;
    scale(t);
  }
};

// One of the two by what was counted, with the same grid; sums over 1024 go round it.
template <class To>
struct Counted : To {
  using T = typename To::Value;
  using K = typename To::Count;
  static constexpr const char* name = "gpu/coo/by-row-density-counted";
  K each;
  std::int64_t dense;
  const unsigned* count;
  NZ_DEVICE void operator()(Thread& t) const {
    if (this->a.nnz < dense * std::int64_t{*count}) return jump<false>(*this, t, each);
    const auto sums = t.shared<T>(32);
    const auto rows = t.shared<index_t>(32);
    for (K first = index_as<K>(t) - t.index(); first < this->size(); first += size_as<K>(t)) {
      block_scan<true>(*this, t, sums, rows, first);
      t.sync();  // before the next chunk's sums
    }
  }
};

template <class T, bool unrolled>
class Jump : public AddingCoo<T> {
 public:
  template <Offset O>
  Jump(const CsrView<T, O>& a, const Parameters& p) : Jump(a, p, SharedGrid(a.nnz, p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    this->add_to(stream, alpha, x, beta, y, [&]<class To>(const To& to) {
      launch({.blocks = grid_.blocks, .threads = grid_.threads, .stream = stream},
             JumpBlock<To, unrolled>{to, static_cast<typename To::Count>(grid_.each)});
    });
  }

 private:
  template <Offset O>
  Jump(const CsrView<T, O>& a, const Parameters& p, const SharedGrid& grid)
      : AddingCoo<T>(a, p, grid), grid_(grid) {}
  SharedGrid grid_;
};

template <class T>
using Plain = Jump<T, false>;
template <class T>
using Unrolled = Jump<T, true>;

template <class T>
class ByRowDensity : public Plain<T> {
 public:
  template <Offset O>
  ByRowDensity(const CsrView<T, O>& a, const Parameters& p)
      : Plain<T>(a, p), dense_(this->a().nnz >= p.at("dense") * this->rows()) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!dense_) return Plain<T>::multiply(stream, alpha, x, beta, y);
    this->add_to(stream, alpha, x, beta, y, [&]<class To>(const To& to) {
      launch_chunks(stream, to.a, BlockScan<To, true>{to});
    });
  }

 private:
  bool dense_;
};

template <class T>
class ByRowDensityCounted : public AddingCoo<T> {
 public:
  template <Offset O>
  ByRowDensityCounted(const CsrView<T, O>& a, const Parameters& p)
      : ByRowDensityCounted(a, p, SharedGrid(a.nnz, p)) {}
  std::size_t bytes() const { return OnCoo<T>::bytes() + known_.bytes(); }
  std::size_t matrix_bytes() const {
    const auto rows = static_cast<std::size_t>(this->a().nnz) * sizeof(index_t);
    return OnCoo<T>::matrix_bytes() + (always_ ? rows : 0);
  }
  simt::ScratchSize scratch_size() const { return simt::scratch_for<unsigned>(0, 1); }
  Facts facts() const {
    const bool dense = this->a().nnz >= dense_ * std::int64_t{rows_with_entries_};
    return {{"rows_with_entries", rows_with_entries_}, {"sums_over", dense ? grid_.threads : 32}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    unsigned* const now = scratch.values<unsigned>();
    const std::int64_t n = this->rows();
    launch({.blocks = blocks_for(n, 256, 1 << 16), .threads = 256, .stream = stream},
           ScaleAndClear<T>{{n, beta, y}, now});
    if (always_) count(stream, now);
    this->in_form(this->a(), alpha, x, y, [&]<class To>(const To& to) {
      launch({.blocks = grid_.blocks,
              .threads = grid_.threads,
              .shared_bytes = block_scan_bytes<T>(),
              .stream = stream},
             Counted<To>{to, static_cast<typename To::Count>(grid_.each), dense_,
                         always_ ? now : known_.data()});
    });
  }

 private:
  template <Offset O>
  ByRowDensityCounted(const CsrView<T, O>& a, const Parameters& p, const SharedGrid& grid)
      : AddingCoo<T>(a, p, grid),
        grid_(grid),
        dense_(p.at("dense")),
        always_(p.at("check") != 0),
        // 8 blocks of 256 threads are all that a multiprocessor holds.
        count_blocks_(
            blocks_for(this->a().nnz, 256, 8 * simt::backend(current_device()).info().processors)),
        known_(current_device(), std::vector<unsigned>{0}) {
    count(nullptr, known_.data());
    rows_with_entries_ = fetch(known_.data());
  }
  void count(CUstream_st* stream, unsigned* to) const {
    launch({.blocks = count_blocks_, .threads = 256, .stream = stream},
           CountRows<T>{this->a(), to});
  }

  SharedGrid grid_;
  std::int64_t dense_;
  bool always_;
  int count_blocks_;
  DeviceArray<unsigned> known_;
  unsigned rows_with_entries_ = 0;
};

// In table VI, which leaves model7 out, sums over 32 win up to 6 entries a row and sums over 1024
// from 642 on; 62 lies between, at equal ratios.
std::vector<Parameter> rule_parameters() {
  auto all = shared_grid_parameters();
  all.push_back({"dense", "mean entries a row from which sums run over 1024", 62, 1, 1 << 20});
  return all;
}

}  // namespace

Kernel gpu_coo_ps_32_warp_jump_block() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-warp-jump-block",
          .source = "dinoia2025 §VI-C",
          .summary = "ps-32-warp-equals, a thread several entries, a block apart",
          .parameters = shared_grid_parameters(),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Plain>()};
}

Kernel gpu_coo_ps_32_warp_jump_block_unroll() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-warp-jump-block-unroll",
          .source = "dinoia2025 §VI-C",
          .summary = "ps-32-warp-jump-block, the loop of five shuffles unrolled",
          .parameters = shared_grid_parameters(),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Unrolled>()};
}

Kernel gpu_coo_by_row_density() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "by-row-density",
          .source = "dinoia2025 §VII",
          .summary = "ps-1024-warp-equals for dense rows, else ps-32-warp-jump-block",
          .parameters = rule_parameters(),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<ByRowDensity>()};
}

Kernel gpu_coo_by_row_density_counted() {
  auto parameters = rule_parameters();
  parameters.push_back({"check", "0: rows are counted once, when it is prepared", 1, 0, 1});
  return {.family = "gpu",
          .format = "coo",
          .strategy = "by-row-density-counted",
          .source = "dinoia2025 §VII",
          .summary = "by-row-density, rows with entries counted before every product",
          .parameters = parameters,
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<ByRowDensityCounted>()};
}

}  // namespace nz::NZ_HOME
