#include <memory>
#include <string>

#include <nonzero/nonzero.h>

#include "c/handles.hpp"
#include "c/options.hpp"

// Plans, and what they tell of themselves.
namespace nz::c {
namespace {

// The library's arrays where the plan reads them in place: it keeps them then.
template <Value T, Offset O>
std::shared_ptr<const void> needed(const Plan<T>& plan, const Rows<T, O>& rows) {
  // What is made from the transpose reads the plan's own.
  return !plan.transposed() && plan.product().borrows() ? rows.owner : nullptr;
}

}  // namespace
}  // namespace nz::c

using namespace nz::c;

nz_status nz_plan_create(nz_plan** plan, const nz_matrix* matrix, const nz_plan_options* options) {
  return made(plan, "plan", [&] {
    return with_rows(matrix, [&]<nz::Value T, nz::Offset O>(const Rows<T, O>& rows) {
      nz::Plan<T> made = nz::plan(rows.view, plan_options(options));
      auto handle = std::make_unique<nz_plan>();
      handle->nonzeros = rows.view.nnz;
      handle->kernel = made.kernel().id();
      handle->device = made.device().name();
      std::shared_ptr<const void> arrays = needed(made, rows);
      handle->of = Planned<T>{std::move(made), std::move(arrays)};
      return handle;
    });
  });
}

nz_status nz_plan_update_values(nz_plan* plan, const nz_matrix* matrix) {
  return guarded([&] {
    given(plan, "plan");
    with_rows(matrix, [&]<nz::Value T, nz::Offset O>(const Rows<T, O>& rows) {
      auto& planned = typed<T, Planned<T>>(plan->of, "plan");
      planned.plan.update_values(rows.view);
      planned.arrays = needed(planned.plan, rows);
    });
  });
}

void nz_plan_destroy(nz_plan* plan) { delete plan; }

int32_t nz_plan_rows(const nz_plan* plan) {
  return value_or(int32_t{-1},
                  [&] { return with_plan(plan, [](const auto& p) { return p.rows(); }); });
}
int32_t nz_plan_columns(const nz_plan* plan) {
  return value_or(int32_t{-1},
                  [&] { return with_plan(plan, [](const auto& p) { return p.cols(); }); });
}
int64_t nz_plan_nonzeros(const nz_plan* plan) {
  return value_or(int64_t{-1}, [&] { return given(plan, "plan").nonzeros; });
}
nz_type nz_plan_type(const nz_plan* plan) {
  return value_or(nz_type{-1}, [&] {
    return with_plan(plan,
                     []<nz::Value T>(const nz::Plan<T>&) { return type_of(nz::value_type_of<T>); });
  });
}
int32_t nz_plan_threads(const nz_plan* plan) {
  return value_or(int32_t{-1},
                  [&] { return with_plan(plan, [](const auto& p) { return p.threads(); }); });
}
int64_t nz_plan_bytes(const nz_plan* plan) {
  return value_or(int64_t{-1},
                  [&] { return with_plan(plan, [](const auto& p) { return p.bytes(); }); });
}
const char* nz_plan_kernel(const nz_plan* plan) {
  return value_or<const char*>(nullptr, [&] { return given(plan, "plan").kernel.c_str(); });
}
const char* nz_plan_device(const nz_plan* plan) {
  return value_or<const char*>(nullptr, [&] { return given(plan, "plan").device.c_str(); });
}
double nz_plan_setup_seconds(const nz_plan* plan) {
  return value_or(
      -1.0, [&] { return with_plan(plan, [](const auto& p) { return p.prepare_seconds(); }); });
}

int64_t nz_plan_explain(const nz_plan* plan, char* text, size_t room) {
  return told(text, room,
              [&] { return with_plan(plan, [](const auto& p) { return p.explain().text(); }); });
}

nz_status nz_plan_measure(const nz_plan* plan, nz_op op, double* seconds) {
  return guarded([&] {
    given(seconds, "seconds") =
        with_plan(plan, [&](const auto& p) { return p.measure(op_of(op)); });
  });
}

nz_status nz_plan_wait(const nz_plan* plan, void* stream) {
  return guarded([&] {
    with_plan(plan, [&](const auto& p) { nz::wait_for(p.device(), stream_of(p, stream)); });
  });
}
