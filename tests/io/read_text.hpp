#pragma once
#include <string_view>

#include "io/read_bytes.hpp"

namespace nz {

// Reads a matrix out of a string, cut into pieces of about `piece` bytes.
template <class T = double, class O = std::int32_t>
Csr<T, O> read_text(std::string_view text, std::size_t piece = usual_piece,
                    FileInfo* info = nullptr) {
  return read_matrix_bytes<T, O>({"a.mtx", {text.data(), text.size()}}, {}, info, piece);
}

// The same for a matrix that takes more memory than so short a text is granted.
template <class T = double, class O = std::int32_t>
Csr<T, O> read_large(std::string_view text, std::size_t piece = usual_piece) {
  return read_matrix_source<T, O>(MemorySource("a.mtx", {text.data(), text.size()}),
                                  {.memory_limit = std::uint64_t{1} << 30}, piece);
}

// The same as a dense array, for comparison: rows of a small matrix one after another.
template <class T, class O>
std::vector<T> dense(const Csr<T, O>& a) {
  std::vector<T> d(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.cols), T{0});
  for (index_t i = 0; i < a.rows; ++i)
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      d[static_cast<std::size_t>(i) * static_cast<std::size_t>(a.cols) +
        static_cast<std::size_t>(a.columns[k])] += a.values[k];
  return d;
}

}  // namespace nz
