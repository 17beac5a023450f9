#include <nonzero/plan.hpp>

#include <chrono>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "plan/fitted.hpp"
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

template <Value T, Offset O>
std::unique_ptr<Product<T>> make_product(const Kernel& kernel, const CsrView<T, O>& a,
                                         const Parameters& parameters, Device device) {
  const auto make = kernel.prepare_for<T, O>(device.kind);
  if (!make)
    throw InvalidArgument(fmt::format("{} cannot take {} values with {}-bit offsets", kernel.id(),
                                      name(value_type_of<T>), 8 * sizeof(O)));
  const simt::DeviceScope scope(device);
  return make(a, parameters);
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

}  // namespace

template <Value T>
void Plan<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                       StreamView stream) const {
  check_vectors(x, y, rows_, cols_, op);
  if (!kernel_->supports(op))
    throw InvalidArgument(fmt::format("{} has no transposed product", kernel_->id()));
  product_->multiply_on(stream, op, alpha, x, beta, y);
}

template <Value T>
std::size_t Plan<T>::bytes() const {
  const auto owned = [](const auto& m) -> std::size_t {
    if constexpr (std::is_same_v<std::decay_t<decltype(m)>, std::monostate>)
      return 0;
    else
      return m.bytes();
  };
  return product_->bytes() + std::visit(owned, matrix_);
}

template <Value T>
template <Offset O>
void Plan<T>::prepare(const CsrView<T, O>& a, const PlanOptions& options) {
  rows_ = a.rows;
  cols_ = a.cols;
  const ThreadScope scope(options.threads.value_or(nz::threads()));
  threads_ = nz::threads();
  if (options.kernel.empty() && !options.parameters.empty())
    throw InvalidArgument("parameters need a kernel: they belong to one");
  const auto start = std::chrono::steady_clock::now();
  const Kernel* wanted = options.kernel.empty() ? nullptr : &find_kernel(options.kernel);
  const Device device = device_of(wanted, options.device);
  const Choice choice =
      wanted ? Choice{wanted, options.parameters, {}} : choose(a, options.op, device);
  kernel_ = choice.kernel;
  parameters_ =
      wanted ? fitted(*kernel_, choice.parameters, a, device) : kernel_->resolve(choice.parameters);
  reason_ = choice.reason;
  try {
    product_ = make_product(*kernel_, a, parameters_, device);
  } catch (const Refused& e) {
    const char* plain = device == cpu_device ? "cpu/csr/balanced" : "gpu/csr/balanced";
    if (wanted || kernel_->id() == plain) throw;
    // Samples promised what the whole matrix does not keep. Plain CSR takes everything.
    kernel_ = &find_kernel(plain);
    parameters_ = kernel_->resolve({});
    reason_ = fmt::format("plain CSR, because {}", e.what());
    product_ = make_product(*kernel_, a, parameters_, device);
  }
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <Value T, Offset O>
Plan<T> plan(const CsrView<T, O>& a, const PlanOptions& options) {
  Plan<T> p;
  p.prepare(a, options);
  return p;
}

template <Value T, Offset O>
Plan<T> plan(Csr<T, O> a, const PlanOptions& options) {
  Plan<T> p;
  const auto adopt = [&](auto&& matrix) {
    using M = std::decay_t<decltype(matrix)>;
    p.prepare(p.matrix_.template emplace<M>(std::move(matrix)).view(), options);
  };
  if (a.nnz() <= std::numeric_limits<std::int32_t>::max())
    adopt(csr_with_offsets<std::int32_t>(std::move(a)));
  else
    adopt(csr_with_offsets<std::int64_t>(std::move(a)));
  if (!p.product_->borrows()) p.matrix_ = std::monostate{};
  return p;
}

#define NZ_INSTANTIATE(T, O)                                       \
  template Plan<T> plan(const CsrView<T, O>&, const PlanOptions&); \
  template Plan<T> plan(Csr<T, O>, const PlanOptions&);
#define NZ_INSTANTIATE_CLASS(T) template class Plan<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
