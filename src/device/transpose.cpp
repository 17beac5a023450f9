#include "device/transpose.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/instantiate.hpp"
#include "device/entry_keys.hpp"
#include "device/sort_scan.hpp"
#include "simt/backend.hpp"
#include "kernels/gpu/parts/search.hpp"

// Entries, numbered by column and row, are sorted by their columns alone, values with them: the
// sort keeps the order of rows within a column, and takes a pass for every 8 bits of the columns.
// All passes go through memory in order. Sorting positions instead would move half of the bytes,
// and then fetch rows and values from places all over the matrix, a sector each.
namespace nz::NZ_HOME {
namespace {

struct ColumnThenRow {
  int row_bits;
  NZ_DEVICE std::uint64_t operator()(index_t row, index_t column) const {
    return static_cast<std::uint64_t>(column) << row_bits | static_cast<std::uint64_t>(row);
  }
};

struct WriteRows {
  static constexpr const char* name = "write rows of a transpose";
  std::int64_t nnz;
  int row_bits;
  const std::uint64_t* keys;
  index_t* rows;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::uint64_t mask = (std::uint64_t{1} << row_bits) - 1;
    for (std::int64_t k = t.global_index(); k < nnz; k += t.global_size())
      rows[k] = static_cast<index_t>(t.load_streaming(keys + k) & mask);
  }
};

// offsets[c] = the first entry of column c or of a later one.
template <class O>
struct WriteTransposedOffsets {
  static constexpr const char* name = "write offsets of a transpose";
  std::int64_t nnz;
  index_t cols;
  int row_bits;
  const std::uint64_t* keys;
  O* offsets;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t c = t.global_index(); c <= cols; c += t.global_size()) {
      const std::uint64_t from = static_cast<std::uint64_t>(c) << row_bits;
      offsets[c] = static_cast<O>(partition_point(
          std::int64_t{0}, nnz, [&](std::int64_t k) { return t.load(keys + k) < from; }));
    }
  }
};

}  // namespace

template <Value T, Offset O>
DeviceTransposed<T, O>::DeviceTransposed(const CsrView<T, O>& a) {
  const Device device = current_device();
  const std::int64_t nnz = a.nnz;
  const auto n = static_cast<std::size_t>(nnz);
  const int row_bits = bits_for(a.rows);
  DeviceArray<std::uint64_t> keys[2] = {{device, n}, {device, n}};
  DeviceArray<T> values[2] = {{device, n}, {device, n}};
  const auto plain = [](DeviceArray<T>& v) { return reinterpret_cast<Bits<T>*>(v.data()); };
  number_entries(a, ColumnThenRow{row_bits}, keys[0].data());
  if (n > 0) simt::backend(device).copy(values[0].data(), a.values, n * sizeof(T), nullptr);
  const int sorted = sort_pairs<std::uint64_t, Bits<T>>(
      nnz, {{keys[0].data(), keys[1].data()}, {plain(values[0]), plain(values[1])}},
      row_bits + bits_for(a.cols), row_bits);
  keys[1 - sorted] = {};
  values[1 - sorted] = {};
  values_ = std::move(values[sorted]);
  offsets_ = {device, static_cast<std::size_t>(a.cols) + 1};
  columns_ = {device, n};
  const std::uint64_t* const in_order = keys[sorted].data();
  launch(one_thread_each(std::int64_t{a.cols} + 1, 1 << 16),
         WriteTransposedOffsets<O>{nnz, a.cols, row_bits, in_order, offsets_.data()});
  launch(one_thread_each(nnz, 1 << 16), WriteRows{nnz, row_bits, in_order, columns_.data()});
  wait_for(device);  // before the keys go; products may run on other streams
  view_ = {a.cols, a.rows, a.nnz, offsets_.data(), columns_.data(), values_.data()};
}

#define NZ_INSTANTIATE(T, O) template class DeviceTransposed<T, O>;
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
