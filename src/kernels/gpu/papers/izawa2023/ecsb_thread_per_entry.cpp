#include <cstddef>
#include <span>

#include <nonzero/formats/ecsb.hpp>

#include "kernels/gpu/papers/izawa2023/block_entries.hpp"

// A thread a slot of eCSB, whose entry says both its block and its place. The paper prints no
// kernel for it; its own measurements are those of the COO-based form (§4.2.1).
namespace nz::NZ_HOME {
namespace {

template <bool Transposed, class T>
struct ExpandedEntries : AddedEntries<Transposed, T> {
  static constexpr const char* name = "gpu/ecsb";
  EcsbPart<T> a;
  int digits, column_bits;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t k = t.global_index();
    if (k >= a.size) return;
    const std::uint32_t place = a.places[k];
    if (place == padding_place) return;
    const std::uint64_t block = a.blocks[k];
    const auto top = static_cast<std::int64_t>(block >> column_bits << digits);
    const auto left =
        static_cast<std::int64_t>((block & ((std::uint64_t{1} << column_bits) - 1)) << digits);
    this->add(t, top, left, digits, place, a.values[k]);
  }
};

template <class T>
class DeviceEcsbPart {
 public:
  template <class Part>
  explicit DeviceEcsbPart(const Part& a)
      : blocks_(current_device(), std::span<const std::uint32_t>(a.blocks)),
        places_(current_device(), std::span<const std::uint32_t>(a.places)),
        values_(current_device(), std::span<const T>(a.values)) {}
  EcsbPart<T> view() const {
    return {static_cast<std::int64_t>(values_.size()), blocks_.data(), places_.data(),
            values_.data()};
  }
  std::size_t bytes() const { return blocks_.bytes() + places_.bytes() + values_.bytes(); }

 private:
  DeviceArray<std::uint32_t> blocks_, places_;
  DeviceArray<T> values_;
};

// block_row_ptr is part of the format, and so of what lies on the device, but no product reads it.
template <class T>
class EcsbThreadPerEntry {
 public:
  template <Offset O>
  EcsbThreadPerEntry(const CsrView<T, O>& a, const Parameters& p, EcsbChoice choice)
      : EcsbThreadPerEntry(made(HostCsr<T, O>(current_device(), a).view(), p, choice), p) {}

  index_t rows() const { return grid_.rows; }
  index_t cols() const { return grid_.cols; }
  std::size_t bytes() const { return matrix_bytes() + rows_of_blocks_.bytes(); }
  std::size_t matrix_bytes() const { return ell_.bytes() + coo_.bytes(); }
  Facts facts() const {
    const std::int64_t slots = ell_.view().size + coo_.view().size;
    return {{"beta", grid_.beta()},
            {"ell_slots", static_cast<double>(ell_.view().size)},
            {"coo_entries", static_cast<double>(coo_.view().size)},
            {"fill_ratio", slots_per_nonzero(slots, nnz_)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<false>(stream, alpha, x, beta, y);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<true>(stream, alpha, x, beta, y);
  }

 private:
  template <Offset O>
  static Ecsb<T, O> made(const CsrView<T, O>& a, const Parameters& p, EcsbChoice choice) {
    HybRule rule;
    if (choice == EcsbChoice::by_rule)
      rule = {static_cast<double>(p.at("relative_speed")),
              static_cast<index_t>(p.at("breakeven_rows"))};
    return ecsb_from_csr(a, root_beta(a.rows, a.cols), choice, rule,
                         static_cast<double>(p.at("max_ratio")));
  }
  template <Offset O>
  EcsbThreadPerEntry(const Ecsb<T, O>& a, const Parameters& p)
      : grid_(a),
        column_bits_(a.view().column_bits()),
        nnz_(a.nnz()),
        ell_(a.ell),
        coo_(a.coo),
        rows_of_blocks_(current_device(), std::as_bytes(std::span<const O>(a.offsets))),
        threads_(threads_of(p)) {}

  template <bool Transposed>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, Transposed ? grid_.cols : grid_.rows);
    for (const EcsbPart<T>& part : {ell_.view(), coo_.view()}) {
      const int threads = threads_for(part.size, threads_);
      launch({.blocks = blocks_for(part.size, threads), .threads = threads, .stream = stream},
             ExpandedEntries<Transposed, T>{{alpha, x, y}, part, grid_.digits, column_bits_});
    }
  }

  BlockGrid grid_;
  int column_bits_;
  std::int64_t nnz_;
  DeviceEcsbPart<T> ell_, coo_;
  DeviceArray<std::byte> rows_of_blocks_;
  int threads_;
};

template <EcsbChoice choice>
struct Chosen {
  template <class T>
  struct Strategy : EcsbThreadPerEntry<T> {
    template <Offset O>
    Strategy(const CsrView<T, O>& a, const Parameters& p) : EcsbThreadPerEntry<T>(a, p, choice) {}
  };
};

Kernel ecsb(std::string_view strategy, std::string_view summary, PrepareTable prepare) {
  return {.family = "gpu",
          .format = "ecsb",
          .strategy = strategy,
          .transposes = true,
          .source = "izawa2023 §2.4.3",
          .summary = summary,
          .parameters = {blocks_parameter(
                             "most blocks a nonzero, row and column, and most slots a nonzero"),
                         threads_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare};
}

}  // namespace

Kernel gpu_ecsb_coo_based() {
  return ecsb("coo-based", "a thread an entry, an atomic an entry, both ways",
              prepare_gpu<Chosen<EcsbChoice::coo>::Strategy>());
}

Kernel gpu_ecsb_ell_based() {
  return ecsb("ell-based", "the same with rows of blocks as rows of ELL",
              prepare_gpu<Chosen<EcsbChoice::ell>::Strategy>());
}

Kernel gpu_ecsb_by_rule() {
  Kernel k = ecsb("by-rule", "COO, ELL or both, by the entries of rows of blocks",
                  prepare_gpu<Chosen<EcsbChoice::by_rule>::Strategy>());
  k.parameters.insert(
      k.parameters.begin(),
      {{"relative_speed", "ELL gets a slot that 1 in so many rows of blocks fill", 3, 1, 1000},
       {"breakeven_rows", "and that blocks of at least so many rows fill", 4096, 0,
        2'147'483'647}});
  return k;
}

}  // namespace nz::NZ_HOME
