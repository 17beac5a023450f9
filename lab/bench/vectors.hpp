#pragma once
#include <cstdint>
#include <span>

#include <nonzero/types.hpp>

namespace nz::lab {

// Numbers in [-1, 1) that depend on the seed and the position alone, not on the threads.
template <Value T>
void fill_random(std::span<T> v, std::uint64_t seed);

// The Euclidean norm, summed in double.
template <Value T>
double norm(std::span<const T> v);

}  // namespace nz::lab
