#include "device/sort_scan.hpp"

#include <nonzero/device.hpp>

#ifdef __CUDACC__
#include <mutex>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "simt/cuda_error.hpp"
#else
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>
#endif

namespace nz::NZ_HOME {

#ifdef __CUDACC__

namespace {

// What CUB remembers of a device it did not always have ready for several threads.
std::mutex one_at_a_time;

// CUB says first how much memory it needs, then works in it.
template <class Work>
void in_scratch(const char* what, Work&& work) {
  const std::lock_guard lock(one_at_a_time);
  std::size_t bytes = 0;
  simt::check_cuda(work(nullptr, bytes), what);
  const Device device = current_device();
  DeviceArray<std::byte> scratch(device, bytes > 0 ? bytes : 1);
  simt::check_cuda(work(static_cast<void*>(scratch.data()), bytes), what);
}

}  // namespace

template <class Key, class Payload>
int sort_pairs(std::int64_t n, const SortBuffers<Key, Payload>& b, int end_bit, int begin_bit) {
  if (n == 0) return 0;
  cub::DoubleBuffer<Key> keys(b.keys[0], b.keys[1]);
  cub::DoubleBuffer<Payload> payloads(b.payloads[0], b.payloads[1]);
  in_scratch("sort on the device", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, payloads, n, begin_bit, end_bit);
  });
  return payloads.selector;
}

void exclusive_sum(std::int64_t n, const std::int64_t* from, std::int64_t* sums) {
  if (n == 0) return;
  in_scratch("sum on the device", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, from, sums, n);
  });
}

#else

namespace {

// The bits that count.
template <class Key>
Key sorted_by(Key key, int end_bit, int begin_bit) {
  if (end_bit <= begin_bit) return 0;
  const bool all = end_bit >= static_cast<int>(8 * sizeof(Key));
  return (all ? key : key & ((Key{1} << end_bit) - 1)) >> begin_bit;
}

}  // namespace

template <class Key, class Payload>
int sort_pairs(std::int64_t n, const SortBuffers<Key, Payload>& b, int end_bit, int begin_bit) {
  const auto size = static_cast<std::size_t>(n);
  emulator::must_be_written(b.keys[0], size * sizeof(Key), "sort_pairs");
  emulator::must_be_written(b.payloads[0], size * sizeof(Payload), "sort_pairs");
  std::vector<std::pair<Key, Payload> > pairs;
  pairs.reserve(size);
  for (std::int64_t k = 0; k < n; ++k) pairs.emplace_back(b.keys[0][k], b.payloads[0][k]);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& x, const auto& y) {
    return sorted_by(x.first, end_bit, begin_bit) < sorted_by(y.first, end_bit, begin_bit);
  });
  for (std::int64_t k = 0; k < n; ++k)
    std::tie(b.keys[1][k], b.payloads[1][k]) = pairs[static_cast<std::size_t>(k)];
  emulator::host_wrote(b.keys[1], size * sizeof(Key));
  emulator::host_wrote(b.payloads[1], size * sizeof(Payload));
  return 1;
}

void exclusive_sum(std::int64_t n, const std::int64_t* from, std::int64_t* sums) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(std::int64_t);
  emulator::must_be_written(from, bytes, "exclusive_sum");
  std::exclusive_scan(from, from + n, sums, std::int64_t{0});
  emulator::host_wrote(sums, bytes);
}

#endif

template int sort_pairs(std::int64_t, const SortBuffers<std::uint32_t, std::uint32_t>&, int, int);
template int sort_pairs(std::int64_t, const SortBuffers<std::uint64_t, std::uint32_t>&, int, int);
template int sort_pairs(std::int64_t, const SortBuffers<std::uint64_t, std::uint64_t>&, int, int);

}  // namespace nz::NZ_HOME
