#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <nonzero/array.hpp>
#include <nonzero/types.hpp>

#include "device/gather_ranges.hpp"

// The look at a CSR matrix of a caller where it lies on a device (formats/inspect.hpp): the door
// for those who are compiled for no device, a function in each home.
namespace nz {

// All of it on the current device.
struct CsrToInspect {
  const void* offsets = nullptr;  // rows + 1, 4 or 8 bytes each
  std::size_t offset_bytes = 4;
  const index_t* columns = nullptr;
  std::int64_t rows = 0, nnz = 0;
  index_t cols = 0;
};

struct CsrFindings {
  std::int64_t first = 0, last = 0;  // offsets[0] and offsets[rows]
  bool bad_offsets = false;          // some offsets[i + 1] < offsets[i]
  // Known only where the offsets are right and make nnz entries: some column is out of range; all
  // rise strictly in their rows.
  bool bad_columns = false, rising = true;
};

// What comes with the findings, for who will look further where they are good.
struct FetchedAlong {
  std::span<const FetchRange> ranges{};
  WindowEntries entries{};
  Array<std::byte> bytes{};  // all that came: the ranges, one behind the other, from `begin` on
  std::size_t begin = 0;
  RowMeasures measures{};  // of all rows
};

// Waits for what it finds, one small copy. `rebase_offsets` queues: to[i] = offsets[i] - first.
#define NZ_DECLARE_INSPECT(home)                                            \
  namespace home {                                                          \
  CsrFindings inspect_csr(const CsrToInspect& a, FetchedAlong* along);      \
  void rebase_offsets(const CsrToInspect& a, std::int64_t first, void* to); \
  }
NZ_DECLARE_INSPECT(cuda)
NZ_DECLARE_INSPECT(emulated)
#undef NZ_DECLARE_INSPECT

}  // namespace nz
