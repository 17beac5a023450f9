#pragma once
#include "plan.hpp"

namespace nz::python {

// The products of a plan, as methods: product.cpp.
template <Value T>
void bind_products(nb::class_<Core<T>>& type);

}  // namespace nz::python
