#pragma once
#include <nanobind/nanobind.h>

// What the extension module consists of, one file a function.
namespace nz::python {

namespace nb = nanobind;

void bind_errors();
void bind_quick(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_preconditioners(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_files(nb::module_& m);
void bind_registry(nb::module_& m);

}  // namespace nz::python
