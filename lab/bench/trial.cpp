#include "lab/bench/trial.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "lab/bench/device_stage.hpp"
#include "lab/bench/plan_rows.hpp"
#include "lab/bench/several_stage.hpp"
#include "lab/bench/vectors.hpp"
#include "plan/fitted.hpp"

namespace nz::lab {
namespace {

template <class T>
std::span<T> span_of(Array<T>& v) {
  return {v.data(), v.size()};
}

// Fresh memory, not written yet: the threads that fill it place it.
template <class T>
Array<T> vector_of(index_t n) {
  Array<T> v(static_cast<std::size_t>(n));
  return v;
}

template <class T>
void poison(std::span<T> v) {
  parallel_ranges(v.size(), [&](std::size_t begin, std::size_t end) {
    std::fill(v.data() + begin, v.data() + end, std::numeric_limits<T>::quiet_NaN());
  });
}

// Runs `body`; what it throws ends the trial.
template <class Body>
void attempt_to(Trial& t, Body&& body) {
  const auto end = [&](Status status, std::string reason) {
    t.status = status;
    t.reason = std::move(reason);
    t.timing = t.hot = {};
  };
  try {
    body();
  } catch (const Refused& e) {
    end(Status::refused, e.what());
  } catch (const std::bad_alloc&) {
    end(Status::failed, "not enough memory");
  } catch (const std::exception& e) {
    end(Status::failed, e.what());
  }
}

}  // namespace

void Trial::take(LaunchTiming timed, const Budget& budget) {
  timing = std::move(budget.runs_per_sample > 0 ? timed.batches : timed.cold);
  reason = std::move(timed.why_not_cold);
  hot = std::move(timed.hot);
  replayed = timed.replayed;
}

template <Value T, Offset O>
Stage<T, O>::Stage(const CsrView<T, O>& a) : a_(a) {}

template <Value T, Offset O>
Stage<T, O>::~Stage() = default;

template <Value T, Offset O>
DeviceStage<T, O>& Stage<T, O>::far(Device device) {
  if (far_ && far_->device() != device) far_.reset();
  if (!far_) far_ = std::make_unique<DeviceStage<T, O>>(device, a_);
  return *far_;
}

template <Value T, Offset O>
SeveralStage<T, O>& Stage<T, O>::several() {
  if (!several_) several_ = std::make_unique<SeveralStage<T, O>>(a_);
  return *several_;
}

template <Value T, Offset O>
typename Stage<T, O>::Part& Stage<T, O>::part(Op op) {
  const auto found = parts_.find(op);
  if (found != parts_.end()) return found->second;
  Part p{.x = vector_of<T>(op == Op::none ? a_.cols : a_.rows),
         .y = vector_of<T>(op == Op::none ? a_.rows : a_.cols)};
  fill_random(span_of(p.x), 2);
  poison(span_of(p.y));
  return parts_.emplace(op, std::move(p)).first->second;
}

template <Value T, Offset O>
const Reference<T>& Stage<T, O>::exact(Op op) {
  Part& p = part(op);
  if (!p.judges) p.exact = exact_product<T, O>(a_, op, T(1), span_of(p.x), T(0), {});
  p.judges = true;
  return p.exact;
}

template <Value T, Offset O>
template <class Play>
std::vector<Trial> Stage<T, O>::play(const Kernel& kernel, const Attempt& attempt, Play&& play) {
  const Device device = attempt.device;
  const bool here = device == cpu_device;
  const int threads = !kernel.threaded || !here ? 1
                      : attempt.threads > 0     ? attempt.threads
                                                : nz::threads();
  Trial blank{.kernel = &kernel,
              .device = device,
              .type = value_type_of<T>,
              .vectors = attempt.vectors,
              .threads = threads,
              .parameters = attempt.parameters};
  const auto can = [&](Op op) { return kernel.supports(op); };
  Prepared<T> ready;
  attempt_to(blank, [&] {
    if (!kernel.runs_on_device(device.kind))
      throw Refused(fmt::format("does not run on {}", device.name()));
    if (!kernel.prepare_for<T, O>(device.kind))
      throw Refused(fmt::format("takes no {} values with {}-bit offsets", name(value_type_of<T>),
                                8 * sizeof(O)));
    // Not worth preparing for nothing.
    if (std::none_of(attempt.ops.begin(), attempt.ops.end(), can)) return;
    blank.parameters = fitted(kernel, for_vectors(kernel, attempt.parameters, attempt.vectors), a_);
    const CsrView<T, O>& a = here ? a_ : far(device).matrix();
    // What a GPU's kernel prepares on the host may use all of it.
    const ThreadScope scope(here ? threads : nz::threads());
    if (attempt.pin) pin_threads();
    ready = lab::prepare(kernel, a, blank.parameters, device);
    blank.prepared = true;
    blank.prepare_seconds = ready.seconds;
    blank.bytes = ready.product->bytes() + (ready.product->borrows() ? a_.bytes() : 0);
    blank.facts = ready.product->facts();
  });
  const std::shared_ptr<const Product<T>> product = std::move(ready.product);
  if (attempt.keep) blank.kept = product;
  std::vector<Trial> all;
  for (const Op op : attempt.ops) {
    Trial& t = all.emplace_back(blank);
    t.op = op;
    if (t.status != Status::ok) continue;
    attempt_to(t, [&] {
      if (!can(op)) throw Refused("has no transposed product");
      t.traffic = lab::traffic(*product, op, t.vectors, a_.rows, a_.cols, attempt.beta != 0);
      t.one_by_one = t.vectors.several() && !product->has_several(op);
      if (const auto* plan = dynamic_cast<const PlanTold*>(product.get())) {
        t.plan = plan->taken(op);
        t.facts["predicted_us"] = 1e6 * plan->predicted_seconds(op);
      }
      play(t, *product);
    });
  }
  return all;
}

template <Value T, Offset O>
std::vector<Trial> Stage<T, O>::perform(const Kernel& kernel, const Attempt& attempt) {
  return play(kernel, attempt, [&](Trial& t, const Product<T>& product) {
    if (t.vectors.several())
      return several().perform(t, product, attempt,
                               t.device == cpu_device ? nullptr : &far(t.device));
    Part& p = part(t.op);
    const std::span<const T> x = span_of(p.x);
    const std::span<T> y = span_of(p.y);
    poison(y);
    if (t.device == cpu_device) {
      const ThreadScope scope(t.threads);
      product.multiply(t.op, T(1), x, T(0), y);
    } else {
      far(t.device).multiply(product, t.op, x, y);
    }
    const int chunk = t.op == Op::none ? kernel.shared_rounding : 0;
    const Verdict verdict =
        chunk > 0 ? widened(exact(t.op), a_, T(1), x, chunk).judge(y) : exact(t.op).judge(y);
    t.worst_error = verdict.worst;
    if (!verdict.right()) {
      t.status = Status::wrong;
      t.reason = verdict.message();
      return;
    }
    if (t.device.kind == Device::Kind::emulator) {
      t.reason = emulator_note;
      return;
    }
    if (t.device.kind == Device::Kind::cuda) {
      t.take(far(t.device).measure(product, t.op, attempt.budget, static_cast<T>(attempt.alpha),
                                   static_cast<T>(attempt.beta)),
             attempt.budget);
      return;
    }
    t.timing = time_here(t, product, attempt);
  });
}

template <Value T, Offset O>
Timing Stage<T, O>::time_here(const Trial& t, const Product<T>& product, const Attempt& attempt) {
  Part& p = part(t.op);
  const ThreadScope scope(t.threads);
  // The check may have run on another team: what starts threads of its own finds them bound anew.
  if (attempt.pin) pin_threads();
  return measure_product<T>(product, t.op, span_of(p.x), span_of(p.y), attempt.budget,
                            static_cast<T>(attempt.alpha), static_cast<T>(attempt.beta));
}

template <Value T, Offset O>
void Stage<T, O>::time_again(Trial& t, const Attempt& attempt) {
  if (t.status != Status::ok || !t.kept) return;
  attempt_to(t, [&] {
    Attempt alike = attempt;
    alike.budget.runs_per_sample = t.timing.runs_per_sample;
    const auto& product = *static_cast<const Product<T>*>(t.kept.get());
    const Timing more = t.vectors.several() ? several().time_again(t, product, alike)
                                            : time_here(t, product, alike);
    t.timing.samples.insert(t.timing.samples.end(), more.samples.begin(), more.samples.end());
  });
}

template <Value T, Offset O>
std::vector<Trial> Stage<T, O>::profile(const Kernel& kernel, const Attempt& attempt) {
  if (!attempt.vectors.several())
    for (const Op op : attempt.ops) part(op);
  return play(kernel, attempt, [&](Trial& t, const Product<T>& product) {
    if (t.vectors.several()) return several().profile(t, product, attempt);
    Part& p = part(t.op);
    if (t.device != cpu_device) {
      far(t.device).multiply(product, t.op, span_of(p.x), span_of(p.y));
      if (t.device.kind == Device::Kind::cuda) t.timing = far(t.device).once(product, t.op);
      return;
    }
    const Budget few{.warm_up_seconds = 0,
                     .seconds = 0,
                     .min_samples = attempt.products,
                     .max_samples = attempt.products};
    const ThreadScope scope(t.threads);
    t.timing = measure_product<T>(product, t.op, span_of(p.x), span_of(p.y), few);
  });
}

#define NZ_INSTANTIATE(T, O) template class Stage<T, O>;
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
