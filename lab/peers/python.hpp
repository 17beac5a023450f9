#pragma once
// Python wants to be included before any standard header.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <memory>
#include <string>

#include <nonzero/types.hpp>

// The Python that SciPy lives in, started inside this process on first use and never stopped.
namespace nz::lab::peers::python {

// Holds the interpreter's lock; starts the interpreter first. Throws Refused when it cannot.
class Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  PyGILState_STATE state_;
};

// A reference that is given back. All that follows needs a Lock, also to destroy one.
struct Release {
  void operator()(PyObject* o) const { Py_DECREF(o); }
};
using Object = std::unique_ptr<PyObject, Release>;

// Throws Refused with Python's own message when `o` is null.
Object checked(PyObject* o, const std::string& what);

// NAME of MODULE.
Object import(const char* module, const char* name);

Object integer(long long n);

// NumPy arrays over memory that stays ours; n > 0.
Object array(const std::int32_t* data, std::size_t n);
Object array(const float* data, std::size_t n);
Object array(const double* data, std::size_t n);
Object writable_array(float* data, std::size_t n);
Object writable_array(double* data, std::size_t n);

}  // namespace nz::lab::peers::python
