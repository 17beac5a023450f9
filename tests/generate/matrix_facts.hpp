#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include <nonzero/generate.hpp>

// What the generator tests look at in a matrix.
namespace nz::test {

// FNV-1a over shape, offsets, columns and the bits of the values.
inline std::uint64_t checksum(const GeneratedMatrix& a) {
  std::uint64_t h = 0xCBF29CE484222325u;
  const auto add = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) {
      h = (h ^ (word >> (8 * byte) & 0xFF)) * 0x100000001B3u;
    }
  };
  add(static_cast<std::uint64_t>(a.rows));
  add(static_cast<std::uint64_t>(a.cols));
  for (const auto offset : a.offsets) add(static_cast<std::uint64_t>(offset));
  for (const auto column : a.columns) add(static_cast<std::uint64_t>(column));
  for (const auto value : a.values) add(std::bit_cast<std::uint64_t>(value));
  return h;
}

inline std::int64_t length(const GeneratedMatrix& a, index_t row) {
  return a.offsets[static_cast<std::size_t>(row) + 1] - a.offsets[static_cast<std::size_t>(row)];
}

inline std::int64_t longest(const GeneratedMatrix& a) {
  std::int64_t n = 0;
  for (index_t i = 0; i < a.rows; ++i) n = std::max(n, length(a, i));
  return n;
}

inline std::int64_t shortest(const GeneratedMatrix& a) {
  std::int64_t n = a.cols;
  for (index_t i = 0; i < a.rows; ++i) n = std::min(n, length(a, i));
  return n;
}

inline bool symmetric(const GeneratedMatrix& a) { return transpose(a.view()) == a; }

// A valid matrix from a specification.
inline GeneratedMatrix make(std::string_view spec) {
  Generated g = generate(spec);
  g.matrix.validate();
  return std::move(g.matrix);
}

// body(row, column, value) for every entry.
template <class Body>
void for_entries(const GeneratedMatrix& a, Body&& body) {
  for (index_t i = 0; i < a.rows; ++i)
    for (auto k = a.offsets[static_cast<std::size_t>(i)];
         k < a.offsets[static_cast<std::size_t>(i) + 1]; ++k)
      body(i, a.columns[static_cast<std::size_t>(k)], a.values[static_cast<std::size_t>(k)]);
}

}  // namespace nz::test
