#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "io/other_files.hpp"
#include "io/text.hpp"
#ifdef NZ_HAVE_MATIO
#include <hdf5.h>
#include <matio.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "io/stored.hpp"
#endif

namespace nz {
namespace {

[[noreturn]] void fail(const Source& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file.name(), what));
}

#ifdef NZ_HAVE_MATIO

// The HDF5 of most systems may be used by one thread at a time.
std::mutex guard;

// HDF5 writes what goes wrong to stderr, unless it is told not to.
struct Silence {
  H5E_auto2_t before = nullptr;
  void* its_data = nullptr;

  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &before, &its_data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, before, its_data); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

using Mat = std::unique_ptr<mat_t, int (*)(mat_t*)>;
using MatVar = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

std::string name_of(const Source& file, mat_t* mat, std::string_view variable) {
  std::string only, all;
  int sparse = 0, count = 0;
  for (;;) {
    const MatVar info(Mat_VarReadNextInfo(mat), Mat_VarFree);
    if (!info) break;
    const std::string name = info->name != nullptr ? info->name : "";
    const bool is_sparse = info->class_type == MAT_C_SPARSE;
    if (name == variable && !is_sparse) fail(file, nz::quoted(name) + " is no sparse matrix");
    if (name == variable) return name;
    if (is_sparse && sparse++ == 0) only = name;
    if (count++ < 20)
      all += fmt::format("{}{}{}", all.empty() ? "" : ", ", nz::quoted(name),
                         is_sparse ? " (sparse)" : "");
  }
  if (!variable.empty())
    fail(file, fmt::format("no variable {} in it, but {}", nz::quoted(variable), all));
  if (sparse == 0)
    fail(file, fmt::format("libmatio finds no sparse matrix in it{}{}", all.empty() ? "" : ", but ",
                           all));
  if (sparse > 1)
    fail(file, fmt::format("which variable? Write {}:NAME for one of {}", file.name(), all));
  return only;
}

template <Value T, class S>
void copy_values(const Source& file, const void* from, Array<T>& to) {
  const S* const s = static_cast<const S*>(from);
  for (std::size_t k = 0; k < to.size(); ++k) {
    if constexpr (std::is_same_v<S, double> && std::is_same_v<T, float>)
      if (std::isfinite(s[k]) && std::abs(s[k]) > std::numeric_limits<T>::max())
        fail(file, fmt::format("value {}: {} does not fit 32-bit floating point", k, s[k]));
    to[k] = static_cast<T>(s[k]);
  }
}

template <Value T>
Stored<T> read_stored(const Source& file, std::string_view variable, const Budget& budget) {
  std::error_code error;
  if (!std::filesystem::exists(file.name(), error))
    fail(file, "MATLAB's version 7.3 is read from files alone, not from stdin or compressed ones");
  const std::lock_guard lock(guard);
  const Silence silence;
  const Mat mat(Mat_Open(file.name().c_str(), MAT_ACC_RDONLY), Mat_Close);
  if (!mat) fail(file, "libmatio cannot open it");
  const std::string name = name_of(file, mat.get(), variable);
  const MatVar var(Mat_VarRead(mat.get(), name.c_str()), Mat_VarFree);
  if (!var || var->data == nullptr || var->class_type != MAT_C_SPARSE || var->rank != 2)
    fail(file, fmt::format("libmatio cannot read {}", nz::quoted(name)));
  if (var->isComplex != 0) fail(file, "complex matrices are not supported");
  const auto& s = *static_cast<const mat_sparse_t*>(var->data);
  const auto side = [](std::size_t n) {
    return static_cast<std::int64_t>(std::min<std::size_t>(n, std::size_t{1} << 40));
  };
  const std::uint64_t room = std::min<std::uint64_t>(s.nir, s.ndata);
  require_stored(budget, file.name(), side(var->dims[0]), side(var->dims[1]), room, sizeof(T));
  Stored<T> made;
  made.order = Stored<T>::Order::columns;
  made.rows = static_cast<index_t>(var->dims[0]);
  made.cols = static_cast<index_t>(var->dims[1]);
  made.offsets = Array<std::int64_t>(s.njc);
  std::copy(s.jc, s.jc + s.njc, made.offsets.begin());
  require_offsets(made.offsets, made.cols, room, file.name());
  const auto entries = static_cast<std::size_t>(made.offsets.back());
  made.row = Array<index_t>(entries);
  made.values = Array<T>(entries);
  for (std::size_t k = 0; k < entries; ++k) {
    if (s.ir[k] >= static_cast<std::uint32_t>(made.rows))
      fail(file, fmt::format("entry {}: row {} is not from 0 to {}", k, s.ir[k], made.rows - 1));
    made.row[k] = static_cast<index_t>(s.ir[k]);
  }
  if (var->data_type == MAT_T_DOUBLE)
    copy_values<T, double>(file, s.data, made.values);
  else if (var->data_type == MAT_T_SINGLE)
    copy_values<T, float>(file, s.data, made.values);
  else if (var->data_type == MAT_T_UINT8)
    copy_values<T, std::uint8_t>(file, s.data, made.values);
  else
    fail(file, fmt::format("{} has values of type {}", nz::quoted(name), int{var->data_type}));
  return made;
}

#endif

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_mat_hdf5(const Source& file, [[maybe_unused]] std::string_view variable,
                        [[maybe_unused]] const Budget& budget, [[maybe_unused]] FileInfo& info) {
#ifdef NZ_HAVE_MATIO
  Stored<T> stored = read_stored<T>(file, variable, budget);
  info.format = "MATLAB 7.3";
  info.stored_entries = stored.offsets.back();
  return csr_of<T, O>(std::move(stored), file.name());
#else
  fail(file,
       "HDF5, as MATLAB's version 7.3 has it, which this build cannot read: it was made without "
       "libmatio; MATLAB saves what it can read with save -v7");
#endif
}

#define NZ_INSTANTIATE(T, O) \
  template Csr<T, O> read_mat_hdf5<T, O>(const Source&, std::string_view, const Budget&, FileInfo&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
