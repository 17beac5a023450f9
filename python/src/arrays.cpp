#include "arrays.hpp"

#include <cstring>
#include <limits>
#include <string>

namespace nz::python {
namespace {

// Row-major or one-dimensional without gaps. Empty arrays have no gaps.
bool without_gaps(int ndim, const std::int64_t* shape, const std::int64_t* strides,
                  std::int64_t unit) {
  for (int d = 0; d < ndim; ++d)
    if (shape[d] == 0) return true;
  for (int d = ndim - 1; d >= 0; --d) {
    if (shape[d] != 1 && strides[d] != unit) return false;
    unit *= shape[d];
  }
  return true;
}

// PyTorch's conj() and the imaginary part of that change no memory; a note is made, which
// __cuda_array_interface__ and to_dlpack() leave out.
void require_as_in_memory(nb::handle array, const char* what) {
  const auto noted = [&](const char* question) {
    const nb::object ask = nb::steal(PyObject_GetAttrString(array.ptr(), question));
    if (!ask.is_valid()) {
      if (!PyErr_ExceptionMatches(PyExc_AttributeError)) nb::raise_python_error();
      PyErr_Clear();
      return false;
    }
    if (!PyCallable_Check(ask.ptr())) return false;
    const nb::object said = nb::steal(PyObject_CallNoArgs(ask.ptr()));
    if (!said.is_valid()) nb::raise_python_error();
    return said.is(Py_True);
  };
  const std::string name = what;
  if (noted("is_conj"))
    throw nb::value_error((name + " stands for the conjugates of what lies in its memory: " + name +
                           ".resolve_conj() makes a copy that does not")
                              .c_str());
  if (noted("is_neg"))
    throw nb::value_error((name + " stands for the negatives of what lies in its memory: " + name +
                           ".resolve_neg() makes a copy that does not")
                              .c_str());
}

}  // namespace

Seen::Seen(nb::handle array, const char* what) : array_(nb::borrow(array)) {
  if (see_buffer()) return;
  require_as_in_memory(array, what);
  if (!see_cuda()) see_dlpack(what);
}

Seen::~Seen() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

std::string Seen::cast_to(const std::string& wanted) const {
  if (nb::hasattr(array_, "astype")) return ".astype(\"" + wanted + "\")";
  return nb::hasattr(array_, "to") ? ".to(torch." + wanted + ")" : "";
}

std::string Seen::copied_by(const std::string& name) const {
  if (nb::hasattr(array_, "contiguous")) return name + ".contiguous()";  // PyTorch's
  const nb::object module = nb::getattr(array_.type(), "__module__", nb::none());
  const bool cupy = nb::isinstance<nb::str>(module) &&
                    std::string_view(nb::borrow<nb::str>(module).c_str()).starts_with("cupy");
  return (cupy ? "cupy" : "numpy") + (".ascontiguousarray(" + name + ")");
}

void Seen::set_dtype(char kind, int bytes) {
  const std::string bits = std::to_string(bytes * 8);
  switch (kind) {
    case 'f':
      dtype = "float" + bits;
      break;
    case 'i':
      dtype = "int" + bits;
      break;
    case 'u':
      dtype = "uint" + bits;
      break;
    case 'c':
      dtype = "complex" + bits;
      break;
    case 'b':
      dtype = "bool";
      break;
    default:
      dtype = "no numbers";
      break;
  }
}

void Seen::set_shape(const std::int64_t* shape, const std::int64_t* strides, std::int64_t unit) {
  contiguous = without_gaps(ndim, shape, strides, unit);
  if (ndim != 2) return;
  const auto elements = [&](std::int64_t stride) { return stride % unit ? 0 : stride / unit; };
  rows = shape[0], columns = shape[1];
  row_stride = elements(strides[0]), column_stride = elements(strides[1]);
}

bool Seen::see_buffer() {
  if (!PyObject_CheckBuffer(array_.ptr())) return false;
  if (PyObject_GetBuffer(array_.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    return false;
  }
  has_buffer_ = true;
  data = buffer_.buf;
  ndim = buffer_.ndim;
  writable = !buffer_.readonly;
  size = buffer_.itemsize ? static_cast<std::int64_t>(buffer_.len / buffer_.itemsize) : 0;
  std::int64_t shape[64], strides[64];
  const int known = ndim <= 64 ? ndim : 0;
  for (int d = 0; d < known; ++d) shape[d] = buffer_.shape[d], strides[d] = buffer_.strides[d];
  if (known == ndim && buffer_.itemsize) set_shape(shape, strides, buffer_.itemsize);

  const char* format = buffer_.format ? buffer_.format : "B";
  bool native = true;
  if (std::strchr("@=<>!", *format)) native = *format != '>' && *format != '!', ++format;
  const int bytes = static_cast<int>(buffer_.itemsize);
  if (*format == 'Z')
    set_dtype('c', bytes);
  else if (std::strlen(format) != 1)
    set_dtype('?', bytes);
  else if (std::strchr("efdg", *format))
    set_dtype('f', bytes);
  else if (std::strchr("bhilqn", *format))
    set_dtype('i', bytes);
  else if (std::strchr("BHILQN", *format))
    set_dtype('u', bytes);
  else
    set_dtype(*format == '?' ? 'b' : '?', bytes);
  if (!native) dtype = "byte-swapped " + dtype;
  return true;
}

bool Seen::see_cuda() {
  // PyTorch's tensors in host memory have the attribute, too, and throw.
  nb::object found = nb::steal(PyObject_GetAttrString(array_.ptr(), "__cuda_array_interface__"));
  if (!found.is_valid()) {
    PyErr_Clear();
    return false;
  }
  const nb::dict d = nb::cast<nb::dict>(found);
  const nb::tuple place = nb::cast<nb::tuple>(d["data"]);
  data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(nb::object(place[0])));
  writable = !nb::cast<bool>(nb::object(place[1]));
  const std::string type = nb::cast<nb::str>(nb::object(d["typestr"])).c_str();
  if (type.size() < 3) throw nb::type_error("a typestr that is none in __cuda_array_interface__");
  const int bytes = std::atoi(type.c_str() + 2);
  set_dtype(type[1], bytes);
  if (type[0] == '>') dtype = "byte-swapped " + dtype;

  const nb::tuple sides = nb::cast<nb::tuple>(d["shape"]);
  ndim = static_cast<int>(nb::len(sides));
  std::int64_t shape[64], strides[64];
  if (ndim > 64) throw nb::type_error("more than 64 dimensions");
  size = 1;
  for (int i = 0; i < ndim; ++i) size *= shape[i] = nb::cast<std::int64_t>(nb::object(sides[i]));
  if (d.contains("strides") && !nb::object(d["strides"]).is_none()) {
    const nb::tuple steps = nb::cast<nb::tuple>(nb::object(d["strides"]));
    for (int i = 0; i < ndim; ++i) strides[i] = nb::cast<std::int64_t>(nb::object(steps[i]));
  } else {
    std::int64_t next = bytes;
    for (int i = ndim - 1; i >= 0; --i) strides[i] = next, next *= shape[i];
  }
  if (bytes > 0) set_shape(shape, strides, bytes);

  device = {Device::Kind::cuda, 0};
  device_known = false;
  if (nb::hasattr(array_, "__dlpack_device__")) {
    const nb::tuple where = nb::cast<nb::tuple>(array_.attr("__dlpack_device__")());
    device.index = nb::cast<int>(nb::object(where[1]));
    device_known = true;
  }
  return true;
}

void Seen::see_dlpack(const char* what) {
  nb::ndarray<nb::ro> a;
  if (!nb::try_cast(array_, a, false) || !a.is_valid())
    throw nb::type_error((std::string(what) +
                          " must be an array (NumPy's, or one with DLPack or "
                          "__cuda_array_interface__), not " +
                          nb::str(array_.type().attr("__name__")).c_str())
                             .c_str());
  data = const_cast<void*>(static_cast<const void*>(a.data()));
  size = static_cast<std::int64_t>(a.size());
  ndim = static_cast<int>(a.ndim());
  // DLPack before 1.0 cannot say that memory must not be written.
  writable = true;
  std::int64_t shape[64], strides[64];
  if (ndim > 64) throw nb::type_error("more than 64 dimensions");
  for (int d = 0; d < ndim; ++d) {
    shape[d] = static_cast<std::int64_t>(a.shape(static_cast<std::size_t>(d)));
    strides[d] = a.stride(static_cast<std::size_t>(d));
  }
  set_shape(shape, strides, 1);
  const auto type = a.dtype();
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  using Code = nb::dlpack::dtype_code;
  const char kind = code == Code::Float     ? 'f'
                    : code == Code::Int     ? 'i'
                    : code == Code::UInt    ? 'u'
                    : code == Code::Complex ? 'c'
                    : code == Code::Bool    ? 'b'
                                            : '?';
  set_dtype(type.lanes == 1 ? kind : '?', type.bits / 8);
  // Host memory, pinned or not; CUDA's, managed or not.
  if (const int where = a.device_type(); where == nb::device::cuda::value || where == 13)
    device = {Device::Kind::cuda, a.device_id()};
  else if (where != nb::device::cpu::value && where != 3)
    throw nb::type_error(("an array on a device of DLPack's type " + std::to_string(where) +
                          ": the CPU and CUDA are known")
                             .c_str());
  lent_ = std::move(a);
}

void require_dtype(const Seen& a, const char* what, const char* wanted) {
  if (a.dtype == wanted) return;
  const std::string how = a.cast_to(wanted);
  throw nb::type_error((std::string(what) + " is " + a.dtype + ", but " + wanted + " is needed" +
                        (how.empty() ? "" : ": " + std::string(what) + how))
                           .c_str());
}

void require_vector(const Seen& a, const char* what, std::int64_t length) {
  const std::string name = what;
  if (a.ndim != 1)
    throw nb::value_error(
        (name + " has " + std::to_string(a.ndim) + " dimensions; a vector is needed").c_str());
  if (a.size != length)
    throw nb::value_error((name + " has " + std::to_string(a.size) + " elements, but " +
                           std::to_string(length) + " are needed")
                              .c_str());
  if (!a.contiguous)
    throw nb::value_error(
        (name + " is not contiguous: " + a.copied_by(name) + " makes a copy that is").c_str());
}

void require_matrix(const Seen& a, const char* what, std::int64_t rows) {
  const std::string name = what;
  if (a.ndim != 2)
    throw nb::value_error(
        (name + " has " + std::to_string(a.ndim) + " dimensions; a matrix is needed").c_str());
  if (a.rows != rows)
    throw nb::value_error((name + " has " + std::to_string(a.rows) + " rows, but " +
                           std::to_string(rows) + " are needed")
                              .c_str());
  if (a.columns > std::numeric_limits<index_t>::max())
    throw nb::value_error(
        (name + " has " + std::to_string(a.columns) + " columns, more than 32 bits count").c_str());
}

Order order_of(const Seen& a, const char* what) {
  if (a.size == 0) return {};
  // What is never stepped over may have any stride.
  if ((a.column_stride == 1 || a.columns == 1) && (a.row_stride >= a.columns || a.rows == 1))
    return {Layout::row_major, a.rows == 1 ? a.columns : a.row_stride};
  if ((a.row_stride == 1 || a.rows == 1) && (a.column_stride >= a.rows || a.columns == 1))
    return {Layout::column_major, a.columns == 1 ? a.rows : a.column_stride};
  throw nb::value_error((std::string(what) + " lies neither row by row nor column by column: " +
                         a.copied_by(what) + " makes a copy that does")
                            .c_str());
}

void require_writable(const Seen& a, const char* what) {
  if (!a.writable) throw nb::value_error((std::string(what) + " is read-only").c_str());
}

void require_device(const Seen& a, const char* what, Device device) {
  if (a.device == cpu_device) return;  // host memory goes with every plan, slowly on a GPU
  if (device.kind == Device::Kind::cuda && (!a.device_known || a.device == device)) return;
  throw nb::value_error(
      (std::string(what) + " lies on " + a.device.name() + ", the plan on " + device.name())
          .c_str());
}

}  // namespace nz::python
