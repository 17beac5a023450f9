#include "io/nzb.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "io/crc32c.hpp"

namespace nz {

static_assert(std::endian::native == std::endian::little, "nzb sections are used as they stand");

NzbHeader nzb_layout(std::uint64_t rows, std::uint64_t cols, std::uint64_t nnz,
                     std::uint32_t value_bytes, std::uint32_t offset_bytes) {
  const auto aligned = [](std::uint64_t at) {
    return (at + nzb_alignment - 1) / nzb_alignment * nzb_alignment;
  };
  NzbHeader h{};
  std::memcpy(h.magic, nzb_magic, sizeof(h.magic));
  h.version = nzb_version;
  h.value_bytes = value_bytes;
  h.offset_bytes = offset_bytes;
  h.block_bytes = nzb_block;
  h.rows = rows;
  h.cols = cols;
  h.nnz = nnz;
  h.offsets_at = sizeof(NzbHeader);
  h.columns_at = aligned(h.offsets_at + (rows + 1) * offset_bytes);
  h.values_at = aligned(h.columns_at + nnz * sizeof(index_t));
  h.checksums_at = aligned(h.values_at + nnz * value_bytes);
  h.file_bytes = h.checksums_at + (nzb_blocks(h) + 1) * sizeof(std::uint32_t);
  h.checksum = crc32c(&h, offsetof(NzbHeader, checksum));
  return h;
}

void nzb_checksums(const char* data, std::uint64_t bytes, std::uint32_t* checksums) {
  while (bytes >= nzb_unit) {
    std::uint32_t four[4];
    crc32c_of_four(data, nzb_block, four);
    checksums = std::copy(std::begin(four), std::end(four), checksums);
    data += nzb_unit;
    bytes -= nzb_unit;
  }
  while (bytes > 0) {
    const std::uint64_t n = std::min<std::uint64_t>(bytes, nzb_block);
    *checksums++ = crc32c(data, n);
    data += n;
    bytes -= n;
  }
}

template <Value T, Offset O>
void write_nzb(OutputFile& file, const CsrView<T, O>& a, Meter& meter) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  const bool ones = std::all_of(a.values, a.values + nnz, [](T v) { return v == 1; });
  const NzbHeader h =
      nzb_layout(static_cast<std::uint64_t>(a.rows), static_cast<std::uint64_t>(a.cols), nnz,
                 ones ? 0 : sizeof(T), sizeof(O));
  struct Section {
    std::uint64_t at, bytes;
    const void* data;
  };
  const Section sections[] = {{h.offsets_at, (h.rows + 1) * sizeof(O), a.offsets},
                              {h.columns_at, nnz * sizeof(index_t), a.columns},
                              {h.values_at, nnz * h.value_bytes, a.values}};
  file.write({reinterpret_cast<const char*>(&h), sizeof(h)});
  std::vector<std::uint32_t> checksums(nzb_blocks(h));
  const std::uint64_t units = (h.checksums_at - sizeof(h) + nzb_unit - 1) / nzb_unit;
  const auto batch = 8 * static_cast<std::uint64_t>(threads());
  std::vector<std::string> buffers(std::min(batch, units));
  meter.begin(units);
  for (std::uint64_t first = 0; first < units; first += batch) {
    const std::uint64_t count = std::min(batch, units - first);
    parallel_ranges(
        count,
        [&](std::uint64_t from, std::uint64_t to) {
          for (std::uint64_t u = from; u < to; ++u) {
            const std::uint64_t begin = sizeof(NzbHeader) + (first + u) * nzb_unit;
            const std::uint64_t end = std::min<std::uint64_t>(begin + nzb_unit, h.checksums_at);
            buffers[u].assign(end - begin, '\0');
            for (const Section& s : sections) {
              const auto lo = std::max(begin, s.at), hi = std::min(end, s.at + s.bytes);
              if (lo < hi)
                std::memcpy(buffers[u].data() + (lo - begin),
                            static_cast<const char*>(s.data) + (lo - s.at), hi - lo);
            }
            nzb_checksums(buffers[u].data(), end - begin,
                          checksums.data() + (first + u) * (nzb_unit / nzb_block));
          }
        },
        2);
    for (std::uint64_t u = 0; u < count; ++u) file.write(buffers[u]);
    meter.add(count);
  }
  checksums.push_back(crc32c(checksums.data(), checksums.size() * sizeof(std::uint32_t)));
  file.write(
      {reinterpret_cast<const char*>(checksums.data()), checksums.size() * sizeof(std::uint32_t)});
}

#define NZ_INSTANTIATE(T, O) template void write_nzb(OutputFile&, const CsrView<T, O>&, Meter&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
