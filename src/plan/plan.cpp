#include <nonzero/plan.hpp>

#include <array>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "plan/door.hpp"
#include "plan/fingerprint.hpp"
#include "plan/plan_builder.hpp"
#include "plan/timing.hpp"
#include "simt/backend.hpp"

namespace nz {
namespace {

template <class T>
void check_vectors(std::span<const T> x, std::span<T> y, index_t rows, index_t cols, Op op) {
  if (op == Op::transpose) std::swap(rows, cols);
  if (x.size() != static_cast<std::size_t>(cols))
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", x.size(), cols));
  if (y.size() != static_cast<std::size_t>(rows))
    throw InvalidArgument(fmt::format("y has {} elements, needs {}", y.size(), rows));
  const std::less<const T*> before;
  if (!x.empty() && !y.empty() && before(x.data(), y.data() + y.size()) &&
      before(y.data(), x.data() + x.size()))
    throw InvalidArgument("x and y overlap");
}

Device device_of(const Kernel* kernel, const std::optional<Device>& wanted) {
  const Device device = wanted ? *wanted : kernel ? kernel->home() : cpu_device;
  if (wanted && *wanted != cpu_device && *wanted != emulator_device &&
      wanted->kind != Device::Kind::cuda)
    throw InvalidArgument(
        fmt::format("there is one {} only, not number {}", wanted->name(), wanted->index));
  if (wanted && *wanted != cpu_device) simt::backend(*wanted);  // says why it is not there
  if (device.kind == Device::Kind::cuda && !wanted) {
    const std::string why = why_no_cuda();
    if (!why.empty())
      throw NoResource(fmt::format("{} needs a CUDA device ({}){}", kernel->id(), why,
                                   kernel->runs_on_device(Device::Kind::emulator)
                                       ? "; the device \"emu\" runs it on the emulator, slowly"
                                       : ""));
  }
  if (kernel && !kernel->runs_on_device(device.kind))
    throw InvalidArgument(fmt::format("{} does not run on {}", kernel->id(), device.name()));
  return device;
}

// body(matrix) with the narrowest offsets that can count the entries; the matrix is the plan's.
template <Value T, Offset O, class Body>
void with_narrow(Csr<T, O> a, std::string_view note, Body&& body) {
  const auto adopt = [&]<Offset P>(Csr<T, P> matrix) {
    const auto owner = std::make_shared<const Csr<T, P>>(std::move(matrix));
    body(detail::Admitted<T, P>{.view = owner->view(),
                                .owner = owner,
                                .bytes = owner->bytes(),
                                .in_place = false,
                                .note = note});
  };
  if (a.nnz() <= std::numeric_limits<std::int32_t>::max())
    adopt(csr_with_offsets<std::int32_t>(std::move(a)));
  else
    adopt(csr_with_offsets<std::int64_t>(std::move(a)));
}

template <Value T, Offset O>
std::array<const void*, 3> arrays_of(const CsrView<T, O>& a) {
  return {a.offsets, a.columns, a.values};
}

}  // namespace

template <Value T>
std::pair<const typename Plan<T>::Part*, Op> Plan<T>::part_for(Op op) const {
  const Part& part = op == Op::transpose && second_.product ? second_ : main_;
  return {&part, (op == Op::none) != part.transposed ? Op::none : Op::transpose};
}

template <Value T>
typename Plan<T>::Order Plan<T>::order_of(const PlanOptions& options) {
  if (options.kernel.empty() && !options.parameters.empty())
    throw InvalidArgument("parameters need a kernel: they belong to one");
  if (!options.op.n && !options.op.t) throw InvalidArgument("a plan for neither N nor T");
  const Kernel* wanted = options.kernel.empty() ? nullptr : &find_kernel(options.kernel);
  return {wanted, device_of(wanted, options.device)};
}

template <Value T>
double Plan<T>::measure(Op op) const {
  constexpr double budget = 0.02;
  const auto [part, inner] = part_for(op);
  if (!part->kernel->supports(inner))
    throw InvalidArgument(fmt::format("{} has no transposed product", part->kernel->id()));
  const ThreadScope scope(threads_);
  return or_no_memory("measuring a multiply", [&, p = part, in = inner] {
    return op == Op::none ? time_multiply(*p->product, in, cols_, rows_, budget)
                          : time_multiply(*p->product, in, rows_, cols_, budget);
  });
}

template <Value T>
void Plan<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                       StreamView stream) const {
  check_vectors(x, y, rows_, cols_, op);
  const auto [part, inner] = part_for(op);
  if (!part->kernel->supports(inner))
    throw InvalidArgument(fmt::format("{} has no transposed product", part->kernel->id()));
  if (!promised_.has(op))
    throw InvalidArgument(
        fmt::format("{} would not give the same bits again for op = {}: the plan is to be "
                    "deterministic, and was not made for it",
                    part->kernel->id(), name(op)));
  or_no_memory("a multiply", [&, p = part, in = inner] {
    p->product->multiply_on(stream, in, alpha, x, beta, y);
  });
}

template <Value T>
template <class Look>
auto Plan<T>::checked(Look&& look) {
  const Stopwatch watch(seconds_), checking(explanation_.checking);
  return look();
}

