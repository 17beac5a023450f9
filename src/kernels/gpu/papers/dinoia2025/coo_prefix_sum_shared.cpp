#include "kernels/gpu/papers/dinoia2025/coo_prefix_sum.hpp"

// The naive prefix sums of dinoia2025 in shared memory: log2(size) steps, all threads in each, and
// the block's barrier after each. A block is a chunk of 32 or 1024.
namespace nz::NZ_HOME {
namespace {

// Over 32 a step works in place, as the text and the program have it. Both write where others still
// read, which is right only while a warp goes in step; what is right takes another barrier a step.
// Over 1024 a step reads one half of the memory and writes the other, as the program does.
template <class To, int size, bool equals, bool in_place = false>
struct SharedScan : To {
  using T = typename To::Value;
  static constexpr const char* name = size == 32
                                          ? (equals ? "gpu/coo/ps-32-equals" : "gpu/coo/ps-32")
                                          : (equals ? "gpu/coo/ps-1024-equals" : "gpu/coo/ps-1024");
  static std::size_t shared_bytes(int threads) {
    return static_cast<std::size_t>(threads) *
           ((in_place ? 1 : 2) * sizeof(T) + (equals ? sizeof(index_t) : 0));
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int i = t.index(), n = t.block_size();
    const auto sum = t.shared<T>(in_place ? n : 2 * n);
    const auto rows = t.shared<index_t>(equals ? n : 0);
    const auto k = index_as<typename To::Count>(t);
    const bool mine = k < this->size();
    const index_t row = mine ? this->a.row[k] : -1;
    int at = i;
    [[maybe_unused]] int other = n + i;
    sum[at] = mine ? this->product(k) : T(0);
    if (equals) rows[i] = row;
    t.sync();
    for (int s = 1; s < n; s *= 2) {
      const bool adds = i >= s && (!equals || rows[i - s] == row);
      T v = sum[at];
      if (adds) v += sum[at - s];
      if constexpr (in_place) {
        t.sync();
        sum[at] = v;
      } else {
        sum[other] = v;
        const int before = at;
        at = other;
        other = before;
      }
      t.sync();
    }
    if (!mine) return;
    const bool end = i == n - 1 || k == this->size() - 1;
    add_row<equals>(*this, t, row, end ? -1 : this->a.row[k + 1], T(sum[at]));
  }
};

template <class T, int size, bool equals>
class InShared : public AddingCoo<T> {
 public:
  template <Offset O>
  InShared(const CsrView<T, O>& a, const Parameters& p)
      : AddingCoo<T>(a, p),
        threads_(threads_for(this->a().nnz, size == 32 ? size : chunk_threads(p))) {
    if constexpr (size == 32) in_place_ = p.at("in_place") != 0;
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    this->add_to(stream, alpha, x, beta, y, [&]<class To>(const To& to) {
      if constexpr (size == 32)
        if (in_place_) return run(stream, SharedScan<To, size, equals, true>{to});
      run(stream, SharedScan<To, size, equals>{to});
    });
  }

 private:
  template <class K>
  void run(CUstream_st* stream, const K& kernel) const {
    launch({.blocks = blocks_for(this->a().nnz, threads_),
            .threads = threads_,
            .shared_bytes = K::shared_bytes(threads_),
            .stream = stream},
           kernel);
  }

  int threads_;
  bool in_place_ = false;  // over 32 alone
};

constexpr std::string_view chunk_text = "threads a block, the power of 2 below";

Parameter in_place_parameter() {
  return {"in_place", "0: a step reads one half of the memory and writes the other, a barrier less",
          1, 0, 1};
}

template <class T>
using Ps32 = InShared<T, 32, false>;
template <class T>
using Ps1024 = InShared<T, 1024, false>;
template <class T>
using Ps32Equals = InShared<T, 32, true>;
template <class T>
using Ps1024Equals = InShared<T, 1024, true>;

}  // namespace

Kernel gpu_coo_ps_32() {
  return {
      .family = "gpu",
      .format = "coo",
      .strategy = "ps-32",
      .shared_rounding = 32,
      .source = "dinoia2025 algorithm 5",
      .summary = "prefix sums of 32 entries, two atomics a row; bound of the chunk, not of the row",
      .parameters = with_adding_form({in_place_parameter()}),
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Ps32>()};
}

Kernel gpu_coo_ps_1024() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-1024",
          .shared_rounding = 1024,
          .source = "dinoia2025 algorithm 5",
          .summary =
              "prefix sums of 1024 entries, two atomics a row; bound of the chunk, not of the row",
          .parameters = with_adding_form({chunk_threads_parameter(1024, chunk_text)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps1024>()};
}

Kernel gpu_coo_ps_32_equals() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-equals",
          .source = "dinoia2025 algorithm 6",
          .summary = "sums within rows over 32 entries, an atomic a row",
          .parameters = with_adding_form({in_place_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps32Equals>()};
}

Kernel gpu_coo_ps_1024_equals() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-1024-equals",
          .source = "dinoia2025 algorithm 6",
          .summary = "sums within rows over 1024 entries, an atomic a row",
          .parameters = with_adding_form({chunk_threads_parameter(1024, chunk_text)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps1024Equals>()};
}

}  // namespace nz::NZ_HOME
