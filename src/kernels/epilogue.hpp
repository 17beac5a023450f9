#pragma once
#include <cstdint>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/epilogue.hpp>

// What CPU and GPU products share to end themselves (nonzero/epilogue.hpp).
namespace nz {

// Throws InvalidArgument where y, another vector of the epilogue or a result does not lie on the
// device. On the CPU nobody looks.
template <Value T>
void check_epilogue(Device device, std::span<const T> y, const Epilogue<T>& end);

// The sums of one who ends some elements of y, or of all who do.
struct EndSums {
  double dot = 0, square = 0;
  EndSums& operator+=(const EndSums& more) {
    dot += more.dot;
    square += more.square;
    return *this;
  }
};

// Ends elements [first, last) of y, which are finished products in host memory.
template <Value T>
EndSums end_elements(const Epilogue<T>& end, T* y, std::int64_t first, std::int64_t last);

// Writes down what was asked for.
template <Value T>
void put_sums(const Epilogue<T>& end, const EndSums& sums);

}  // namespace nz
