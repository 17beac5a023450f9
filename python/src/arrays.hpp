#pragma once
#include <cstdint>
#include <span>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nonzero/array.hpp>
#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

namespace nz::python {

namespace nb = nanobind;

// What an array of somebody else's is: seen through Python's buffers (NumPy), through
// __cuda_array_interface__ (CuPy, Numba, PyTorch) or through DLPack (anything else). The memory is
// there while this object lives.
class Seen {
 public:
  explicit Seen(nb::handle array);
  ~Seen();
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  void* data = nullptr;
  std::int64_t size = 0;  // elements
  int ndim = 0;
  bool contiguous = false, writable = false;
  std::string dtype;  // NumPy's name: "float64"
  Device device = cpu_device;
  bool device_known = true;  // false: some CUDA device

 private:
  bool see_buffer();
  bool see_cuda();
  void see_dlpack();
  void set_dtype(char kind, int bytes);

  nb::object array_;
  Py_buffer buffer_{};
  bool has_buffer_ = false;
  nb::ndarray<nb::ro> lent_;  // by DLPack
};

template <class T>
const char* dtype_name();
template <>
inline const char* dtype_name<float>() {
  return "float32";
}
template <>
inline const char* dtype_name<double>() {
  return "float64";
}
template <>
inline const char* dtype_name<std::int32_t>() {
  return "int32";
}
template <>
inline const char* dtype_name<std::int64_t>() {
  return "int64";
}

// TypeError and ValueError that say which array is meant and what would do.
void require_dtype(const Seen& a, const char* what, const char* wanted);
void require_vector(const Seen& a, const char* what, std::int64_t length);
void require_device(const Seen& a, const char* what, Device device);

template <class T>
std::span<const T> input(const Seen& a, const char* what, std::int64_t length, Device device) {
  require_dtype(a, what, dtype_name<T>());
  require_vector(a, what, length);
  require_device(a, what, device);
  return {static_cast<const T*>(a.data), static_cast<std::size_t>(a.size)};
}

template <class T>
std::span<T> output(const Seen& a, const char* what, std::int64_t length, Device device) {
  input<T>(a, what, length, device);
  if (!a.writable) throw nb::value_error((std::string(what) + " is read-only").c_str());
  return {static_cast<T*>(a.data), static_cast<std::size_t>(a.size)};
}

// An array of the library's becomes NumPy's, without a copy.
template <class T>
nb::object to_numpy(Array<T>&& from) {
  auto* kept = new Array<T>(std::move(from));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace nz::python
