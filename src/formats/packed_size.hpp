#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/formats/packed.hpp>

namespace nz {

// What the packed format would take of a matrix, counted without making it.
struct PackedSize {
  std::int64_t slots = 0;    // with a mask and a place for a value of each lane
  std::int64_t in_runs = 0;  // entries
  std::size_t bytes = 0;     // beside values
  bool fits = true;          // no slice has more slots than can be counted
};
template <Value T, Offset O>
PackedSize packed_size(const CsrView<T, O>& a);

}  // namespace nz
