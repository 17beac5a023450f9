#pragma once
#include <nonzero/formats/csr.hpp>

#include "formats/assemble.hpp"
#include "io/budget.hpp"

namespace nz {

// A matrix as a file of another program has it, on its way to CSR. Entries stand in rows or columns
// that `offsets` cut, or each has its place.
template <Value T>
struct Stored {
  enum class Order { rows, columns, places } order = Order::rows;
  index_t rows = 0, cols = 0;
  Mirror mirror = Mirror::none;
  Array<std::int64_t> offsets{};   // of rows or columns, from 0
  Array<index_t> row{}, column{};  // in range; by rows there is no row, by columns no column
  Array<T> values{};               // as many as there are places
};

// Throws what the budget does when a matrix of this shape is beyond it; sides of 2^31 and more, and
// negative ones, are BadInput. `entries` are those that the file has the bytes for.
void require_stored(const Budget& budget, const std::string& name, std::int64_t rows,
                    std::int64_t cols, std::uint64_t entries, std::size_t value_bytes);

// Throws BadInput, "NAME: ...", for offsets that do not rise from 0 to at most `entries`, and for
// another number of them than sides + 1.
void require_offsets(const Array<std::int64_t>& offsets, index_t sides, std::uint64_t entries,
                     const std::string& name);

// Sorted CSR, duplicates summed in the order of the file. Entries behind the last offset are
// dropped: programs keep room there.
template <Value T, Offset O>
Csr<T, O> csr_of(Stored<T>&& stored, const std::string& name);

}  // namespace nz
