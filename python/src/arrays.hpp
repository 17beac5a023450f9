#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nonzero/array.hpp>
#include <nonzero/dense.hpp>
#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

namespace nz::python {

namespace nb = nanobind;

// What an array of somebody else's is: seen through Python's buffers (NumPy), through
// __cuda_array_interface__ (CuPy, Numba, PyTorch) or through DLPack (anything else). The memory is
// there while this object lives. `what` names the array where it is none, or where PyTorch has only
// made a note that its numbers are conjugates or negative: neither of these ways tells of that.
class Seen {
 public:
  Seen(nb::handle array, const char* what);
  ~Seen();
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  // What makes it an array of another type, as its library writes that; "" where nobody knows.
  std::string cast_to(const std::string& wanted) const;
  // What makes a contiguous copy of it.
  std::string copied_by(const std::string& name) const;

  void* data = nullptr;
  std::int64_t size = 0;  // elements
  int ndim = 0;
  // Of a matrix alone, in elements; strides that are none of whole elements are 0.
  std::int64_t rows = 0, columns = 0, row_stride = 0, column_stride = 0;
  bool contiguous = false, writable = false;
  std::string dtype;  // NumPy's name: "float64"
  Device device = cpu_device;
  bool device_known = true;  // false: some CUDA device

 private:
  bool see_buffer();
  bool see_cuda();
  void see_dlpack(const char* what);
  void set_dtype(char kind, int bytes);
  // Strides and the size of an element in one unit.
  void set_shape(const std::int64_t* shape, const std::int64_t* strides, std::int64_t unit);

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
inline const char* dtype_name<std::complex<float>>() {
  return "complex64";
}
template <>
inline const char* dtype_name<std::complex<double>>() {
  return "complex128";
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
void require_matrix(const Seen& a, const char* what, std::int64_t rows);
void require_device(const Seen& a, const char* what, Device device);
void require_writable(const Seen& a, const char* what);

// How a matrix lies in memory: row by row or column by column, its leading dimension elements
// apart. ValueError for one that lies in neither way.
struct Order {
  Layout layout = Layout::row_major;
  std::int64_t leading = 0;
};
Order order_of(const Seen& a, const char* what);

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
  require_writable(a, what);
  return {static_cast<T*>(a.data), static_cast<std::size_t>(a.size)};
}

// The same for several vectors, the columns of a matrix with so many rows.
template <class T>
DenseView<const T> input_matrix(const Seen& a, const char* what, std::int64_t rows, Device device) {
  require_dtype(a, what, dtype_name<T>());
  require_matrix(a, what, rows);
  require_device(a, what, device);
  const Order order = order_of(a, what);
  return {static_cast<const T*>(a.data), static_cast<index_t>(a.rows),
          static_cast<index_t>(a.columns), order.layout, order.leading};
}

template <class T>
DenseView<T> output_matrix(const Seen& a, const char* what, std::int64_t rows, Device device) {
  const DenseView<const T> v = input_matrix<T>(a, what, rows, device);
  require_writable(a, what);
  return {static_cast<T*>(a.data), v.rows(), v.columns(), v.layout(), v.leading()};
}

// An array of the library's becomes NumPy's, without a copy.
template <class T>
nb::object to_numpy(Array<T>&& from) {
  auto* kept = new Array<T>(std::move(from));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace nz::python
