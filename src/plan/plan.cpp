#include <nonzero/plan.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "kernels/gpu/device_csr.hpp"
#include "plan/fitted.hpp"
#include "plan/selection.hpp"
#include "plan/transposed.hpp"
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

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string megabytes(double bytes) { return fmt::format("{:.3g} MB", bytes / 1e6); }

}  // namespace

template <Value T>
void Plan<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                       StreamView stream) const {
  check_vectors(x, y, rows_, cols_, op);
  const bool by_second = op == Op::transpose && second_.product;
  const Part& part = by_second ? second_ : main_;
  const Op inner = (op == Op::none) != part.transposed ? Op::none : Op::transpose;
  if (!part.kernel->supports(inner))
    throw InvalidArgument(fmt::format("{} has no transposed product", part.kernel->id()));
  if (!promised_.has(op))
    throw InvalidArgument(
        fmt::format("{} would not give the same bits again for op = {}: the plan is to be "
                    "deterministic, and was not made for it",
                    part.kernel->id(), name(op)));
  part.product->multiply_on(stream, inner, alpha, x, beta, y);
}

// One plan under way.
template <Value T>
template <Offset O>
struct Plan<T>::Making {
  Plan& plan;
  const PlanOptions& options;
  Device device;
  Wishes wishes{};
  std::string smallest{};  // of those that were too large
  double smallest_bytes = 0;

  // The matrix as it is, or its transpose, and its owner where that is the plan.
  struct Input {
    CsrView<T, O> view;
    std::shared_ptr<const void> owner;
  };
  Input transpose_{};

  Part make(const Candidate& c, const Input& in) const {
    Part part{.kernel = c.kernel,
              .parameters = c.kernel->resolve(c.parameters),
              .transposed = c.transposed};
    part.product = make_product(*c.kernel, in.view, part.parameters, device);
    if (part.product->borrows() && in.owner) {
      part.matrix = in.owner;
      part.matrix_bytes = in.view.bytes();
    }
    return part;
  }

  bool fits(const Part& part, std::size_t others) {
    if (options.memory_limit == 0 || part.bytes() + others <= options.memory_limit) return true;
    too_large(*part.kernel, static_cast<double>(part.bytes() + others));
    return false;
  }
  void too_large(const Kernel& kernel, double bytes) {
    if (!smallest.empty() && bytes >= smallest_bytes) return;
    smallest = kernel.id();
    smallest_bytes = bytes;
  }

  // The first of the candidates that takes the matrix and fits.
  Part first_of(Selection& s, const Input& in, std::size_t others) {
    std::string refusal;
    for (std::size_t i = 0; i < s.candidates.size(); ++i) {
      Candidate& c = s.candidates[i];
      if (i >= s.usable) {
        if (c.why_not == "over the memory limit")
          too_large(*c.kernel, c.bytes + static_cast<double>(others));
        continue;
      }
      try {
        Part part = make(c, c.transposed ? transposed(in.view) : in);
        if (fits(part, others)) {
          c.why_not.clear();
          plan.reason_ = refusal.empty() ? c.why : c.why + ", because " + refusal;
          return part;
        }
        c.why_not = "over the memory limit";
      } catch (const Refused& e) {
        // Samples promised what the whole matrix does not keep.
        refusal = c.why_not = e.what();
      }
    }
    if (!smallest.empty())
      throw NoResource(
          fmt::format("no kernel keeps this matrix in {} on {}: the smallest, {}, takes {}",
                      megabytes(static_cast<double>(options.memory_limit)), device.name(), smallest,
                      megabytes(smallest_bytes)));
    throw InvalidArgument(refusal.empty()
                              ? fmt::format("no kernel on {} gives the same bits every time for "
                                            "what is asked",
                                            device.name())
                              : refusal);
  }

  void told(const Kernel& kernel, const Input& in) {
    Candidate c{.kernel = &kernel,
                .parameters = fitted(kernel, options.parameters, in.view, device)};
    if (options.deterministic && !options.parameters.contains("deterministic") &&
        c.parameters.contains("deterministic"))
      c.parameters["deterministic"] = 1;
    for (const Op op : all_ops)
      if (options.deterministic && options.op.has(op) && !c.repeats(op))
        throw InvalidArgument(fmt::format("{} does not give the same bits every time for op = {}",
                                          kernel.id(), name(op)));
    plan.main_ = make(c, in);
    if (!fits(plan.main_, 0))
      throw NoResource(fmt::format("{} keeps {}, the limit is {}", kernel.id(),
                                   megabytes(static_cast<double>(plan.main_.bytes())),
                                   megabytes(static_cast<double>(options.memory_limit))));
  }

