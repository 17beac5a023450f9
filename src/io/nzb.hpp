#pragma once
#include <cstdint>
#include <span>

#include <nonzero/formats/csr.hpp>

#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "io/text.hpp"

// The binary file of a CSR matrix; docs/nzb.md describes it for others.
namespace nz {

// As it stands in the file, little-endian.
struct NzbHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t value_bytes;   // 8, 4, or 0: every value is 1 and none is stored
  std::uint32_t offset_bytes;  // 8 or 4
  std::uint32_t block_bytes;   // what each checksum covers
  std::uint64_t rows, cols, nnz;
  std::uint64_t offsets_at, columns_at, values_at, checksums_at, file_bytes;
  char zero[36];
  std::uint32_t checksum;  // of all the bytes before it
};
static_assert(sizeof(NzbHeader) == 128);

constexpr char nzb_magic[8] = {'\x89', 'N', 'Z', 'B', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t nzb_version = 1;
constexpr std::uint32_t nzb_block = 1 << 20;
constexpr std::uint64_t nzb_unit = 4 * nzb_block;  // of work: four checksums side by side
constexpr std::uint64_t nzb_alignment = 64;

// The header with every position that follows from sizes and types. Sizes must be those of a
// matrix that exists or be bounded by a file that does: no sum here may overflow.
NzbHeader nzb_layout(std::uint64_t rows, std::uint64_t cols, std::uint64_t nnz,
                     std::uint32_t value_bytes, std::uint32_t offset_bytes);

inline std::uint64_t nzb_blocks(const NzbHeader& h) {
  return (h.checksums_at - sizeof(NzbHeader) + nzb_block - 1) / nzb_block;
}

// The checksums of all blocks from `data`, which is the start of one, to its end.
void nzb_checksums(const char* data, std::uint64_t bytes, std::uint32_t* checksums);

template <Value T, Offset O>
void write_nzb(OutputFile& file, const CsrView<T, O>& a, Meter& meter);

}  // namespace nz
