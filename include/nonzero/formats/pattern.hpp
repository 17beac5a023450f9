#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Where the nonzeros of a CSR matrix are, whatever its types: for what looks at a matrix before it
// is known how it will be stored. Non-owning.
struct Pattern {
  index_t rows = 0;
  index_t cols = 0;
  std::int64_t nnz = 0;
  // rows + 1 offsets in host memory; one of the two.
  const std::int32_t* offsets32 = nullptr;
  const std::int64_t* offsets64 = nullptr;
  const index_t* columns = nullptr;  // nnz
  // As the matrix will be stored.
  std::size_t value_bytes = sizeof(double);
  std::size_t offset_bytes = sizeof(std::int64_t);
  // Copies so many bytes of columns to host memory where they lie elsewhere; empty: they are there.
  std::function<void(void* to, const void* from, std::size_t bytes)> fetch{};

  Pattern() = default;
  template <Value T, Offset O>
  explicit Pattern(const CsrView<T, O>& a)
      : rows(a.rows),
        cols(a.cols),
        nnz(a.nnz),
        columns(a.columns),
        value_bytes(sizeof(T)),
        offset_bytes(sizeof(O)) {
    put_offsets(a.offsets);
  }
  void put_offsets(const std::int32_t* o) { offsets32 = o; }
  void put_offsets(const std::int64_t* o) { offsets64 = o; }

  std::int64_t offset(index_t row) const { return offsets32 ? offsets32[row] : offsets64[row]; }
};

}  // namespace nz
