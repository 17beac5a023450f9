#pragma once
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "solve/replay.hpp"
#include "solve/steps.hpp"

namespace nz::solve {

// Throws InvalidArgument where one of them means nothing. Solvers that do not hand their caller's
// to the workspace as they are ask it themselves.
void check_settings(double tolerance, int max_iterations, int check_every);

// The vectors and scalars of one solver in a device's memory, and the six operations on them: copy,
// axpby, dot, norm, scale (all of them sweeps, fused where they touch the same vectors), multiply.
// Everything is queued in order; only read() and steps of repeat() wait.
template <Value T>
class SolverWorkspace {
 public:
  struct Settings {
    double tolerance = 0;
    int max_iterations = 0;
    int check_every = 0;
    const Callback* callback = nullptr;
    StreamView stream{};
    int scalars = 0;  // beyond those of every solver
    int logged_per_iteration = 1;
    bool captures = true;  // what is multiplied by can be part of a graph
  };
  SolverWorkspace(Device device, int threads, const Settings& settings);
  ~SolverWorkspace();
  // Bytes of a vector from which a product brings its dot product along: shorter ones are in the
  // cache when a dot product of their own reads them.
  static constexpr std::size_t worth_fusing = 4u << 20;

  SolverWorkspace(const SolverWorkspace&) = delete;
  SolverWorkspace& operator=(const SolverWorkspace&) = delete;

  // Room for n elements, uninitialised, as long as the workspace lives.
  T* vector(std::size_t n);
  Slot scalar();
  std::vector<Slot> scalars(std::size_t n);  // one behind the other

  // The vector where the device can use it: in place, or copied there; give() brings it back.
  const T* take(std::span<const T> host_or_device);
  T* take_to_change(std::span<T> host_or_device);
  void give(std::span<T> host_or_device, const T* from);
  std::vector<T> fetch(const T* from, std::size_t n);
  void put(T* to, std::span<const T> from);

  // One pass over vectors of n elements; then() queues it.
  class Pass {
   public:
    Pass(SolverWorkspace& m, std::size_t n) : m_(m) { s_.n = static_cast<std::int64_t>(n); }
    // y = a x + b y.
    Pass& update(T* y, Factor a, const T* x, Factor b = 1.0, const T* diagonal = nullptr) {
      next(s_.update, s_.updates) = {.y = y, .x = x, .d = diagonal, .a = a, .b = b};
      return *this;
    }
    Pass& copy(T* y, const T* x) { return update(y, 1.0, x, 0.0); }
    Pass& fill(T* y, Factor a) { return update(y, a, nullptr, 0.0); }
    Pass& scale(T* y, Factor a) { return update(y, a, y, 0.0); }
    Pass& dot(const T* u, const T* v, Slot to) {
      next(s_.sum, s_.sums) = {u, v, static_cast<int>(to)};
      return *this;
    }
    Pass& sum(const T* u, Slot to) { return dot(u, nullptr, to); }
    // The last update adds this to every element, too.
    Pass& plus(Factor c) {
      last_update().c = c;
      return *this;
    }
    // What the last update changes y by, in the sum of sizes. Before any other sum.
    Pass& change(Slot to) {
      if (s_.sums > 0) throw Error("a sweep measures its change before any other sum");
      last_update().measured = true;
      return dot(nullptr, nullptr, to);
    }
    void then(Steps steps = {});

   private:
    // A sweep has room for a few of each: what is one too many must not be written behind them.
    template <class Each, int most>
    static Each& next(Each (&places)[most], int& taken) {
      if (taken == most) throw Error("a sweep has too many updates, sums or steps");
      return places[taken++];
    }
    VectorUpdate<T>& last_update() {
      if (s_.updates == 0) throw Error("a sweep without an update has none to add to");
      return s_.update[s_.updates - 1];
    }

    SolverWorkspace& m_;
    Sweep<T> s_;
  };
  Pass pass(std::size_t n) { return {*this, n}; }
  void run(Steps steps) { pass(0).then(steps); }
  void run(const std::vector<ScalarStep>& steps);  // any number

  void multiply(const LinearOperator<T>& a, Op op, const T* x, T* y);
  // The same for k vectors, one behind the other.
  void multiply(const LinearOperator<T>& a, Op op, const T* x, T* y, index_t k);
  // y = op(A) x for a square A, and (x, y), in one pass. False where there is none, and nothing was
  // done: on a GPU the sweeps behind a product are one kernel that begins with its dot product.
  bool multiply_and_dot(const LinearOperator<T>& a, Op op, const T* x, T* y, Slot to);
  // z = M r or M^T r, where there is a preconditioner.
  void precondition(const Preconditioner<T>& m, Op op, const T* r, T* z, std::size_t n);

  void write(Slot s, double value);
  double read(Slot s);
  std::vector<double> read(Slot first, std::size_t n);
  std::span<const double> log();  // all that was logged

  // Does the iteration until it decides to stop, looking every so often, on a GPU as a CUDA graph.
  // `undecided` runs at each look that finds nothing decided, and may decide; `confirm` at each
  // that finds the solver content, and may reopen(). Both come before the callback hears of it.
  void repeat(const std::function<void()>& iteration, const std::function<void()>& undecided = {},
              const std::function<void()>& confirm = {});
  // The initial residual. False where it decides already.
  bool start(Slot residual);
  void decide(Stop reason);
  // Lets sweeps work on after all, to finish what was decided.
  void resume() { write(static_cast<Slot>(scalar_stopped), 0); }
  // Takes back what was decided, and goes on to another target.
  void reopen();
  void aim(double target) { write(static_cast<Slot>(scalar_target), target); }
  // At the last look; 0: nothing.
  Stop decided() const { return static_cast<Stop>(static_cast<int>(fixed_[scalar_decided])); }
  // What the last residual is, now that it was computed.
  void correct(double residual) { log_.back() = residual; }
  // Whether the rest of an iteration is in vain; only the CPU knows at once.
  bool over() const { return device_ == cpu_device && room_.scalars[scalar_stopped] != 0; }

  // What has come of it.
  Result result();
  int iterations() const { return static_cast<int>(fixed_[scalar_iteration]); }  // at the last look
  Device device() const { return device_; }
  int check_every() const { return check_every_; }
  void copy_bytes(void* to, const void* from, std::size_t bytes);

 private:
  friend class Pass;
  // Sweeps wait until something else is to be queued, so that they can go as one kernel. Whoever
  // uses the stream asks for it here.
  void queue(const Sweep<T>& s);
  void flush();
  StreamView stream();
  void* allocate(std::size_t bytes);
  bool look(const std::function<void()>& undecided = {}, const std::function<void()>& confirm = {});
  bool content() const;
  void fetch_state();

  // What a look copies: the fixed scalars, and so many numbers of the log behind those known.
  std::size_t window() const;
  struct Pinned;

  Device device_;
  int threads_;
  Settings settings_;
  int check_every_;
  std::optional<Stream> stream_;
  std::list<Array<char>> host_;
  std::list<DeviceArray<char>> far_;
  std::unique_ptr<Pinned> pinned_;  // where looks at a GPU end
  SweepRoom room_{};
  std::vector<Sweep<T>> pending_;
  int used_ = fixed_scalars;
  std::vector<double> fixed_;  // as of the last look
  std::vector<double> log_;
  std::size_t told_ = 0;
  double seconds_ = 0;
  bool replayed_ = false;
};

// Runs a sweep on the CPU, on so many threads.
template <class T>
void run_sweep(const Sweep<T>& s, const SweepRoom& room, int threads);

}  // namespace nz::solve
