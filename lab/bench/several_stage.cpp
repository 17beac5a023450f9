#include "lab/bench/several_stage.hpp"

#include <utility>

#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"

namespace nz::lab {

template <Value T, Offset O>
DenseView<const T> SeveralStage<T, O>::Part::x_on(Device device) const {
  const T* const data = device == cpu_device ? x_memory.data() : far_x.data();
  return {data, x.rows(), x.columns(), x.layout()};
}

template <Value T, Offset O>
DenseView<T> SeveralStage<T, O>::Part::y_on(Device device) {
  return device == cpu_device ? y : DenseView<T>(far_y.data(), y.rows(), y.columns(), y.layout());
}

template <Value T, Offset O>
typename SeveralStage<T, O>::Part& SeveralStage<T, O>::set_up(const Trial& t) {
  index_t in = a_.cols, out = a_.rows;
  if (t.op == Op::transpose) std::swap(in, out);
  const auto k = static_cast<std::size_t>(t.vectors.count);
  const auto size = [k](index_t n) { return static_cast<std::size_t>(n) * k; };
  constexpr std::size_t much = std::size_t{2} << 30;  // bytes of one op's
  if (!(set_ == t.vectors)) parts_.clear();
  set_ = t.vectors;
  if (!parts_.contains(t.op)) {
    if ((size(in) + size(out)) * sizeof(T) > much) parts_.clear();
    Part made{.x_memory = Array<T>(size(in)), .y_memory = Array<T>(size(out))};
    made.x = {made.x_memory.data(), in, t.vectors.count, t.vectors.layout};
    made.y = {made.y_memory.data(), out, t.vectors.count, t.vectors.layout};
    judge_.fill_x(made.x);
    parts_.emplace(t.op, std::move(made));
  }
  Part& p = parts_.at(t.op);
  judge_.fill_before(p.y, 0);
  if (t.device == cpu_device) return p;
  if (p.far_x.size() != p.x_memory.size() || p.far_y.size() != p.y_memory.size() ||
      p.far_x.device() != t.device) {
    p.far_x = {};
    p.far_y = {};
    p.far_x = {t.device, std::span<const T>(p.x_memory.data(), p.x_memory.size())};
    p.far_y = {t.device, p.y_memory.size()};
  }
  p.far_y.upload({p.y_memory.data(), p.y_memory.size()});
  return p;
}

template <Value T, Offset O>
void SeveralStage<T, O>::multiply(const Trial& t, const Product<T>& product, Part& p) {
  const ThreadScope scope(t.device == cpu_device ? t.threads : nz::threads());
  product.multiply_several({}, t.op, T(1), p.x_on(t.device), T(0), p.y_on(t.device));
  if (t.device != cpu_device) wait_for(t.device);
}

template <Value T, Offset O>
void SeveralStage<T, O>::perform(Trial& t, const Product<T>& product, const Attempt& attempt,
                                 DeviceStage<T, O>* far) {
  Part& p = set_up(t);
  multiply(t, product, p);
  if (far) p.far_y.download({p.y_memory.data(), p.y_memory.size()});
  const int chunk = t.op == Op::none ? t.kernel->shared_rounding : 0;
  const SeveralVerdict verdict = judge_.judge({.op = t.op}, p.y, chunk);
  t.worst_error = verdict.worst;
  t.judged_columns = verdict.exact_columns;
  if (!verdict.right) {
    t.status = Status::wrong;
    t.reason = verdict.message;
    return;
  }
  if (t.device.kind == Device::Kind::emulator) {
    t.reason = emulator_note;
    return;
  }
  if (far) {
    const T alpha = static_cast<T>(attempt.alpha), beta = static_cast<T>(attempt.beta);
    const DenseView<const T> x = p.x_on(t.device);
    const DenseView<T> y = p.y_on(t.device);
    const auto queue = [&](StreamView stream) {
      product.multiply_several(stream, t.op, alpha, x, beta, y);
    };
    return t.take(far->measure(queue, attempt.budget), attempt.budget);
  }
  t.timing = time_here(t, product, attempt, p);
}

template <Value T, Offset O>
Timing SeveralStage<T, O>::time_here(const Trial& t, const Product<T>& product,
                                     const Attempt& attempt, Part& p) {
  const ThreadScope scope(t.threads);
  if (attempt.pin) pin_threads();
  const DenseView<const T> x = p.x_on(cpu_device);
  return measure(
      [&] {
        product.multiply_several({}, t.op, static_cast<T>(attempt.alpha), x,
                                 static_cast<T>(attempt.beta), p.y);
      },
      attempt.budget);
}

template <Value T, Offset O>
Timing SeveralStage<T, O>::time_again(const Trial& t, const Product<T>& product,
                                      const Attempt& attempt) {
  return time_here(t, product, attempt, set_up(t));
}

template <Value T, Offset O>
void SeveralStage<T, O>::profile(Trial& t, const Product<T>& product, const Attempt& attempt) {
  Part& p = set_up(t);
  const int products = t.device == cpu_device ? attempt.products : 1;
  const Budget few{
      .warm_up_seconds = 0, .seconds = 0, .min_samples = products, .max_samples = products};
  if (t.device.kind == Device::Kind::emulator)
    multiply(t, product, p);
  else
    t.timing = measure([&] { multiply(t, product, p); }, few);
}

#define NZ_INSTANTIATE(T, O) template class SeveralStage<T, O>;
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
