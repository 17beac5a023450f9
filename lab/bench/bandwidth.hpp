#pragma once
#include <cstddef>
#include <string>

namespace nz::lab {

// What memory gives to all threads of the library together, or to a GPU, in bytes a second.
struct Bandwidth {
  double read = 0;   // the sum of one array: what a product mostly does
  double triad = 0;  // CPU: a = b + s c, counted as three arrays
  std::size_t array_bytes = 0;
  int threads = 0;  // 1 for a GPU
  std::string device = "cpu";
  double copy = 0;  // GPU: bytes read and written
};

// The best of several runs, over arrays too large for the last-level cache.
Bandwidth measure_bandwidth();

// The same over arrays of that many bytes; small ones measure a cache.
Bandwidth measure_bandwidth(std::size_t array_bytes);

}  // namespace nz::lab
