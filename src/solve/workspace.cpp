#include "solve/workspace.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "simt/backend.hpp"
#include "solve/operator_inside.hpp"
#include "solve/preconditioner.hpp"

namespace nz::solve {
namespace {

constexpr double worst_growth = 1e10;  // of the residual

double number(Stop s) { return static_cast<double>(s); }

std::unique_ptr<Replay> capture(Device device, CUstream_st* stream,
                                const std::function<void()>& work) {
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) return cuda::capture(stream, work);
#endif
  (void)device, (void)stream, (void)work;
  return nullptr;
}

// The work of somebody else may throw anything, of which a capture knows std::exception alone.
template <class Work>
auto heard(Work&& work) {
  return [&work] {
    try {
      work();
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      throw Error("a linear operator threw something that is no std::exception");
    }
  };
}

}  // namespace

void check_settings(double tolerance, int max_iterations, int check_every) {
  if (max_iterations < 0 || !(tolerance >= 0) || check_every < 0)
    throw InvalidArgument("a solver needs max_iterations, check_every and tolerance of at least 0");
}

template <Value T>
struct SolverWorkspace<T>::Pinned {
  Pinned(Device d, std::size_t n)
      : device(d), at(static_cast<double*>(simt::backend(d).allocate_pinned(n * 8))) {}
  ~Pinned() { simt::backend(device).release_pinned(at); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  Device device;
  double* at;
};

template <Value T>
std::size_t SolverWorkspace<T>::window() const {
  return static_cast<std::size_t>(check_every_) *
             static_cast<std::size_t>(settings_.logged_per_iteration) +
         2;
}

template <Value T>
SolverWorkspace<T>::SolverWorkspace(Device device, int threads, const Settings& settings)
    : device_(device),
      threads_(std::max(threads, 1)),
      settings_(settings),
      check_every_(settings.check_every > 0 ? settings.check_every
                   : device == cpu_device   ? 1
                                            : 25) {
  check_settings(settings.tolerance, settings.max_iterations, settings.check_every);
  if (device_ == cpu_device) {
    room_.blocks = threads_;
  } else {
    wait_for(device_, settings_.stream);
    stream_.emplace(device_);
    // As many as are there at a time: enough threads for the latency of memory, no second wave.
    room_.blocks = std::max(4, 4 * simt::backend(device_).info().processors);
    room_.cache_bytes = simt::backend(device_).info().cache_bytes;
  }
  room_.size = fixed_scalars + settings_.scalars;
  room_.scalars = static_cast<double*>(allocate(static_cast<std::size_t>(room_.size) * 8));
  // A look copies a whole window, wherever in the log it begins.
  const std::size_t logged = static_cast<std::size_t>(settings_.logged_per_iteration) *
                                 (static_cast<std::size_t>(settings_.max_iterations) + 2) +
                             8 + window();
  room_.log = static_cast<double*>(allocate(logged * 8));
  room_.parts = static_cast<double*>(
      allocate(static_cast<std::size_t>(room_.blocks) * Sweep<T>::most_sums * 8));
  // Apart from each other: blocks that wait look at one of them all the time.
  room_.counter = static_cast<unsigned*>(allocate(sizeof(unsigned)));
  room_.arrived = static_cast<unsigned*>(allocate(sizeof(unsigned)));
  std::vector<double> zeros(static_cast<std::size_t>(room_.size), 0.0);
  zeros[scalar_most_iterations] = settings_.max_iterations;
  zeros[scalar_target] = settings_.tolerance;
  zeros[scalar_limit] = INFINITY;
  zeros[scalar_reason_nan] = number(Stop::not_a_number);
  zeros[scalar_reason_converged] = number(Stop::converged);
  zeros[scalar_reason_diverged] = number(Stop::diverged);
  zeros[scalar_reason_iterations] = number(Stop::iteration_limit);
  copy_bytes(room_.scalars, zeros.data(), zeros.size() * 8);
  const unsigned none = 0;
  copy_bytes(room_.counter, &none, sizeof none);
  copy_bytes(room_.arrived, &none, sizeof none);
  fixed_.assign(fixed_scalars, 0.0);
  if (stream_) pinned_ = std::make_unique<Pinned>(device_, fixed_scalars + window());
}

template <Value T>
SolverWorkspace<T>::~SolverWorkspace() {
  try {
    pending_.clear();
    if (stream_) stream_->wait();  // nothing may still use what goes now
  } catch (...) {
  }
}

template <Value T>
void* SolverWorkspace<T>::allocate(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 16);
  if (device_ == cpu_device) return host_.emplace_back(bytes).data();
  return far_.emplace_back(device_, bytes).data();
}

