#include <nonzero/wide.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "base/size_text.hpp"
#include "formats/wide_checks.hpp"
#include "plan/overlap.hpp"
#include "plan/wide_parts.hpp"
#include "plan/wide_state.hpp"
#include "plan/wide_steps.hpp"

namespace nz {
namespace {

using wide::Queue, wide::Room, wide::Steps;

// The elements of x that a part has, side by side.
template <RealValue T>
std::span<const T> picked(const Queue& q, const WideSide& side, const T* x, Room<T>& room) {
  const auto n = static_cast<std::size_t>(side.count);
  if (!side.scattered()) return {x + side.first, n};
  const bool far = q.far(x);
  room = Room<T>(q, far, n);
  if (far)
    wide::on_device<T>(q.device, [&](const Steps<T>& steps) {
      steps.pick(q.stream, std::int64_t{side.count}, side.there.data(), x, room.data());
    });
  else
    for (std::size_t i = 0; i < n; ++i) room.data()[i] = x[side.places[i]];
  return {room.data(), n};
}

// y += alpha op(part) x.
template <RealValue T>
void add_part(const Queue& q, const WidePart<T>& part, T alpha, const T* x, T* y, Op op,
              StreamView stream) {
  const bool turned = is_transposed(op);
  const WideSide &in = turned ? part.rows : part.cols, &out = turned ? part.cols : part.rows;
  Room<T> of_x, of_y;
  const std::span<const T> its = picked(q, in, x, of_x);
  const auto n = static_cast<std::size_t>(out.count);
  if (!out.scattered())
    return part.plan.multiply(alpha, its, T(1), std::span<T>(y + out.first, n), op, stream);
  const bool far = q.far(y);
  of_y = Room<T>(q, far, n);
  part.plan.multiply(alpha, its, T(0), std::span<T>(of_y.data(), n), op, stream);
  if (far)
    wide::on_device<T>(q.device, [&](const Steps<T>& steps) {
      steps.add(q.stream, std::int64_t{out.count}, out.there.data(),
                static_cast<const T*>(of_y.data()), y);
    });
  else  // a product into host memory is done when it returns
    for (std::size_t i = 0; i < n; ++i) y[out.places[i]] += of_y.data()[i];
}

template <RealValue T>
void check_vectors(std::span<const T> x, std::span<T> y, std::int64_t in, std::int64_t out) {
  if (std::ssize(x) != in)
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", x.size(), in));
  if (std::ssize(y) != out)
    throw InvalidArgument(fmt::format("y has {} elements, needs {}", y.size(), out));
  if (meet<T>(x.data(), std::ssize(x), y.data(), std::ssize(y)))
    throw InvalidArgument("x and y overlap");
}

std::string side_text(const WideSide& s) {
  return s.scattered() ? fmt::format("{} from {} on, not neighbours", s.count, s.first)
                       : fmt::format("{} from {} on", s.count, s.first);
}

}  // namespace

template <RealValue T>
WidePlan<T>::WidePlan() noexcept = default;
template <RealValue T>
WidePlan<T>::WidePlan(std::unique_ptr<State> state) : state_(std::move(state)) {}
template <RealValue T>
WidePlan<T>::WidePlan(WidePlan&&) noexcept = default;
template <RealValue T>
WidePlan<T>& WidePlan<T>::operator=(WidePlan&&) noexcept = default;
template <RealValue T>
WidePlan<T>::~WidePlan() = default;

template <RealValue T>
void WidePlan<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                           StreamView stream) const {
  const State& s = *state_;
  op = op_for<T>(op);
  const bool turned = is_transposed(op);
  const std::int64_t in = turned ? s.rows : s.cols, out = turned ? s.cols : s.rows;
  check_vectors(x, y, in, out);
  s.check_op(op);
  or_no_memory("a multiply", [&] {
    const ThreadScope scope(s.threads);
    const Queue q = s.queue(stream);
    const auto add_all = [&](T factor, T* to) {
      for (const WidePart<T>& part : s.parts) add_part(q, part, factor, x.data(), to, op, stream);
    };
    if (alpha == T(0)) return wide::combine<T>(q, out, T(0), nullptr, beta, y.data());
    if (std::isnan(alpha)) return wide::combine<T>(q, out, alpha, nullptr, beta, y.data());
    if (std::isinf(alpha)) {  // times a part of a sum it may be of the wrong sign, or no number
      const Room<T> sums(q, q.far(y.data()), static_cast<std::size_t>(out));
      wide::combine<T>(q, out, T(0), nullptr, T(0), sums.data());
      add_all(T(1), sums.data());
      return wide::combine<T>(q, out, alpha, sums.data(), beta, y.data());
    }
    wide::combine<T>(q, out, T(0), nullptr, beta, y.data());
    add_all(alpha, y.data());
  });
}

