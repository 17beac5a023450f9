#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/workspace.hpp"

namespace nz::solve {
namespace {

constexpr Op other(Op op) { return op == Op::none ? Op::transpose : Op::none; }

// A walk on a matrix whose rows say where to go: x -> A^T x.
template <Value T>
struct Walk {
  Walk(const LinearOperator<T>& p, std::span<T> given, const PowerOptions& o, const char* who)
      : a(p),
        m(p.device(), p.threads(),
          {.tolerance = o.tolerance,
           .max_iterations = o.max_iterations,
           .check_every = o.check_every,
           .callback = &o.callback,
           .stream = o.stream,
           .scalars = 8,
           .captures = p.captures()}),
        on(o.transposed ? Op::none : Op::transpose),
        n(given.size()) {
    if (p.rows() != p.cols() || p.rows() == 0)
      throw InvalidArgument(fmt::format("{} needs a square matrix with rows, this one is {} x {}",
                                        who, p.rows(), p.cols()));
    if (n != static_cast<std::size_t>(p.rows()))
      throw InvalidArgument(fmt::format("x has {} elements, needs {}", n, p.rows()));
    if (!p.supports(on))
      throw InvalidArgument(fmt::format(
          "{} multiplies by the transpose, which {} cannot do: give it a plan of the transpose",
          who, p.name()));
    x = m.take_to_change(given);
    t = m.vector(n);
    change = m.scalar();
    if (!o.from_x) m.pass(n).fill(x, 1.0 / static_cast<double>(n)).then();
  }
  // What the rows add up to, in t.
  void row_sums() {
    T* ones = m.vector(n);
    m.pass(n).fill(ones, 1.0).then();
    m.multiply(a, other(on), ones, t);
  }

  const LinearOperator<T>& a;
  SolverWorkspace<T> m;
  Op on;
  std::size_t n;
  T *x, *t;
  Slot change;
};

// Empty where all rows add up to 1, as far as can be asked.
template <Value T>
std::string why_not_stochastic(Walk<T>& w) {
  if (!w.a.supports(other(w.on))) return {};
  const double close = sizeof(T) == 8 ? 1e-6 : 1e-3;
  w.row_sums();
  const std::vector<T> sums = w.m.fetch(w.t, w.n);
  for (std::size_t i = 0; i < w.n; ++i)
    if (!(std::abs(static_cast<double>(sums[i]) - 1) <= close))
      return fmt::format("row {} (counting from 0) adds up to {:.{}g}", i, sums[i],
                         std::numeric_limits<T>::digits10);
  return {};
}

}  // namespace

template <Value T>
Result stationary(const LinearOperator<T>& chain, std::span<std::type_identity_t<T>> x,
                  const StationaryOptions& options) try {
  if (!(options.laziness >= 0 && options.laziness < 1))
    throw InvalidArgument("a laziness is at least 0 and below 1");
  Walk<T> w(chain, x, options, "a stationary distribution");
  SolverWorkspace<T>& m = w.m;
  if (const std::string why = why_not_stochastic(w); !why.empty()) {
    m.decide(Stop::not_stochastic);
    Result refused = m.result();
    refused.message = "not the matrix of a Markov chain: " + why;
    return refused;
  }
  const Slot total = m.scalar(), by = m.scalar(), moving = m.scalar();
  m.run({set(moving, 1 - options.laziness), set(w.change, 1)});
  if (m.start(w.change))
    m.repeat([&] {
      m.multiply(chain, w.on, w.x, w.t);
      m.pass(w.n)
          .sum(w.t, total)
          .then({next(), need_positive(total, Stop::breakdown), divide(by, moving, total)});
      m.pass(w.n).update(w.x, by, w.t, options.laziness).change(w.change).then({record(w.change)});
    });
  m.give(x, w.x);
  return m.result();
}
NZ_OR_NO_MEMORY("stationary")

template <Value T>
Result pagerank(const LinearOperator<T>& graph, std::span<std::type_identity_t<T>> x,
                const PageRankOptions<std::type_identity_t<T>>& options) try {
  if (!(options.damping >= 0 && options.damping < 1))
    throw InvalidArgument("a damping is at least 0 and below 1");
  Walk<T> w(graph, x, options, "PageRank");
  SolverWorkspace<T>& m = w.m;
  const std::size_t n = w.n;
  if (!graph.supports(other(w.on)))
    throw InvalidArgument(
        fmt::format("PageRank needs the transposed product, which {} cannot do", graph.name()));
  w.row_sums();
  std::vector<T> inverse = m.fetch(w.t, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(inverse[i] >= 0) || !std::isfinite(inverse[i]))
      throw BadInput(fmt::format(
          "PageRank: the weights from node {} (counting from 0) add up to {}", i, inverse[i]));
    inverse[i] = inverse[i] == 0 ? T(0) : T(1) / inverse[i];
  }
  T *share = m.vector(n), *z = m.vector(n), *start = nullptr;
  m.put(share, inverse);
  if (!options.personalisation.empty()) {
    const auto p = options.personalisation;
    double total = 0;
    for (const T v : p) total += v >= 0 ? static_cast<double>(v) : NAN;
    if (p.size() != n || !(total > 0) || !std::isfinite(total))
      throw InvalidArgument(
          fmt::format("a personalisation has {} numbers of at least 0 that do not add up to 0", n));
    std::vector<T> normal(n);
    for (std::size_t i = 0; i < n; ++i)
      normal[i] = static_cast<T>(static_cast<double>(p[i]) / total);
    start = m.vector(n);
    m.put(start, normal);
    if (!options.from_x) m.pass(n).copy(w.x, start).then();
  }
  const Slot anew = m.scalar(), one = m.scalar(), damping = m.scalar(), each = m.scalar();
  m.run({set(one, 1), set(damping, options.damping), set(w.change, 1),
         set(each, start ? 1 : 1 / static_cast<double>(n))});
  m.pass(n).update(z, 1.0, w.x, 0.0, share).then();
  if (m.start(w.change))
    m.repeat([&] {
      m.multiply(graph, w.on, z, w.t);
      // What did not move along an edge, in dead ends or by damping, starts anew.
      m.pass(n).sum(w.t, anew).then({next(), multiply(anew, anew, damping),
                                     subtract(anew, one, anew), multiply(anew, anew, each)});
      auto move = m.pass(n);
      if (start)
        move.update(w.t, anew, start, damping).copy(w.x, w.t);
      else
        move.update(w.x, damping, w.t, 0.0).plus(anew);
      move.change(w.change).update(z, 1.0, w.x, 0.0, share).then({record(w.change)});
    });
  m.give(x, w.x);
  return m.result();
}
NZ_OR_NO_MEMORY("pagerank")

#define NZ_INSTANTIATE(T)                                                                       \
  template Result stationary(const LinearOperator<T>&, std::span<T>, const StationaryOptions&); \
  template Result pagerank(const LinearOperator<T>&, std::span<T>, const PageRankOptions<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
