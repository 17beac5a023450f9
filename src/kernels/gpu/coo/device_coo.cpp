#include "kernels/gpu/coo/device_coo.hpp"
#include "device/entry_keys.hpp"

namespace nz::NZ_HOME {
namespace {

template <class O>
struct ExpandRows {
  static constexpr const char* name = "expand rows";
  index_t rows;
  const O* offsets;
  std::int64_t nnz;
  index_t* row;

  NZ_DEVICE void operator()(Thread& t) const {
    for_entries(t, rows, offsets, nnz, [&](std::int64_t k, index_t its) { row[k] = its; });
  }
};

}  // namespace

template <Offset O>
void expand_rows(index_t rows, const O* offsets, std::int64_t nnz, index_t* row) {
  launch(warps_for_entries(nnz), ExpandRows<O>{rows, offsets, nnz, row});
}

template void expand_rows(index_t, const std::int32_t*, std::int64_t, index_t*);
template void expand_rows(index_t, const std::int64_t*, std::int64_t, index_t*);

}  // namespace nz::NZ_HOME
