#include "quick.hpp"

#include <cstring>
#include <string>

#include <nanobind/stl/string.h>

#include "module.hpp"

namespace nz::python {
namespace {

// Objects of Python's that are found once and never released: Python may be gone by then.
struct Names {
  PyObject *dtype, *data, *ptr, *device_id, *size, *ndim, *contiguous, *flags, *c_contiguous;
  PyObject *requires_grad, *is_cuda, *is_cpu, *data_ptr, *is_contiguous, *is_neg, *is_conj, *numel,
      *dim, *get_device, *new_empty;
};
constexpr const char* type_names[] = {"float32", "float64", "complex64", "complex128"};
constexpr std::size_t types = std::size(type_names);  // in the order of ValueType
struct NumPy {
  PyObject *array, *empty, *dtypes[types];
};
struct CuPy {
  PyObject *array = nullptr, *get_current_stream = nullptr;
  PyObject* stand_in = nullptr;
  Device stand_in_device{};
};
struct Torch {
  PyObject *tensor = nullptr, *dtypes[types] = {}, *raw_stream = nullptr;
};
Names names;
NumPy numpy;
CuPy cupy;
Torch torch;

template <class Found>
PyObject* of_type(const Found& in, ValueType type) {
  return in.dtypes[static_cast<std::size_t>(type)];
}

bool is_complex(ValueType type) { return type == ValueType::c64 || type == ValueType::c128; }

nb::object attribute(nb::handle of, PyObject* name) {
  return nb::steal(PyObject_GetAttr(of.ptr(), name));
}
nb::object call(nb::handle of, PyObject* method) {
  PyObject* self = of.ptr();
  return nb::steal(PyObject_VectorcallMethod(method, &self, 1, nullptr));
}

// What is asked below: the first answer that is no number is the last, and makes it false.
class Answers {
 public:
  std::int64_t number(const nb::object& from) {
    if (!ok_ || !from.is_valid()) return fail();
    const long long n = PyLong_AsLongLong(from.ptr());
    return n == -1 && PyErr_Occurred() ? fail() : n;
  }
  bool truth(const nb::object& from) { return ok_ && from.ptr() == Py_True; }
  bool ok() const { return ok_; }

