#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <nonzero/batch.hpp>
#include <nonzero/nonzero.h>

#include "c/each_type.hpp"
#include "c/handles.hpp"
#include "c/options.hpp"

// Many small matrices at once.
struct nz_batch {
  std::variant<nz::Batch<float>, nz::Batch<double>> of;
  std::size_t values = 0;  // of matrices of one structure
};

namespace nz::c {
namespace {

BatchOptions batch_options(const nz_plan_options* options) {
  const PlanOptions o = plan_options(options);
  if (!o.kernel.empty()) throw InvalidArgument("a batch has no kernel to choose");
  if (o.store_values_as != StoredValues::exact)
    throw InvalidArgument("a batch keeps its values as they are: store_values_as");
  if (o.memory_limit) throw InvalidArgument("a batch has no memory limit: memory_limit");
  if (o.vectors > 1) throw InvalidArgument("a batch has one vector a matrix: vectors");
  return {.device = o.device.value_or(cpu_device),
          .op = options ? o.op : both_ops,
          .threads = o.threads,
          .input = o.input};
}

template <Value T>
const Batch<T>& batch_of(const nz_batch* batch) {
  return typed<T, Batch<T>>(given(batch, "batch").of, "batch");
}

// To their matrices, which are real, a conjugate is nothing.
Op batch_op(nz_op op) { return op_for<double>(op_of(op)); }

template <class Visit>
auto with_batch(const nz_batch* batch, Visit&& visit) {
  return std::visit(visit, given(batch, "batch").of);
}

template <Value T>
std::size_t values_of(std::int64_t nonzeros, std::int64_t matrices, const T* values) {
  if (matrices < 0) throw InvalidArgument("matrices is " + std::to_string(matrices) + ", below 0");
  if (nonzeros > 0 && matrices > std::numeric_limits<std::int64_t>::max() / 16 / nonzeros)
    throw InvalidArgument(std::to_string(matrices) + " matrices have more values than memory");
  const auto count = static_cast<std::size_t>(nonzeros * matrices);
  array(values, count, "values");
  return count;
}

template <Value T>
nz_status create(nz_batch** batch, const nz_matrix* structure, std::int64_t matrices,
                 const T* values, const nz_plan_options* options) {
  return made(batch, "batch", [&] {
    return with_rows(structure, [&]<Value U, Offset O>(const Rows<U, O>& rows) {
      CsrView<T, O> a{rows.view.rows,    rows.view.cols,    rows.view.nnz,
                      rows.view.offsets, rows.view.columns, nullptr};
      const std::size_t count = values_of(static_cast<std::int64_t>(a.nnz), matrices, values);
      return std::make_unique<nz_batch>(
          nz_batch{plan_batch(a, matrices, {values, count}, batch_options(options)), count});
    });
  });
}

template <Value T>
nz_status update(nz_batch* batch, const T* values) {
  return guarded([&] {
    nz_batch& b = given(batch, "batch");
    typed<T, Batch<T>>(b.of, "batch").update_values({array(values, b.values, "values"), b.values});
  });
}

template <Value T>
nz_status multiply(const nz_batch* handle, nz_op op, T alpha, const T* x, T beta, T* y,
                   void* stream, bool wait) {
  return guarded([&] {
    const Batch<T>& batch = batch_of<T>(handle);
    const Op which = batch_op(op);
    const auto in = static_cast<std::size_t>(batch.x_size(which)),
               out = static_cast<std::size_t>(batch.y_size(which));
    if (stream && batch.device() == cpu_device)
      throw InvalidArgument("a stream for a batch on the CPU");
    const StreamView where =
        stream ? StreamView{batch.device(), static_cast<CUstream_st*>(stream)} : StreamView{};
    batch.multiply_batch(alpha, {array(x, in, "x"), in}, beta, {array(y, out, "y"), out}, which,
                         where);
    if (wait) wait_for(batch.device(), where);
  });
}

}  // namespace
}  // namespace nz::c

using namespace nz::c;

#define NZ_DEFINE(name, T, factor, address)                                                        \
  nz_status nz_batch_create_##name(nz_batch** batch, const nz_matrix* structure, int64_t matrices, \
                                   const T* values, const nz_plan_options* options) {              \
    return create(batch, structure, matrices, values, options);                                    \
  }                                                                                                \
  nz_status nz_batch_update_values_##name(nz_batch* batch, const T* values) {                      \
    return update(batch, values);                                                                  \
  }                                                                                                \
  nz_status nz_multiply_batch_##name(const nz_batch* batch, nz_op op, factor alpha, const T* x,    \
                                     factor beta, T* y, void* stream) {                            \
    return multiply<T>(batch, op, alpha, x, beta, y, stream, true);                                \
  }                                                                                                \
  nz_status nz_enqueue_batch_##name(const nz_batch* batch, nz_op op, factor alpha, const T* x,     \
                                    factor beta, T* y, void* stream) {                             \
    return multiply<T>(batch, op, alpha, x, beta, y, stream, false);                               \
  }
NZ_C_REAL(NZ_DEFINE)
#undef NZ_DEFINE

nz_status nz_batch_of(nz_batch** batch, int64_t count, const nz_matrix* const* matrices,
                      const nz_plan_options* options) {
  return made(batch, "batch", [&] {
    if (count < 1) throw nz::InvalidArgument("count is " + std::to_string(count) + ", below 1");
    given(matrices, "matrices");
    return with_real_rows(
        matrices[0], "batches are", [&]<nz::Value T, nz::Offset O>(const Rows<T, O>&) {
          std::vector<nz::CsrView<T, O>> views;
          for (int64_t i = 0; i < count; ++i) {
            const auto* rows = std::get_if<Rows<T, O>>(&given(matrices[i], "a matrix").rows);
            if (!rows)
              throw nz::InvalidArgument("matrix " + std::to_string(i) +
                                        " has other types than the first one");
            views.push_back(rows->view);
          }
          return std::make_unique<nz_batch>(
              nz_batch{nz::plan_batch(views, batch_options(options))});
        });
  });
}

void nz_batch_destroy(nz_batch* batch) { delete batch; }

int64_t nz_batch_matrices(const nz_batch* batch) {
  return value_or(int64_t{-1},
                  [&] { return with_batch(batch, [](const auto& b) { return b.matrices(); }); });
}
int64_t nz_batch_x_offset(const nz_batch* batch, nz_op op, int64_t matrix) {
  return value_or(int64_t{-1}, [&] {
    return with_batch(batch, [&](const auto& b) { return b.x_offset(matrix, batch_op(op)); });
  });
}
int64_t nz_batch_y_offset(const nz_batch* batch, nz_op op, int64_t matrix) {
  return value_or(int64_t{-1}, [&] {
    return with_batch(batch, [&](const auto& b) { return b.y_offset(matrix, batch_op(op)); });
  });
}
