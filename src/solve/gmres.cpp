#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/system.hpp"

namespace nz::solve {
namespace {

// Saad and Schultz's with modified Gram-Schmidt, preconditioned from the right. A cycle is one
// iteration to the workspace: its Givens rotations are done with the vectors, the small triangular
// system on the host when it looks.
template <RealValue T>
class Cycle {
 public:
  static int columns(const Options<T>& o, index_t n) {
    if (o.restart < 1 || o.restart > 100)
      throw InvalidArgument(fmt::format("GMRES: restart of 1 to 100 vectors, not {}", o.restart));
    return std::max(1, std::min(o.restart, n));
  }
  static int scalars(int k) { return k * (k + 1) + 2 * k + (k + 1) + 1; }

  Cycle(System<T>& system, int restart)
      : s(system), m(system.m), k_(static_cast<std::size_t>(restart)) {
    h_ = m.scalars(k_ * (k_ + 1));
    turn_ = m.scalars(2 * k_);
    g_ = m.scalars(k_ + 1);
    by_ = m.scalar();
    for (std::size_t j = 0; j <= k_; ++j) v_.push_back(s.vector());
    room_ = s.vector_if(s.preconditioned);
  }

  // From r = b - A x, whose norm is sqrt(rr).
  void begin() {
    m.run({root(g_[0], s.rr), set(by_, 1), ratio(by_, by_, g_[0])});
    m.pass(s.n).update(v_[0], by_, s.r, 0.0).then();
  }

  void run() {
    for (std::size_t j = 0; j < k_ && !m.over(); ++j) {
      T* w = v_[j + 1];
      s.multiply(Op::none, s.precondition(Op::none, v_[j], room_), w);
      m.pass(s.n).dot(w, v_[0], h(0, j)).then({next()});
      for (std::size_t i = 0; i < j; ++i)
        m.pass(s.n).update(w, -h(i, j), v_[i]).dot(w, v_[i + 1], h(i + 1, j)).then();
      m.pass(s.n)
          .update(w, -h(j, j), v_[j])
          .dot(w, w, h(j + 1, j))
          .then({root(h(j + 1, j), h(j + 1, j)), set(by_, 1), ratio(by_, by_, h(j + 1, j))});
      m.pass(s.n).scale(w, by_).then();
      std::vector<ScalarStep> turns;
      for (std::size_t i = 0; i < j; ++i)
        turns.push_back(rotate(h(i, j), h(i + 1, j), turn_[2 * i]));
      turns.insert(
          turns.end(),
          {rotation(turn_[2 * j], h(j, j), h(j + 1, j)), rotate(h(j, j), h(j + 1, j), turn_[2 * j]),
           set(g_[j + 1], 0), rotate(g_[j], g_[j + 1], turn_[2 * j]), size(s.residual, g_[j + 1]),
           s.relative(), record(s.residual), next()});
      m.run(turns);
    }
  }

  // x += M V y for the columns that were completed since.
  bool finish() {
    const std::size_t all = static_cast<std::size_t>(m.iterations());
    const std::size_t columns = all - done_;
    done_ = all;
    const std::vector<double> h = m.read(h_[0], h_.size()), g = m.read(g_[0], g_.size());
    std::vector<double> y(columns);
    bool right = true;
    for (std::size_t i = columns; i-- > 0;) {
      double sum = g[i];
      for (std::size_t j = i + 1; j < columns; ++j) sum -= h[j * (k_ + 1) + i] * y[j];
      const double pivot = h[i * (k_ + 1) + i];
      right &= pivot != 0 && std::isfinite(sum / pivot);
      y[i] = pivot == 0 ? 0 : sum / pivot;
    }
    if (!right || columns == 0) return right;
    m.resume();
    T* u = s.r;
    m.pass(s.n).update(u, y[0], v_[0], 0.0).then();
    for (std::size_t i = 1; i < columns; ++i) m.pass(s.n).update(u, y[i], v_[i]).then();
    m.pass(s.n).update(s.x, 1.0, s.precondition(Op::none, u, room_)).then();
    return true;
  }

  // The residual of the small system is worth nothing then: what there is is that of x.
  void break_down() {
    m.resume();
    s.measure();
    m.decide(Stop::breakdown);
  }

  void again() {
    const double claimed = m.log().back();
    if (!finish()) return break_down();
    s.refresh();
    const double truth = m.read(s.residual);
    if (truth <= s.options.tolerance) {
      m.correct(truth);
      return m.decide(Stop::converged);
    }
    // Where its own residual fell and b - A x did not, the next cycle does the same: each begins
    // from b - A x, so that the tolerance may never be reached, nor be taken to be.
    if (claimed < truth / 2 && truth > began_ / 2) {
      m.correct(truth);
      return m.decide(Stop::stagnated);
    }
    began_ = truth;
    begin();
  }

  // The residual of the small system is within the tolerance. Rounding may part it from that of x,
  // and on a singular system it may vanish for nothing.
  void confirm() {
    m.reopen();
    if (!finish()) return break_down();
    s.confirm([&] { begin(); });
  }

 private:
  Slot h(std::size_t i, std::size_t j) const { return h_[j * (k_ + 1) + i]; }

  System<T>& s;
  SolverWorkspace<T>& m;
  std::size_t k_, done_ = 0;
  double began_ = std::numeric_limits<double>::infinity();  // b - A x of this cycle, where known
  std::vector<Slot> h_, turn_, g_;
  Slot by_{};
  std::vector<T*> v_;
  T* room_;
};

}  // namespace

template <RealValue T>
Result gmres(const LinearOperator<T>& a, std::span<const std::type_identity_t<T>> b,
             std::span<std::type_identity_t<T>> given_x,
             const Options<std::type_identity_t<T>>& options) try {
  check_settings(options.tolerance, options.max_iterations, options.check_every);
  const int columns = Cycle<T>::columns(options, a.rows());
  Options<T> each_cycle = options;
  each_cycle.check_every = 1;
  System<T> s(a, b, given_x, each_cycle,
              {.method = "GMRES", .scalars = Cycle<T>::scalars(columns)});
  if (!s.begin()) return s.end();
  Cycle<T> cycle(s, columns);
  cycle.begin();
  s.m.repeat([&] { cycle.run(); }, [&] { cycle.again(); }, [&] { cycle.confirm(); });
  if (s.m.decided() != Stop::not_a_number && !cycle.finish()) cycle.break_down();
  return s.end();
}
NZ_OR_NO_MEMORY("gmres")

#define NZ_INSTANTIATE(T)                                                           \
  template Result gmres(const LinearOperator<T>&, std::span<const T>, std::span<T>, \
                        const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
