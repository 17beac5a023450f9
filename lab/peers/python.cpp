#include "lab/peers/python.hpp"

#include <mutex>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nz_peers_found.hpp>

namespace nz::lab::peers::python {
namespace {

// NZ_PYTHON is the program that belongs to SciPy; where it lies decides which packages are found.
std::string start() {
  if (Py_IsInitialized()) return "";
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, NZ_PYTHON);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status))
    return fmt::format("Python did not start: {}", status.err_msg ? status.err_msg : "?");
  PyEval_SaveThread();  // so that every thread can take the lock
  return "";
}

std::string message() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  std::string text = "unknown error";
  if (PyObject* s = value ? PyObject_Str(value) : nullptr) {
    if (const char* utf8 = PyUnicode_AsUTF8(s)) text = utf8;
    Py_DECREF(s);
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_Clear();
  return text;
}

Object from_buffer(const void* data, std::size_t bytes, const char* dtype, int flags) {
  static PyObject* const function = import("numpy", "frombuffer").release();
  auto* memory = static_cast<char*>(const_cast<void*>(data));
  const Object view =
      checked(PyMemoryView_FromMemory(memory, static_cast<Py_ssize_t>(bytes), flags), "memoryview");
  return checked(PyObject_CallFunction(function, "Os", view.get(), dtype), "numpy.frombuffer");
}

}  // namespace

Lock::Lock() {
  static const std::string failure = start();
  if (!failure.empty()) throw Refused(failure);
  state_ = PyGILState_Ensure();
}

Lock::~Lock() { PyGILState_Release(state_); }

Object checked(PyObject* o, const std::string& what) {
  if (!o) throw Refused(fmt::format("{}: {}", what, message()));
  return Object(o);
}

Object import(const char* module, const char* name) {
  const Object m = checked(PyImport_ImportModule(module), module);
  return checked(PyObject_GetAttrString(m.get(), name), name);
}

Object integer(long long n) { return checked(PyLong_FromLongLong(n), "int"); }

Object array(const std::int32_t* data, std::size_t n) {
  return from_buffer(data, n * sizeof *data, "int32", PyBUF_READ);
}
Object array(const float* data, std::size_t n) {
  return from_buffer(data, n * sizeof *data, "float32", PyBUF_READ);
}
Object array(const double* data, std::size_t n) {
  return from_buffer(data, n * sizeof *data, "float64", PyBUF_READ);
}
Object writable_array(float* data, std::size_t n) {
  return from_buffer(data, n * sizeof *data, "float32", PyBUF_WRITE);
}
Object writable_array(double* data, std::size_t n) {
  return from_buffer(data, n * sizeof *data, "float64", PyBUF_WRITE);
}

}  // namespace nz::lab::peers::python
