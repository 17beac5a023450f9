#include <exception>

#include <nonzero/error.hpp>

#include "module.hpp"

namespace nz::python {
namespace {

// Python's classes for those of <nonzero/error.hpp>. They live as long as the process.
PyObject *error, *invalid_argument, *bad_input, *refused, *no_resource, *device_fault;

// A class with one or two bases: nonzero.Error, and what Python would throw in such a case.
PyObject* add(nb::module_& m, const char* name, const char* doc, PyObject* base, PyObject* second) {
  const nb::object bases =
      second ? nb::object(nb::make_tuple(nb::borrow(base), nb::borrow(second))) : nb::borrow(base);
  const std::string full = std::string("nonzero.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (!made) throw nb::python_error();
  m.attr(name) = nb::borrow(made);
  return made;
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidArgument& e) {
    PyErr_SetString(invalid_argument, e.what());
  } catch (const BadInput& e) {
    PyErr_SetString(bad_input, e.what());
  } catch (const Refused& e) {
    PyErr_SetString(refused, e.what());
  } catch (const NoResource& e) {
    PyErr_SetString(no_resource, e.what());
  } catch (const DeviceFault& e) {
    PyErr_SetString(device_fault, e.what());
  } catch (const Error& e) {
    PyErr_SetString(error, e.what());
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  error =
      add(m, "Error", "What all exceptions of the library derive from.", PyExc_Exception, nullptr);
  invalid_argument = add(m, "InvalidArgument",
                         "The call makes no sense: a wrong length, an unknown name, no matrix.",
                         error, PyExc_ValueError);
  bad_input = add(m, "BadInput", "Data from outside is broken: a file, or a matrix.", error,
                  PyExc_ValueError);
  refused = add(m, "Refused", "A kernel declines a matrix that it could only hold wastefully.",
                error, PyExc_RuntimeError);
  no_resource = add(m, "NoResource", "Memory or a device is missing.", error, PyExc_RuntimeError);
  device_fault = add(m, "DeviceFault", "Work on a device went wrong.", error, PyExc_RuntimeError);
  nb::register_exception_translator(translate);
}

}  // namespace nz::python