template <Value T>
void SolverWorkspace<T>::copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (device_ == cpu_device)
    std::memcpy(to, from, bytes);
  else
    detail::device_copy(device_, to, from, bytes, stream());
}

template <Value T>
T* SolverWorkspace<T>::vector(std::size_t n) {
  return static_cast<T*>(allocate(n * sizeof(T)));
}

template <Value T>
Slot SolverWorkspace<T>::scalar() {
  if (used_ >= room_.size) throw Error("a solver uses more scalars than it asked for");
  return static_cast<Slot>(used_++);
}

template <Value T>
std::vector<Slot> SolverWorkspace<T>::scalars(std::size_t n) {
  std::vector<Slot> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(scalar());
  return all;
}

template <Value T>
const T* SolverWorkspace<T>::take(std::span<const T> v) {
  if (device_ == cpu_device || v.empty() || simt::backend(device_).owns(v.data())) return v.data();
  T* there = vector(v.size());
  put(there, v);
  return there;
}

template <Value T>
T* SolverWorkspace<T>::take_to_change(std::span<T> v) {
  return const_cast<T*>(take(v));
}

template <Value T>
void SolverWorkspace<T>::give(std::span<T> v, const T* from) {
  if (v.data() != from) copy_bytes(v.data(), from, v.size_bytes());
  flush();
  if (stream_) stream_->wait();
}

template <Value T>
std::vector<T> SolverWorkspace<T>::fetch(const T* from, std::size_t n) {
  std::vector<T> all(n);
  copy_bytes(all.data(), from, n * sizeof(T));
  return all;
}

template <Value T>
void SolverWorkspace<T>::put(T* to, std::span<const T> from) {
  copy_bytes(to, from.data(), from.size_bytes());
}

template <Value T>
void SolverWorkspace<T>::Pass::then(Steps steps) {
  for (const ScalarStep& step : steps) next(s_.step, s_.steps) = step;
  m_.queue(s_);
}

template <Value T>
void SolverWorkspace<T>::run(const std::vector<ScalarStep>& steps) {
  Sweep<T> s;
  for (const ScalarStep& step : steps) {
    if (s.steps == Sweep<T>::most_steps) {
      queue(s);
      s.steps = 0;
    }
    s.step[s.steps++] = step;
  }
  if (s.steps > 0) queue(s);
}

template <Value T>
void SolverWorkspace<T>::queue(const Sweep<T>& s) {
  if (device_ == cpu_device) return run_sweep(s, room_, threads_);
  pending_.push_back(s);
}

template <Value T>
void SolverWorkspace<T>::flush() {
  if (pending_.empty()) return;
  const simt::DeviceScope scope(device_);
  [[maybe_unused]] CUstream_st* stream = stream_->view().handle;
  // What a chain does not take goes alone.
  const Sweep<T>*s = pending_.data(), *end = s + pending_.size();
  while (s < end) {
    [[maybe_unused]] const int left = static_cast<int>(end - s);
    int queued = 1;
#ifdef NZ_HAVE_CUDA
    if (device_.kind == Device::Kind::cuda) {
      queued = cuda::queue_chain(stream, s, left, room_);
      if (queued == 0) cuda::queue_sweep(stream, *s, room_);
    }
#endif
#ifdef NZ_HAVE_EMULATOR
    if (device_.kind == Device::Kind::emulator) {
      queued = emulated::queue_chain(stream, s, left, room_);
      if (queued == 0) emulated::queue_sweep(stream, *s, room_);
    }
#endif
    s += std::max(queued, 1);
  }
  pending_.clear();
}

