#pragma once
#include <cstddef>

// What products of several vectors do with columns of X and Y, where their kernels want rows: for
// gpu/several/multiply.cpp, which does so, and for the model, which predicts it.
namespace nz {

// As many vectors as a lane of gpu/coo/slots has registers for.
inline constexpr int most_few_vectors = 4;

// Columns of X that are read where they lie, where that means so many further gathers at most: a
// launch saved is worth no more.
inline bool columns_read_in_place(double entries, int columns) {
  constexpr int most_columns = 4;
  constexpr double most_gathers = 2'500'000;
  return columns <= most_columns && entries * (columns - 1) <= most_gathers;
}

// Up to so many bytes of a row of Y the rows of a warp fill whole sectors of its columns.
inline bool columns_written_in_place(int columns, std::size_t value_bytes) {
  constexpr std::size_t whole_columns = 64;
  return static_cast<std::size_t>(columns) * value_bytes <= whole_columns;
}

// X and Y into rows and back are two more passes over each, and two launches; one by one means to
// launch again, and to read the matrix again, for each vector but the first. Where a product of
// several goes through shared memory it is dear to begin with, and one by one is better for two of
// a matrix that is not small. `vector_bytes`: of all of X and Y.
inline bool columns_one_by_one(double matrix_bytes, double vector_bytes, int columns,
                               bool through_shared, bool in_place) {
  constexpr double product = 10e6, both_ways = 16e6;  // bytes that memory moves meanwhile
  if (through_shared && columns == 2 && !in_place) return true;
  return (matrix_bytes + product) * (columns - 1) <
         (through_shared ? 3 : 2) * vector_bytes + both_ways;
}

}  // namespace nz
