#pragma once
#include <cstddef>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/row_groups.hpp"

namespace nz::NZ_HOME {

// The lists of a hybrid kernel on the device: rows for threads, for warps and for blocks.
struct RowLists {
  const index_t *short_rows, *medium_rows, *long_rows;
  index_t shorts, mediums, longs;
};

// The base of the hybrid strategies.
template <Value T, Offset O>
class OnRowLists : public OnCsr<T, O> {
 public:
  std::size_t bytes() const { return OnCsr<T, O>::bytes() + rows_.bytes(); }
  std::size_t matrix_bytes() const { return OnCsr<T, O>::matrix_bytes() + rows_.bytes(); }

 protected:
  OnRowLists(const CsrView<T, O>& a, std::int64_t short_limit, std::int64_t medium_limit)
      : OnCsr<T, O>(a) {
    const RowClasses classes =
        class_rows(host_offsets(current_device(), a).span(), short_limit, medium_limit);
    rows_ = {current_device(), std::span<const index_t>(classes.rows)};
    const index_t* first = rows_.data();
    if (!first) return;
    lists_ = {first,
              first + classes.short_rows,
              first + classes.short_rows + classes.medium_rows,
              classes.short_rows,
              classes.medium_rows,
              classes.long_rows};
  }
  const RowLists& lists() const { return lists_; }

 private:
  DeviceArray<index_t> rows_;
  RowLists lists_{};
};

inline Parameter short_parameter() {
  return {"short", "entries below which a thread takes a row", 64, 0, 1 << 20};
}

}  // namespace nz::NZ_HOME
