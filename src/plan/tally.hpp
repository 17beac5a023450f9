#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonzero/types.hpp>

namespace nz {

// Counts how often numbers of 0 and above occur, many times as fast as sorting them.
class Tally {
 public:
  explicit Tally(std::size_t most_numbers)
      : slots_(std::bit_ceil(2 * most_numbers + 2), Slot{-1, 0}) {}

  void add(index_t number) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (static_cast<std::uint32_t>(number) * 0x9e3779b1u) & mask;
    while (slots_[at].number != number && slots_[at].number >= 0) at = (at + 1) & mask;
    slots_[at].number = number;
    if (++slots_[at].times > most_) most_ = slots_[at].times;
  }
  // Of the number that occurs most often.
  std::size_t most() const { return most_; }

 private:
  struct Slot {
    index_t number;
    std::uint32_t times;
  };
  std::vector<Slot> slots_;
  std::size_t most_ = 0;
};

}  // namespace nz
