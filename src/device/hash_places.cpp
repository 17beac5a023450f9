#include "device/hash_places.hpp"

#include <algorithm>

#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

// A block an array: there is little to do, and nobody waits for it.
struct HashArrays {
  static constexpr const char* name = "hash places";
  HashTask tasks[2];
  std::uint64_t* hashes;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<std::uint64_t> of_warps = t.shared<std::uint64_t>(t.warps());
    const HashTask& task = tasks[t.block()];
    std::uint64_t sum = task.bytes == 4 ? part<std::int32_t>(t, task) : part<std::int64_t>(t, task);
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) of_warps[t.warp()] = sum;
    t.sync();
    if (t.index() != 0) return;
    for (int w = 1; w < t.warps(); ++w) sum += of_warps[w];
    hashes[t.block()] = sum;
  }

 private:
  template <class E>
  NZ_DEVICE std::uint64_t part(Thread& t, const HashTask& task) const {
    const E* from = static_cast<const E*>(task.from);
    std::uint64_t sum = 0;
    NZ_UNROLL_BY(4)
    for (std::int64_t i = t.index(); i < task.places.taken(); i += t.block_size()) {
      const std::int64_t at = task.places.at(i);
      sum += HashPlaces::term(at, static_cast<std::uint64_t>(t.load(from + at)));
    }
    return sum;
  }
};

}  // namespace

void hash_places(const HashTask& first, const HashTask& second, std::uint64_t* hashes) {
  const int threads = threads_for(std::max(first.places.taken(), second.places.taken()), 1024);
  launch({.blocks = 2,
          .threads = threads,
          .shared_bytes = static_cast<std::size_t>(threads / 32) * sizeof(std::uint64_t)},
         HashArrays{{first, second}, hashes});
}

}  // namespace nz::NZ_HOME
