#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <nonzero/array.hpp>

#include "io/budget.hpp"
#include "io/decompress.hpp"
#include "io/source.hpp"

namespace nz {

// A file's bytes from first to last, unpacked on the way.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next n bytes; fewer only where the file ends. Throws BadInput when compressed data is
  // broken, ends early, or grows to more than the budget's unpacked_bytes().
  virtual std::size_t read(char* to, std::size_t n) = 0;
  // How many bytes of the file were needed so far.
  virtual std::uint64_t taken() const = 0;
};

// Bytes within the unpacked ones; a file as a whole has no name.
struct Member {
  std::string name{};
  std::uint64_t at = 0, size = std::numeric_limits<std::uint64_t>::max();
};

// File and budget must outlive it.
std::unique_ptr<ByteStream> open_stream(const Source& file, const Budget& budget, Packing packing,
                                        const Member& member = {});

// All bytes of a stream, to be read by position. Memory grows with what arrives, and is counted as
// held.
class UnpackedSource final : public Source {
 public:
  UnpackedSource(ByteStream& stream, const Source& file, Budget& budget);
  void read(std::uint64_t at, char* to, std::size_t n) const override;

 private:
  std::vector<Array<char>> parts_;
};

// Reads over so many bytes, or all there are; says how many.
std::uint64_t skip(ByteStream& stream, std::uint64_t n);

// Reads to the end, to see whether compressed data is sound.
void drain(ByteStream& stream);

}  // namespace nz
