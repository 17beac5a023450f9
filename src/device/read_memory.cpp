#include "device/read_memory.hpp"

#include "simt/simt.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

// Four loads of 16 bytes a thread under way at a time: more than the latency of memory asks for.
template <bool keep>
struct Sum {
  static constexpr const char* name = "read memory";
  static constexpr int max_threads = reading_block;
  using Two = Pack<double, 2>;
  const Two* a;
  std::int64_t n;
  double* parts;

  NZ_DEVICE Two read(Thread& t, std::int64_t i) const {
    if constexpr (keep)
      return t.load(a + i);
    else
      return t.load_streaming(a + i);
  }
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t step = t.global_size();
    double sum = 0;
    std::int64_t i = t.global_index();
    for (; i + 3 * step < n; i += 4 * step) {
      const Two b = read(t, i), c = read(t, i + step), d = read(t, i + 2 * step),
                e = read(t, i + 3 * step);
      sum += (b.at[0] + b.at[1]) + (c.at[0] + c.at[1]) + (d.at[0] + d.at[1]) + (e.at[0] + e.at[1]);
    }
    for (; i < n; i += step) {
      const Two b = read(t, i);
      sum += b.at[0] + b.at[1];
    }
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) parts[t.global_index() / 32] = sum;
  }
};

}  // namespace

void queue_sum(CUstream_st* stream, const double* a, std::int64_t n, double* parts, int blocks,
               bool keep) {
  const Launch how{.blocks = blocks, .threads = reading_block, .stream = stream};
  const auto* pairs = reinterpret_cast<const Pack<double, 2>*>(a);
  if (keep)
    launch(how, Sum<true>{pairs, n / 2, parts});
  else
    launch(how, Sum<false>{pairs, n / 2, parts});
}

}  // namespace nz::NZ_HOME
