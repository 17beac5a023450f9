#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include <nonzero/formats/csr.hpp>
#include <nonzero/kernel.hpp>

namespace nz {

struct PlanOptions {
  std::string kernel;       // an id of the registry; empty: the plan chooses
  Parameters parameters{};  // only with a kernel
  // The threads of every multiply; empty: as many as nz::threads() says now.
  std::optional<int> threads{};
  // "cpu", "cuda:0", ..., "emu"; empty: where the kernel runs, cuda:0 for one for GPUs, and the CPU
  // where the plan chooses the kernel.
  std::string device{};
  // The product that will be asked for most: the choice is made for it. Both always work.
  Op op = Op::none;
};

// What a plan takes when it is left the choice.
struct Choice {
  const Kernel* kernel = nullptr;
  Parameters parameters{};
  std::string reason;  // for people, one line
};

// Looks at samples of the matrix, for the number of threads that is set.
template <Value T, Offset O>
Choice choose(const CsrView<T, O>& a, Op op = Op::none, Device device = cpu_device);

// A matrix ready to be multiplied: made once, used often. It may hold scratch memory, so a plan
// does one multiply at a time; plans side by side do not disturb each other. On a GPU that counts
// for the work that is queued: multiplies of one plan on several streams must be kept in order,
// with events.
template <Value T>
class Plan {
 public:
  // y = alpha op(A) x + beta y. Throws InvalidArgument when a length is wrong, when x and y
  // overlap, or when the kernel cannot do op.
  // On a GPU it runs on the stream, the device's default one when none is given, and may still run
  // when multiply returns, unless x or y lies in host memory (which is slow; kernel.hpp).
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op = Op::none,
                StreamView stream = {}) const;

  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  const Kernel& kernel() const { return *kernel_; }
  const Parameters& parameters() const { return parameters_; }
  const Product<T>& product() const { return *product_; }
  // Why this kernel, where the plan chose it; empty where it was told.
  const std::string& reason() const { return reason_; }
  int threads() const { return threads_; }
  Device device() const { return product_->device(); }
  double prepare_seconds() const { return seconds_; }
  // All memory the plan keeps, the matrix included where it owns it.
  std::size_t bytes() const;

 private:
  template <Value U, Offset O>
  friend Plan<U> plan(Csr<U, O> a, const PlanOptions& options);
  template <Value U, Offset O>
  friend Plan<U> plan(const CsrView<U, O>& a, const PlanOptions& options);
  template <Offset O>
  void prepare(const CsrView<T, O>& a, const PlanOptions& options);

  index_t rows_ = 0;
  index_t cols_ = 0;
  const Kernel* kernel_ = nullptr;
  Parameters parameters_;
  std::string reason_;
  std::variant<std::monostate, Csr<T, std::int32_t>, Csr<T, std::int64_t>> matrix_;
  std::unique_ptr<Product<T>> product_;
  int threads_ = 1;
  double seconds_ = 0;
};

// Throws InvalidArgument for an unknown kernel or parameter and for fewer than one thread, Refused
// where the kernel declines the matrix, NoResource where memory is short.
// Takes the matrix over (move it in to avoid the copy). 64-bit offsets are narrowed when they can
// be; the CSR arrays are freed when the kernel does not need them.
template <Value T, Offset O>
Plan<T> plan(Csr<T, O> a, const PlanOptions& options = {});

// Borrows the caller's arrays: they must stay as they are while the plan lives. For a plan on a GPU
// they may lie in that device's memory; kernels on CSR then use them in place.
template <Value T, Offset O>
Plan<T> plan(const CsrView<T, O>& a, const PlanOptions& options = {});

}  // namespace nz
