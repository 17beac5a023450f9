#pragma once
#include "kernels/gpu/epilogue.hpp"
#include "kernels/gpu/parts/output.hpp"
#include "simt/launch.hpp"
#include "simt/warp.hpp"

// Kernels that can end a product as they write it are compiled for two kinds of output: Output, and
// this one. Each thread has a copy of it, which sums up what that thread puts.
namespace nz::NZ_HOME {

template <class T>
struct FusedOutput {
  Output<T> out;
  FusedEnd<T> end;
  double dot = 0, square = 0;
};

template <class T>
NZ_DEVICE const Output<T>& plain(const Output<T>& out) {
  return out;
}
template <class T>
NZ_DEVICE const Output<T>& plain(const FusedOutput<T>& fused) {
  return fused.out;
}

// y[i] from its sum.
template <class T>
NZ_DEVICE void put_row(Thread&, Output<T>& out, std::int64_t i, T sum) {
  out.put(i, sum);
}
template <class T>
NZ_DEVICE void put_row(Thread& t, FusedOutput<T>& fused, std::int64_t i, T sum) {
  const Output<T>& out = fused.out;
  const T v = fused.end.value(t, i, combine(out.alpha, sum, out.beta, out.y + i));
  out.y[i] = v;
  fused.end.sum(t, i, v, fused.dot, fused.square);
}

// How many parts the blocks of a launch leave: one for each warp, whether it has rows or not.
inline std::int64_t parts_of(const Launch& how) {
  return std::int64_t{how.blocks} * (how.threads / 32);
}

// What the threads of a warp have put. All of its lanes come here; other warps need not.
template <class T>
NZ_DEVICE void leave_sums(Thread&, const Output<T>&) {}
template <class T>
NZ_DEVICE void leave_sums(Thread& t, const FusedOutput<T>& fused) {
  if (!fused.end.parts) return;
  const double dot = reduce_to_first_lane(t, fused.dot),
               square = reduce_to_first_lane(t, fused.square);
  if (t.lane() != 0) return;
  double* const to = fused.end.parts + 2 * (std::int64_t{t.block()} * t.warps() + t.warp());
  to[0] = dot;
  to[1] = square;
}

}  // namespace nz::NZ_HOME
