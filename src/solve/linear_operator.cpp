#include <nonzero/linear_operator.hpp>

#include <functional>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>
#include <nonzero/wide.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "simt/backend.hpp"
#include "solve/operator_inside.hpp"
#include "solve/operator_room.hpp"

namespace nz {
namespace {

template <RealValue T>
OperatorInfo info_of_plan(const Plan<T>& plan) {
  const bool t = plan.supports(Op::transpose);
  return {.rows = plan.rows(),
          .cols = plan.cols(),
          .name = plan.kernel().id(),
          .ops = {plan.supports(Op::none), t},
          .device = plan.device(),
          .threads = plan.team(),
          .repeats = {plan.repeats(Op::none), t && plan.repeats(Op::transpose)},
          .captures = true};
}

// The products of a plan that somebody owns.
template <RealValue T>
class Planned final : public OperatorInside<T> {
 public:
  explicit Planned(std::shared_ptr<const Plan<T>> plan)
      : OperatorInside<T>(info_of_plan(*plan)), plan_(std::move(plan)) {}
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    plan_->multiply(alpha, x, beta, y, op, stream);
  }
  void apply_several(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op,
                     StreamView stream) const override {
    plan_->multiply(alpha, x, beta, y, op, stream);
  }
  bool fuses(Op op) const override { return plan_->fuses(op); }
  void apply_ended(T alpha, std::span<const T> x, T beta, std::span<T> y, const Epilogue<T>& end,
                   Op op, StreamView stream) const override {
    plan_->multiply(alpha, x, beta, y, end, op, stream);
  }
  bool takes_host() const override { return true; }
  bool is_plan() const override { return true; }

 private:
  std::shared_ptr<const Plan<T>> plan_;
};

template <RealValue T>
OperatorInfo info_of_wide(const WidePlan<T>& plan) {
  constexpr std::int64_t most = std::numeric_limits<index_t>::max();
  if (plan.rows() > most || plan.cols() > most)
    throw InvalidArgument(
        fmt::format("a wide matrix of {} x {} as a linear operator: those have "
                    "at most {} rows and columns",
                    plan.rows(), plan.cols(), most));
  const bool t = plan.supports(Op::transpose);
  return {.rows = static_cast<index_t>(plan.rows()),
          .cols = static_cast<index_t>(plan.cols()),
          .name = "a wide matrix",
          .ops = {plan.supports(Op::none), t},
          .device = plan.device(),
          .threads = plan.threads(),
          .repeats = {plan.repeats(Op::none), t && plan.repeats(Op::transpose)},
          // Products of several vectors by rows send places from host memory, which waits.
          .captures = plan.device().kind != Device::Kind::cuda};
}

// The products of a plan of a wide matrix.
template <RealValue T>
class WidePlanned final : public OperatorInside<T> {
 public:
  explicit WidePlanned(std::shared_ptr<const WidePlan<T>> plan)
      : OperatorInside<T>(info_of_wide(*plan)), plan_(std::move(plan)) {}
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    plan_->multiply(alpha, x, beta, y, op, stream);
  }
  void apply_several(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op,
                     StreamView stream) const override {
    plan_->multiply(alpha, x, beta, y, op, stream);
  }
  bool takes_host() const override { return true; }
  bool is_plan() const override { return true; }

 private:
  std::shared_ptr<const WidePlan<T>> plan_;
};

// The device is current while somebody else's function runs.
class Current {
 public:
  explicit Current(Device device) {
    if (device != cpu_device) scope_.emplace(device);
  }

 private:
  std::optional<simt::DeviceScope> scope_;
};

OperatorInfo completed(OperatorInfo info) {
  if (info.rows < 0 || info.cols < 0)
    throw InvalidArgument(fmt::format("{} has {} rows and {} columns, needs at least 0 of each",
                                      info.name, info.rows, info.cols));
  if (!info.ops.n && !info.ops.t)
    throw InvalidArgument(fmt::format("{} has no product at all", info.name));
  if (info.device != cpu_device) simt::backend(info.device);  // says why it is not there
  if (info.threads <= 0) info.threads = nz::threads();
  info.captures |= info.device.kind != Device::Kind::cuda;
  return info;
}

// The whole product by somebody else's function.
template <RealValue T>
class Multiplying final : public OperatorInside<T> {
 public:
  Multiplying(OperatorInfo about, detail::Multiplied<T> f)
      : OperatorInside<T>(std::move(about)), f_(std::move(f)) {}
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    const Current current(this->info.device);
    f_(alpha, x, beta, y, op, stream);
  }

 private:
  detail::Multiplied<T> f_;
};

