#include <nonzero/formats/compact.hpp>

#include "kernels/cpu/vector/balanced_rows.hpp"
#include "kernels/cpu/vector/complex_rows.hpp"
#include "kernels/cpu/vector/short_values.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

template <class T, class O>
class CompactRows {
  using View = CompactView<T, O>;

 public:
  static constexpr bool plain = false;
  CompactRows(const CsrView<T, O>& a, const Parameters&)
      : stored_(compact_from_csr(a)), a_(stored_.view()) {}
  const View& view() const { return a_; }
  std::size_t bytes() const { return stored_.bytes(); }
  bool borrows() const { return false; }

  template <class Use>
  NZ_INLINE void at(index_t row, Use&& use) const {
    const index_t g = row / View::group_rows, top = g * View::group_rows;
    const index_t end = a_.rows - top < View::group_rows ? a_.rows : top + View::group_rows;
    const CompactGroup group = a_.groups[g];
    const auto first = static_cast<std::int64_t>(a_.offsets[top]);
    with_all_values<T>(a_.code, a_.values, a_.table, a_.different, [&](const auto& values) {
      with_indices(a_.indices + group.index, group.width,
                   [&](const auto* columns) { use(values, columns, first, group.base, end); });
    });
  }

 private:
  Compact<T, O> stored_;
  View a_;
};

}  // namespace

Kernel cpu_compact_balanced() {
  return {.family = "cpu",
          .format = "compact",
          .strategy = "balanced",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
          .threaded = true,
          .source = "own",
          .summary = "CSR with narrow columns and values, equal entries a thread, vectorised",
          .parameters = {{"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = with_complex_rows<ComplexCompact>(prepare_balanced<CompactRows>()),
          .narrowing = Narrowing::shorts};
}

#include "kernels/cpu/vector/isa_end.hpp"
