#pragma once
#include <cmath>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

#include "base/parallel.hpp"
#include "kernels/epilogue.hpp"

// What CPU kernels share that end a product in the pass that makes it.
namespace nz::cpu {

// Parts whose sums have room in a call.
inline constexpr int most_fused = 256;

// Whether the pass is for this call; other alphas, and streams to be refused, go the longer way.
template <class T>
bool takes_fused(StreamView stream, T alpha) {
  return stream.any_device() && alpha != T(0) && std::isfinite(alpha);
}

// body(first, last) for [begin, end), at most `step` at a time.
template <class Body>
void in_steps(index_t begin, index_t end, index_t step, Body&& body) {
  while (begin < end) {
    const index_t last = step < end - begin ? begin + step : end;
    body(begin, last);
    begin = last;
  }
}

// body(part) multiplies and ends the rows of a part, and returns their sums.
template <class T, class Body>
void end_parts(const Epilogue<T>& end, int parts, Body&& body) {
  EndSums sums[most_fused];
  parallel_parts(parts, [&](int part) { sums[part] = body(part); });
  for (int part = 1; part < parts; ++part) sums[0] += sums[part];
  put_sums(end, sums[0]);
}

}  // namespace nz::cpu