template <Value T>
template <Offset O>
void Plan<T>::prepare(const detail::Admitted<T, O>& in, const Order& order,
                      const PlanOptions& options) {
  const Stopwatch watch(seconds_);
  const CsrView<T, O>& a = in.view;
  rows_ = a.rows;
  cols_ = a.cols;
  input_ = options.input;
  explanation_.input = in.note;
  PlanBuilder<O> builder{*this, options, order.device};
  if (order.kernel)
    builder.prepare_requested(*order.kernel, in);
  else
    builder.choose(in);
  if (options.deterministic && a.nnz > 0) {
    const auto promised = [&](Op op) {
      const Part& part = *part_for(op).first;
      return Candidate{
          .kernel = part.kernel, .parameters = part.parameters, .transposed = part.transposed}
          .repeats(op);
    };
    promised_ = {promised(Op::none), promised(Op::transpose)};
  }
  fingerprint_ = late_fingerprint(order.device, a, few_places);
  explanation_.device = order.device.name();
  explanation_.threads = threads_;
  explanation_.n = options.op.n;
  explanation_.t = options.op.t;
  explanation_.deterministic = options.deterministic;
  explanation_.bytes = bytes();
  explanation_.csr_bytes = a.bytes();
}

template <Value T>
template <Offset O>
void Plan<T>::update(const detail::Admitted<T, O>& in, const std::array<const void*, 3>& arrays) {
  const Device device = main_.product->device();
  const std::string changed =
      difference(known(fingerprint_), fingerprint(device, in.view, few_places));
  if (!changed.empty())
    throw InvalidArgument("the structure of the matrix is not the one planned for: " + changed);
  const PlanOptions none{};
  PlanBuilder<O> builder{*this, none, device};
  const auto again = [&](const Part& part) -> Part {
    const Candidate same{
        .kernel = part.kernel, .parameters = part.parameters, .transposed = part.transposed};
    return builder.make(same, builder.input_of(same, in));
  };
  const auto stays = [&](const Part& part) {
    return !part.product ||
           (in.in_place && !part.transposed && part.product->borrows() && borrowed_ == arrays);
  };
  Part main, second;
  std::string note(in.note);
  const bool new_main = !stays(main_), new_second = !stays(second_);
  if (new_main) main = again(main_);
  if (new_second) second = again(second_);
  if (new_main) main_ = std::move(main);
  if (new_second) second_ = std::move(second);
  borrowed_ = in.in_place ? arrays : std::array<const void*, 3>{};
  explanation_.input = std::move(note);
}

template <Value T>
template <Offset O>
void Plan<T>::update_values(const CsrView<T, O>& a) {
  or_no_memory("new values of a plan", [&] {
    const ThreadScope scope(threads_);
    update(admit(main_.product->device(), a, input_), arrays_of(a));
  });
}

template <Value T>
template <Offset O>
void Plan<T>::update_values(Csr<T, O> a) {
  or_no_memory("new values of a plan", [&] {
    const ThreadScope scope(threads_);
    const std::string_view note = admit_owned(a, input_);
    with_narrow(std::move(a), note, [&](const auto& in) { update(in, {}); });
  });
}

template <Value T, Offset O>
Plan<T> plan(const CsrView<T, O>& a, const PlanOptions& options) {
  return or_no_memory("making a plan", [&] {
    Plan<T> p;
    const ThreadScope scope(options.threads.value_or(nz::threads()));
    p.threads_ = nz::threads();
    const auto order = p.order_of(options);
    const auto in = p.checked([&] { return admit(order.device, a, options.input); });
    p.prepare(in, order, options);
    if (in.in_place) p.borrowed_ = arrays_of(a);
    return p;
  });
}

template <Value T, Offset O>
Plan<T> plan(Csr<T, O> a, const PlanOptions& options) {
  return or_no_memory("making a plan", [&] {
    Plan<T> p;
    const ThreadScope scope(options.threads.value_or(nz::threads()));
    p.threads_ = nz::threads();
    const auto order = p.order_of(options);
    const std::string_view note = p.checked([&] { return admit_owned(a, options.input); });
    with_narrow(std::move(a), note, [&](const auto& in) { p.prepare(in, order, options); });
    return p;
  });
}

template <Value T, Offset O>
std::shared_ptr<const Product<T>> prepare(const Kernel& kernel, const CsrView<T, O>& a,
                                          const Parameters& parameters, Device device,
                                          Input input) {
  return or_no_memory("preparing a kernel", [&] {
    if (!kernel.runs_on_device(device.kind))
      throw InvalidArgument(fmt::format("{} does not run on {}", kernel.id(), device.name()));
    const auto in = admit(device, a, input);
    struct Both {
      std::shared_ptr<const void> arrays;
      std::unique_ptr<Product<T>> product;
    };
    auto both = std::make_shared<Both>();
    both->product =
        make_product(kernel, in.view, fitted(kernel, parameters, in.view, device), device);
    if (both->product->borrows()) both->arrays = in.owner;
    const Product<T>* product = both->product.get();
    return std::shared_ptr<const Product<T>>(std::move(both), product);
  });
}

#define NZ_INSTANTIATE(T, O)                                                              \
  template Plan<T> plan(const CsrView<T, O>&, const PlanOptions&);                        \
  template Plan<T> plan(Csr<T, O>, const PlanOptions&);                                   \
  template std::shared_ptr<const Product<T>> prepare(const Kernel&, const CsrView<T, O>&, \
                                                     const Parameters&, Device, Input);   \
  template void Plan<T>::update_values(const CsrView<T, O>&);                             \
  template void Plan<T>::update_values(Csr<T, O>);
#define NZ_INSTANTIATE_CLASS(T) template class Plan<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
