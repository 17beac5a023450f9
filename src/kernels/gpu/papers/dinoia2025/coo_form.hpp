#pragma once
#include "kernels/gpu/coo/device_coo.hpp"
#include "kernels/gpu/papers/dinoia2025/shared_grid.hpp"
#include "kernels/gpu/printed_form.hpp"

// What the kernels of dinoia2025 share: they add to a y that is cleared before, in the form that
// the parameters ask for. A kernel is made of an AddedToY, `To`, and counts as To::Count.
namespace nz::NZ_HOME {

template <Value T>
class AddingCoo : public OnCoo<T> {
 public:
  // Of a grid with a thread an entry, or of one that goes round.
  template <Offset O>
  AddingCoo(const CsrView<T, O>& a, const Parameters& p) : OnCoo<T>(a), form_(p, a.nnz) {}
  template <Offset O>
  AddingCoo(const CsrView<T, O>& a, const Parameters& p, const SharedGrid& grid)
      : OnCoo<T>(a), form_(p, grid.beyond(a.nnz)) {}

 protected:
  // y = beta y, and then add(to).
  template <class Add>
  void add_to(CUstream_st* stream, const CooView<T>& a, T alpha, const T* x, T beta, T* y,
              Add&& add) const {
    scale(stream, beta, y, a.rows);
    in_form(a, alpha, x, y, add);
  }
  template <class Add>
  void add_to(CUstream_st* stream, T alpha, const T* x, T beta, T* y, Add&& add) const {
    add_to(stream, this->a(), alpha, x, beta, y, add);
  }
  template <class Add>
  void in_form(const CooView<T>& a, T alpha, const T* x, T* y, Add&& add) const {
    form_.add(alpha, [&]<class K, class Alpha>(Alpha factor) {
      add(AddedToY<T, Alpha, K>{a, factor, x, y});
    });
  }

 private:
  Form form_;
};

}  // namespace nz::NZ_HOME
