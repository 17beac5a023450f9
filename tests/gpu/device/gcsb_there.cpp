#include "gpu/device/gcsb_there.hpp"

#include <nonzero/device.hpp>

#include "base/instantiate.hpp"
#include "kernels/gpu/papers/izawa2023/gcsb_convert.hpp"

namespace nz::NZ_HOME {

template <class T, class O>
Gcsb<T, O> gcsb_there(const CsrView<T, O>& a, std::int64_t beta, index_t group_size,
                      double max_ratio) {
  const GcsbArrays<T, O> b = gcsb_on_device(a, beta, group_size, max_ratio);
  Gcsb<T, O> here{b.view,
                  b.view.group_size,
                  b.view.nnz,
                  Array<O>(b.offsets.size()),
                  Array<index_t>(b.numbers.size()),
                  Array<std::uint32_t>(b.places.size()),
                  Array<T>(b.values.size())};
  b.offsets.download(here.offsets);
  b.numbers.download(here.numbers);
  b.places.download(here.places);
  b.values.download(here.values);
  return here;
}

#define NZ_INSTANTIATE(T, O) \
  template Gcsb<T, O> gcsb_there(const CsrView<T, O>&, std::int64_t, index_t, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
