#include "plan.hpp"

#include <mutex>
#include <optional>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nonzero/error.hpp>

#include "explanation.hpp"
#include "module.hpp"
#include "product.hpp"

namespace nz::python {

Use use_named(const std::string& op) {
  if (op == "both") return both_ops;
  if (op == "T") return Op::transpose;
  if (op == "N") return Op::none;
  throw nb::value_error(("op is 'N', 'T' or 'both', not '" + op + "'").c_str());
}

namespace {

template <Value T>
Core<T>* make(std::int64_t rows, std::int64_t cols, nb::object data, nb::object indices,
              nb::object indptr, std::int64_t first, std::int64_t last,
              const std::optional<std::string>& device, const std::string& op, int vectors,
              bool by_columns, const std::string& effort, std::size_t memory_limit,
              bool deterministic, std::optional<bool> store_transpose, std::optional<int> threads,
              const std::string& kernel, const std::map<std::string, std::int64_t>& parameters,
              const std::string& store_values_as) {
  PlanOptions options;
  options.kernel = kernel;
  options.parameters = Parameters(parameters.begin(), parameters.end());
  options.threads = threads;
  if (device) options.device = device_named(*device);
  options.op = use_named(op);
  options.vectors = vectors;
  options.layout = by_columns ? Layout::column_major : Layout::row_major;
  options.effort = effort_named(effort);
  options.memory_limit = memory_limit;
  options.deterministic = deterministic;
  options.store_transpose = store_transpose;
  options.store_values_as = stored_values_named(store_values_as);
  auto made = std::make_unique<Core<T>>();
  made->plan = with_view<T>(options.device.value_or(cpu_device), rows, cols, data, indices, indptr,
                            first, last, [&](const auto& a) {
                              nb::gil_scoped_release free;
                              return nz::plan(a, options);
                            });
  made->data = std::move(data);
  made->indices = std::move(indices);
  made->indptr = std::move(indptr);
  return made.release();  // to Python, which takes ownership
}

// Other values, in the array that stays with the plan from now on.
template <Value T>
void update(Core<T>& c, nb::object data, std::int64_t first, std::int64_t last) {
  nb::object kept = data;
  with_view<T>(c.plan.device(), c.plan.rows(), c.plan.cols(), data, c.indices, c.indptr, first,
               last, [&](const auto& a) {
                 nb::gil_scoped_release free;
                 // Not waited for: a callback of a solver would wait for itself.
                 const std::unique_lock lock(c.in_use, std::try_to_lock);
                 if (!lock)
                   throw InvalidArgument("the plan is multiplying: new values must wait for that");
                 c.plan.update_values(a);
                 c.bounds.clear();
                 // Under the lock: what is kept is what was taken last. The other one is let go
                 // when the interpreter is back.
                 std::swap(c.data, kept);
               });
}

template <Value T>
nb::dict facts(const Core<T>& c) {
  std::size_t bytes = 0;
  {
    nb::gil_scoped_release free;  // a product that waits for a callback may have the lock
    bytes = c.plan.bytes() + c.bounds.bytes();
  }
  nb::dict d = common_facts(c.plan, bytes);
  nb::dict parameters;
  for (const auto& [name, value] : c.plan.parameters()) parameters[name.c_str()] = value;
  d["kernel"] = c.plan.kernel().id();
  d["parameters"] = parameters;
  d["transposed"] = c.plan.transposed();
  d["stores_transpose"] = c.plan.stores_transpose();
  d["reason"] = c.plan.reason();
  d["prepare_seconds"] = c.plan.prepare_seconds();
  return d;
}

template <Value T>
double measure(const Core<T>& c, bool transposed) {
  nb::gil_scoped_release free;
  const std::shared_lock lock(c.in_use);
  return c.plan.measure(op_of(transposed));
}

template <Value T>
void bind(nb::module_& m, const char* name) {
  using C = Core<T>;
  nb::class_<C> type(m, name);
  bind_products<T>(type);
  type.def_static("make", &make<T>, nb::rv_policy::take_ownership, nb::kw_only(), nb::arg("rows"),
                  nb::arg("cols"), nb::arg("data"), nb::arg("indices"), nb::arg("indptr"),
                  nb::arg("first"), nb::arg("last"), nb::arg("device").none(), nb::arg("op"),
                  nb::arg("vectors"), nb::arg("by_columns"), nb::arg("effort"),
                  nb::arg("memory_limit"), nb::arg("deterministic"),
                  nb::arg("store_transpose").none(), nb::arg("threads").none(), nb::arg("kernel"),
                  nb::arg("parameters"), nb::arg("store_values_as"))
      .def("update_values", &update<T>, nb::arg("data"), nb::arg("first"), nb::arg("last"))
      .def("measure", &measure<T>, nb::arg("transposed"))
      .def("facts", &facts<T>)
      .def("explain_text", [](const C& c) { return c.plan.explain().text(); })
      .def("explain_dict", [](const C& c) { return to_dict(c.plan.explain()); })
      .def_ro("data", &C::data)
      .def_ro("indices", &C::indices)
      .def_ro("indptr", &C::indptr);
}

}  // namespace

void bind_plan(nb::module_& m) {
  bind<float>(m, "PlanF32");
  bind<double>(m, "PlanF64");
  bind<std::complex<float>>(m, "PlanC64");
  bind<std::complex<double>>(m, "PlanC128");
}

}  // namespace nz::python
