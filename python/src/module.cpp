#include "module.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The bridge to the library; the package nonzero is its front.";
  nz::python::bind_errors();
  nz::python::bind_quick(m);
  nz::python::bind_plan(m);
  nz::python::bind_batch(m);
  nz::python::bind_preconditioners(m);
  nz::python::bind_solve(m);
  nz::python::bind_files(m);
  nz::python::bind_registry(m);
}
