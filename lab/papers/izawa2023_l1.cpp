#include "lab/papers/izawa2023_l1.hpp"

#include <algorithm>

namespace nz::lab::izawa2023 {
namespace {

class Cache {
 public:
  explicit Cache(const CacheModel& model)
      : model_(model), there_(static_cast<std::size_t>(model.lines), -1) {}
  // Whether reading that element misses.
  bool misses(std::int64_t element) {
    const std::int64_t line = element / model_.elements;
    std::int64_t& held = there_[static_cast<std::size_t>(line % model_.lines)];
    if (held == line) return false;
    held = line;
    return true;
  }

 private:
  CacheModel model_;
  std::vector<std::int64_t> there_;
};

// at(thread, loop): where the thread reads in that loop.
template <class At>
std::vector<std::int64_t> count(const std::vector<std::int64_t>& lengths, const CacheModel& model,
                                bool padded, At&& at) {
  Cache cache(model);
  const std::int64_t most = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::int64_t> all;
  for (std::int64_t loop = 0; loop < most; ++loop) {
    all.push_back(0);
    for (std::size_t thread = 0; thread < lengths.size(); ++thread)
      if (padded || loop < lengths[thread]) all.back() += cache.misses(at(thread, loop));
  }
  return all;
}

}  // namespace

std::vector<std::int64_t> misses_by_blocks(const std::vector<std::int64_t>& lengths,
                                           const CacheModel& cache) {
  std::vector<std::int64_t> starts(lengths.size() + 1, 0);
  for (std::size_t b = 0; b < lengths.size(); ++b) starts[b + 1] = starts[b] + lengths[b];
  return count(lengths, cache, false,
               [&](std::size_t thread, std::int64_t loop) { return starts[thread] + loop; });
}

std::vector<std::int64_t> misses_reordered(const std::vector<std::int64_t>& lengths,
                                           const CacheModel& cache) {
  const auto group = static_cast<std::int64_t>(lengths.size());
  return count(lengths, cache, true, [&](std::size_t thread, std::int64_t loop) {
    return loop * group + static_cast<std::int64_t>(thread);
  });
}

}  // namespace nz::lab::izawa2023