// y = op(A) x by somebody else's function; the scalars are ours.
template <RealValue T>
class Applying final : public OperatorInside<T> {
 public:
  Applying(OperatorInfo about, detail::Applied<T> f)
      : OperatorInside<T>(std::move(about)),
        f_(std::move(f)),
        room_(this->info.device, this->info.threads,
              static_cast<std::size_t>(std::max(this->info.rows, this->info.cols))) {}
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    if (alpha == T(1) && beta == T(0)) return call(x, y, op, stream);
    room_.use(stream, [&](const auto& v) {
      if (alpha == T(0)) return v.update(y.size(), T(0), nullptr, beta, y.data());
      if (beta == T(0)) {
        call(x, y, op, stream);
        return v.update(y.size(), alpha, y.data(), T(0), y.data());
      }
      call(x, {v.temporary(), y.size()}, op, stream);
      v.update(y.size(), alpha, v.temporary(), beta, y.data());
    });
  }

 private:
  void call(std::span<const T> x, std::span<T> y, Op op, StreamView stream) const {
    const Current current(this->info.device);
    f_(x, y, op, stream);
  }

  detail::Applied<T> f_;
  OperatorRoom<T> room_;
};

template <RealValue T>
class Identity final : public OperatorInside<T> {
 public:
  explicit Identity(OperatorInfo about)
      : OperatorInside<T>(std::move(about)), room_(this->info.device, this->info.threads) {}
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op,
             StreamView stream) const override {
    room_.use(stream, [&](const auto& v) { v.update(y.size(), alpha, x.data(), beta, y.data()); });
  }

 private:
  OperatorRoom<T> room_;
};

void check_op(const OperatorInfo& info, Op op) {
  if (!info.ops.has(op))
    throw InvalidArgument(op == Op::none ? info.name + " has no product but the transposed one"
                                         : info.name + " has no transposed product");
}

template <RealValue T>
bool meet(const T* x, std::int64_t x_size, const T* y, std::int64_t y_size) {
  const std::less<const T*> before;
  return x_size > 0 && y_size > 0 && before(x, y + y_size) && before(y, x + x_size);
}

template <RealValue T>
void check_vectors(const OperatorInfo& info, std::span<const T> x, std::span<T> y, Op op) {
  check_op(info, op);
  const bool turned = op == Op::transpose;
  const auto in = static_cast<std::size_t>(turned ? info.rows : info.cols),
             out = static_cast<std::size_t>(turned ? info.cols : info.rows);
  if (x.size() != in)
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", x.size(), in));
  if (y.size() != out)
    throw InvalidArgument(fmt::format("y has {} elements, needs {}", y.size(), out));
  if (meet<T>(x.data(), std::ssize(x), y.data(), std::ssize(y)))
    throw InvalidArgument("x and y overlap");
}

template <class V>
void check_shape(const char* which, const V& v, index_t rows) {
  if (v.rows() != rows)
    throw InvalidArgument(fmt::format("{} has {} rows, needs {}", which, v.rows(), rows));
  const index_t least = v.layout() == Layout::row_major ? v.columns() : v.rows();
  if (v.columns() < 0 || v.leading() < least)
    throw InvalidArgument(fmt::format("{} has {} columns and a leading dimension of {}", which,
                                      v.columns(), v.leading()));
}

template <RealValue T>
void check_several(const OperatorInfo& info, DenseView<const T> x, DenseView<T> y, Op op) {
  check_op(info, op);
  check_shape("X", x, op == Op::transpose ? info.rows : info.cols);
  check_shape("Y", y, op == Op::transpose ? info.cols : info.rows);
  if (x.columns() != y.columns())
    throw InvalidArgument(fmt::format("X has {} columns, Y {}", x.columns(), y.columns()));
  if (meet<T>(x.data(), x.extent(), y.data(), y.extent())) throw InvalidArgument("X and Y overlap");
}

// The ways in which a plan, an ordinary or a wide one, is there as long as its operator.
template <class P>
std::shared_ptr<const P> borrowed(const P& plan) {
  return {std::shared_ptr<void>(), &plan};
}
template <class P>
std::shared_ptr<const P> taken_over(P&& plan) {
  return or_no_memory("a linear operator", [&] { return std::make_shared<P>(std::move(plan)); });
}
template <class P>
std::shared_ptr<const P> present(std::shared_ptr<const P> plan) {
  if (!plan) throw InvalidArgument("a linear operator of a plan that is not there");
  return plan;
}

}  // namespace

