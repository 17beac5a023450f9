#include "plan/timing.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

#include <nonzero/device.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"

namespace nz {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A batch is long enough for the clock and for filling a GPU's queue.
constexpr double batch_seconds = 500e-6;
constexpr int most_multiplies = 200, fewest_batches = 3;

// Products that are over soon are repeated more often: what disturbs them is as long as they are.
constexpr double short_seconds = 250e-6;
constexpr int most_products = 8;
constexpr int when_doubtful = 3;  // products more

template <Value T>
void multiply(const Product<T>& product, Op op, int vectors, Layout layout, std::span<const T> x,
              std::span<T> y) {
  if (vectors == 1) return product.multiply(op, T(1), x, T(0), y);
  const auto rows_of = [&](std::size_t n) {
    return static_cast<index_t>(n / static_cast<std::size_t>(vectors));
  };
  product.multiply_several({}, op, T(1),
                           DenseView<const T>(x.data(), rows_of(x.size()), vectors, layout), T(0),
                           DenseView<T>(y.data(), rows_of(y.size()), vectors, layout));
}

template <Value T>
double timed(const Product<T>& product, Op op, int vectors, Layout layout, std::span<const T> x,
             std::span<T> y, double budget) {
  const Device device = product.device();
  const auto batch = [&](int multiplies) {
    double seconds = 0;
    {
      const Stopwatch watch(seconds);
      for (int i = 0; i < multiplies; ++i) multiply(product, op, vectors, layout, x, y);
      wait_for(device);
    }
    return seconds / multiplies;
  };
  double one = batch(1);
  if (device.kind == Device::Kind::emulator) return one;
  one = std::min(one, batch(1));  // the first one warms up
  const int multiplies = static_cast<int>(
      std::clamp(batch_seconds / std::max(one, 1e-9), 1.0, double{most_multiplies}));
  double best = one, spent = 0;
  for (int i = 0; i < fewest_batches || spent < budget; ++i) {
    const double now = batch(multiplies);
    best = std::min(best, now);
    spent += std::max(now * multiplies, 1e-6);
    if (spent > 20 * budget) break;  // one that takes long is not repeated
  }
  return best;
}

}  // namespace

template <Value T>
double time_multiply(const Product<T>& product, Op op, index_t in, index_t out, int vectors,
                     Layout layout, double budget) {
  const Device device = product.device();
  const auto k = static_cast<std::size_t>(vectors);
  Array<T> x(static_cast<std::size_t>(in) * k, T(1)), y(static_cast<std::size_t>(out) * k, T(0));
  if (device == cpu_device)
    return timed<T>(product, op, vectors, layout, {x.data(), x.size()}, {y.data(), y.size()},
                    budget);
  DeviceArray<T> far_x(device, std::span<const T>(x.data(), x.size())), far_y(device, y.size());
  return timed<T>(product, op, vectors, layout, far_x.span(), far_y.span(), budget);
}

template <Value T>
double time_few(const Product<T>& product, Op op, int vectors, Layout layout, std::span<const T> x,
                std::span<T> y, Few few) {
  // What this thread has worked, where it works alone: the time that others had its core does not
  // count.
  const bool alone = threads() == 1;
  const auto one = [&] {
    double seconds = 0;
    const Stopwatch watch(seconds);
    const double before = alone ? thread_seconds() : 0;
    multiply<T>(product, op, vectors, layout, x, y);
    const double worked = alone ? thread_seconds() - before : 0;
    return worked > 0 ? worked : watch.seconds();
  };
  one();
  double best = std::min(one(), one());
  const int most = static_cast<int>(std::clamp(short_seconds / std::max(best, 1e-9),
                                               double(few.products), double(most_products)));
  for (int i = 2; i < most && (few.enough == 0 || best <= few.enough); ++i)
    best = std::min(best, one());
  for (int i = 0; i < when_doubtful && few.doubtful > 0 && best > few.doubtful; ++i)
    best = std::min(best, one());
  return best;
}

template <Value T>
double time_first(const Product<T>& product, std::span<const T> x, std::span<T> y) {
  const double before = thread_seconds();
  product.multiply(Op::none, T(1), x, T(0), y);
  return thread_seconds() - before;
}

template <Value T>
Array<T> ones(std::size_t n) {
  Array<T> x(n);
  parallel_ranges(static_cast<std::int64_t>(n), [&](std::int64_t begin, std::int64_t end) {
    std::fill(x.data() + begin, x.data() + end, T(1));
  });
  return x;
}

#define NZ_INSTANTIATE(T)                                                                        \
  template double time_first(const Product<T>&, std::span<const T>, std::span<T>);               \
  template double time_multiply(const Product<T>&, Op, index_t, index_t, int, Layout, double);   \
  template double time_few(const Product<T>&, Op, int, Layout, std::span<const T>, std::span<T>, \
                           Few);                                                                 \
  template Array<T> ones(std::size_t);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz
