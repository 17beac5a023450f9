#include "solve/preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "formats/inspect.hpp"

namespace nz::solve {
namespace {

template <RealValue T, Offset O>
void require_matrix(const CsrView<T, O>& a, const char* who) {
  inspect(a);
  if (a.rows != a.cols)
    throw InvalidArgument(
        fmt::format("{} needs a square matrix, this one is {} x {}", who, a.rows, a.cols));
}

// Inverts a dense n x n matrix in place, rows after each other; false where it is singular.
bool invert(std::vector<double>& m, int n) {
  const auto at = [&](int i, int j) -> double& { return m[static_cast<std::size_t>(i * n + j)]; };
  std::vector<int> from(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    if (!(std::abs(at(pivot, k)) > 0) || !std::isfinite(at(pivot, k))) return false;
    from[static_cast<std::size_t>(k)] = pivot;
    if (pivot != k)
      for (int j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
    const double by = 1 / at(k, k);
    at(k, k) = 1;
    for (int j = 0; j < n; ++j) at(k, j) *= by;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = std::exchange(at(i, k), 0.0);
      for (int j = 0; j < n; ++j) at(i, j) -= factor * at(k, j);
    }
  }
  for (int k = n - 1; k >= 0; --k)
    if (const int p = from[static_cast<std::size_t>(k)]; p != k)
      for (int i = 0; i < n; ++i) std::swap(at(i, k), at(i, p));
  return true;
}

}  // namespace

template <RealValue T>
Preconditioner<T> of_diagonal(Array<T> inverse, Device device) {
  auto inside = std::make_shared<typename Preconditioner<T>::Inside>();
  inside->device = device;
  inside->rows = static_cast<index_t>(inverse.size());
  if (device == cpu_device)
    inside->host = std::move(inverse);
  else
    inside->far = DeviceArray<T>(device, std::span<const T>(inverse.data(), inverse.size()));
  return Preconditioner<T>(std::move(inside));
}

template <RealValue T>
Preconditioner<T> preconditioner(LinearOperator<T> near_inverse) try {
  const OperatorInfo& info = near_inverse.info();
  if (info.rows != info.cols)
    throw InvalidArgument(
        fmt::format("a preconditioner is square, {} is {} x {}", info.name, info.rows, info.cols));
  if (!info.ops.n)
    throw InvalidArgument(
        fmt::format("a preconditioner multiplies by {}, which has the transposed "
                    "product alone",
                    info.name));
  auto inside = std::make_shared<typename Preconditioner<T>::Inside>();
  inside->device = info.device;
  inside->rows = info.rows;
  inside->by = std::move(near_inverse);
  return Preconditioner<T>(std::move(inside));
}
NZ_OR_NO_MEMORY("a preconditioner")

template <RealValue T, Offset O>
Preconditioner<T> jacobi(const CsrView<T, O>& a, Device device) try {
  require_matrix(a, "Jacobi");
  Array<T> inverse(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i) {
    T d = 0;  // rows need not be sorted, and duplicates add up
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      if (a.columns[k] == i) d += a.values[k];
    if (d == 0 || !std::isfinite(d))
      throw BadInput(fmt::format("Jacobi: row {} (counting from 0) {}", i,
                                 a.offsets[i] == a.offsets[i + 1] ? "is empty"
                                 : d == 0                         ? "has a zero on the diagonal"
                                          : "has no finite number on the diagonal"));
    inverse[static_cast<std::size_t>(i)] = T(1) / d;
  }
  return of_diagonal(std::move(inverse), device);
}
NZ_OR_NO_MEMORY("a preconditioner")

template <RealValue T, Offset O>
Preconditioner<T> block_jacobi(const CsrView<T, O>& a, int block, Device device) try {
  require_matrix(a, "block Jacobi");
  if (block < 1 || block > 256)
    throw InvalidArgument(fmt::format("block Jacobi: blocks of 1 to 256 rows, not {}", block));
  Csr<T, std::int64_t> m;
  m.rows = m.cols = a.rows;
  m.offsets = Array<std::int64_t>(static_cast<std::size_t>(a.rows) + 1);
  std::vector<index_t> columns;
  std::vector<T> values;
  std::vector<double> dense;
  for (index_t first = 0; first < a.rows; first += block) {
    const int n = std::min<index_t>(block, a.rows - first);
    dense.assign(static_cast<std::size_t>(n * n), 0.0);
    for (int i = 0; i < n; ++i)
      for (O k = a.offsets[first + i]; k < a.offsets[first + i + 1]; ++k)
        if (const index_t j = a.columns[k] - first; j >= 0 && j < n)
          dense[static_cast<std::size_t>(i * n + j)] += static_cast<double>(a.values[k]);
    if (!invert(dense, n))
      throw BadInput(
          fmt::format("block Jacobi: the block of rows {} to {} (counting from 0) is singular",
                      first, first + n - 1));
    for (int i = 0; i < n; ++i) {
      m.offsets[static_cast<std::size_t>(first + i)] = static_cast<std::int64_t>(values.size());
      for (int j = 0; j < n; ++j) {
        columns.push_back(first + j);
        values.push_back(static_cast<T>(dense[static_cast<std::size_t>(i * n + j)]));
      }
    }
  }
  m.offsets.back() = static_cast<std::int64_t>(values.size());
  m.columns = Array<index_t>(std::span<const index_t>(columns));
  m.values = Array<T>(std::span<const T>(values));
  return preconditioner(LinearOperator<T>(plan(std::move(m), {.device = device})));
}
NZ_OR_NO_MEMORY("a preconditioner")

#define NZ_INSTANTIATE(T, O)                                       \
  template Preconditioner<T> jacobi(const CsrView<T, O>&, Device); \
  template Preconditioner<T> block_jacobi(const CsrView<T, O>&, int, Device);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE

#define NZ_INSTANTIATE(T)                                   \
  template Preconditioner<T> of_diagonal(Array<T>, Device); \
  template Preconditioner<T> preconditioner(LinearOperator<T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
