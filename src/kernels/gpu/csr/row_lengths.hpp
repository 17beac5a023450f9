#pragma once
#include <array>
#include <cstdint>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"

// The distribution of row lengths, counted on the device.
namespace nz::NZ_HOME {

// Bucket 0 has the empty rows, bucket b those of 2^(b-1) to 2^b - 1 entries.
inline constexpr int length_buckets = 33;

// Rows of each, then their entries.
using RowLengths = std::array<unsigned long long, 2 * length_buckets>;

NZ_DEVICE int length_bucket(std::int64_t length) {
  int b = 0;
  while (b < length_buckets - 1 && length > 0) length >>= 1, ++b;
  return b;
}

template <class O>
struct CountLengths {
  static constexpr const char* name = "count row lengths";
  const O* offsets;
  index_t rows;
  unsigned long long* counts;  // RowLengths
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<unsigned long long> here = t.shared<unsigned long long>(2 * length_buckets);
    for (int i = t.index(); i < 2 * length_buckets; i += t.block_size()) here[i] = 0;
    t.sync();
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size()) {
      const std::int64_t length = offsets[r + 1] - offsets[r];
      const int b = length_bucket(length);
      t.atomic_add(here, b, 1ull);
      t.atomic_add(here, length_buckets + b, static_cast<unsigned long long>(length));
    }
    t.sync();
    for (int i = t.index(); i < 2 * length_buckets; i += t.block_size())
      if (here[i] != 0) t.atomic_add(counts + i, here[i]);
  }
};

// The matrix is on the current device.
template <Value T, Offset O>
RowLengths row_lengths(const CsrView<T, O>& a) {
  RowLengths counts{};
  DeviceArray<unsigned long long> there(current_device(), counts.size());
  simt::backend(current_device()).clear(there.data(), there.bytes(), nullptr);
  launch({.blocks = blocks_for(a.rows, 1024, 1024),
          .threads = 256,
          .shared_bytes = 2 * length_buckets * sizeof(unsigned long long)},
         CountLengths<O>{a.offsets, a.rows, there.data()});
  there.download(counts);
  return counts;
}

// The mean length of the rows that are not far longer than the median.
inline double usual_length(const RowLengths& lengths) {
  unsigned long long all = 0, below = 0, rows = 0, entries = 0;
  for (std::size_t b = 0; b < length_buckets; ++b) all += lengths[b];
  std::size_t median = 0;
  while (median < length_buckets - 1 && 2 * (below + lengths[median]) < all)
    below += lengths[median++];
  // A bucket is a factor of 2: rows of more than 64 times the median's length are left out.
  for (std::size_t b = 0; b < length_buckets && b <= median + 6; ++b)
    rows += lengths[b], entries += lengths[length_buckets + b];
  return rows == 0 ? 0 : static_cast<double>(entries) / static_cast<double>(rows);
}

// Lanes for a row of so many entries: about seven floats or ten doubles a lane keep the loads of a
// group near each other and the sums short (measured on an H200).
template <class T>
int lanes_by_mean(double mean) {
  int lanes = mean < 7 ? 1 : 2;
  while (lanes > 1 && lanes < 32 && lanes * (sizeof(T) == 4 ? 7.0 : 10.0) <= mean) lanes *= 2;
  return lanes;
}

}  // namespace nz::NZ_HOME
