#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/value_code.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Where the columns of a group of rows lie, and from which column on they are counted.
struct CompactGroup {
  std::int64_t index = 0;  // first byte, a multiple of four
  index_t base = 0;        // the smallest column of the group
  std::int32_t width = 1;  // bytes of a column: 1, 2 or 4

  friend bool operator==(const CompactGroup&, const CompactGroup&) = default;
};

// CSR whose columns and values take as few bytes as they allow, without loss: columns count from
// the smallest of their group of rows, in 1, 2 or 4 bytes as the group's span asks; values are in
// their narrowest code. Entries are in the order of CSR.
template <Value T, Offset O>
struct CompactView {
  using value_type = T;
  using offset_type = O;
  static constexpr index_t group_rows = 64;

  index_t rows = 0;
  index_t cols = 0;
  O nnz = 0;
  ValueCode code = ValueCode::full;
  int different = 0;  // values in the table
  std::int64_t index_bytes = 0;
  const O* offsets = nullptr;             // rows + 1
  const CompactGroup* groups = nullptr;   // group_count()
  const std::uint8_t* indices = nullptr;  // index_bytes
  const std::byte* values = nullptr;      // nnz values in their code
  const T* table = nullptr;               // 256 values (table), one (constant)

  constexpr index_t group_count() const { return rows / group_rows + (rows % group_rows != 0); }
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(nnz) * code_bytes<T>(code) +
           static_cast<std::size_t>(index_bytes) +
           (static_cast<std::size_t>(rows) + 1) * sizeof(O) +
           static_cast<std::size_t>(group_count()) * sizeof(CompactGroup) +
           table_size(code) * sizeof(T);
  }
};
static_assert(std::is_trivially_copyable_v<CompactView<double, std::int64_t>>);

template <Value T, Offset O>
struct Compact {
  index_t rows = 0;
  index_t cols = 0;
  ValueCode code = ValueCode::full;
  int different = 0;
  Array<O> offsets{0};
  Array<CompactGroup> groups;
  Array<std::uint8_t> indices;
  Array<std::byte> values;
  Array<T> table;

  O nnz() const { return offsets.empty() ? 0 : offsets.back(); }
  std::size_t bytes() const { return view().bytes(); }
  CompactView<T, O> view() const {
    return {rows,           cols,          nnz(),
            code,           different,     static_cast<std::int64_t>(indices.size()),
            offsets.data(), groups.data(), indices.data(),
            values.data(),  table.data()};
  }

  // Throws BadInput naming the first row or group that breaks the format.
  void validate() const;

  friend bool operator==(const Compact&, const Compact&) = default;
};

template <Value T, Offset O>
NZ_API Compact<T, O> compact_from_csr(const CsrView<T, O>& a);

template <Value T, Offset O>
NZ_API Csr<T, O> compact_to_csr(const CompactView<T, O>& a);

}  // namespace nz
