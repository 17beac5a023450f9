#include "plan/row_windows.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/instantiate.hpp"
#include "device/csr.hpp"
#include "plan/row_spread.hpp"

namespace nz {

template <Value T, Offset O>
Csr<T, std::int64_t> sample_windows(Device device, const CsrView<T, O>& a, const RowWindows& w) {
  const bool far = device != cpu_device && lies_on(device, a);
  const auto fetch = [&](void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    if (far)
      detail::device_copy(device, to, from, bytes, {});
    else
      std::memcpy(to, from, bytes);
  };
  const auto windows =
      w.apart == 0 ? RowSpread::in_the_middle(a.rows, w.rows, w.count)
                   : RowSpread::to_the_end(a.rows, w.rows, w.count, std::int64_t{w.apart} * w.rows);
  struct Cut {
    std::int64_t begin = 0, end = 0;  // entries
  };
  std::vector<Cut> cuts;
  std::vector<O> offsets(static_cast<std::size_t>(w.rows) + 1);
  Csr<T, std::int64_t> s;
  s.rows = w.count * w.rows;
  s.cols = a.cols;
  s.offsets = Array<std::int64_t>(static_cast<std::size_t>(s.rows) + 1);
  s.offsets[0] = 0;
  std::size_t row = 0;
  for (index_t i = 0; i < w.count; ++i) {
    fetch(offsets.data(), a.offsets + windows.begin(i), offsets.size() * sizeof(O));
    Cut cut{offsets[0], offsets[0]};
    for (std::size_t r = 1; r < offsets.size(); ++r, ++row) {
      if (cut.end == offsets[r - 1] && offsets[r] - cut.begin <= w.entries) cut.end = offsets[r];
      s.offsets[row + 1] = s.offsets[row - (r - 1)] + (cut.end - cut.begin);
    }
    cuts.push_back(cut);
  }
  const auto nnz = static_cast<std::size_t>(s.offsets[row]);
  s.columns = Array<index_t>(nnz);
  s.values = Array<T>(nnz);
  std::size_t to = 0;
  for (const Cut& c : cuts) {
    const auto n = static_cast<std::size_t>(c.end - c.begin);
    fetch(s.columns.data() + to, a.columns + c.begin, n * sizeof(index_t));
    fetch(s.values.data() + to, a.values + c.begin, n * sizeof(T));
    to += n;
  }
  return s;
}

#define NZ_INSTANTIATE(T, O) \
  template Csr<T, std::int64_t> sample_windows(Device, const CsrView<T, O>&, const RowWindows&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
