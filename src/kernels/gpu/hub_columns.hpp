#pragma once
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

#include "simt/simt.hpp"

// The fullest columns of a matrix, its hubs, and columns numbered so that hubs come first.
namespace nz::NZ_HOME {

struct HubColumns {
  DeviceArray<index_t> list;     // the hubs, in order
  DeviceArray<index_t> numbers;  // an entry's: the place of its hub, or hubs + its column
  double share = 0;              // of the entries that are in hubs

  int hubs() const { return static_cast<int>(list.size()); }
};

// Columns of at least `fewest` of the nnz entries, the fullest `most` where there are more; of a
// large matrix some of the entries are counted, always the same. In the current device's memory,
// on the default stream, done when it returns. Throws Refused where numbers would not fit.
HubColumns hub_columns(const index_t* columns, std::int64_t nnz, index_t cols, std::int64_t fewest,
                       int most);

}  // namespace nz::NZ_HOME