template <RealValue T>
LinearOperator<T>::LinearOperator(const Plan<T>& plan) : LinearOperator(borrowed(plan)) {}
template <RealValue T>
LinearOperator<T>::LinearOperator(Plan<T>&& plan) : LinearOperator(taken_over(std::move(plan))) {}
template <RealValue T>
LinearOperator<T>::LinearOperator(std::shared_ptr<const Plan<T>> plan)
    : LinearOperator(make_operator<T, Planned<T>>(present(std::move(plan)))) {}

template <RealValue T>
LinearOperator<T>::LinearOperator(const WidePlan<T>& plan) : LinearOperator(borrowed(plan)) {}
template <RealValue T>
LinearOperator<T>::LinearOperator(WidePlan<T>&& plan)
    : LinearOperator(taken_over(std::move(plan))) {}
template <RealValue T>
LinearOperator<T>::LinearOperator(std::shared_ptr<const WidePlan<T>> plan)
    : LinearOperator(make_operator<T, WidePlanned<T>>(present(std::move(plan)))) {}

template <RealValue T>
const OperatorInfo& LinearOperator<T>::info() const {
  if (!inside_) throw InvalidArgument("an empty linear operator");
  return inside_->info;
}

template <RealValue T>
void LinearOperator<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                                 StreamView stream) const {
  const OperatorInfo& about = info();
  op = op_for<T>(op);
  check_vectors(about, x, y, op);
  or_no_memory("a multiply", [&] {
    if (inside_->takes_host()) return inside_->apply(alpha, x, beta, y, op, stream);
    simt::stream_for(about.device, stream);  // refuses another device's
    simt::Backend& b = simt::backend(about.device);
    const bool far_x = alpha != T(0) && !x.empty() && !b.owns(x.data());
    const bool far_y = !y.empty() && !b.owns(y.data());
    if (!far_x && !far_y) return inside_->apply(alpha, x, beta, y, op, stream);
    DeviceArray<T> there_x(about.device, far_x ? x.size() : 0),
        there_y(about.device, far_y ? y.size() : 0);
    if (far_x) there_x.upload(x, stream);
    if (far_y && beta != T(0)) there_y.upload(y, stream);
    inside_->apply(alpha, far_x ? there_x.span() : x, beta, far_y ? there_y.span() : y, op, stream);
    if (far_y) there_y.download(y, stream);
    wait_for(about.device, stream);  // what was lent goes now
  });
}

template <RealValue T>
void LinearOperator<T>::multiply(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op,
                                 StreamView stream) const {
  const OperatorInfo& about = info();
  op = op_for<T>(op);
  check_several(about, x, y, op);
  or_no_memory("a multiply", [&] {
    bool there = inside_->takes_host();
    if (!there) {
      simt::Backend& b = simt::backend(about.device);
      there = (x.empty() || alpha == T(0) || b.owns(x.data())) && (y.empty() || b.owns(y.data()));
    }
    if (there) return inside_->apply_several(alpha, x, beta, y, op, stream);
    inside_->one_by_one(alpha, x, beta, y, [&](std::span<const T> from, std::span<T> to) {
      multiply(alpha, from, beta, to, op, stream);
    });
  });
}

namespace detail {

template <RealValue T>
LinearOperator<T> called(OperatorInfo info, Applied<T> f) {
  return make_operator<T, Applying<T>>(completed(std::move(info)), std::move(f));
}

template <RealValue T>
LinearOperator<T> called(OperatorInfo info, Multiplied<T> f) {
  return make_operator<T, Multiplying<T>>(completed(std::move(info)), std::move(f));
}

void throw_never_transposes(const std::string& name) {
  throw InvalidArgument(name +
                        " says that it has a transposed product, but its function is not told op");
}

}  // namespace detail

template <RealValue T>
LinearOperator<T> identity(index_t n, Device device, int threads) {
  return make_operator<T, Identity<T>>(completed({.rows = n,
                                                  .cols = n,
                                                  .name = "I",
                                                  .ops = both_ops,
                                                  .device = device,
                                                  .threads = threads,
                                                  .captures = true}));
}

#define NZ_INSTANTIATE(T)                                                         \
  template class LinearOperator<T>;                                               \
  template LinearOperator<T> detail::called(OperatorInfo, detail::Applied<T>);    \
  template LinearOperator<T> detail::called(OperatorInfo, detail::Multiplied<T>); \
  template LinearOperator<T> identity(index_t, Device, int);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
