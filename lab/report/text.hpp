#pragma once
#include <cstdint>
#include <string>

// Numbers the way people read them.
namespace nz::lab {

std::string count_text(std::int64_t n);                                 // "1,234,567"
std::string bytes_text(double bytes);                                   // "1.2 GiB"
std::string seconds_text(double seconds);                               // "12.3 ms"
std::string rate_text(double per_second);                               // "12.3" (GB/s)
std::string percent_text(double share);                                 // "12.3 %"
std::string plural(std::int64_t n, const char* one, const char* many);  // "1 row", "3 rows"

}  // namespace nz::lab
