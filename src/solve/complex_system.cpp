#include "solve/complex_system.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "simt/backend.hpp"
#include "solve/workspace.hpp"

namespace nz::solve {
namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The products of the formula: std::complex looks for infinities by a function call.
template <class T>
T times(std::complex<double> a, T v) {
  using R = real_of<T>;
  const double re = v.real(), im = v.imag();
  return {static_cast<R>(a.real() * re - a.imag() * im),
          static_cast<R>(a.real() * im + a.imag() * re)};
}

template <class T>
Array<T> fetched(Device device, std::span<const T> from) {
  Array<T> to(from.size());
  if (from.empty()) return to;
  if (device != cpu_device && simt::backend(device).owns(from.data()))
    detail::device_copy(device, to.data(), from.data(), from.size_bytes(), {});
  else
    std::copy(from.begin(), from.end(), to.begin());
  return to;
}

}  // namespace

template <ComplexValue T>
ComplexSystem<T>::ComplexSystem(const char* method, const Plan<T>& plan, std::span<const T> given_b,
                                std::span<T> given_x, const Options<T>& o)
    : options(o), plan_(plan), given_x_(given_x) {
  check_settings(o.tolerance, o.max_iterations, o.check_every);
  const auto rows = static_cast<std::size_t>(plan.rows()),
             cols = static_cast<std::size_t>(plan.cols());
  if (rows != cols)
    throw InvalidArgument(
        fmt::format("{} needs a square matrix, this one is {} x {}", method, rows, cols));
  if (!plan.supports(Op::none))
    throw InvalidArgument(
        fmt::format("{} multiplies by A, which this plan was not made for", method));
  if (given_b.size() != rows)
    throw InvalidArgument(fmt::format("b has {} elements, needs {}", given_b.size(), rows));
  if (given_x.size() != cols)
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", given_x.size(), cols));
  if (o.preconditioner)
    throw InvalidArgument(fmt::format("{} of complex systems takes no preconditioner", method));
  if (plan.device() != cpu_device) wait_for(plan.device(), o.stream);
  b = fetched(plan.device(), given_b);
  x = fetched(plan.device(), std::span<const T>(given_x));
  r = vector();
}

template <ComplexValue T>
void ComplexSystem<T>::multiply(const Vector& from, Vector& to, Op op) const {
  plan_.multiply(T(1), from, T(0), to, op, options.stream);
}

template <ComplexValue T>
typename ComplexSystem<T>::Scalar ComplexSystem<T>::dot(const Vector& u, const Vector& v) const {
  constexpr std::size_t few = 1 << 14;
  const int parts = u.size() < few ? 1 : plan_.team();
  std::vector<Scalar> sums(static_cast<std::size_t>(parts));
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(u.size(), part, parts);
    double re = 0, im = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double a = u[i].real(), c = u[i].imag(), d = v[i].real(), e = v[i].imag();
      re += a * d + c * e;
      im += a * e - c * d;
    }
    sums[static_cast<std::size_t>(part)] = {re, im};
  });
  Scalar all = 0;
  for (const Scalar& s : sums) all += s;
  return all;
}

template <ComplexValue T>
double ComplexSystem<T>::norm(const Vector& v) const {
  return std::sqrt(dot(v, v).real());
}

template <ComplexValue T>
void ComplexSystem<T>::update(Vector& y, Scalar a, const Vector& from, Scalar keep) const {
  const ThreadScope scope(plan_.team());
  ranges([&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      y[i] = keep == Scalar(0)   ? times(a, from[i])
             : keep == Scalar(1) ? y[i] + times(a, from[i])
                                 : times(a, from[i]) + times(keep, y[i]);
  });
}

template <ComplexValue T>
bool ComplexSystem<T>::begin() {
  began_ = now();
  multiply(x, r);
  update(r, 1, b, -1);
  norm_b_ = norm(b);
  if (norm_b_ == 0) {  // whatever A is, 0 solves it
    std::fill(x.begin(), x.end(), T(0));
    std::fill(r.begin(), r.end(), T(0));
  }
  const double first = norm(r);
  iterations_ = -1;
  target_ = options.tolerance;
  if (record(first)) return true;
  if (converged()) tell();  // of x itself, already
  return false;
}

template <ComplexValue T>
bool ComplexSystem<T>::record(double residual_norm, bool ends_cycle) {
  constexpr double grown = 1e10;
  const double residual = norm_b_ == 0 ? residual_norm : residual_norm / norm_b_;
  ++iterations_;
  history_.push_back(residual);
  if (std::isnan(residual))
    decided_ = Stop::not_a_number;
  else if (residual <= target_)
    decided_ = Stop::converged;
  else if (!(residual <= grown * std::max(history_.front(), options.tolerance)))
    decided_ = Stop::diverged;
  else if (iterations_ >= options.max_iterations)
    decided_ = residual <= options.tolerance ? Stop::converged : Stop::iteration_limit;
  else {
    if (ends_cycle || tell()) return true;
    decided_ = Stop::stopped;
    return false;
  }
  // The last one is told, too, whatever the answer; by confirm() where that may change it.
  if (!converged()) tell();
  return false;
}

template <ComplexValue T>
bool ComplexSystem<T>::tell() const {
  return !options.callback || options.callback(iterations_, history_.back());
}

// By the rule of the real GMRES.
template <ComplexValue T>
bool ComplexSystem<T>::again(double began) {
  multiply(x, r);
  update(r, 1, b, -1);
  const double left = norm(r), truth = left / norm_b_;
  const bool right = truth <= options.tolerance;
  const bool stagnates = !right && history_.back() < truth / 2 && left > began / 2;
  if (right || stagnates) history_.back() = truth;
  if (tell() && !right && !stagnates) return true;
  decided_ = right ? Stop::converged : stagnates ? Stop::stagnated : Stop::stopped;
  return false;
}

// By the rules of System::settles().
template <ComplexValue T>
bool ComplexSystem<T>::confirm() {
  if (!converged()) return false;
  multiply(x, r);
  update(r, 1, b, -1);
  const double truth = norm(r) / norm_b_, last = std::exchange(truth_, truth);
  history_.back() = truth;
  const bool stagnates = !(truth <= last / 2), limited = iterations_ >= options.max_iterations;
  if (truth > options.tolerance && std::isfinite(truth) && !stagnates && !limited) {
    target_ = options.tolerance / 2;
    decided_ = Stop::stopped;
    return tell();
  }
  decided_ = truth <= options.tolerance ? Stop::converged
             : !std::isfinite(truth)    ? Stop::not_a_number
             : stagnates                ? Stop::stagnated
                                        : Stop::iteration_limit;
  tell();
  return false;
}

template <ComplexValue T>
Result ComplexSystem<T>::end(std::string message) {
  const Device device = plan_.device();
  if (!given_x_.empty()) {
    if (device != cpu_device && simt::backend(device).owns(given_x_.data()))
      detail::device_copy(device, given_x_.data(), x.data(), given_x_.size_bytes(), {});
    else
      std::copy(x.begin(), x.end(), given_x_.begin());
  }
  Result result;
  result.reason = decided_;
  result.iterations = std::max(0, iterations_);
  result.history = std::move(history_);
  result.residual = result.history.empty() ? 0 : result.history.back();
  result.seconds = began_ == 0 ? 0 : now() - began_;
  result.message =
      !message.empty()
          ? std::move(message)
          : fmt::format("{} after {} {}, residual {:.3g}", name(decided_), result.iterations,
                        result.iterations == 1 ? "iteration" : "iterations", result.residual);
  return result;
}

#define NZ_INSTANTIATE(T) template class ComplexSystem<T>;
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz::solve
