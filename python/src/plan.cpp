#include "plan.hpp"

#include <mutex>
#include <optional>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nonzero/error.hpp>

#include "explanation.hpp"
#include "module.hpp"

namespace nz::python {
namespace {

constexpr Op op_of(bool transposed) { return transposed ? Op::transpose : Op::none; }

Use use_named(const std::string& op) {
  if (op == "both") return both_ops;
  if (op == "T") return Op::transpose;
  if (op == "N") return Op::none;
  throw nb::value_error(("op is 'N', 'T' or 'both', not '" + op + "'").c_str());
}

template <Value T>
Core<T>* make(std::int64_t rows, std::int64_t cols, nb::object data, nb::object indices,
              nb::object indptr, std::int64_t first, std::int64_t last,
              const std::optional<std::string>& device, const std::string& op,
              const std::string& effort, std::size_t memory_limit, bool deterministic,
              bool store_transpose, std::optional<int> threads, const std::string& kernel,
              const std::map<std::string, std::int64_t>& parameters) {
  PlanOptions options;
  options.kernel = kernel;
  options.parameters = Parameters(parameters.begin(), parameters.end());
  options.threads = threads;
  if (device) options.device = device_named(*device);
  options.op = use_named(op);
  options.effort = effort_named(effort);
  options.memory_limit = memory_limit;
  options.deterministic = deterministic;
  options.store_transpose = store_transpose;
  auto made = std::make_unique<Core<T>>();
  made->plan = with_view<T>(rows, cols, data, indices, indptr, first, last, [&](const auto& a) {
    nb::gil_scoped_release free;
    return nz::plan(a, options);
  });
  made->data = std::move(data);
  made->indices = std::move(indices);
  made->indptr = std::move(indptr);
  return made.release();  // to Python, which takes ownership
}

template <Value T>
std::int64_t columns_of(const Core<T>& c, bool transposed) {
  return transposed ? c.plan.rows() : c.plan.cols();
}

template <Value T>
void multiply(const Core<T>& c, nb::handle x, nb::handle y, double alpha, double beta,
              bool transposed, std::uintptr_t stream) {
  const Seen from(x), to(y);
  const Device device = c.plan.device();
  const auto in = input<T>(from, "x", columns_of(c, transposed), device);
  const auto out = output<T>(to, "y", columns_of(c, !transposed), device);
  nb::gil_scoped_release free;
  const std::shared_lock lock(c.in_use);
  c.plan.multiply(static_cast<T>(alpha), in, static_cast<T>(beta), out, op_of(transposed),
                  stream_of(device, stream));
}

// Several vectors, the rows of x, in one call. Both are without gaps and in host memory: Python has
// made them.
template <Value T>
void multiply_rows(const Core<T>& c, nb::handle x, nb::handle y, bool transposed) {
  const Seen from(x), to(y);
  require_dtype(from, "x", dtype_name<T>());
  require_dtype(to, "y", dtype_name<T>());
  const auto n = static_cast<std::size_t>(columns_of(c, transposed));
  const auto m = static_cast<std::size_t>(columns_of(c, !transposed));
  const std::size_t vectors = nb::len(x);
  if (!from.contiguous || !to.contiguous || !to.writable || from.device != cpu_device ||
      to.device != cpu_device || static_cast<std::size_t>(from.size) != vectors * n ||
      static_cast<std::size_t>(to.size) != vectors * m)
    throw nb::value_error("several vectors: arrays of other shapes or places than they must have");
  nb::gil_scoped_release free;
  const std::shared_lock lock(c.in_use);
  for (std::size_t j = 0; j < vectors; ++j)
    c.plan.multiply(1, {static_cast<const T*>(from.data) + j * n, n}, 0,
                    {static_cast<T*>(to.data) + j * m, m}, op_of(transposed));
}

// numpy.empty and the dtypes, looked up once. Never released: Python may be gone by then.
struct NumPy {
  PyObject *empty, *float32, *float64;
  template <Value T>
  PyObject* dtype() const {
    return value_type_of<T> == ValueType::f32 ? float32 : float64;
  }
};
NumPy numpy;

// The quick way of A @ x: x is a vector of NumPy's as it must be, and y is made here. None where x
// is anything else; then the careful way says what is wrong.
template <Value T, bool transposed>
nb::object apply(const Core<T>& c, nb::handle x) {
  Py_buffer from, to;
  if (PyObject_GetBuffer(x.ptr(), &from, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return nb::none();
  }
  struct Release {
    Py_buffer* b;
    ~Release() { PyBuffer_Release(b); }
  } release_from{&from};
  constexpr char code = value_type_of<T> == ValueType::f32 ? 'f' : 'd';
  if (from.ndim != 1 || !from.format || from.format[0] != code || from.format[1] ||
      from.shape[0] != columns_of(c, transposed))
    return nb::none();

  const auto n = static_cast<std::size_t>(columns_of(c, !transposed));
  const nb::object length = nb::steal(PyLong_FromSize_t(n));
  PyObject* arguments[] = {length.ptr(), numpy.dtype<T>()};
  nb::object y = nb::steal(PyObject_Vectorcall(numpy.empty, arguments, 2, nullptr));
  if (!y.is_valid() || PyObject_GetBuffer(y.ptr(), &to, PyBUF_CONTIG) != 0)
    throw nb::python_error();
  const Release release_to{&to};
  {
    nb::gil_scoped_release free;
    const std::shared_lock lock(c.in_use);
    c.plan.multiply(1, {static_cast<const T*>(from.buf), static_cast<std::size_t>(from.shape[0])},
                    0, {static_cast<T*>(to.buf), n}, op_of(transposed));
  }
  return y;
}

// Other values, in the array that stays with the plan from now on.
template <Value T>
void update(Core<T>& c, nb::object data, std::int64_t first, std::int64_t last) {
  with_view<T>(c.plan.rows(), c.plan.cols(), data, c.indices, c.indptr, first, last,
               [&](const auto& a) {
                 nb::gil_scoped_release free;
                 // Not waited for: a callback of a solver would wait for itself.
                 const std::unique_lock lock(c.in_use, std::try_to_lock);
                 if (!lock)
                   throw InvalidArgument("the plan is multiplying: new values must wait for that");
                 c.plan.update_values(a);
               });
  c.data = std::move(data);
}

template <Value T>
nb::dict facts(const Core<T>& c) {
  nb::dict d, parameters;
  for (const auto& [name, value] : c.plan.parameters()) parameters[name.c_str()] = value;
  d["kernel"] = c.plan.kernel().id();
  d["parameters"] = parameters;
  d["device"] = c.plan.device().name();
  d["threads"] = c.plan.threads();
  d["transposed"] = c.plan.transposed();
  d["stores_transpose"] = c.plan.stores_transpose();
  d["reason"] = c.plan.reason();
  d["bytes"] = c.plan.bytes();
  d["prepare_seconds"] = c.plan.prepare_seconds();
  d["borrows"] = c.plan.product().borrows();
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
  nb::class_<C>(m, name)
      .def_static("make", &make<T>, nb::rv_policy::take_ownership, nb::kw_only(), nb::arg("rows"),
                  nb::arg("cols"), nb::arg("data"), nb::arg("indices"), nb::arg("indptr"),
                  nb::arg("first"), nb::arg("last"), nb::arg("device").none(), nb::arg("op"),
                  nb::arg("effort"), nb::arg("memory_limit"), nb::arg("deterministic"),
                  nb::arg("store_transpose"), nb::arg("threads").none(), nb::arg("kernel"),
                  nb::arg("parameters"))
      .def("multiply", &multiply<T>, nb::arg("x"), nb::arg("y"), nb::arg("alpha"), nb::arg("beta"),
           nb::arg("transposed"), nb::arg("stream"))
      .def("multiply_rows", &multiply_rows<T>, nb::arg("x"), nb::arg("y"), nb::arg("transposed"))
      .def("forward", &apply<T, false>, nb::arg("x"))
      .def("backward", &apply<T, true>, nb::arg("x"))
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
  const nb::module_ np = nb::module_::import_("numpy");
  numpy = {nb::object(np.attr("empty")).release().ptr(),
           np.attr("dtype")("float32").release().ptr(),
           np.attr("dtype")("float64").release().ptr()};
  bind<float>(m, "PlanF32");
  bind<double>(m, "PlanF64");
}

}  // namespace nz::python
