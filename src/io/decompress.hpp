#pragma once
#include <span>
#include <vector>

#include "io/progress.hpp"
#include "io/text.hpp"

namespace nz {

enum class Packing { none, gzip, zstd };

// Told by the first bytes.
Packing packing_of(std::span<const char> bytes);

// The most bytes that a compressed file may grow to: enough for any honest text, and a bound for
// a file made to fill the memory.
constexpr std::uint64_t unpacked_limit(std::uint64_t packed) {
  return (std::uint64_t{64} << 20) + 256 * packed;
}

// The text of all gzip members or zstd frames one after another. Throws BadInput when the data is
// broken, ends early, or passes unpacked_limit.
std::vector<char> unpack(const NamedText& packed, Packing packing, Meter& meter);

}  // namespace nz
