#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"

// The blocks of a BSR matrix in equal shares, whatever its lines: one for each warp of a grid that
// stays until all is done. A line is a row of the grid of blocks, or a column of it when the matrix
// is multiplied transposed. A share begins and ends anywhere; the lines that it shares with others
// are put together by whoever comes last, always in the same order.
namespace nz::NZ_HOME {

struct alignas(16) Share {
  std::int64_t first;  // block
  int blocks;
  int line;        // of the first block, not counting lines without blocks
  int head_first;  // the share in which that line begins, where that is an earlier one
  int head_parts;  // how many shares that line is spread over; 0: it begins here
  int tail_parts;  // the same for the line that is left open at the end; 0: none is
};

// What a kernel needs of them.
template <class T>
struct ShareView {
  const Share* list;
  int count;
  const unsigned* ends;  // a bit for each block: the last one of its line
  const index_t* lines;  // the numbers of those with blocks; null: all have some
  T* partial;            // twice as many lines as shares: what begins earlier, what stays open
  unsigned* arrived;     // one a share

  // Ends of 32 blocks from here on.
  NZ_DEVICE unsigned ends_from(Thread& t, std::int64_t block) const {
    const unsigned* word = ends + (block >> 5);
    const int shift = static_cast<int>(block & 31);
    const unsigned low = t.load(word) >> shift;
    return shift == 0 ? low : low | t.load(word + 1) << (32 - shift);
  }
  NZ_DEVICE index_t line(Thread& t, int k) const { return lines ? t.load(lines + k) : k; }
};

template <Value T>
class Shares {
 public:
  Shares() = default;

  // `starts` of the lines and the end, in host memory; at most `count` shares, each beginning at a
  // multiple of `grain` blocks; lines give `outputs` sums each.
  template <Offset O>
  Shares(std::span<const O> starts, int grain, std::int64_t count, int outputs) {
    const Device device = current_device();
    std::vector<index_t> with, without;
    const auto lines = static_cast<index_t>(starts.size() - 1);
    for (index_t i = 0; i < lines; ++i) (starts[i] < starts[i + 1] ? with : without).push_back(i);
    const std::int64_t blocks = starts[lines];
    std::vector<unsigned> ends(static_cast<std::size_t>(blocks / 32 + 2));
    for (const index_t i : with) {
      const auto last = static_cast<std::size_t>(starts[i + 1] - 1);
      ends[last / 32] |= 1u << (last % 32);
    }
    const std::vector<Share> all = cut(starts, with, grain, count);
    shares_ = {device, std::span<const Share>(all)};
    ends_ = {device, std::span<const unsigned>(ends)};
    if (!without.empty()) lines_ = {device, std::span<const index_t>(with)};
    without_ = {device, std::span<const index_t>(without)};
    outputs_ = static_cast<std::size_t>(outputs);
  }

  int count() const { return static_cast<int>(shares_.size()); }
  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<T>(shares_.size(), 2 * shares_.size() * outputs_);
  }
  ShareView<T> view(const simt::Scratch& s) const {
    return {shares_.data(), count(), ends_.data(), lines_.data(), s.values<T>(), s.counters};
  }
  // Lines that no share has: their outputs must be scaled by themselves.
  const DeviceArray<index_t>& without_blocks() const { return without_; }
  // What a multiply reads of them.
  std::size_t traffic() const { return shares_.bytes() + ends_.bytes() + lines_.bytes(); }
  std::size_t bytes() const { return traffic() + without_.bytes(); }

 private:
  template <Offset O>
  static std::vector<Share> cut(std::span<const O> starts, const std::vector<index_t>& with,
                                int grain, std::int64_t count) {
    const std::int64_t blocks = starts.back();
    std::vector<Share> all;
    std::size_t line = 0;  // of those with blocks
    const auto start = [&](std::size_t l) { return std::int64_t{starts[with[l]]}; };
    const auto end = [&](std::size_t l) { return std::int64_t{starts[with[l] + 1]}; };
    for (std::int64_t s = 0; s < count; ++s) {
      const std::int64_t first = blocks * s / count / grain * grain;
      const std::int64_t next = s + 1 == count ? blocks : blocks * (s + 1) / count / grain * grain;
      if (first == next) continue;
      while (end(line) <= first) ++line;
      all.push_back({first, static_cast<int>(next - first), static_cast<int>(line), 0, 0, 0});
    }
    // Every share from which a line goes on into others.
    for (std::size_t s = 0; s < all.size(); ++s) {
      const std::int64_t next = all[s].first + all[s].blocks;
      auto open = static_cast<std::size_t>(all[s].line);
      while (end(open) < next) ++open;
      if (end(open) == next || start(open) < all[s].first) continue;
      std::size_t last = s + 1;
      while (last < all.size() && all[last].first < end(open)) ++last;
      const int parts = static_cast<int>(last - s);
      all[s].tail_parts = parts;
      for (std::size_t k = s + 1; k < last; ++k) {
        all[k].head_first = static_cast<int>(s);
        all[k].head_parts = parts;
      }
    }
    return all;
  }

  DeviceArray<Share> shares_;
  DeviceArray<unsigned> ends_;
  DeviceArray<index_t> lines_, without_;
  std::size_t outputs_ = 0;
};

}  // namespace nz::NZ_HOME
