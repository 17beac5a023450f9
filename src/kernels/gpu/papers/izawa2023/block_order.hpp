#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/types.hpp>

namespace nz::NZ_HOME {

// Numbers of blocks, those with the most entries first and equal ones as they come, empty ones
// last: the block swizzle of izawa2023 §3.3.3. offsets[b] is the first entry of block b.
template <Offset O>
std::vector<index_t> fullest_first(const Array<O>& offsets) {
  std::vector<index_t> numbers(offsets.size() - 1);
  std::iota(numbers.begin(), numbers.end(), index_t{0});
  const auto entries = [&](index_t b) { return offsets[b + 1] - offsets[b]; };
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](index_t a, index_t b) { return entries(a) > entries(b); });
  return numbers;
}

}  // namespace nz::NZ_HOME
