#pragma once
#include <cstddef>
#include <cstdint>

namespace nz {

// The Castagnoli CRC (RFC 3720 appendix B.4), continued from `crc`; start with 0. Chosen over
// zlib's CRC-32 because x86-64 and AArch64 have an instruction for it, and it decides how fast a
// binary file loads.
std::uint32_t crc32c(const void* data, std::size_t bytes, std::uint32_t crc = 0);

// The CRCs of four neighbouring blocks of `bytes` (a multiple of 8), side by side: each step waits
// for the one before it, those of the others do not.
void crc32c_of_four(const void* data, std::size_t bytes, std::uint32_t (&crc)[4]);

// crc32c by tables, for processors without the instruction.
std::uint32_t crc32c_by_table(const void* data, std::size_t bytes, std::uint32_t crc = 0);

}  // namespace nz