  // Made at most once.
  const Input& transposed(const CsrView<T, O>& a) {
    if (!transpose_.owner) {
      Transposed<T, O> t = transposed_on(device, a);
      transpose_ = {t.view, std::move(t.owner)};
    }
    return transpose_;
  }

  // The kernel for the transpose, now that it can be looked at.
  Part from_transpose(const Input& t, std::size_t others) {
    Wishes w = wishes;
    w.use = Op::none;
    w.csr_is_there = false;
    if (w.memory_limit > 0) w.memory_limit -= std::min(w.memory_limit - 1, others);
    Selection s = select(t.view, device, w);
    Part part = first_of(s, t, others);
    part.transposed = true;
    return part;
  }

  // Whether N and T have a copy each: allowed, predicted to be faster, and not too large.
  bool two_copies(const Selection& one) const {
    if (!options.store_transpose || options.op != both_ops || one.features.nnz == 0) return false;
    Wishes w = wishes;
    w.use = Op::none;
    const Selection n = rank(one.features, one.candidates, w);
    w.use = Op::transpose;
    w.effort = Effort::thorough;  // who allows a second copy allows making it
    const Selection t = rank(one.features, transposed_candidates(one.features, device), w);
    if (n.usable == 0 || t.usable == 0) return false;
    const Candidate &a = n.candidates.front(), &b = t.candidates.front();
    if (options.memory_limit > 0 && a.bytes + b.bytes > static_cast<double>(options.memory_limit))
      return false;
    return one.usable == 0 ||
           (a.n_seconds + b.t_seconds) / 2 < seconds_for(one.candidates.front(), both_ops);
  }

  void choose(const Input& in) {
    wishes = {.use = options.op,
              .effort = options.effort,
              .memory_limit = options.memory_limit,
              .deterministic = options.deterministic,
              .csr_is_there = !in.owner && (device == cpu_device || lies_on(device, in.view)),
              .may_transpose = true};
    Selection s = select(in.view, device, wishes);
    if (two_copies(s)) {
      Wishes n = wishes;
      n.use = Op::none;
      Selection one = rank(s.features, s.candidates, n);
      plan.main_ = first_of(one, in, 0);
      const std::string reason = plan.reason_;
      plan.second_ = from_transpose(transposed(in.view), plan.main_.bytes());
      plan.reason_ = reason + "; the transpose is kept for T";
    } else if (s.usable > 0 && s.candidates.front().transposed) {
      plan.main_ = from_transpose(transposed(in.view), 0);
      plan.reason_ += ", from the transpose";
    } else {
      plan.main_ = first_of(s, in, 0);
    }
  }
};

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
  const auto start = std::chrono::steady_clock::now();
  const Kernel* wanted = options.kernel.empty() ? nullptr : &find_kernel(options.kernel);
  Making<O> making{*this, options, device_of(wanted, options.device)};
  if (wanted)
    making.told(*wanted, {a, std::move(owner)});
  else
    making.choose({a, std::move(owner)});
  if (options.deterministic) {
    const auto promised = [&](Op op) {
      const Part& part = op == Op::transpose && second_.product ? second_ : main_;
      return Candidate{
          .kernel = part.kernel, .parameters = part.parameters, .transposed = part.transposed}
          .repeats(op);
    };
    promised_ = {promised(Op::none), promised(Op::transpose)};
  }
  seconds_ = seconds_since(start);
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
  const auto adopt = [&](auto&& matrix) {
    const auto owner = std::make_shared<const std::decay_t<decltype(matrix)>>(std::move(matrix));
    p.prepare(owner->view(), owner, options);
  };
  if (a.nnz() <= std::numeric_limits<std::int32_t>::max())
    adopt(csr_with_offsets<std::int32_t>(std::move(a)));
  else
    adopt(csr_with_offsets<std::int64_t>(std::move(a)));
  return p;
}

#define NZ_INSTANTIATE(T, O)                                       \
  template Plan<T> plan(const CsrView<T, O>&, const PlanOptions&); \
  template Plan<T> plan(Csr<T, O>, const PlanOptions&);
#define NZ_INSTANTIATE_CLASS(T) template class Plan<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
