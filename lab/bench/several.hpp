#pragma once
#include <string>
#include <string_view>

#include <nonzero/kernel.hpp>

#include "lab/peers/several_parameters.hpp"

// Products of several vectors, as the bench and its records speak of them.
namespace nz::lab {

// How many vectors a product has, and how those of X and of Y lie.
struct VectorSet {
  int count = 1;
  Layout layout = Layout::row_major;  // of one vector both are the same
  bool several() const { return count > 1; }
  friend bool operator==(const VectorSet& a, const VectorSet& b) {
    return a.count == b.count && (a.count == 1 || a.layout == b.layout);
  }
};

constexpr std::string_view name(Layout layout) {
  return layout == Layout::row_major ? "rows" : "columns";
}
// Throws InvalidArgument for another name.
Layout layout_named(std::string_view name);

// p with the vectors, where the kernel wants to know them (lab/peers/several_parameters.hpp).
Parameters for_vectors(const Kernel& kernel, Parameters p, const VectorSet& vectors);
// p without them.
Parameters without_vectors(Parameters p);

// A product of several vectors alone: one vector is what the library has another call for.
bool only_for_several(const Kernel& kernel);

// What a product must move at least: the matrix once and the vectors once each, y twice where it is
// read; where they are multiplied one by one, the matrix as often.
template <Value T>
std::size_t traffic(const Product<T>& product, Op op, const VectorSet& vectors, index_t rows,
                    index_t cols, bool reads_y = false) {
  const std::size_t one = product.traffic(op, reads_y), k = static_cast<std::size_t>(vectors.count);
  if (k > 1 && !product.has_several(op)) return k * one;
  return one + (k - 1) * static_cast<std::size_t>(std::int64_t{rows} + cols) * sizeof(T);
}

}  // namespace nz::lab