 private:
  std::int64_t fail() {
    ok_ = false;
    return 0;
  }
  bool ok_ = true;
};

bool glance_numpy(nb::handle array, ValueType type, int ndim, Access access, Glance& g) {
  Py_buffer b;
  const int wanted = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS;
  if (PyObject_GetBuffer(array.ptr(), &b,
                         access == Access::write ? wanted | PyBUF_WRITABLE : wanted))
    return false;
  static constexpr const char* codes[types] = {"f", "d", "Zf", "Zd"};
  const bool fits =
      b.ndim == ndim && b.format && !std::strcmp(b.format, codes[static_cast<std::size_t>(type)]);
  g.data = b.buf;
  g.size = fits ? static_cast<std::int64_t>(b.len / b.itemsize) : 0;
  PyBuffer_Release(&b);  // NumPy lends nothing: the array has the memory
  return fits;
}

bool glance_cupy(nb::handle array, ValueType type, int ndim, Glance& g) {
  if (attribute(array, names.dtype).ptr() != of_type(numpy, type)) return false;
  nb::object whole = attribute(array, names.contiguous);  // ten times as fast as the flags
  if (!whole.is_valid()) {
    PyErr_Clear();
    const nb::object flags = attribute(array, names.flags);
    if (!flags.is_valid()) return false;
    whole = attribute(flags, names.c_contiguous);
  }
  const nb::object data = attribute(array, names.data);
  Answers a;
  if (!a.truth(whole) || !data.is_valid() || a.number(attribute(array, names.ndim)) != ndim)
    return false;
  g.size = a.number(attribute(array, names.size));
  g.data = reinterpret_cast<void*>(a.number(attribute(data, names.ptr)));
  const auto index = static_cast<int>(a.number(attribute(data, names.device_id)));
  g.device = array.type().ptr() == cupy.stand_in ? cupy.stand_in_device
                                                 : Device{Device::Kind::cuda, index};
  return a.ok();
}

bool glance_torch(nb::handle tensor, ValueType type, int ndim, Glance& g) {
  Answers a;
  PyObject* const wanted = of_type(torch, type);
  if (!wanted || attribute(tensor, names.dtype).ptr() != wanted ||
      !a.truth(call(tensor, names.is_contiguous)) ||
      attribute(tensor, names.requires_grad).ptr() != Py_False ||
      call(tensor, names.is_neg).ptr() != Py_False || a.number(call(tensor, names.dim)) != ndim)
    return false;
  // A complex tensor may stand for the conjugates of what lies in memory.
  if (is_complex(type) && call(tensor, names.is_conj).ptr() != Py_False) return false;
  if (a.truth(attribute(tensor, names.is_cuda)))
    g.device = {Device::Kind::cuda, static_cast<int>(a.number(call(tensor, names.get_device)))};
  else if (!a.truth(attribute(tensor, names.is_cpu)))
    return false;
  g.size = a.number(call(tensor, names.numel));
  g.data = reinterpret_cast<void*>(a.number(call(tensor, names.data_ptr)));
  return a.ok();
}

// A module that somebody has imported; no object where nobody has.
nb::object imported(const char* name) {
  PyObject* found = PyDict_GetItemString(PyImport_GetModuleDict(), name);
  return found ? nb::borrow(found) : nb::object();
}

// A value of a module that may not be there, or not yet. Kept for ever.
PyObject* found_in(nb::handle module, std::initializer_list<const char*> path) {
  nb::object at = nb::borrow(module);
  for (const char* name : path) {
    if (!at.is_valid()) return nullptr;
    at = nb::steal(PyObject_GetAttrString(at.ptr(), name));
    if (!at.is_valid()) PyErr_Clear();
  }
  return at.release().ptr();
}

void find_libraries() {
  if (!cupy.array)
    if (const nb::object m = imported("cupy"); m.is_valid())
      if ((cupy.get_current_stream = found_in(m, {"cuda", "get_current_stream"})))
        cupy.array = found_in(m, {"ndarray"});
  if (!torch.tensor)
    if (const nb::object m = imported("torch"); m.is_valid()) {
      for (std::size_t t = 0; t < types; ++t) torch.dtypes[t] = found_in(m, {type_names[t]});
      torch.raw_stream = found_in(m, {"_C", "_cuda_getCurrentRawStream"});
      if (torch.dtypes[0] && torch.dtypes[1]) torch.tensor = found_in(m, {"Tensor"});
    }
}

Library library_named(PyObject* type) {
  if (type == numpy.array) return Library::numpy;
  if (type == cupy.array || type == cupy.stand_in) return Library::cupy;
  return type == torch.tensor ? Library::torch : Library::other;
}

}  // namespace

Library library_of(nb::handle array) {
  PyObject* type = array.type().ptr();
  const Library known = library_named(type);
  if (known != Library::other || (cupy.array && torch.tensor)) return known;
  find_libraries();
  return library_named(type);
}

std::optional<Glance> glance(nb::handle array, ValueType type, int ndim, Access access) {
  Glance g{.library = library_of(array)};
  bool seen = false;
  switch (g.library) {
    case Library::numpy:
      seen = glance_numpy(array, type, ndim, access, g);
      break;
    case Library::cupy:
      seen = glance_cupy(array, type, ndim, g);
      break;
    case Library::torch:
      seen = glance_torch(array, type, ndim, g);
      break;
    case Library::other:
      break;
  }
  if (seen) return g;
  PyErr_Clear();
  return std::nullopt;
}

nb::object empty_like(const Glance& seen, nb::handle array, ValueType type, std::int64_t n,
                      std::optional<std::int64_t> columns) {
  const nb::object length = nb::steal(PyLong_FromLongLong(n));
  const nb::object width = columns ? nb::steal(PyLong_FromLongLong(*columns)) : nb::object();
  PyObject* made = nullptr;
  if (seen.library == Library::torch) {
    PyObject* arguments[] = {array.ptr(), length.ptr(), width.ptr()};
    made = PyObject_VectorcallMethod(names.new_empty, arguments, columns ? 3 : 2, nullptr);
  } else {
    // CuPy's class is its fastest maker, with a tuple.
    const bool on_host = seen.library == Library::numpy;
    const nb::object shape = columns   ? nb::object(nb::make_tuple(length, width))
                             : on_host ? length
                                       : nb::object(nb::make_tuple(length));
    PyObject* arguments[] = {shape.ptr(), of_type(numpy, type)};
    made = PyObject_Vectorcall(on_host ? numpy.empty : array.type().ptr(), arguments, 2, nullptr);
  }
  if (!made) throw nb::python_error();
  return nb::steal(made);
}

std::uintptr_t current_stream(const Glance& seen) {
  if (seen.device.kind != Device::Kind::cuda) return 0;
  const nb::object index = nb::steal(PyLong_FromLong(seen.device.index));
  PyObject* argument = index.ptr();
  nb::object found;
  if (seen.library == Library::cupy) {
    const nb::object stream =
        nb::steal(PyObject_Vectorcall(cupy.get_current_stream, &argument, 1, nullptr));
    if (!stream.is_valid()) throw nb::python_error();
    found = attribute(stream, names.ptr);
  } else if (torch.raw_stream) {
    found = nb::steal(PyObject_Vectorcall(torch.raw_stream, &argument, 1, nullptr));
  } else {
    found = nb::module_::import_("torch").attr("cuda").attr("current_stream")(index).attr(
        "cuda_stream");
  }
  if (!found.is_valid()) throw nb::python_error();
  return nb::cast<std::uintptr_t>(found);
}

void stand_in_for_cupy(nb::handle type, Device device) {
  cupy.stand_in = nb::borrow(type).release().ptr();
  cupy.stand_in_device = device;
}

void bind_quick(nb::module_& m) {
  const auto interned = [](const char* text) { return PyUnicode_InternFromString(text); };
  names = {.dtype = interned("dtype"),
           .data = interned("data"),
           .ptr = interned("ptr"),
           .device_id = interned("device_id"),
           .size = interned("size"),
           .ndim = interned("ndim"),
           .contiguous = interned("_c_contiguous"),
           .flags = interned("flags"),
           .c_contiguous = interned("c_contiguous"),
           .requires_grad = interned("requires_grad"),
           .is_cuda = interned("is_cuda"),
           .is_cpu = interned("is_cpu"),
           .data_ptr = interned("data_ptr"),
           .is_contiguous = interned("is_contiguous"),
           .is_neg = interned("is_neg"),
           .is_conj = interned("is_conj"),
           .numel = interned("numel"),
           .dim = interned("dim"),
           .get_device = interned("get_device"),
           .new_empty = interned("new_empty")};
  const nb::module_ np = nb::module_::import_("numpy");
  numpy.array = nb::object(np.attr("ndarray")).release().ptr();
  numpy.empty = nb::object(np.attr("empty")).release().ptr();
  for (std::size_t t = 0; t < types; ++t)
    numpy.dtypes[t] = np.attr("dtype")(type_names[t]).release().ptr();
  m.def(
      "stand_in_for_cupy",
      [](nb::object type, const std::string& device) {
        stand_in_for_cupy(type, device_named(device));
      },
      nb::arg("type"), nb::arg("device"),
      "For tests: arrays of this class have the attributes of CuPy's, and lie on this device.");
}

}  // namespace nz::python
