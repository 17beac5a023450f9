#include "device/transposed_csr.hpp"

#include <cstdint>
#include <utility>

#include "base/instantiate.hpp"
#include "device/each.hpp"
#include "device/entry_keys.hpp"
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
  std::uint64_t row_mask;
  const std::uint64_t* keys;
  index_t* rows;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    rows[k] = static_cast<index_t>(t.load_streaming(keys + k) & row_mask);
  }
};

// offsets[c] = the first entry of column c or of a later one.
template <class O>
struct WriteTransposedOffsets {
  static constexpr const char* name = "write offsets of a transpose";
  std::int64_t nnz;
  int row_bits;
  const std::uint64_t* keys;
  O* offsets;
  NZ_DEVICE void operator()(Thread& t, std::int64_t c) const {
    const std::uint64_t from = static_cast<std::uint64_t>(c) << row_bits;
    offsets[c] = static_cast<O>(partition_point(
        std::int64_t{0}, nnz, [&](std::int64_t k) { return t.load(keys + k) < from; }));
  }
};

template <class T, class O>
struct TransposedArrays {
  DeviceArray<O> offsets;
  DeviceArray<index_t> columns;
  DeviceArray<T> values;
};

}  // namespace

template <Value T, Offset O>
TransposedCsr<T, O> make_transposed(const CsrView<T, O>& a) {
  const Device device = current_device();
  const std::int64_t nnz = a.nnz;
  const int row_bits = bits_for(a.rows);
  SortedEntries<T> e =
      sort_entries(a, ColumnThenRow{row_bits}, row_bits + bits_for(a.cols), row_bits);
  e.spare = {};
  const auto to = std::make_shared<TransposedArrays<T, O>>();
  to->values = std::move(e.values);
  to->offsets = {device, static_cast<std::size_t>(a.cols) + 1};
  to->columns = {device, static_cast<std::size_t>(nnz)};
  for_each(std::int64_t{a.cols} + 1,
           WriteTransposedOffsets<O>{nnz, row_bits, e.keys.data(), to->offsets.data()});
  for_each(nnz, WriteRows{(std::uint64_t{1} << row_bits) - 1, e.keys.data(), to->columns.data()});
  wait_for(device);  // before the keys go; products may run on other streams
  return {{a.cols, a.rows, a.nnz, to->offsets.data(), to->columns.data(), to->values.data()}, to};
}

#define NZ_INSTANTIATE(T, O) template TransposedCsr<T, O> make_transposed(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
// Larger values than 8 bytes cannot go with a key.
NZ_INSTANTIATE(std::complex<float>, std::int32_t)
NZ_INSTANTIATE(std::complex<float>, std::int64_t)

}  // namespace nz::NZ_HOME
