#include "gpu/device/bsr_there.hpp"

#include "base/instantiate.hpp"
#include "kernels/gpu/bsr_convert.hpp"

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

#define NZ_INSTANTIATE(T, O) \
  template Bsr<T, O> bsr_there(const CsrView<T, O>&, index_t, index_t, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
