#include <nonzero/batch.hpp>

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nonzero/error.hpp>

#include "module.hpp"
#include "plan.hpp"

namespace nz::python {
namespace {

// A batch with a reference to the values that it may borrow. The lock is as that of a plan.
template <Value T>
struct BatchCore {
  BatchCore() = default;
  BatchCore(const BatchCore&) = delete;
  BatchCore& operator=(const BatchCore&) = delete;
  ~BatchCore() {
    const nb::gil_scoped_release free;
    batch = {};
  }

  nb::object values{};
  Batch<T> batch;
  mutable std::shared_mutex in_use{};
};

BatchOptions options_of(const std::string& device, const std::string& op,
                        std::optional<int> threads) {
  return {.device = device_named(device), .op = use_named(op), .threads = threads};
}

// Elements of an array of one or two dimensions that lie one behind the other.
template <class T>
std::span<const T> elements(const Seen& a, const char* what, Device device) {
  require_dtype(a, what, dtype_name<T>());
  require_device(a, what, device);
  if (!a.contiguous)
    throw nb::value_error(
        (std::string(what) + " is not contiguous: " + a.copied_by(what) + " makes a copy that is")
            .c_str());
  return {static_cast<const T*>(a.data), static_cast<std::size_t>(a.size)};
}

// Matrices of one structure: its arrays as those of a plan, whose values are not there.
template <Value T>
BatchCore<T>* of_structure(std::int64_t rows, std::int64_t cols, nb::handle indices,
                           nb::handle indptr, std::int64_t first, std::int64_t last,
                           std::int64_t matrices, nb::object values, const std::string& device,
                           const std::string& op, std::optional<int> threads) {
  const BatchOptions options = options_of(device, op, threads);
  const Seen columns(indices, "indices"), offsets(indptr, "indptr"), all(values, "values");
  require_dtype(columns, "indices", "int32");
  require_vector(columns, "indices", columns.size);
  require_vector(offsets, "indptr", rows + 1);
  if (first < 0 || last < first || last > columns.size)
    throw nb::value_error(("indptr goes from " + std::to_string(first) + " to " +
                           std::to_string(last) + ", but there are " +
                           std::to_string(columns.size) + " indices")
                              .c_str());
  require_device(columns, "indices", options.device);
  require_device(offsets, "indptr", options.device);
  const std::span<const T> numbers = elements<T>(all, "values", options.device);
  auto made = std::make_unique<BatchCore<T>>();
  const auto make = [&]<class O>(O) {
    const CsrView<T, O> a{static_cast<index_t>(rows),
                          static_cast<index_t>(cols),
                          static_cast<O>(last - first),
                          static_cast<const O*>(offsets.data),
                          static_cast<const index_t*>(columns.data),
                          nullptr};
    nb::gil_scoped_release free;
    made->batch = plan_batch(a, matrices, numbers, options);
  };
  if (offsets.dtype == "int32") {
    make(std::int32_t{});
  } else {
    require_dtype(offsets, "indptr", "int64");
    make(std::int64_t{});
  }
  if (made->batch.reads_in_place()) made->values = std::move(values);
  return made.release();  // to Python, which takes ownership
}

// Matrices of any shapes, all of which is copied: dicts of what with_view() takes, whose offsets
// are of 64 bits.
template <Value T>
BatchCore<T>* of_matrices(const nb::list& matrices, const std::string& device,
                          const std::string& op, std::optional<int> threads) {
  const BatchOptions options = options_of(device, op, threads);
  std::vector<CsrView<T, std::int64_t>> views;
  for (const nb::handle one : matrices) {
    const nb::dict d = nb::cast<nb::dict>(one);
    const auto number = [&](const char* name) {
      return nb::cast<std::int64_t>(nb::object(d[name]));
    };
    with_view<T>(
        options.device, number("rows"), number("cols"), nb::object(d["data"]),
        nb::object(d["indices"]), nb::object(d["indptr"]), number("first"), number("last"),
        [&](const auto& a) {
          if constexpr (std::same_as<std::remove_cvref_t<decltype(a)>, CsrView<T, std::int64_t>>)
            views.push_back(a);
          else
            throw InvalidArgument("offsets of a batch have 64 bits here");
        });
  }
  auto made = std::make_unique<BatchCore<T>>();
  nb::gil_scoped_release free;
  made->batch = plan_batch(views, options);
  return made.release();
}

template <Value T>
void multiply(const BatchCore<T>& c, nb::handle x, nb::handle y, double alpha, double beta,
              bool transposed, std::uintptr_t stream) {
  const Seen from(x, "x"), to(y, "out");
  const Device device = c.batch.device();
  const auto in = elements<T>(from, "x", device), out = elements<T>(to, "out", device);
  require_writable(to, "out");
  nb::gil_scoped_release free;
  const std::shared_lock lock(c.in_use);
  c.batch.multiply_batch(static_cast<T>(alpha), in, static_cast<T>(beta),
                         {static_cast<T*>(to.data), out.size()}, op_of(transposed),
                         stream_of(device, stream));
}

template <Value T>
void update(BatchCore<T>& c, nb::object values) {
  const Seen all(values, "values");
  const auto numbers = elements<T>(all, "values", c.batch.device());
  nb::object kept = values;  // then what was kept before, let go when the interpreter is back
  nb::object nothing;
  nb::gil_scoped_release free;
  const std::unique_lock lock(c.in_use, std::try_to_lock);
  if (!lock) throw InvalidArgument("the batch is multiplying: new values must wait for that");
  c.batch.update_values(numbers);
  // Under the lock: what is kept is what was taken last.
  std::swap(c.values, c.batch.reads_in_place() ? kept : nothing);
}

template <Value T>
void bind(nb::module_& m, const char* name) {
  nb::class_<BatchCore<T>>(m, name)
      .def_static("of_structure", &of_structure<T>, nb::rv_policy::take_ownership, nb::kw_only(),
                  nb::arg("rows"), nb::arg("cols"), nb::arg("indices"), nb::arg("indptr"),
                  nb::arg("first"), nb::arg("last"), nb::arg("matrices"), nb::arg("values"),
                  nb::arg("device"), nb::arg("op"), nb::arg("threads").none())
      .def_static("of_matrices", &of_matrices<T>, nb::rv_policy::take_ownership,
                  nb::arg("matrices"), nb::kw_only(), nb::arg("device"), nb::arg("op"),
                  nb::arg("threads").none())
      .def("multiply", &multiply<T>, nb::arg("x"), nb::arg("out"), nb::arg("alpha"),
           nb::arg("beta"), nb::arg("transposed"), nb::arg("stream"))
      .def("update_values", &update<T>, nb::arg("values"))
      .def("facts", [](const BatchCore<T>& c) { return common_facts(c.batch, c.batch.bytes()); });
}

}  // namespace

void bind_batch(nb::module_& m) {
  bind<float>(m, "BatchF32");
  bind<double>(m, "BatchF64");
}

}  // namespace nz::python
