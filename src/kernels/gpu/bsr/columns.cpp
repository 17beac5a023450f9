#include "kernels/gpu/bsr/columns.hpp"

#include <cstdint>
#include <utility>

#include "base/instantiate.hpp"
#include "device/line_order.hpp"

namespace nz::NZ_HOME {
namespace {

template <class O>
struct WriteBlockRows {
  static constexpr const char* name = "write rows of blocks";
  index_t grid_rows;
  const O* offsets;
  const index_t* block;
  index_t* row;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    row[k] = row_of(t, offsets, t.load(block + k), 0, grid_rows - 1);
  }
};

}  // namespace

template <Value T, Offset O>
DeviceBlockColumns<O> columns_on_device(const BsrView<T, O>& a) {
  const Device device = current_device();
  LineOrder<O> by = order_by_line(a.blocks, a.columns, a.grid_cols());
  DeviceBlockColumns<O> made{
      std::move(by.starts), std::move(by.item), {device, static_cast<std::size_t>(a.blocks)}};
  for_each(a.blocks,
           WriteBlockRows<O>{a.grid_rows(), a.offsets, made.block.data(), made.row.data()});
  wait_for(device);  // products may run on other streams
  return made;
}

#define NZ_INSTANTIATE(T, O) template DeviceBlockColumns<O> columns_on_device(const BsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_KERNEL_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
