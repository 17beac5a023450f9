#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include <nonzero/types.hpp>

namespace nz {

// How much memory a file may make its reader and the reader's caller take. A header may claim
// anything, and a few compressed bytes may stand for gigabytes: only the bytes that the file has
// where it lies are sure. So all that is held for it stays below base + factor * these bytes,
// unless the caller sets a limit.
class Budget {
 public:
  // A text of n bytes becomes less than 40 n bytes of matrix, and compressed to a sixth of its
  // size, as matrices are, less than 240 n.
  static constexpr std::uint64_t base = std::uint64_t{64} << 20, factor = 256;

  explicit Budget(std::uint64_t file_bytes, std::uint64_t limit = 0)
      : file_bytes_(file_bytes), limit_(limit) {}

  bool limited() const { return limit_ != 0; }  // by the caller
  std::uint64_t bytes() const { return limited() ? limit_ : base + factor * file_bytes_; }
  // Compressed files may not grow beyond this, whatever they hold: it bounds the time they take.
  std::uint64_t unpacked_bytes() const;

  // Of a matrix without entries: its offsets, and two vectors for each side, for who reads a matrix
  // multiplies by it.
  static std::uint64_t shape_bytes(std::uint64_t rows, std::uint64_t cols) {
    return 24 * rows + 16 * cols;
  }

  // What the reader keeps until it is done, besides what it asks require() for.
  void hold(std::uint64_t bytes) { held_ += bytes; }

  // Throws "WHERE: WHAT takes N bytes" and how many may be taken, and why: BadInput when the file
  // is too small for it, NoResource when the caller's limit is.
  void require(std::uint64_t bytes, const std::string& where, const std::string& what) const;

 private:
  std::uint64_t file_bytes_, limit_, held_ = 0;
};

// n * size, or the largest number there is.
constexpr std::uint64_t times(std::uint64_t n, std::uint64_t size) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max() / 4;
  return size != 0 && n > most / size ? most : n * size;
}

}  // namespace nz
