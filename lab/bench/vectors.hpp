#pragma once
#include <cstdint>
#include <span>

#include <nonzero/dense.hpp>
#include <nonzero/types.hpp>

namespace nz::lab {

// Numbers in [-1, 1) that depend on the seed and the position alone, not on the threads.
template <Value T>
void fill_random(std::span<T> v, std::uint64_t seed);

// The same for several vectors, each with a seed of its own: the first is that of one vector.
template <Value T>
void fill_random(const DenseView<T>& v, std::uint64_t seed);
std::uint64_t seed_of_column(std::uint64_t seed, index_t column);

// The Euclidean norm, summed in double.
template <Value T>
double norm(std::span<const T> v);

}  // namespace nz::lab
