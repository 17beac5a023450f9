#include "kernels/epilogue.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/kernel.hpp>
#include <nonzero/threads.hpp>

#include "base/complex.hpp"
#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "kernels/gpu/queue_epilogue.hpp"
#include "simt/backend.hpp"

namespace nz {
namespace {

constexpr std::int64_t grain = 16'384;  // fewer elements are not worth a thread
constexpr int most_parts = 128;

// The sum of u v over n elements, in double. Several chains side by side: additions do not wait for
// each other.
template <class T>
double dot(const T* u, const T* v, std::int64_t n) {
  constexpr int chains = 8;
  double part[chains] = {};
  const std::int64_t whole = n / chains * chains;
  for (std::int64_t i = 0; i < whole; i += chains)
    for (int k = 0; k < chains; ++k)
      part[k] += static_cast<double>(u[i + k]) * static_cast<double>(v[i + k]);
  for (std::int64_t i = whole; i < n; ++i)
    part[0] += static_cast<double>(u[i]) * static_cast<double>(v[i]);
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

// The parts depend on the length alone, and so do the bits of the sums.
template <Value T>
void sweep(const Epilogue<T>& end, std::span<T> y) {
  const std::int64_t n = std::ssize(y);
  const int parts = static_cast<int>(std::clamp<std::int64_t>(n / grain, 1, most_parts));
  EndSums sums[most_parts];
  // All or one: OpenMP ends the threads that a smaller team leaves out.
  parallel(parts > 1 ? threads() : 1, [&](int thread, int count) {
    for (int p = thread; p < parts; p += count) {
      const auto [from, to] = part_of(n, p, parts);
      sums[p] = end_elements(end, y.data(), from, to);
    }
  });
  for (int p = 1; p < parts; ++p) sums[0] += sums[p];
  put_sums(end, sums[0]);
}

}  // namespace

template <Value T>
void check_epilogue(Device device, std::span<const T> y, const Epilogue<T>& end) {
  if (device == cpu_device) return;
  simt::Backend& b = simt::backend(device);
  const auto need = [&](std::string_view what, const void* p) {
    if (p && !b.owns(p))
      throw InvalidArgument(
          fmt::format("{} of an epilogue does not lie in the memory of {}", what, device.name()));
  };
  if (!y.empty()) need("y", y.data());
  if (!end.add.empty()) need("add", end.add.data());
  if (!end.dot_with.empty()) need("dot_with", end.dot_with.data());
  need("dot", end.dot);
  need("norm", end.norm);
}

template <Value T>
EndSums end_elements(const Epilogue<T>& end, T* y, std::int64_t first, std::int64_t last) {
  if (!end.add.empty()) {
    const T* const add = end.add.data();
    const T scale = end.add_scale;
    for (std::int64_t i = first; i < last; ++i) y[i] += scale * add[i];
  }
  if (end.clamps()) {
    const T low = end.low, high = end.high;
    for (std::int64_t i = first; i < last; ++i) y[i] = y[i] < low ? low : y[i] > high ? high : y[i];
  }
  EndSums sums;
  if (end.dot) sums.dot = dot<T>(y + first, end.dot_with.data() + first, last - first);
  if (end.norm) sums.square = dot<T>(y + first, y + first, last - first);
  return sums;
}

template <Value T>
void put_sums(const Epilogue<T>& end, const EndSums& sums) {
  if (end.dot) *end.dot = sums.dot;
  if (end.norm) *end.norm = std::sqrt(sums.square);
}

template <Value T>
void Product<T>::multiply_fused(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                                std::span<T> y, const Epilogue<T>& end) const {
  if constexpr (!RealValue<T>) {
    throw InvalidArgument("products of complex numbers have no epilogue");
  } else {
    const Device where = device();
    check_epilogue<T>(where, y, end);
    multiply_on(stream, op, alpha, x, beta, y);
    if (where == cpu_device) return sweep(end, y);
    CUstream_st* const handle = simt::stream_for(where, stream);
    const simt::DeviceScope scope(where);
#ifdef NZ_HAVE_EMULATOR
    if (where.kind == Device::Kind::emulator)
      return emulated::queue_epilogue(where, handle, y, end);
#endif
#ifdef NZ_HAVE_CUDA
    if (where.kind == Device::Kind::cuda) return cuda::queue_epilogue(where, handle, y, end);
#endif
    (void)handle;
  }
}

#define NZ_INSTANTIATE(T)                                                                          \
  template void check_epilogue(Device, std::span<const T>, const Epilogue<T>&);                    \
  template EndSums end_elements(const Epilogue<T>&, T*, std::int64_t, std::int64_t);               \
  template void put_sums(const Epilogue<T>&, const EndSums&);                                      \
  template void Product<T>::multiply_fused(StreamView, Op, T, std::span<const T>, T, std::span<T>, \
                                           const Epilogue<T>&) const;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T)                                                                          \
  template void Product<T>::multiply_fused(StreamView, Op, T, std::span<const T>, T, std::span<T>, \
                                           const Epilogue<T>&) const;
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)
NZ_FOR_EACH_KERNEL_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz
