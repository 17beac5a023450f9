#pragma once
#include <complex>
#include <cstdint>
#include <shared_mutex>
#include <type_traits>

#include <nonzero/plan.hpp>

#include "arrays.hpp"
#include "bounds.hpp"

namespace nz::python {

// A plan with references to the arrays that it may borrow. These are released last. The lock keeps
// new values and products apart: taken without the GIL, so that nobody waits for both.
template <Value T>
struct Core {
  Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  // Giving memory of a device back waits for it, and it perhaps for a callback in Python.
  ~Core() {
    const nb::gil_scoped_release free;
    bounds.clear();
    plan = {};
  }

  nb::object data, indices, indptr;
  Plan<T> plan;
  mutable std::shared_mutex in_use{};
  mutable Bounds<T> bounds{};  // ends before the plan
};

// The products of "N", "T" or "both".
Use use_named(const std::string& op);

constexpr Op op_of(bool transposed) { return transposed ? Op::transpose : Op::none; }

// Factors as Python gives them.
template <Value T>
using Factor = std::conditional_t<ComplexValue<T>, std::complex<double>, double>;

template <Value T>
std::int64_t columns_of(const Core<T>& c, bool transposed) {
  return transposed ? c.plan.rows() : c.plan.cols();
}

// Looks at the three arrays, which Python has brought to the right types, and calls f with a view
// of them, of 32-bit or 64-bit offsets: in host memory, or on the device. Rows and columns are
// those of the CSR arrays; first and last are indptr[0] and indptr[-1].
template <Value T, class F>
auto with_view(Device device, std::int64_t rows, std::int64_t cols, nb::handle data,
               nb::handle indices, nb::handle indptr, std::int64_t first, std::int64_t last,
               F&& f) {
  const Seen values(data, "data"), columns(indices, "indices"), offsets(indptr, "indptr");
  require_device(values, "data", device);
  require_device(columns, "indices", device);
  require_device(offsets, "indptr", device);
  require_dtype(values, "data", dtype_name<T>());
  require_dtype(columns, "indices", "int32");
  require_vector(values, "data", values.size);
  require_vector(columns, "indices", columns.size);
  require_vector(offsets, "indptr", rows + 1);
  if (first < 0 || last < first || last > columns.size || last > values.size)
    throw nb::value_error(("indptr goes from " + std::to_string(first) + " to " +
                           std::to_string(last) + ", but there are " +
                           std::to_string(columns.size) + " indices and " +
                           std::to_string(values.size) + " values")
                              .c_str());
  const auto call = [&]<class O>(O) {
    const CsrView<T, O> a{static_cast<index_t>(rows),
                          static_cast<index_t>(cols),
                          static_cast<O>(last - first),
                          static_cast<const O*>(offsets.data),
                          static_cast<const index_t*>(columns.data),
                          static_cast<const T*>(values.data)};
    return f(a);
  };
  if (offsets.dtype == "int32") return call(std::int32_t{});
  require_dtype(offsets, "indptr", "int64");
  return call(std::int64_t{});
}

// What facts() says of plans and of batches alike.
template <class P>
nb::dict common_facts(const P& of, std::size_t bytes) {
  nb::dict d;
  d["device"] = of.device().name();
  d["threads"] = of.threads();
  d["bytes"] = bytes;
  d["borrows"] = of.reads_in_place();
  return d;
}

// The stream of a number that CuPy, PyTorch or a caller gives; 0 is the default one.
inline StreamView stream_of(Device device, std::uintptr_t handle) {
  if (!handle || device.kind != Device::Kind::cuda) return {};
  return {device, reinterpret_cast<CUstream_st*>(handle)};
}

}  // namespace nz::python