template <Value T>
StreamView SolverWorkspace<T>::stream() {
  flush();
  return stream_ ? stream_->view() : StreamView{};
}

template <Value T>
void SolverWorkspace<T>::multiply(const LinearOperator<T>& a, Op op, const T* x, T* y) {
  const auto rows = static_cast<std::size_t>(a.rows()), cols = static_cast<std::size_t>(a.cols());
  const bool turned = op == Op::transpose;
  a.inside()->apply(T(1), {x, turned ? rows : cols}, T(0), {y, turned ? cols : rows}, op, stream());
}

template <Value T>
void SolverWorkspace<T>::multiply(const LinearOperator<T>& a, Op op, const T* x, T* y, index_t k) {
  const bool turned = op == Op::transpose;
  a.inside()->apply_several(T(1), column_major(x, turned ? a.rows() : a.cols(), k), T(0),
                            column_major(y, turned ? a.cols() : a.rows(), k), op, stream());
}

template <Value T>
bool SolverWorkspace<T>::multiply_and_dot(const LinearOperator<T>& a, Op op, const T* x, T* y,
                                          Slot to) {
  const auto n = static_cast<std::size_t>(a.rows());
  if (n * sizeof(T) < worth_fusing) return false;
  if (device_ != cpu_device || a.rows() != a.cols() || !a.inside()->fuses(op)) return false;
  const std::span<const T> from(x, n);
  a.inside()->apply_ended(T(1), from, T(0), {y, n},
                          {.dot_with = from, .dot = room_.scalars + static_cast<int>(to)}, op,
                          stream());
  return true;
}

template <Value T>
void SolverWorkspace<T>::precondition(const Preconditioner<T>& m, Op op, const T* r, T* z,
                                      std::size_t n) {
  const auto* inside = m.inside();
  if (inside->by)
    multiply(inside->by, op, r, z);
  else
    pass(n).update(z, 1.0, r, 0.0, inside->diagonal()).then();
}

template <Value T>
void SolverWorkspace<T>::write(Slot s, double value) {
  copy_bytes(room_.scalars + static_cast<int>(s), &value, sizeof value);
}

template <Value T>
double SolverWorkspace<T>::read(Slot s) {
  return read(s, 1)[0];
}

template <Value T>
std::vector<double> SolverWorkspace<T>::read(Slot first, std::size_t n) {
  std::vector<double> all(n);
  copy_bytes(all.data(), room_.scalars + static_cast<int>(first), n * sizeof(double));
  return all;
}

template <Value T>
std::span<const double> SolverWorkspace<T>::log() {
  return log_;
}

// The fixed scalars and the log as they are now; on a GPU with one wait.
template <Value T>
void SolverWorkspace<T>::fetch_state() {
  const std::size_t before = log_.size();
  std::size_t came = 0;
  if (pinned_) {
    simt::Backend& b = simt::backend(device_);
    CUstream_st* stream = this->stream().handle;
    b.copy_queued(pinned_->at, room_.scalars, fixed_scalars * 8, stream);
    b.copy_queued(pinned_->at + fixed_scalars, room_.log + before, window() * 8, stream);
    b.wait(stream);
    fixed_.assign(pinned_->at, pinned_->at + fixed_scalars);
    came = window();
  } else {
    fixed_.assign(room_.scalars, room_.scalars + fixed_scalars);
  }
  const auto logged = static_cast<std::size_t>(fixed_[scalar_logged]);
  log_.resize(logged);
  came = std::min(came, logged - before);
  if (came > 0) std::memcpy(&log_[before], pinned_->at + fixed_scalars, came * 8);
  copy_bytes(log_.data() + before + came, room_.log + before + came, (logged - before - came) * 8);
}

// Whether the residual is within the tolerance, as far as the method knows.
template <Value T>
bool SolverWorkspace<T>::content() const {
  const Stop reason = decided();
  return reason == Stop::converged || reason == Stop::least_squares ||
         (reason == Stop::iteration_limit && log_.back() <= settings_.tolerance);
}

