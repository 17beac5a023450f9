#include <limits>

#include <nanobind/stl/string.h>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>

#include "module.hpp"
#include "plan.hpp"

namespace nz::python {
namespace {

template <Value T, Offset O>
nb::tuple arrays_of(Csr<T, O>&& a) {
  const index_t rows = a.rows, cols = a.cols;
  return nb::make_tuple(to_numpy(std::move(a.values)), to_numpy(std::move(a.columns)),
                        to_numpy(std::move(a.offsets)), nb::make_tuple(rows, cols));
}

// Offsets of 32 bits, as SciPy has them, where they suffice: then nothing is copied there.
template <Value T>
nb::tuple to_arrays(Csr<T, std::int64_t>&& a) {
  if (a.nnz() > std::numeric_limits<std::int32_t>::max()) return arrays_of(std::move(a));
  return arrays_of(csr_with_offsets<std::int32_t>(std::move(a)));
}

nb::dict to_dict(const FileInfo& f) {
  nb::dict d;
  d["format"] = f.format;
  d["field"] = std::string(name(f.field));
  d["symmetry"] = std::string(name(f.symmetry));
  d["stored_entries"] = f.stored_entries;
  d["file_bytes"] = f.file_bytes;
  return d;
}

template <Value T>
nb::tuple read_as(const std::string& path, std::uint64_t memory_limit, bool allow_nan) {
  FileInfo info;
  Csr<T, std::int64_t> a;
  {
    nb::gil_scoped_release free;
    a = read_matrix<T, std::int64_t>(
        path, {.memory_limit = memory_limit, .info = &info, .allow_nan = allow_nan});
  }
  return nb::make_tuple(to_arrays(std::move(a)), to_dict(info));
}

nb::tuple read(const std::string& path, bool single, std::uint64_t memory_limit, bool allow_nan) {
  return single ? read_as<float>(path, memory_limit, allow_nan)
                : read_as<double>(path, memory_limit, allow_nan);
}

template <Value T>
void write(const std::string& path, std::int64_t rows, std::int64_t cols, nb::handle data,
           nb::handle indices, nb::handle indptr, std::int64_t first, std::int64_t last,
           const std::string& comment) {
  with_view<T>(cpu_device, rows, cols, data, indices, indptr, first, last, [&](const auto& a) {
    nb::gil_scoped_release free;
    write_matrix(path, a, comment);
  });
}

nb::tuple generate_arrays(const std::string& spec, std::uint64_t memory_limit) {
  Generated made;
  {
    nb::gil_scoped_release free;
    made = generate(spec, {.memory_limit = memory_limit});
  }
  nb::dict d;
  d["name"] = made.name;
  d["stand_in"] = made.stand_in;
  d["note"] = made.note;
  return nb::make_tuple(to_arrays(std::move(made.matrix)), d);
}

}  // namespace

void bind_files(nb::module_& m) {
  m.def("read", &read, nb::arg("path"), nb::kw_only(), nb::arg("single"), nb::arg("memory_limit"),
        nb::arg("allow_nan"));
  m.def("write_f32", &write<float>, nb::arg("path"), nb::kw_only(), nb::arg("rows"),
        nb::arg("cols"), nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("first"),
        nb::arg("last"), nb::arg("comment"));
  m.def("write_f64", &write<double>, nb::arg("path"), nb::kw_only(), nb::arg("rows"),
        nb::arg("cols"), nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("first"),
        nb::arg("last"), nb::arg("comment"));
  m.def("generate", &generate_arrays, nb::arg("spec"), nb::kw_only(), nb::arg("memory_limit"));
}

}  // namespace nz::python
