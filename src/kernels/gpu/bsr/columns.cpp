#include "kernels/gpu/bsr/columns.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/instantiate.hpp"
#include "device/each.hpp"
#include "device/entry_keys.hpp"
#include "device/sort_scan.hpp"
#include "kernels/gpu/parts/search.hpp"

// The blocks sorted by their columns: the sort keeps the order of grid lines within a column.
namespace nz::NZ_HOME {
namespace {

struct NumberBlocks {
  static constexpr const char* name = "number blocks";
  const index_t* columns;
  std::uint32_t* keys;
  int* numbers;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    keys[k] = static_cast<std::uint32_t>(t.load(columns + k));
    numbers[k] = static_cast<int>(k);
  }
};

template <class O>
struct FinishColumns {
  static constexpr const char* name = "finish block columns";
  index_t grid_rows, grid_cols;
  O n;
  const O* offsets;
  const index_t* column;  // ordered
  const int* block;
  O* starts;
  index_t* row;
  NZ_DEVICE void operator()(Thread& t, std::int64_t i) const {
    if (i < n) row[i] = row_of(t, offsets, t.load(block + i), 0, grid_rows - 1);
    if (i <= grid_cols)
      starts[i] = i == grid_cols ? n : first_from<O>(t, column, n, static_cast<index_t>(i), 0);
  }
};

}  // namespace

template <Value T, Offset O>
DeviceBlockColumns<O> columns_on_device(const BsrView<T, O>& a) {
  const Device device = current_device();
  const auto n = static_cast<std::size_t>(a.blocks);
  DeviceArray<std::uint32_t> column[2] = {{device, n}, {device, n}};
  DeviceArray<int> number[2] = {{device, n}, {device, n}};
  // The same as signed and as unsigned ones.
  const auto plain = [](DeviceArray<int>& v) { return reinterpret_cast<std::uint32_t*>(v.data()); };
  for_each(a.blocks, NumberBlocks{a.columns, column[0].data(), number[0].data()});
  const int sorted = sort_pairs<std::uint32_t, std::uint32_t>(
      a.blocks, {{column[0].data(), column[1].data()}, {plain(number[0]), plain(number[1])}},
      bits_for(a.grid_cols()));
  DeviceBlockColumns<O> by{{device, static_cast<std::size_t>(a.grid_cols()) + 1},
                           std::move(number[sorted]),
                           {device, n}};
  const std::int64_t most = std::max<std::int64_t>(a.blocks, std::int64_t{a.grid_cols()} + 1);
  for_each(most, FinishColumns<O>{a.grid_rows(), a.grid_cols(), a.blocks, a.offsets,
                                  reinterpret_cast<const index_t*>(column[sorted].data()),
                                  by.block.data(), by.starts.data(), by.row.data()});
  wait_for(device);  // before what was needed for a while goes; products may run on other streams
  return by;
}

#define NZ_INSTANTIATE(T, O) template DeviceBlockColumns<O> columns_on_device(const BsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
