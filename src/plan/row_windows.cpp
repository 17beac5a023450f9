#include "plan/row_windows.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/instantiate.hpp"
#include "kernels/gpu/device_csr.hpp"

namespace nz {

RowWindows RowWindows::of(index_t all, std::int64_t nnz) {
  constexpr index_t most_rows = 240;
  const auto mean = static_cast<double>(nnz) / std::max<index_t>(all, 1);
  RowWindows w{.rows = std::clamp<index_t>(all, 1, most_rows)};
  w.count = std::clamp<index_t>(all / w.rows, 1, mean > 16 ? 4 : 8);
  for (const index_t apart : {21, 7})
    if (w.apart == 1 && all / w.rows >= w.count * apart) w.apart = apart;
  w.whole = mean < 32;
  // Rows that are much longer than others end a window.
  w.entries = static_cast<std::int64_t>(w.whole ? std::max(4096.0, 4 * most_rows * mean)
                                                : std::max(16384.0, 4 * mean));
  return w;
}

namespace {

// Copies from where the matrix lies.
template <Value T, Offset O>
class Fetch {
 public:
  Fetch(Device device, const CsrView<T, O>& a)
      : device_(device), far_(device != cpu_device && lies_on(device, a)) {}
  void operator()(void* to, const void* from, std::size_t bytes) const {
    if (bytes == 0) return;
    if (far_)
      detail::device_copy(device_, to, from, bytes, {});
    else
      std::memcpy(to, from, bytes);
  }

 private:
  Device device_;
  bool far_;
};

template <Offset O>
double longest_of(const std::vector<O>& offsets) {
  O longest = 0;
  for (std::size_t r = 1; r < offsets.size(); ++r)
    longest = std::max(longest, static_cast<O>(offsets[r] - offsets[r - 1]));
  return static_cast<double>(longest);
}

// Of all rows, or of as many at a few places.
template <Value T, Offset O>
double longest_row(const CsrView<T, O>& a, const Fetch<T, O>& fetch) {
  constexpr index_t places = 8, rows = 2048;
  const bool all = a.rows <= places * rows;
  std::vector<O> offsets(static_cast<std::size_t>(all ? a.rows : rows) + 1);
  double longest = 0;
  for (std::int64_t p = 0; p < (all ? 1 : places); ++p) {
    fetch(offsets.data(), a.offsets + p * (a.rows - rows) / (places - 1) * !all,
          offsets.size() * sizeof(O));
    longest = std::max(longest, longest_of(offsets));
  }
  return longest;
}

}  // namespace

template <Value T, Offset O>
RowSample<T> sample_windows(Device device, const CsrView<T, O>& a, const RowWindows& w) {
  const Fetch fetch(device, a);
  const std::int64_t places = a.rows / w.rows;
  // The window that the i-th of the sample is taken from.
  const auto place = [&](std::int64_t i) {
    const std::int64_t most = (places - w.count) / w.apart;  // so many times apart at the end
    return i + (w.count > 1 ? most * i / (w.count - 1) : 0) * w.apart;
  };
  RowSample<T> sample{.longest = longest_row(a, fetch)};
  std::vector<O> offsets(static_cast<std::size_t>(w.rows) + 1);
  std::vector<std::int64_t> ends{0};  // of the sample's rows
  struct Cut {
    std::int64_t begin = 0, end = 0;  // entries
  };
  std::vector<Cut> cuts;
  for (index_t i = 0; i < w.count; ++i) {
    fetch(offsets.data(), a.offsets + place(i) * w.rows, offsets.size() * sizeof(O));
    Cut cut{offsets[0], offsets[0]};
    sample.starts.push_back(static_cast<index_t>(ends.size()) - 1);
    const std::int64_t before = ends.back();
    bool within = true;
    for (std::size_t r = 1; r < offsets.size(); ++r) {
      within = within && offsets[r] - cut.begin <= w.entries;
      if (within) cut.end = offsets[r];
      if (within || w.whole) ends.push_back(before + cut.end - cut.begin);
    }
    cuts.push_back(cut);
  }
  sample.starts.push_back(static_cast<index_t>(ends.size()) - 1);
  Csr<T, std::int64_t>& s = sample.rows;
  s.rows = sample.starts.back();
  s.cols = a.cols;
  s.offsets = Array<std::int64_t>(ends.size());
  std::copy(ends.begin(), ends.end(), s.offsets.begin());
  const auto nnz = static_cast<std::size_t>(ends.back());
  s.columns = Array<index_t>(nnz);
  s.values = Array<T>(nnz);
  std::size_t to = 0;
  for (const Cut& c : cuts) {
    const auto n = static_cast<std::size_t>(c.end - c.begin);
    fetch(s.columns.data() + to, a.columns + c.begin, n * sizeof(index_t));
    fetch(s.values.data() + to, a.values + c.begin, n * sizeof(T));
    to += n;
  }
  return sample;
}

#define NZ_INSTANTIATE(T, O) \
  template RowSample<T> sample_windows(Device, const CsrView<T, O>&, const RowWindows&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
