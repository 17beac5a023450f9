#include <bit>
#include <vector>

#include <nonzero/error.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/esb.hpp"
#include "kernels/cpu/vector/lanes.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// ESB: Liu, Smelyanskiy, Chow and Dubey, Efficient sparse matrix-vector multiplication on x86-based
// many-core processors, ICS 2013, written for Xeon Phi (esb.hpp has the format). A vector lane goes
// down a row; a step expands as many values and columns as its mask has bits into the lanes, and
// gathers x. Threads have slices of equally many entries; column blocks follow each other, the
// first stores y, the others add to it. Column blocks and windows of sorting are parameters of the
// format; the defaults, 1 and 1024, are ours.
//
// Instruction sets without expanding loads go through the bits of a mask one by one.
namespace {

#if defined(NZ_ISA_AVX512) || defined(NZ_ISA_AVX512_LOADS)
NZ_INLINE auto expand(__mmask8 m, const double* p) { return _mm512_maskz_expandloadu_pd(m, p); }
NZ_INLINE auto expand(__mmask16 m, const float* p) { return _mm512_maskz_expandloadu_ps(m, p); }
NZ_INLINE auto expand(__mmask8 m, const index_t* p) { return _mm256_maskz_expandloadu_epi32(m, p); }
NZ_INLINE auto expand(__mmask16 m, const index_t* p) {
  return _mm512_maskz_expandloadu_epi32(m, p);
}
constexpr bool expands = true;
#else
constexpr bool expands = false;
#endif

template <Value T, Offset O>
class EsbSlices final : public Product<T> {
  static constexpr int height = cpu::Esb<T>::height;

 public:
  EsbSlices(const CsrView<T, O>& a, const Parameters& p)
      : a_(cpu::esb_from_csr(a, static_cast<index_t>(p.at("column_blocks")),
                             static_cast<index_t>(p.at("window")))) {
    const int team =
        cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"));
    for (index_t b = 0; b < a_.blocks; ++b) cuts_.push_back(cpu::split_slices(a_, b, team));
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (op != Op::none) throw InvalidArgument("this kernel has no transposed product");
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    for (index_t b = 0; b < a_.blocks; ++b) {
      const auto& cuts = cuts_[static_cast<std::size_t>(b)];
      const T keep = b == 0 ? beta : T(1);
      parallel_parts(static_cast<int>(cuts.size()) - 1, [&](int part) {
        const auto p = static_cast<std::size_t>(part);
        for (index_t s = cuts[p]; s < cuts[p + 1]; ++s)
          add_slice(b, s, alpha, x.data(), keep, y.data());
      });
    }
  }

  std::size_t bytes() const override {
    return a_.bytes() + cuts_.size() * cuts_.front().size() * sizeof(index_t);
  }
  bool borrows() const override { return false; }
  std::size_t traffic(Op op, bool reads_y) const override {
    return cpu::traffic_of(a_, a_.bytes(), op, reads_y);
  }

 private:
  std::size_t slice_of(index_t block, index_t slice) const {
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(a_.slices) +
           static_cast<std::size_t>(slice);
  }

  NZ_INLINE void add_slice(index_t block, index_t slice, T alpha, const T* x, T beta, T* y) const {
    const std::size_t at = slice_of(block, slice);
    const auto* mask = a_.masks.data() + a_.steps[at];
    const auto* const end = a_.masks.data() + a_.steps[at + 1];
    if (block > 0 && mask == end) return;
    const index_t* columns = a_.columns.data() + a_.entries[at];
    const T* values = a_.values.data() + a_.entries[at];
    alignas(64) T sums[height] = {};
    if constexpr (expands) {
      using L = Lanes<T>;
      static_assert(L::width == height);
      auto sum = L::zero();
      for (; mask != end; ++mask) {
        const auto m = static_cast<typename L::Mask>(*mask);
        sum = L::fma_some(m, expand(m, values), L::gather_some(m, x, expand(m, columns)), sum);
        const int n = std::popcount(static_cast<unsigned>(*mask));
        columns += n;
        values += n;
      }
      L::store(sums, sum);
    } else {
      for (; mask != end; ++mask)
        for (unsigned bits = *mask; bits != 0; bits &= bits - 1)
          sums[std::countr_zero(bits)] += *values++ * x[*columns++];
    }
    const index_t first = slice * height;
    const index_t lanes = std::min<index_t>(height, a_.rows - first);
    const index_t* rows = a_.permutation.data() +
                          static_cast<std::size_t>(block) * static_cast<std::size_t>(a_.rows) +
                          first;
    for (index_t l = 0; l < lanes; ++l) cpu::store(y[rows[l]], alpha, sums[l], beta);
  }

  cpu::Esb<T> a_;
  std::vector<std::vector<index_t>> cuts_;  // of each column block
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<EsbSlices<T, O>>(a, p);
}

}  // namespace

Kernel cpu_esb_slices() {
  return {.family = "cpu",
          .format = "esb",
          .strategy = "slices",
          .determinism = Determinism::always,
          .threaded = true,
          .source = "ESB: Liu et al. 2013",
          .summary = "slices without padding, a mask a step, entries expanded into vector lanes",
          .parameters = {{"column_blocks", "blocks of columns, each with slices of its own", 1, 1,
                          1024},
                         {"window", "rows sorted by length together", 1024, 1, 1 << 30},
                         {"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = {prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                      prepare<double, std::int32_t>, prepare<double, std::int64_t>},
          .rows_end_together = true};
}

#include "kernels/cpu/vector/isa_end.hpp"
