// Whatever the bytes are: a matrix that is sound, or an exception of ours. Checksums would stop
// nearly every input at once, so they are put right first: what lies behind them is tried, too.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include <nonzero/error.hpp>

#include "io/crc32c.hpp"
#include "io/nzb.hpp"
#include "io/read_bytes.hpp"

namespace {

template <class T, class O>
void read(const std::string& bytes) {
  nz::Csr<T, O> a;
  try {
    a = nz::read_matrix_bytes<T, O>({"fuzz", {bytes.data(), bytes.size()}});
  } catch (const nz::Error&) {
    return;
  }
  a.validate();  // an exception that nobody catches is a finding
}

void put_checksums_right(std::string& bytes) {
  nz::NzbHeader h;
  if (bytes.size() < sizeof(h)) return;
  std::memcpy(&h, bytes.data(), sizeof(h));
  std::memcpy(h.magic, nz::nzb_magic, sizeof(h.magic));
  h.file_bytes = bytes.size();
  h.checksum = nz::crc32c(&h, offsetof(nz::NzbHeader, checksum));
  std::memcpy(bytes.data(), &h, sizeof(h));
  // The table, if it is where a sound header would have it.
  if (h.checksums_at < sizeof(h) || h.checksums_at > bytes.size()) return;
  const std::uint64_t blocks = nz::nzb_blocks(h);
  if (h.checksums_at + (blocks + 1) * 4 != bytes.size()) return;
  for (std::uint64_t b = 0; b <= blocks; ++b) {
    const std::uint64_t begin = b < blocks ? sizeof(h) + b * nz::nzb_block : h.checksums_at;
    const std::uint64_t end = b < blocks
                                  ? std::min<std::uint64_t>(begin + nz::nzb_block, h.checksums_at)
                                  : begin + blocks * 4;
    const std::uint32_t sum = nz::crc32c(bytes.data() + begin, end - begin);
    std::memcpy(bytes.data() + h.checksums_at + b * 4, &sum, 4);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read<double, std::int64_t>(bytes);
  put_checksums_right(bytes);
  read<double, std::int64_t>(bytes);
  read<float, std::int32_t>(bytes);
  return 0;
}
