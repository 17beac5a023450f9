#include <nonzero/plan.hpp>

#include <array>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "plan/fingerprint.hpp"
#include "plan/making.hpp"
#include "plan/timing.hpp"

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

Device device_of(const Kernel* kernel, const std::string& wanted) {
  Device device = !wanted.empty() ? device_named(wanted) : kernel ? kernel->home() : cpu_device;
  if (device.kind == Device::Kind::cuda && wanted.empty()) {
    const std::string why = why_no_cuda();
    if (!why.empty())
      throw NoResource(fmt::format("{} needs a CUDA device ({}){}", kernel->id(), why,
                                   kernel->runs_on_device(Device::Kind::emulator)
                                       ? "; device \"emu\" runs it on the emulator, slowly"
                                       : ""));
  }
  if (kernel && !kernel->runs_on_device(device.kind))
    throw InvalidArgument(fmt::format("{} does not run on {}", kernel->id(), device.name()));
  return device;
}

// body(owner) with the narrowest offsets that can count the entries.
template <Value T, Offset O, class Body>
void with_narrow(Csr<T, O> a, Body&& body) {
  const auto adopt = [&](auto&& matrix) {
    body(std::make_shared<const std::decay_t<decltype(matrix)>>(std::move(matrix)));
  };
  if (a.nnz() <= std::numeric_limits<std::int32_t>::max())
    adopt(csr_with_offsets<std::int32_t>(std::move(a)));
  else
    adopt(csr_with_offsets<std::int64_t>(std::move(a)));
}

}  // namespace

template <Value T>
std::pair<const typename Plan<T>::Part*, Op> Plan<T>::part_for(Op op) const {
  const Part& part = op == Op::transpose && second_.product ? second_ : main_;
  return {&part, (op == Op::none) != part.transposed ? Op::none : Op::transpose};
}

template <Value T>
double Plan<T>::measure(Op op) const {
  constexpr double budget = 0.02;
  const auto [part, inner] = part_for(op);
  if (!part->kernel->supports(inner))
    throw InvalidArgument(fmt::format("{} has no transposed product", part->kernel->id()));
  const ThreadScope scope(threads_);
  return op == Op::none ? time_multiply(*part->product, inner, cols_, rows_, budget)
                        : time_multiply(*part->product, inner, rows_, cols_, budget);
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
  part->product->multiply_on(stream, inner, alpha, x, beta, y);
}

template <Value T>
template <Offset O>
void Plan<T>::prepare(const CsrView<T, O>& a, std::shared_ptr<const void> owner,
                      const PlanOptions& options) {
  rows_ = a.rows;
  cols_ = a.cols;
  const ThreadScope scope(options.threads.value_or(nz::threads()));
  threads_ = nz::threads();
  if (options.kernel.empty() && !options.parameters.empty())
    throw InvalidArgument("parameters need a kernel: they belong to one");
  if (!options.op.n && !options.op.t) throw InvalidArgument("a plan for neither N nor T");
  const Stopwatch watch(seconds_);
  const Kernel* wanted = options.kernel.empty() ? nullptr : &find_kernel(options.kernel);
  const Device device = device_of(wanted, options.device);
  Making<O> making{*this, options, device};
  if (wanted)
    making.told(*wanted, {a, owner});
  else
    making.choose({a, owner});
  if (options.deterministic && a.nnz > 0) {
    const auto promised = [&](Op op) {
      const Part& part = *part_for(op).first;
      return Candidate{
          .kernel = part.kernel, .parameters = part.parameters, .transposed = part.transposed}
          .repeats(op);
    };
    promised_ = {promised(Op::none), promised(Op::transpose)};
  }
  fingerprint_ = late_fingerprint(device, a, few_places);
  if (!owner) borrowed_ = {a.offsets, a.columns, a.values};
  explanation_.device = device.name();
  explanation_.threads = threads_;
  explanation_.n = options.op.n;
  explanation_.t = options.op.t;
  explanation_.deterministic = options.deterministic;
  explanation_.bytes = bytes();
  explanation_.csr_bytes = a.bytes();
}

template <Value T>
template <Offset O>
void Plan<T>::update(const CsrView<T, O>& a, std::shared_ptr<const void> owner) {
  const std::string changed =
      difference(known(fingerprint_), fingerprint(main_.product->device(), a, few_places));
  if (!changed.empty())
    throw InvalidArgument("the structure of the matrix is not the one planned for: " + changed);
  const ThreadScope scope(threads_);
  const PlanOptions none{};
  Making<O> making{*this, none, main_.product->device()};
  const std::array<const void*, 3> arrays{a.offsets, a.columns, a.values};
  const auto again = [&](const Part& part) -> Part {
    const Candidate same{
        .kernel = part.kernel, .parameters = part.parameters, .transposed = part.transposed};
    return making.make(same, making.input_of(same, {a, owner}));
  };
  const auto stays = [&](const Part& part) {
    return !part.product || (!owner && !part.transposed && !part.matrix &&
                             part.product->borrows() && borrowed_ == arrays);
  };
  Part main, second;
  const bool new_main = !stays(main_), new_second = !stays(second_);
  if (new_main) main = again(main_);
  if (new_second) second = again(second_);
  if (new_main) main_ = std::move(main);
  if (new_second) second_ = std::move(second);
  borrowed_ = owner ? std::array<const void*, 3>{} : arrays;
}

template <Value T>
template <Offset O>
void Plan<T>::update_values(const CsrView<T, O>& a) {
  update(a, nullptr);
}

template <Value T>
template <Offset O>
void Plan<T>::update_values(Csr<T, O> a) {
  with_narrow(std::move(a), [&](const auto& owner) { update(owner->view(), owner); });
}

template <Value T, Offset O>
Plan<T> plan(const CsrView<T, O>& a, const PlanOptions& options) {
  Plan<T> p;
  p.prepare(a, nullptr, options);
  return p;
}

template <Value T, Offset O>
Plan<T> plan(Csr<T, O> a, const PlanOptions& options) {
  Plan<T> p;
  with_narrow(std::move(a), [&](const auto& owner) { p.prepare(owner->view(), owner, options); });
  return p;
}

#define NZ_INSTANTIATE(T, O)                                       \
  template Plan<T> plan(const CsrView<T, O>&, const PlanOptions&); \
  template Plan<T> plan(Csr<T, O>, const PlanOptions&);            \
  template void Plan<T>::update_values(const CsrView<T, O>&);      \
  template void Plan<T>::update_values(Csr<T, O>);
#define NZ_INSTANTIATE_CLASS(T) template class Plan<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
