#include <exception>

#include <nonzero/error.hpp>

#include "module.hpp"

namespace nz::python {
namespace {

// Python's classes for those of <nonzero/error.hpp>. They live as long as the process.
PyObject *error, *invalid_argument, *bad_input, *refused, *no_resource, *device_fault;

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

void bind_errors() {
  const nb::module_ classes = nb::module_::import_("nonzero._errors");
  const auto named = [&](const char* name) {
    return nb::object(classes.attr(name)).release().ptr();
  };
  error = named("Error");
  invalid_argument = named("InvalidArgument");
  bad_input = named("BadInput");
  refused = named("Refused");
  no_resource = named("NoResource");
  device_fault = named("DeviceFault");
  nb::register_exception_translator(translate);
}

}  // namespace nz::python
