#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"
#include "io/crc32c.hpp"
#include "io/nzb.hpp"
#include "io/read_bytes.hpp"

namespace nz {
namespace {

[[noreturn]] void fail(const NamedText& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file.name, what));
}

// The header, once it agrees with itself and with the file's length.
NzbHeader read_header(const NamedText& file) {
  NzbHeader h;
  const std::uint64_t size = file.bytes.size();
  if (size < sizeof(h)) fail(file, "the nzb header is cut short");
  std::memcpy(&h, file.bytes.data(), sizeof(h));
  if (h.version != nzb_version)
    fail(file, fmt::format("nzb version {} is not known (only {})", h.version, nzb_version));
  if (h.checksum != crc32c(&h, offsetof(NzbHeader, checksum)))
    fail(file, "the nzb header is damaged: its checksum is wrong");
  if (h.file_bytes != size)
    fail(file, fmt::format("{} bytes long, but its nzb header says {}", size, h.file_bytes));
  // From here on only a file made on purpose can fail. Sizes within the file cannot overflow.
  constexpr std::uint64_t most = std::numeric_limits<index_t>::max();
  const bool types = (h.value_bytes == 0 || h.value_bytes == 4 || h.value_bytes == 8) &&
                     (h.offset_bytes == 4 || h.offset_bytes == 8);
  if (!types || h.rows > most || h.cols > most || h.rows > size || h.nnz > size)
    fail(file, "the nzb header's types or sizes are impossible");
  const NzbHeader expected = nzb_layout(h.rows, h.cols, h.nnz, h.value_bytes, h.offset_bytes);
  if (std::memcmp(&h, &expected, sizeof(h)) != 0)
    fail(file, "the nzb header's sections are not where its sizes put them");
  return h;
}

std::vector<std::uint32_t> read_checksums(const NamedText& file, const NzbHeader& h) {
  const std::uint64_t blocks = nzb_blocks(h);
  std::vector<std::uint32_t> table(blocks + 1);
  std::memcpy(table.data(), file.bytes.data() + h.checksums_at, table.size() * sizeof(table[0]));
  if (crc32c(table.data(), blocks * sizeof(table[0])) != table.back())
    fail(file, "the nzb checksums are damaged");
  return table;
}

// The elements of one section that lie in bytes begin to end of the file. Blocks and sections start
// at multiples of 64, so an element is never cut.
template <class S, class D>
void copy_elements(const NamedText& file, std::uint64_t begin, std::uint64_t end, std::uint64_t at,
                   std::uint64_t count, D* to) {
  const std::uint64_t lo = std::max(begin, at), hi = std::min(end, at + count * sizeof(S));
  if (lo >= hi) return;
  const char* from = file.bytes.data() + lo;
  const std::uint64_t first = (lo - at) / sizeof(S), n = (hi - lo) / sizeof(S);
  if constexpr (std::is_same_v<S, D>) {
    std::memcpy(to + first, from, n * sizeof(S));
  } else {
    for (std::uint64_t k = 0; k < n; ++k) {
      S s;
      std::memcpy(&s, from + k * sizeof(S), sizeof(S));
      if constexpr (std::is_same_v<S, double>)
        if (std::isfinite(s) && std::abs(s) > std::numeric_limits<D>::max())
          fail(file, fmt::format("entry {}: {} does not fit 32-bit floating point", first + k, s));
      if constexpr (std::is_same_v<S, std::int64_t>)
        if (s < 0 || s > std::numeric_limits<D>::max())
          fail(file, fmt::format("offset {} is {}, more than there are entries", first + k, s));
      to[first + k] = static_cast<D>(s);
    }
  }
}

// Whether the rows are what CSR asks for; quick, and silent about the place.
template <Value T, Offset O>
bool rows_are_sound(const Csr<T, O>& a) {
  const auto nnz = static_cast<O>(a.columns.size());
  if (a.offsets[0] != 0 || a.offsets[a.rows] != nnz) return false;
  std::atomic<bool> sound{true};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    const index_t* const c = a.columns.data();
    for (index_t i = begin; i < end; ++i) {
      const O lo = a.offsets[i], hi = a.offsets[i + 1];
      if (lo < 0 || hi < lo || hi > nnz) {
        sound = false;
        return;
      }
      if (lo == hi) continue;
      bool rising = c[lo] >= 0 && c[hi - 1] < a.cols;
      for (O k = lo + 1; k < hi; ++k) rising &= c[k - 1] < c[k];
      if (!rising) {
        sound = false;
        return;
      }
    }
  });
  return sound;
}

}  // namespace

bool is_nzb(std::span<const char> bytes) {
  return bytes.size() >= sizeof(nzb_magic) &&
         std::memcmp(bytes.data(), nzb_magic, sizeof(nzb_magic)) == 0;
}

template <Value T, Offset O>
Csr<T, O> read_nzb(const NamedText& file, Meter& meter, FileInfo& info) {
  const NzbHeader h = read_header(file);
  const auto checksums = read_checksums(file, h);
  require_countable<O>(static_cast<std::int64_t>(h.nnz), file.name.c_str());
  info.format = "nzb";
  info.field = h.value_bytes == 0 ? Field::pattern : Field::real;
  info.stored_entries = static_cast<std::int64_t>(h.nnz);

  Csr<T, O> a{static_cast<index_t>(h.rows), static_cast<index_t>(h.cols), Array<O>(h.rows + 1),
              Array<index_t>(h.nnz), Array<T>(h.nnz)};
  std::atomic<std::uint64_t> damaged{h.file_bytes}, next{0};
  const std::uint64_t blocks = nzb_blocks(h);
  parallel(blocks < 2 ? 1 : threads(), [&](int, int) {
    for (std::uint64_t b; (b = next++) < blocks;) {
      const std::uint64_t begin = sizeof(NzbHeader) + b * nzb_block;
      const std::uint64_t end = std::min<std::uint64_t>(begin + nzb_block, h.checksums_at);
      // While the block is in cache.
      if (crc32c(file.bytes.data() + begin, end - begin) != checksums[b]) {
        std::uint64_t seen = damaged;
        while (begin < seen && !damaged.compare_exchange_weak(seen, begin)) {
        }
        return;
      }
      if (h.offset_bytes == 4)
        copy_elements<std::int32_t>(file, begin, end, h.offsets_at, h.rows + 1, a.offsets.data());
      else
        copy_elements<std::int64_t>(file, begin, end, h.offsets_at, h.rows + 1, a.offsets.data());
      copy_elements<index_t>(file, begin, end, h.columns_at, h.nnz, a.columns.data());
      if (h.value_bytes == 4)
        copy_elements<float>(file, begin, end, h.values_at, h.nnz, a.values.data());
      else if (h.value_bytes == 8)
        copy_elements<double>(file, begin, end, h.values_at, h.nnz, a.values.data());
      meter.add(end - begin);
    }
  });
  if (damaged != h.file_bytes)
    fail(file,
         fmt::format("damaged: the checksum of the block at byte {} is wrong", damaged.load()));
  if (h.value_bytes == 0)
    parallel_ranges(a.values.size(), [&](std::size_t begin, std::size_t end) {
      std::fill(a.values.begin() + begin, a.values.begin() + end, T{1});
    });
  if (!rows_are_sound(a)) {
    try {
      a.validate();
    } catch (const BadInput& error) {
      fail(file, error.what());
    }
  }
  return a;
}

#define NZ_INSTANTIATE(T, O) template Csr<T, O> read_nzb<T, O>(const NamedText&, Meter&, FileInfo&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
