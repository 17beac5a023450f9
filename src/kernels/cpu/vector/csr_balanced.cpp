#include "kernels/cpu/vector/balanced_rows.hpp"
#include "kernels/cpu/vector/complex_rows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// The CSR arrays where they are: nothing is converted.
template <class T, class O>
class CsrInPlace {
 public:
  static constexpr bool plain = true;
  CsrInPlace(const CsrView<T, O>& a, const Parameters&) : a_(a) {}
  const CsrView<T, O>& view() const { return a_; }
  std::size_t bytes() const { return 0; }
  bool borrows() const { return true; }

  template <class Use>
  NZ_INLINE void at(index_t, Use&& use) const {
    use(PlainValues<T, T>{a_.values}, a_.columns, 0, 0, a_.rows);
  }

 private:
  CsrView<T, O> a_;
};

}  // namespace

Kernel cpu_csr_balanced() {
  return {.family = "cpu",
          .format = "csr",
          .strategy = "balanced",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
          .threaded = true,
          .source = "own",
          .summary = "equal entries a thread, vectorised; T into private sums",
          .parameters = {{"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = with_complex_rows<ComplexInPlace>(prepare_balanced<CsrInPlace>())};
}

#include "kernels/cpu/vector/isa_end.hpp"
