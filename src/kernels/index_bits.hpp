#pragma once
#include <cstdint>
#include <limits>
#include <string_view>

#include <nonzero/kernel.hpp>

// In how many bits kernels of papers count, which their programs do in 32 or in 64.
namespace nz {

inline Parameter index_bits_parameter(std::string_view text, int initial) {
  return {"index_bits", text, initial, 32, 64};
}

// Whether 32 bits with a sign count so far, and the steps of a block beyond it: there are no more
// than 1024 threads in one, and loops over entries are unrolled by no more than a few of its steps.
inline bool counts_in_32_bits(std::int64_t most) {
  return most < std::numeric_limits<std::int32_t>::max() - (1 << 20);
}

}  // namespace nz
