#pragma once
#include <cstdint>
#include <set>
#include <string>

#include <nonzero/kernel.hpp>

// Numbers the way people read them.
namespace nz::lab {

std::string count_text(std::int64_t n);                                 // "1,234,567"
std::string seconds_text(double seconds);                               // "12.3 ms"
std::string rate_text(double per_second);                               // "12.3" (GB/s)
std::string percent_text(double share);                                 // "12.3 %"
std::string plural(std::int64_t n, const char* one, const char* many);  // "1 row", "3 rows"

// How a matrix lies in its blocks, in one line: "blocks of 5 x 5", and where it does not fill them
// "blocks of 5 x 5: 3 rows and 0 columns of padding, 1.07 stored values a nonzero". Empty where the
// facts tell of no blocks.
std::string blocks_text(const Facts& facts);
bool padded(const Facts& facts);

// A name, or how many there are: "cpu/bsr/serial", "9 kernels".
std::string several(const std::set<std::string>& kernels);

}  // namespace nz::lab
