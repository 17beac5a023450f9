#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/huge_pages.hpp"
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

// The elements of a section that lie in one block of the file. Blocks and sections start at
// multiples of 64, so an element is never cut.
struct Part {
  std::uint64_t first, count;
};

Part part_in_block(std::uint64_t begin, std::uint64_t end, std::uint64_t at, std::uint64_t count,
                   std::uint64_t size) {
  const std::uint64_t lo = std::max(begin, at), hi = std::min(end, at + count * size);
  return lo < hi ? Part{(lo - at) / size, (hi - lo) / size} : Part{0, 0};
}

template <class S, class D>
void copy_elements(const NamedText& file, std::uint64_t at, Part part, D* to) {
  const char* const from = file.bytes.data() + at + part.first * sizeof(S);
  to += part.first;
  if constexpr (std::is_same_v<S, D>) {
    if (part.count > 0) std::memcpy(to, from, part.count * sizeof(S));
  } else {
    for (std::uint64_t k = 0; k < part.count; ++k) {
      S s;
      std::memcpy(&s, from + k * sizeof(S), sizeof(S));
      if constexpr (std::is_same_v<S, double>)
        if (std::isfinite(s) && std::abs(s) > std::numeric_limits<D>::max())
          fail(file,
               fmt::format("entry {}: {} does not fit 32-bit floating point", part.first + k, s));
      if constexpr (std::is_same_v<S, std::int64_t>)
        if (s < 0 || s > std::numeric_limits<D>::max())
          fail(file,
               fmt::format("offset {} is {}, more than there are entries", part.first + k, s));
      to[k] = static_cast<D>(s);
    }
  }
}

// What is seen of the columns while they are in cache.
struct ColumnCheck {
  std::uint32_t largest = 0;     // negative ones are larger than any
  std::uint64_t not_rising = 0;  // columns that do not exceed the one before
};

ColumnCheck check_columns(const index_t* c, Part part) {
  if (part.count == 0) return {};
  c += part.first;
  auto largest = static_cast<std::uint32_t>(c[0]);
  std::uint32_t falls = 0;
  for (std::uint64_t k = 1; k < part.count; ++k) {
    largest = std::max(largest, static_cast<std::uint32_t>(c[k]));
    falls += c[k] <= c[k - 1];
  }
  return {largest, falls};
}

// Whether the rows are what CSR asks for; quick, and silent about the place. Every column that does
// not exceed the one before must be the first of its row, so there must be equally many of them.
template <Value T, Offset O>
bool rows_are_sound(const Csr<T, O>& a, const ColumnCheck& columns) {
  const auto nnz = static_cast<O>(a.columns.size());
  if (a.offsets[0] != 0 || a.offsets[a.rows] != nnz) return false;
  if (nnz > 0 && columns.largest >= static_cast<std::uint32_t>(a.cols)) return false;
  std::atomic<bool> sound{true};
  std::atomic<std::uint64_t> first_of_row{0};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    const index_t* const c = a.columns.data();
    std::uint64_t falls = 0;
    for (index_t i = begin; i < end; ++i) {
      const O lo = a.offsets[i], hi = a.offsets[i + 1];
      if (lo < 0 || hi < lo || hi > nnz) {
        sound = false;
        return;
      }
      falls += lo > 0 && lo < hi && c[lo] <= c[lo - 1];
    }
    first_of_row += falls;
  });
  return sound && first_of_row == columns.not_rising;
}

// Fills the matrix block by block, each checked while it is in cache.
template <Value T, Offset O>
ColumnCheck load_blocks(const NamedText& file, const NzbHeader& h, Meter& meter, Csr<T, O>& a) {
  const auto checksums = read_checksums(file, h);
  const std::uint64_t blocks = nzb_blocks(h);
  std::vector<ColumnCheck> checks(blocks);
  std::atomic<std::uint64_t> damaged{h.file_bytes}, next{0};
  const auto part = [&](std::uint64_t b, std::uint64_t at, std::uint64_t count,
                        std::uint64_t size) {
    const std::uint64_t begin = sizeof(NzbHeader) + b * nzb_block;
    return part_in_block(begin, begin + nzb_block, at, count, size);
  };
  parallel(blocks < 2 ? 1 : threads(), [&](int, int) {
    for (std::uint64_t b; (b = next++) < blocks;) {
      const std::uint64_t begin = sizeof(NzbHeader) + b * nzb_block;
      const std::uint64_t end = std::min<std::uint64_t>(begin + nzb_block, h.checksums_at);
      if (crc32c(file.bytes.data() + begin, end - begin) != checksums[b]) {
        std::uint64_t seen = damaged;
        while (begin < seen && !damaged.compare_exchange_weak(seen, begin)) {
        }
        return;
      }
      const Part offsets = part(b, h.offsets_at, h.rows + 1, h.offset_bytes);
      if (h.offset_bytes == 4)
        copy_elements<std::int32_t>(file, h.offsets_at, offsets, a.offsets.data());
      else
        copy_elements<std::int64_t>(file, h.offsets_at, offsets, a.offsets.data());
      const Part columns = part(b, h.columns_at, h.nnz, sizeof(index_t));
      copy_elements<index_t>(file, h.columns_at, columns, a.columns.data());
      checks[b] = check_columns(a.columns.data(), columns);
      if (h.value_bytes == 4)
        copy_elements<float>(file, h.values_at, part(b, h.values_at, h.nnz, 4), a.values.data());
      else if (h.value_bytes == 8)
        copy_elements<double>(file, h.values_at, part(b, h.values_at, h.nnz, 8), a.values.data());
      meter.add(end - begin);
    }
  });
  if (damaged != h.file_bytes)
    fail(file,
         fmt::format("damaged: the checksum of the block at byte {} is wrong", damaged.load()));
  ColumnCheck all;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t first = part(b, h.columns_at, h.nnz, sizeof(index_t)).first;
    all.largest = std::max(all.largest, checks[b].largest);
    all.not_rising +=
        checks[b].not_rising + (first > 0 && a.columns[first] <= a.columns[first - 1]);
  }
  return all;
}

}  // namespace

bool is_nzb(std::span<const char> bytes) {
  return bytes.size() >= sizeof(nzb_magic) &&
         std::memcmp(bytes.data(), nzb_magic, sizeof(nzb_magic)) == 0;
}

template <Value T, Offset O>
Csr<T, O> read_nzb(const NamedText& file, Meter& meter, FileInfo& info) {
  const NzbHeader h = read_header(file);
  require_countable<O>(static_cast<std::int64_t>(h.nnz), file.name.c_str());
  info.format = "nzb";
  info.field = h.value_bytes == 0 ? Field::pattern : Field::real;
  info.stored_entries = static_cast<std::int64_t>(h.nnz);

  Csr<T, O> a{static_cast<index_t>(h.rows), static_cast<index_t>(h.cols), Array<O>(h.rows + 1),
              Array<index_t>(h.nnz), Array<T>(h.nnz)};
  prefer_huge_pages(a.offsets.data(), a.offsets.size() * sizeof(O));
  prefer_huge_pages(a.columns.data(), a.columns.size() * sizeof(index_t));
  prefer_huge_pages(a.values.data(), a.values.size() * sizeof(T));
  const ColumnCheck columns = load_blocks(file, h, meter, a);
  if (h.value_bytes == 0)
    parallel_ranges(a.values.size(), [&](std::size_t begin, std::size_t end) {
      std::fill(a.values.begin() + begin, a.values.begin() + end, T{1});
    });
  if (!rows_are_sound(a, columns)) {
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
