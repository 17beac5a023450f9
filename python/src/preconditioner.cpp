#include "preconditioner.hpp"

#include <shared_mutex>
#include <string>

#include <nanobind/stl/string.h>
#include <nonzero/preconditioners.hpp>

#include "module.hpp"

namespace nz::python {
namespace {

// A static method that makes one of a matrix in host memory: f(view, more...).
template <Value T, class... More, class Type, class F, class... Named>
void from_rows(Type& type, const char* name, F f, Named... named) {
  type.def_static(
      name,
      [f](std::int64_t rows, std::int64_t cols, nb::handle data, nb::handle indices,
          nb::handle indptr, std::int64_t first, std::int64_t last, More... more) {
        return Inverse<T>(with_view<T>(cpu_device, rows, cols, data, indices, indptr, first, last,
                                       [&](const auto& a) {
                                         nb::gil_scoped_release free;
                                         return f(a, more...);
                                       }));
      },
      nb::kw_only(), nb::arg("rows"), nb::arg("cols"), nb::arg("data"), nb::arg("indices"),
      nb::arg("indptr"), nb::arg("first"), nb::arg("last"), named...);
}

// By a plan of Python's, which the polynomial borrows. A symmetric matrix is its transpose, so it
// does not matter which of both the plan has.
template <Value T>
Inverse<T> chebyshev(nb::object plan, std::int64_t rows, std::int64_t cols, nb::handle data,
                     nb::handle indices, nb::handle indptr, std::int64_t first, std::int64_t last,
                     int degree, double lower, double upper) {
  const auto& core = nb::cast<const Core<T>&>(plan);
  auto of =
      with_view<T>(cpu_device, rows, cols, data, indices, indptr, first, last, [&](const auto& a) {
        nb::gil_scoped_release free;
        const std::shared_lock lock(core.in_use);
        return solve::chebyshev(LinearOperator<T>(core.plan), a,
                                {.degree = degree, .lower = lower, .upper = upper});
      });
  return Inverse<T>(std::move(of), std::move(plan), &core);
}

// A plan of a matrix that is near the inverse itself, or of its transpose.
template <Value T>
Inverse<T> of_plan(nb::object plan, bool transposed) {
  const auto& core = nb::cast<const Core<T>&>(plan);
  LinearOperator<T> by(core.plan);
  auto of = solve::preconditioner(transposed ? nz::transposed(std::move(by)) : std::move(by));
  return Inverse<T>(std::move(of), std::move(plan), &core);
}

template <Value T>
void bind(nb::module_& m, const char* name) {
  nb::class_<Inverse<T>> type(m, name);
  from_rows<T, int, std::string>(
      type, "jacobi",
      [](const auto& a, int block, const std::string& device) {
        const Device there = device_named(device);
        return block == 1 ? solve::jacobi(a, there) : solve::block_jacobi(a, block, there);
      },
      nb::arg("block"), nb::arg("device"));
  from_rows<T, int, double, int, std::string>(
      type, "fsai",
      [](const auto& a, int power, double drop, int row_limit, const std::string& device) {
        return solve::fsai(a, {.power = power, .drop = drop, .row_limit = row_limit},
                           device_named(device));
      },
      nb::arg("power"), nb::arg("drop"), nb::arg("row_limit"), nb::arg("device"));
  from_rows<T, int, std::string>(
      type, "spai",
      [](const auto& a, int level, const std::string& device) {
        return solve::spai(a, level, device_named(device));
      },
      nb::arg("level"), nb::arg("device"));
  from_rows<T>(type, "incomplete_cholesky",
               [](const auto& a) { return solve::incomplete_cholesky(a); });
  from_rows<T>(type, "incomplete_lu", [](const auto& a) { return solve::incomplete_lu(a); });
  type.def_static("chebyshev", &chebyshev<T>, nb::arg("plan"), nb::kw_only(), nb::arg("rows"),
                  nb::arg("cols"), nb::arg("data"), nb::arg("indices"), nb::arg("indptr"),
                  nb::arg("first"), nb::arg("last"), nb::arg("degree"), nb::arg("lower"),
                  nb::arg("upper"))
      .def_static("of_plan", &of_plan<T>, nb::arg("plan"), nb::arg("transposed"));
}

}  // namespace

void bind_preconditioners(nb::module_& m) {
  bind<float>(m, "PreconditionerF32");
  bind<double>(m, "PreconditionerF64");
}

}  // namespace nz::python
