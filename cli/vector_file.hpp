#pragma once
#include <span>
#include <string>

#include <nonzero/array.hpp>
#include <nonzero/dense.hpp>
#include <nonzero/types.hpp>

namespace nz::cli {

// A vector from the file that the option --WHICH names, of that length. Throws BadInput.
template <Value T>
Array<T> vector_of_length(const std::string& path, index_t length, const char* which);

// One vector, or several as the columns of a matrix.
template <Value T>
struct Vectors {
  Array<T> values;
  index_t rows = 0, columns = 1;
  Layout layout = Layout::column_major;

  DenseView<const T> view() const { return {values.data(), rows, columns, layout}; }
  DenseView<T> view() { return {values.data(), rows, columns, layout}; }
};

// A .npy file of two dimensions has several, by rows in C order and by columns in Fortran order;
// any other file has one. Throws BadInput where they have another length.
template <Value T>
Vectors<T> vectors_of_length(const std::string& path, index_t length, const char* which);

// To a file, or to stdout as "-".
template <Value T>
void put_vector(const std::string& path, std::span<const T> v);

// Several go to a .npy file only: what is to be known before the work. "" is none.
void require_place_for_several(const std::string& path, index_t columns);
template <Value T>
void write_vectors(const std::string& path, const Vectors<T>& v);

}  // namespace nz::cli
