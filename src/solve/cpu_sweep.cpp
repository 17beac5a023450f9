#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "solve/workspace.hpp"

namespace nz::solve {
namespace {

constexpr std::int64_t chunk = 1024;        // elements that stay in the nearest cache
constexpr std::int64_t grain = 16 * chunk;  // fewer are not worth a thread

// y = a d x + b y + c over [0, n) of contiguous memory; returns the change, where it is measured.
template <class T>
double update(const VectorUpdate<T>& w, T a, T b, T c, std::int64_t from, std::int64_t n) {
  T* y = w.y + from;
  const T* x = w.x ? w.x + from : nullptr;
  const T* d = w.d ? w.d + from : nullptr;
  const auto each = [&](auto&& term) {
    double change = 0;
    if (w.measured) {
      for (std::int64_t i = 0; i < n; ++i) {
        const T before = y[i];
        y[i] = w.b.factor != 0 ? term(i) + b * before : term(i);
        change += std::abs(static_cast<double>(y[i]) - static_cast<double>(before));
      }
    } else if (w.b.factor != 0) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = term(i) + b * y[i];
    } else {
      for (std::int64_t i = 0; i < n; ++i) y[i] = term(i);
    }
    return change;
  };
  if (!x) return each([&](std::int64_t i) { return d ? a * d[i] + c : a + c; });
  if (d) return each([&](std::int64_t i) { return a * x[i] * d[i] + c; });
  return each([&](std::int64_t i) { return a * x[i] + c; });
}

template <class T>
double sum_of(const VectorSum<T>& s, std::int64_t from, std::int64_t n) {
  if (!s.u) return 0;
  // Independent sums: additions do not wait for each other.
  double part[8] = {};
  const T* u = s.u + from;
  const T* v = s.v ? s.v + from : nullptr;
  const auto each = [&](auto&& term) {
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8)
      for (int k = 0; k < 8; ++k) part[k] += term(i + k);
    for (; i < n; ++i) part[0] += term(i);
  };
  if (v)
    each([&](std::int64_t i) { return static_cast<double>(u[i]) * static_cast<double>(v[i]); });
  else
    each([&](std::int64_t i) { return static_cast<double>(u[i]); });
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

}  // namespace

template <class T>
void run_sweep(const Sweep<T>& s, const SweepRoom& room, int threads) {
  constexpr int most = Sweep<T>::most_sums;
  if (room.scalars[scalar_stopped] != 0) return;
  const auto value = [&](const Coefficient& c) {
    return static_cast<T>(c.slot < 0 ? c.factor : c.factor * room.scalars[c.slot]);
  };
  const int parts = s.n < grain ? 1 : std::min(threads, room.blocks);
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(s.n, part, parts);
    double sums[most] = {};
    for (std::int64_t from = begin; from < end; from += chunk) {
      const std::int64_t n = std::min(chunk, end - from);
      for (int u = 0; u < s.updates; ++u)
        sums[0] += update(s.update[u], value(s.update[u].a), value(s.update[u].b),
                          value(s.update[u].c), from, n);
      for (int k = 0; k < s.sums; ++k) sums[k] += sum_of(s.sum[k], from, n);
    }
    for (int k = 0; k < s.sums; ++k) room.parts[part * most + k] = sums[k];
  });
  for (int k = 0; k < s.sums; ++k) {
    double total = 0;
    for (int p = 0; p < parts; ++p) total += room.parts[p * most + k];
    room.scalars[s.sum[k].slot] = total;
  }
  run_steps(s.step, s.steps, room.scalars, room.log);
}

#define NZ_INSTANTIATE(T) template void run_sweep(const Sweep<T>&, const SweepRoom&, int);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
