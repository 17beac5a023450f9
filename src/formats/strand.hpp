#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonzero/array.hpp>

namespace nz {

// What one thread has to say to each of many buckets: a chain of small blocks per bucket. Writing
// is a store and a pointer; nothing is counted beforehand or moved afterwards.
template <class E>
class Strand {
 public:
  // Blocks of 2^block_bits entries.
  Strand(std::size_t buckets, int block_bits)
      : block_bits_(block_bits), ends_(buckets), chains_(buckets) {}

  void push(std::size_t bucket, const E& entry) {
    End& end = ends_[bucket];
    if (end.at == end.stop) [[unlikely]]
      add_block(bucket);
    *end.at++ = entry;
  }

  // How many entries the bucket has got so far.
  std::size_t size(std::size_t bucket) const {
    return (chains_[bucket].size() << block_bits_) -
           static_cast<std::size_t>(ends_[bucket].stop - ends_[bucket].at);
  }

  // visit(entry) for entries from to `to` of a bucket, in the order they came.
  template <class Visit>
  void for_each(std::size_t bucket, std::size_t from, std::size_t to, Visit&& visit) const {
    const std::size_t block = std::size_t{1} << block_bits_;
    while (from < to) {
      const std::size_t first = from & (block - 1), last = std::min(block, first + (to - from));
      const E* const entries = chains_[bucket][from >> block_bits_];
      for (std::size_t k = first; k < last; ++k) visit(entries[k]);
      from += last - first;
    }
  }

 private:
  struct End {
    E* at = nullptr;
    E* stop = nullptr;
  };

  void add_block(std::size_t bucket) {
    const std::size_t block = std::size_t{1} << block_bits_;
    if (free_ == 0) {
      // Each slab as large as all before it: memory in proportion, few page faults.
      const std::size_t most = (std::size_t{32} << 20) / (block * sizeof(E));
      free_ = std::clamp<std::size_t>(blocks_, 4, most);
      slabs_.emplace_back(free_ * block);
    }
    E* const begin = slabs_.back().data() + slabs_.back().size() - free_ * block;
    chains_[bucket].push_back(begin);
    ends_[bucket] = {begin, begin + block};
    --free_;
    ++blocks_;
  }

  int block_bits_;
  std::vector<End> ends_;
  std::vector<std::vector<E*>> chains_;
  std::vector<Array<E>> slabs_;
  std::size_t free_ = 0;  // blocks left in the last slab
  std::size_t blocks_ = 0;
};

}  // namespace nz
