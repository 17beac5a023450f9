#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/dense.hpp>
#include <nonzero/types.hpp>

#include "io/budget.hpp"
#include "io/output_file.hpp"
#include "io/source.hpp"

namespace nz {

bool is_npy(std::span<const char> bytes);

// What stands before the numbers of a .npy array.
struct NpyHeader {
  std::string type;                    // as it says it: "<f8"
  std::string tuple;                   // the shape as it says it: "(3, 1)"
  std::vector<std::uint64_t> shape{};  // empty: one number
  bool by_columns = false;             // the first index runs fastest
  std::uint64_t at = 0;                // where the numbers begin
};
NpyHeader read_npy_header(const Source& file);

// A vector from NumPy's file format, versions 1 to 3: f4, f8, i4 or i8, for complex T also c8 and
// c16, little-endian, of shape (n,), (n, 1) or (1, n). Throws BadInput for anything else.
template <Value T>
Array<T> read_npy(const Source& file, const Budget& budget);

// Several vectors, the columns of a shape (n, k): in C order they lie by rows, in Fortran order by
// columns.
template <Value T>
struct NpyVectors {
  Array<T> values;
  std::size_t rows = 0, columns = 0;
  Layout layout = Layout::row_major;
};

// Whether the shape is (n, k) with neither of them 1, so that it is not that of a vector.
bool has_several_vectors(const Source& npy);

// Of a shape (n, k) or (n,). Throws BadInput as read_npy() does.
template <Value T>
NpyVectors<T> read_npy_vectors(const Source& file, const Budget& budget);

// Version 1.0, shape (n,).
template <Value T>
void write_npy(OutputFile& file, std::span<const T> v);
// Of shape (n, k), in the order of their layout. Throws InvalidArgument where they have gaps.
template <Value T>
void write_npy(OutputFile& file, const DenseView<const T>& v);

}  // namespace nz
