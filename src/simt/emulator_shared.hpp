#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "simt/emulator.hpp"

namespace nz::emulated::emulator {

// Counts barriers of the block and of its warps. An access to shared memory is stamped with `now`;
// it is ordered before what threads do now when its stamp lies before the last barrier they share.
struct Clock {
  std::uint32_t now = 1;
  std::uint32_t begin = 1;    // of the block
  std::uint32_t barrier = 1;  // the last one of the block
};

// The shared memory of the block that runs, and what the race detector knows about it.
class SharedMemory {
 public:
  struct Part {
    std::size_t at = 0, cells_at = 0;
    int n = 0;
    std::size_t size = 0, alignment = 0;
  };

  Clock clock;

  void begin_block(std::size_t bytes);
  const std::vector<Part>& parts() const { return parts_; }
  // The next part, poisoned; false when there is not enough left.
  bool add(int n, std::size_t size, std::size_t alignment);
  Carved carved(const Part& part) {
    return {memory_.get() + part.at, cells_.get() + part.cells_at};
  }
  std::size_t used() const { return used_; }
  // Which element of which part a cell belongs to.
  struct Place {
    int part, index;
  };
  Place place(const Cell* cell) const;

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  // As large as can be from the first use on; pages that nobody touches cost nothing.
  std::unique_ptr<unsigned char, Free> memory_;
  std::unique_ptr<Cell, Free> cells_;
  std::size_t bytes_ = 0, used_ = 0, cells_used_ = 0;
  std::vector<Part> parts_;
};

}  // namespace nz::emulated::emulator
