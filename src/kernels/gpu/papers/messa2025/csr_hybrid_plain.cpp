#include <limits>

#include "kernels/gpu/papers/messa2025/row_lists.hpp"
#include "kernels/gpu/papers/messa2025/row_loops.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1, of which the paper prints nothing, from its program: a thread a short row, whole
// warps of them, and then a warp a long row. With `shared`, the long rows through shared memory,
// of which messa2025 §V-C says that it did not pay in this design.
template <class T, class O, bool shared, class Out, class K>
struct TwoClasses {
  static constexpr const char* name =
      shared ? "gpu/csr/hybrid-plain-shared" : "gpu/csr/hybrid-plain";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  RowLists rows;
  K for_shorts;  // threads
  const T* x;
  Out out;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto i = index_as<K>(t);
    if (i < for_shorts) {
      if (i >= rows.shorts) return;
      const index_t row = rows.short_rows[i];
      out.put(row, first_row_sum<K>(t, a, x, row, 0, 1));
      return;
    }
    const auto warp = (i - for_shorts) / 32;
    if (warp >= rows.mediums) return;
    const index_t row = rows.medium_rows[warp];
    T sum = first_row_sum<K>(t, a, x, row, t.lane(), 32);
    if constexpr (shared)
      sum = sum_in_shared(t, t.shared<T>(t.block_size()), sum);
    else
      sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) out.put(row, sum);
  }
};

template <class T, class O, bool shared>
class TwoLists : public OnRowLists<T, O> {
 public:
  TwoLists(const CsrView<T, O>& a, const Parameters& p)
      : OnRowLists<T, O>(a, p.at("short"), std::numeric_limits<std::int64_t>::max()),
        threads_(threads_of(p)),
        for_shorts_((std::int64_t{this->lists().shorts} + 31) / 32 * 32),
        blocks_(blocks_for(for_shorts_ + std::int64_t{this->lists().mediums} * 32, threads_)),
        form_(form_for(a, p, blocks_, threads_)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      launch({.blocks = blocks_,
              .threads = threads_,
              .shared_bytes = shared ? static_cast<std::size_t>(threads_) * sizeof(T) : 0,
              .stream = stream},
             TwoClasses<T, O, shared, Out, K>{this->a(), this->lists(), static_cast<K>(for_shorts_),
                                              x, out});
    });
  }

 private:
  int threads_;
  std::int64_t for_shorts_;
  int blocks_;
  Form form_;
};

template <class T, class O>
using HybridPlain = TwoLists<T, O, false>;
template <class T, class O>
using HybridPlainShared = TwoLists<T, O, true>;

}  // namespace

Kernel gpu_csr_hybrid_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "hybrid-plain",
          .determinism = Determinism::always,
          .source = "messa2025 Deliverable 1",
          .summary = "short rows to threads, long ones to warps, summed by shuffles",
          .parameters = with_form({threads_parameter(256, 256), short_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<HybridPlain>()};
}

Kernel gpu_csr_hybrid_plain_shared() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "hybrid-plain-shared",
          .determinism = Determinism::always,
          .source = "messa2025 §V-C",
          .summary = "hybrid-plain, long rows summed in shared memory",
          .parameters = with_form({threads_parameter(256, 256), short_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<HybridPlainShared>()};
}

}  // namespace nz::NZ_HOME
