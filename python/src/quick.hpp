#pragma once
#include <cstdint>
#include <optional>

#include <nanobind/nanobind.h>
#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

// A short look at arrays of NumPy's, CuPy's and PyTorch's, for products that take microseconds. It
// knows the class of an array by its type object alone and sees only what is just as it must be;
// for anything else it is silent, and the careful way (arrays.hpp) says what is wrong.
namespace nz::python {

namespace nb = nanobind;

enum class Library : char { other, numpy, cupy, torch };

// By the type object. CuPy and PyTorch are never imported here: whoever has an array has done so.
Library library_of(nb::handle array);

struct Glance {
  Library library = Library::other;
  void* data = nullptr;
  std::int64_t size = 0;
  Device device = cpu_device;
};

enum class Access : char { read, write };

// An array with so many dimensions of this type, without gaps, in host memory or a CUDA device's.
// No exception of Python is left behind. The memory is there as long as the array.
std::optional<Glance> glance(nb::handle array, ValueType type, int ndim, Access access);

// A vector like `array`, on the same device, uninitialised, or a matrix of so many columns row by
// row. Throws what the library throws.
nb::object empty_like(const Glance& seen, nb::handle array, ValueType type, std::int64_t n,
                      std::optional<std::int64_t> columns = {});

// The stream on which the library works on that device now; 0 is the default one.
std::uintptr_t current_stream(const Glance& seen);

// For tests without a GPU: arrays of this class have the attributes of CuPy's, and lie there.
void stand_in_for_cupy(nb::handle type, Device device);

}  // namespace nz::python