// Tells the callback what is new; false where nothing more is to be done.
template <Value T>
bool SolverWorkspace<T>::look(const std::function<void()>& undecided,
                              const std::function<void()>& confirm) {
  fetch_state();
  if (undecided && fixed_[scalar_decided] == 0)
    undecided();
  else if (confirm && content())
    confirm();
  const std::size_t logged = log_.size();
  if (settings_.callback && *settings_.callback && settings_.logged_per_iteration == 1)
    for (; told_ < logged; ++told_)
      if (!(*settings_.callback)(static_cast<int>(told_), log_[told_]) &&
          fixed_[scalar_decided] == 0) {
        decide(Stop::stopped);
        return false;
      }
  return fixed_[scalar_decided] == 0;
}

template <Value T>
void SolverWorkspace<T>::decide(Stop reason) {
  write(static_cast<Slot>(scalar_decided), number(reason));
  write(static_cast<Slot>(scalar_stopped), number(reason));
  fixed_[scalar_decided] = number(reason);
}

template <Value T>
void SolverWorkspace<T>::reopen() {
  static_assert(scalar_decided == scalar_stopped + 1);
  const double none[2] = {0, 0};
  copy_bytes(room_.scalars + scalar_stopped, none, sizeof none);
  fixed_[scalar_stopped] = fixed_[scalar_decided] = 0;
}

template <Value T>
bool SolverWorkspace<T>::start(Slot residual) {
  run({set(static_cast<Slot>(scalar_iteration), -1), record(residual)});
  const double first = read(residual);
  write(static_cast<Slot>(scalar_limit), worst_growth * std::max(first, 1e-300));
  // No iterations allowed, and none needed, are told apart by record().
  return look();
}

template <Value T>
void SolverWorkspace<T>::repeat(const std::function<void()>& iteration,
                                const std::function<void()>& undecided,
                                const std::function<void()>& confirm) {
  const auto batch = [&] {
    for (int i = 0; i < check_every_; ++i) iteration();
    flush();
  };
  std::unique_ptr<Replay> graph;
  bool tried = false;
  while (fixed_[scalar_decided] == 0) {
    const auto begin = std::chrono::steady_clock::now();
    // The first time launches one by one: what is made on first use must not be captured.
    if (graph)
      graph->queue(stream().handle);
    else
      batch();
    replayed_ |= graph != nullptr;
    look(undecided, confirm);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!tried && fixed_[scalar_decided] == 0) {
      tried = true;
      const simt::DeviceScope scope(device_);
      if (!stream_ || !settings_.captures) continue;
      graph = capture(device_, stream().handle, heard(batch));
      if (!graph) pending_.clear();  // what a capture that failed had not queued yet
    }
  }
}

template <Value T>
Result SolverWorkspace<T>::result() {
  Result r;
  r.reason = decided();
  r.iterations = std::max(0, static_cast<int>(fixed_[scalar_iteration]));
  if (settings_.logged_per_iteration == 1) r.history = log_;
  r.residual = r.history.empty() ? 0 : r.history.back();
  r.seconds = seconds_;
  r.replayed = replayed_;
  const char* its = r.iterations == 1 ? "iteration" : "iterations";
  r.message =
      fmt::format("{} after {} {}, residual {:.3g}", name(r.reason), r.iterations, its, r.residual);
  return r;
}

std::string_view name(Stop s) {
  switch (s) {
    case Stop::converged:
      return "converged";
    case Stop::least_squares:
      return "converged to least squares";
    case Stop::iteration_limit:
      return "iteration limit";
    case Stop::stopped:
      return "stopped";
    case Stop::breakdown:
      return "breakdown";
    case Stop::diverged:
      return "diverged";
    case Stop::not_a_number:
      return "not a number";
    case Stop::not_symmetric:
      return "not symmetric";
    case Stop::not_definite:
      return "not positive definite";
    case Stop::not_stochastic:
      return "not stochastic";
    case Stop::stagnated:
      return "stagnated";
  }
  return "unknown";
}

#define NZ_INSTANTIATE(T) template class SolverWorkspace<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
