#include "gpu/device/bsr_there.hpp"

#include <algorithm>

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
  const DeviceBlockColumns<O> there = columns_on_device(b.view);
  const auto blocks = static_cast<std::size_t>(b.view.blocks);
  BlockColumns<O> here{Array<O>(there.starts.size()), Array<O>(blocks), Array<index_t>(blocks)};
  Array<int> block(blocks);
  there.starts.download(here.starts);
  there.block.download(block);
  there.row.download(here.row);
  std::copy(block.begin(), block.end(), here.block.begin());
  return here;
}

#define NZ_INSTANTIATE(T, O) \
  template Bsr<T, O> bsr_there(const CsrView<T, O>&, index_t, index_t, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
template BlockColumns<std::int32_t> columns_there(const CsrView<double, std::int32_t>&, index_t,
                                                  index_t);
template BlockColumns<std::int64_t> columns_there(const CsrView<double, std::int64_t>&, index_t,
                                                  index_t);

}  // namespace nz::NZ_HOME
