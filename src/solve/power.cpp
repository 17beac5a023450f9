#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "simt/backend.hpp"
#include "solve/workspace.hpp"

namespace nz::solve {
namespace {

constexpr Op other(Op op) { return op == Op::none ? Op::transpose : Op::none; }

// A walk on a matrix whose rows say where to go: x -> A^T x.
template <RealValue T>
struct Walk {
  Walk(const LinearOperator<T>& p, std::size_t length, const PowerOptions& o, const char* who)
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
        n(length) {
    if (p.rows() != p.cols() || p.rows() == 0)
      throw InvalidArgument(fmt::format("{} needs a square matrix with rows, this one is {} x {}",
                                        who, p.rows(), p.cols()));
    if (n != static_cast<std::size_t>(p.rows()))
      throw InvalidArgument(fmt::format("x has {} elements, needs {}", n, p.rows()));
    if (!p.supports(on))
      throw InvalidArgument(fmt::format(
          "{} multiplies by the transpose, which {} cannot do: give it a plan of the transpose",
          who, p.name()));
    change = m.scalar();
  }
  Walk(const LinearOperator<T>& p, std::span<T> given, const PowerOptions& o, const char* who)
      : Walk(p, given.size(), o, who) {
    x = m.take_to_change(given);
    t = m.vector(n);
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
  T *x = nullptr, *t = nullptr;
  Slot change;
};

double checked_damping(double damping) {
  if (!(damping >= 0 && damping < 1)) throw InvalidArgument("a damping is at least 0 and below 1");
  return damping;
}

// 1 / what the weights from each node add up to, 0 where there are none.
template <RealValue T>
std::vector<T> shares(Walk<T>& w) {
  if (!w.a.supports(other(w.on)))
    throw InvalidArgument(
        fmt::format("PageRank needs the transposed product, which {} cannot do", w.a.name()));
  w.row_sums();
  std::vector<T> inverse = w.m.fetch(w.t, w.n);
  for (std::size_t i = 0; i < w.n; ++i) {
    if (!(inverse[i] >= 0) || !std::isfinite(inverse[i]))
      throw BadInput(fmt::format(
          "PageRank: the weights from node {} (counting from 0) add up to {}", i, inverse[i]));
    inverse[i] = inverse[i] == 0 ? T(0) : T(1) / inverse[i];
  }
  return inverse;
}

// A personalisation of n numbers at(i), with sum 1. `which` is "a personalisation".
template <RealValue T, class At>
std::vector<T> normalised(std::size_t n, const std::string& which, At&& at) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += at(i) >= 0 ? static_cast<double>(at(i)) : NAN;
  if (!(total > 0) || !std::isfinite(total))
    throw InvalidArgument(
        fmt::format("{} has {} numbers of at least 0 that do not add up to 0", which, n));
  std::vector<T> normal(n);
  for (std::size_t i = 0; i < n; ++i)
    normal[i] = static_cast<T>(static_cast<double>(at(i)) / total);
  return normal;
}

// Several columns where the caller has them, in host memory or on the device; the solver's lie one
// behind the other.
template <RealValue T>
void fetch_columns(SolverWorkspace<T>& m, const DenseView<T>& from, T* to) {
  const auto n = static_cast<std::size_t>(from.rows());
  std::vector<T> column(from.has_plain_columns() ? 0 : n);
  for (index_t j = 0; j < from.columns(); ++j, to += n) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = from(static_cast<index_t>(i), j);
    m.put(to, {column.empty() ? from.some_columns(j, 1).data() : column.data(), n});
  }
}
template <RealValue T>
void give_columns(SolverWorkspace<T>& m, const T* from, const DenseView<T>& to) {
  const auto n = static_cast<std::size_t>(to.rows());
  for (index_t j = 0; j < to.columns(); ++j, from += n) {
    if (to.has_plain_columns()) {
      m.give({to.some_columns(j, 1).data(), n}, from);
      continue;
    }
    const std::vector<T> column = m.fetch(from, n);
    for (std::size_t i = 0; i < n; ++i) to(static_cast<index_t>(i), j) = column[i];
  }
}

template <RealValue T>
void check_columns(const LinearOperator<T>& graph, const DenseView<const T>& p,
                   const DenseView<T>& x, const PageRankOptions<T>& options) {
  const auto check = [&](const char* which, const auto& v) {
    if (v.rows() != graph.rows())
      throw InvalidArgument(fmt::format("{} has {} rows, needs {}", which, v.rows(), graph.rows()));
    if (v.leading() < (v.layout() == Layout::row_major ? v.columns() : v.rows()))
      throw InvalidArgument(fmt::format("{} has a leading dimension of {}", which, v.leading()));
  };
  check("P", p);
  check("x", x);
  if (p.columns() != x.columns() || x.columns() < 1)
    throw InvalidArgument(
        fmt::format("P has {} columns, x {}: PageRank needs as many, and at least 1", p.columns(),
                    x.columns()));
  if (!options.personalisation.empty())
    throw InvalidArgument("PageRank takes one personalisation or several, not both");
  if (graph.device() != cpu_device) {
    simt::Backend& there = simt::backend(graph.device());
    if (there.owns(p.data())) throw InvalidArgument("PageRank takes P in host memory");
    if (!x.has_plain_columns() && there.owns(x.data()))
      throw InvalidArgument("PageRank takes x on a device column by column only");
  }
}

// Empty where all rows add up to 1, as far as can be asked.
template <RealValue T>
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

template <RealValue T>
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

template <RealValue T>
Result pagerank(const LinearOperator<T>& graph, std::span<std::type_identity_t<T>> x,
                const PageRankOptions<std::type_identity_t<T>>& options) try {
  checked_damping(options.damping);
  Walk<T> w(graph, x, options, "PageRank");
  SolverWorkspace<T>& m = w.m;
  const std::size_t n = w.n;
  const std::vector<T> inverse = shares(w);
  T *share = m.vector(n), *z = m.vector(n), *start = nullptr;
  m.put(share, inverse);
  if (!options.personalisation.empty()) {
    const auto p = options.personalisation;
    if (p.size() != n)
      throw InvalidArgument(
          fmt::format("a personalisation has {} numbers of at least 0 that do not add up to 0", n));
    start = m.vector(n);
    m.put(start, normalised<T>(n, "a personalisation", [&](std::size_t i) { return p[i]; }));
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

template <RealValue T>
Result pagerank(const LinearOperator<T>& graph, DenseView<const std::type_identity_t<T>> p,
                DenseView<std::type_identity_t<T>> x,
                const PageRankOptions<std::type_identity_t<T>>& options) try {
  const double damping = checked_damping(options.damping);
  Walk<T> w(graph, static_cast<std::size_t>(graph.rows()), options, "PageRank");
  check_columns(graph, p, x, options);
  SolverWorkspace<T>& m = w.m;
  const std::size_t n = w.n;
  const index_t k = x.columns();
  const auto column = [n](T* all, index_t j) { return all + n * static_cast<std::size_t>(j); };
  const std::size_t size = n * static_cast<std::size_t>(k);
  T *ranks = m.vector(size), *moved = m.vector(size), *z = m.vector(size), *start = m.vector(size);
  w.t = moved;
  T* share = m.vector(n);
  m.put(share, shares(w));
  for (index_t j = 0; j < k; ++j)
    m.put(column(start, j),
          normalised<T>(n, fmt::format("personalisation {} (counting from 0)", j),
                        [&](std::size_t i) { return p(static_cast<index_t>(i), j); }));
  if (options.from_x)
    fetch_columns(m, x, ranks);
  else
    m.pass(size).copy(ranks, start).then();
  const Slot anew = m.scalar(), one = m.scalar(), along = m.scalar(), each = m.scalar();
  m.run({set(one, 1), set(along, damping), set(w.change, 1)});
  for (index_t j = 0; j < k; ++j)
    m.pass(n).update(column(z, j), 1.0, column(ranks, j), 0.0, share).then();
  if (m.start(w.change))
    m.repeat([&] {
      m.multiply(graph, w.on, z, moved, k);
      m.run({next(), set(w.change, 0)});
      for (index_t j = 0; j < k; ++j) {
        m.pass(n)
            .sum(column(moved, j), anew)
            .then({multiply(anew, anew, along), subtract(anew, one, anew)});
        m.pass(n)
            .update(column(moved, j), anew, column(start, j), along)
            .copy(column(ranks, j), column(moved, j))
            .change(each)
            .update(column(z, j), 1.0, column(ranks, j), 0.0, share)
            .then({larger(w.change, each, w.change)});
      }
      m.run({record(w.change)});
    });
  give_columns(m, ranks, x);
  return m.result();
}
NZ_OR_NO_MEMORY("pagerank")

#define NZ_INSTANTIATE(T)                                                                       \
  template Result stationary(const LinearOperator<T>&, std::span<T>, const StationaryOptions&); \
  template Result pagerank(const LinearOperator<T>&, std::span<T>, const PageRankOptions<T>&);  \
  template Result pagerank(const LinearOperator<T>&, DenseView<const T>, DenseView<T>,          \
                           const PageRankOptions<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
