#include "gpu/device/bsr_there.hpp"

#include <nonzero/device.hpp>

#include "base/instantiate.hpp"
#include "kernels/gpu/bsr/columns.hpp"
#include "kernels/gpu/bsr/convert.hpp"

namespace nz::NZ_HOME {

template <class T, class O>
Bsr<T, O> bsr_there(const CsrView<T, O>& a, index_t block_rows, index_t block_cols,
                    double max_ratio) {
  const BsrArrays<T, O> b = bsr_on_device(a, block_rows, block_cols, max_ratio);
  const auto blocks = static_cast<std::size_t>(b.view.blocks);
  Bsr<T, O> here{b.view.rows,
                 b.view.cols,
                 b.view.block_rows,
                 b.view.block_cols,
                 b.view.nnz,
                 Array<O>(b.offsets.size()),
                 Array<index_t>(blocks),
                 Array<T>(blocks * b.view.block_size())};
  b.offsets.download(here.offsets);
  b.columns.download(here.columns);
  b.values.download(here.values);
  return here;
}

template <class O>
BlockColumns<O> columns_there(const CsrView<double, O>& a, index_t block_rows, index_t block_cols) {
  const auto b = bsr_on_device(a, block_rows, block_cols, 1e9);
  const DeviceBlockColumns<O> there(b.view);
  const Device device = current_device();
  const auto fetch = [&](const auto* from, std::size_t n) {
    Array<std::remove_cvref_t<decltype(*from)>> to(n);
    if (n > 0) detail::device_copy(device, to.data(), from, n * sizeof(*from), {});
    return to;
  };
  const auto blocks = static_cast<std::size_t>(b.view.blocks);
  return {fetch(there.starts(), static_cast<std::size_t>(b.view.grid_cols()) + 1),
          fetch(there.block(), blocks), fetch(there.row(), blocks)};
}

#define NZ_INSTANTIATE(T, O) \
  template Bsr<T, O> bsr_there(const CsrView<T, O>&, index_t, index_t, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
template BlockColumns<std::int32_t> columns_there(const CsrView<double, std::int32_t>&, index_t,
                                                  index_t);
template BlockColumns<std::int64_t> columns_there(const CsrView<double, std::int64_t>&, index_t,
                                                  index_t);

}  // namespace nz::NZ_HOME
