#pragma once
#include <nanobind/nanobind.h>
#include <nonzero/explain.hpp>

namespace nz::python {

// All of an explanation as numbers, strings, lists and dicts.
nanobind::dict to_dict(const Explanation& e);

}  // namespace nz::python
