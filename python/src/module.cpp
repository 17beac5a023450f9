#include "module.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The bridge to the library; the package nonzero is its front.";
  m.attr("__version__") = NZ_PACKAGE_VERSION;
  nz::python::bind_errors(m);
  nz::python::bind_plan(m);
  nz::python::bind_solve(m);
  nz::python::bind_files(m);
  nz::python::bind_registry(m);
}