template <RealValue T>
std::int64_t WidePlan<T>::rows() const {
  return state_->rows;
}
template <RealValue T>
std::int64_t WidePlan<T>::cols() const {
  return state_->cols;
}
template <RealValue T>
bool WidePlan<T>::supports(Op op) const {
  return state_->supports(op_for<T>(op));
}
template <RealValue T>
bool WidePlan<T>::repeats(Op op) const {
  const auto& parts = state_->parts;
  return std::all_of(parts.begin(), parts.end(),
                     [&](const WidePart<T>& part) { return part.plan.repeats(op_for<T>(op)); });
}
template <RealValue T>
int WidePlan<T>::threads() const {
  return state_->threads;
}
template <RealValue T>
std::size_t WidePlan<T>::parts() const {
  return state_->parts.size();
}
template <RealValue T>
const Plan<T>& WidePlan<T>::part(std::size_t i) const {
  return state_->parts.at(i).plan;
}
template <RealValue T>
Device WidePlan<T>::device() const {
  return state_->device;
}
template <RealValue T>
std::size_t WidePlan<T>::bytes() const {
  std::size_t sum = 0;
  for (const WidePart<T>& p : state_->parts)
    sum += p.plan.bytes() + p.rows.bytes(state_->device) + p.cols.bytes(state_->device);
  return sum;
}
template <RealValue T>
std::string WidePlan<T>::text() const {
  std::string s = fmt::format("{} x {} on {}, in {} parts, which keep {}\n", rows(), cols(),
                              device().name(), parts(), size_text(static_cast<double>(bytes())));
  for (const WidePart<T>& p : state_->parts)
    s += fmt::format("rows: {}; columns: {}: {}\n", side_text(p.rows), side_text(p.cols),
                     p.plan.kernel().id());
  return s;
}

template <RealValue T>
WidePlan<T> wide_plan(const WideCooView<T>& a, const PlanOptions& options, const WideCut& cut) {
  return or_no_memory("making a plan of a wide matrix", [&] {
    check_wide(a);
    auto state = std::make_unique<typename WidePlan<T>::State>();
    state->rows = a.rows;
    state->cols = a.cols;
    const ThreadScope scope(options.threads.value_or(nz::threads()));
    state->threads = nz::threads();
    state->parts = cut_wide(a, cut);
    PlanOptions each = options;
    std::size_t taken = 0;
    for (WidePart<T>& part : state->parts) {
      if (options.memory_limit > 0)
        each.memory_limit = options.memory_limit - std::min(options.memory_limit - 1, taken);
      try {
        part.plan = plan(std::move(part.matrix), each);
      } catch (const Refused& e) {  // which counts rows and columns within the part
        throw Refused(fmt::format("in the part of rows {} and columns {}: {}", side_text(part.rows),
                                  side_text(part.cols), e.what()));
      }
      part.matrix = {};
      state->device = part.plan.device();
      for (WideSide* side : {&part.rows, &part.cols})
        if (state->device != cpu_device && side->scattered())
          side->there = {state->device,
                         std::span<const std::int64_t>(side->places.data(), side->places.size())};
      taken += part.plan.bytes() + part.rows.bytes(state->device) + part.cols.bytes(state->device);
    }
    if (options.memory_limit > 0 && taken > options.memory_limit)
      throw NoResource(fmt::format("the parts of the wide matrix keep {}, the memory limit is {}",
                                   size_text(static_cast<double>(taken)),
                                   size_text(static_cast<double>(options.memory_limit))));
    if (state->parts.empty()) {  // says what is wrong with the options, and where it would be
      state->none = plan(Csr<T, std::int32_t>{}, options);
      state->device = state->none.device();
    }
    return WidePlan<T>(std::move(state));
  });
}

template <RealValue T>
WidePlan<T> wide_plan(const WideCooView<T>& a, const PlanOptions& options) {
  return wide_plan(a, options, WideCut{});
}
template <RealValue T>
WidePlan<T> wide_plan(const WideCsr<T>& a, const PlanOptions& options) {
  return wide_plan(wide_coo_from_csr(a).view(), options, WideCut{});
}

#define NZ_INSTANTIATE(T)                                                                    \
  template class WidePlan<T>;                                                                \
  template WidePlan<T> wide_plan(const WideCooView<T>&, const PlanOptions&, const WideCut&); \
  template WidePlan<T> wide_plan(const WideCooView<T>&, const PlanOptions&);                 \
  template WidePlan<T> wide_plan(const WideCsr<T>&, const PlanOptions&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
