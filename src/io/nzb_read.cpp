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

[[noreturn]] void fail(const Source& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file.name(), what));
}

// The header, once it agrees with itself and with the file's length.
NzbHeader read_header(const Source& file) {
  NzbHeader h;
  const std::uint64_t size = file.size();
  if (size < sizeof(h)) fail(file, "the nzb header is cut short");
  file.read(0, reinterpret_cast<char*>(&h), sizeof(h));
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

std::vector<std::uint32_t> read_checksums(const Source& file, const NzbHeader& h) {
  const std::uint64_t blocks = nzb_blocks(h);
  std::vector<std::uint32_t> table(blocks + 1);
  file.read(h.checksums_at, reinterpret_cast<char*>(table.data()), table.size() * sizeof(table[0]));
  if (crc32c(table.data(), blocks * sizeof(table[0])) != table.back())
    fail(file, "the nzb checksums are damaged");
  return table;
}

// Bytes of the file, from `begin` on, that were read and found right.
struct Unit {
  const char* data;
  std::uint64_t begin, end;
};

// The elements of a section that lie in one unit of the file. Units and sections start at multiples
// of 64, so an element is never cut.
struct Part {
  std::uint64_t first, count;
};

Part part_of_unit(const Unit& unit, std::uint64_t at, std::uint64_t count, std::uint64_t size) {
  const std::uint64_t lo = std::max(unit.begin, at), hi = std::min(unit.end, at + count * size);
  return lo < hi ? Part{(lo - at) / size, (hi - lo) / size} : Part{0, 0};
}

// The part's elements, of the section that begins at byte `at`.
template <class S, class D>
void copy_elements(const Source& file, const Unit& unit, std::uint64_t at, Part part, D* to) {
  if (part.count == 0) return;
  const char* const from = unit.data + (at + part.first * sizeof(S) - unit.begin);
  to += part.first;
  if constexpr (std::is_same_v<S, D>) {
    if (static_cast<const void*>(to) != from) std::memcpy(to, from, part.count * sizeof(S));
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

// Calls use(unit) for units first to last, each once its checksums are found right. place(begin,
// end) is where these bytes of the file belong as they are, or null: then they go through a buffer.
template <class Place, class Use>
void for_each_unit(const Source& file, const NzbHeader& h,
                   const std::vector<std::uint32_t>& checksums, std::uint64_t first,
                   std::uint64_t last, Place&& place, Use&& use) {
  std::atomic<std::uint64_t> damaged{h.file_bytes}, next{first};
  parallel(last - first < 2 ? 1 : threads(), [&](int, int) {
    Array<char> buffer(std::min(nzb_unit, h.checksums_at - sizeof(NzbHeader)));
    for (std::uint64_t u; (u = next++) < last;) {
      const std::uint64_t begin = sizeof(NzbHeader) + u * nzb_unit;
      const std::uint64_t end = std::min<std::uint64_t>(begin + nzb_unit, h.checksums_at);
      char* const own = place(begin, end);
      char* const data = own ? own : buffer.data();
      file.read(begin, data, end - begin);
      std::uint32_t sums[nzb_unit / nzb_block];
      nzb_checksums(data, end - begin, sums);
      for (std::uint64_t at = begin, b = 0; at < end; at += nzb_block, ++b)
        if (sums[b] != checksums[u * (nzb_unit / nzb_block) + b]) {
          std::uint64_t seen = damaged;
          while (at < seen && !damaged.compare_exchange_weak(seen, at)) {
          }
          return;
        }
      use(Unit{data, begin, end});
    }
  });
  if (damaged != h.file_bytes)
    fail(file,
         fmt::format("damaged: the checksum of the block at byte {} is wrong", damaged.load()));
}

template <Value T, Offset O>
bool offsets_are_sound(const Csr<T, O>& a) {
  if (a.offsets[0] != 0 || a.offsets[a.rows] != static_cast<O>(a.columns.size())) return false;
  std::atomic<bool> sound{true};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    bool rising = true;
    for (index_t i = begin; i < end; ++i) rising &= a.offsets[i] <= a.offsets[i + 1];
    if (!rising) sound = false;
  });
  return sound;
}

// Whether columns lo to hi are in range and exceed the one before, but for the first of each row.
// What stands before lo is not looked at. Offsets are sound.
template <Value T, Offset O>
bool columns_are_sound(const Csr<T, O>& a, O lo, O hi) {
  if (lo >= hi) return true;
  const index_t* const c = a.columns.data();
  // Negative ones are larger than any. One pass without branches counts the falls, another over
  // the rows the falls that are allowed: all of them must be.
  auto largest = static_cast<std::uint32_t>(c[lo]);
  std::uint32_t falls = 0, allowed = 0;
  for (O k = lo + 1; k < hi; ++k) {
    largest = std::max(largest, static_cast<std::uint32_t>(c[k]));
    falls += c[k] <= c[k - 1];
  }
  const O* row = std::upper_bound(a.offsets.data(), a.offsets.data() + a.rows, lo);
  for (; *row < hi; ++row) allowed += row[0] < row[1] && c[*row] <= c[*row - 1];
  return largest < static_cast<std::uint32_t>(a.cols) && falls == allowed;
}

template <Value T, Offset O>
[[noreturn]] void fail_unsound(const Source& file, const Csr<T, O>& a) {
  try {
    a.validate();
  } catch (const BadInput& error) {
    fail(file, error.what());
  }
  fail(file, "the matrix is unsound");
}

template <Value T, Offset O>
void load(const Source& file, const NzbHeader& h, Meter& meter, Csr<T, O>& a) {
  const auto checksums = read_checksums(file, h);
  const std::uint64_t units = (h.checksums_at - sizeof(h) + nzb_unit - 1) / nzb_unit;
  const std::uint64_t border =
      (h.columns_at - sizeof(h)) / nzb_unit;  // the unit where columns begin
  // Most units lie within one array, and need not be copied when the types are those of the file.
  const auto place = [&](std::uint64_t begin, std::uint64_t end) -> char* {
    const auto inside = [&](std::uint64_t at, std::uint64_t bytes, auto* to) {
      return at <= begin && end <= at + bytes ? reinterpret_cast<char*>(to) + (begin - at)
                                              : nullptr;
    };
    char* to = inside(h.columns_at, h.nnz * sizeof(index_t), a.columns.data());
    if (!to && h.value_bytes == sizeof(T))
      to = inside(h.values_at, h.nnz * sizeof(T), a.values.data());
    if (!to && h.offset_bytes == sizeof(O))
      to = inside(h.offsets_at, (h.rows + 1) * sizeof(O), a.offsets.data());
    return to;
  };
  // Offsets first: with them the rest can be checked while it is in cache.
  for_each_unit(file, h, checksums, 0, std::min(border + 1, units), place, [&](const Unit& unit) {
    const Part part = part_of_unit(unit, h.offsets_at, h.rows + 1, h.offset_bytes);
    if (h.offset_bytes == 4)
      copy_elements<std::int32_t>(file, unit, h.offsets_at, part, a.offsets.data());
    else
      copy_elements<std::int64_t>(file, unit, h.offsets_at, part, a.offsets.data());
    meter.add(part.count * h.offset_bytes);
  });
  if (!offsets_are_sound(a)) fail_unsound(file, a);

  std::atomic<bool> sound{true};
  std::vector<O> seams(units, 0);
  for_each_unit(file, h, checksums, border, units, place, [&](const Unit& unit) {
    const Part part = part_of_unit(unit, h.columns_at, h.nnz, sizeof(index_t));
    copy_elements<index_t>(file, unit, h.columns_at, part, a.columns.data());
    if (!columns_are_sound(a, static_cast<O>(part.first), static_cast<O>(part.first + part.count)))
      sound = false;
    seams[(unit.begin - sizeof(h)) / nzb_unit] = static_cast<O>(part.first);
    const Part values = part_of_unit(unit, h.values_at, h.nnz, h.value_bytes);
    if (h.value_bytes == 4)
      copy_elements<float>(file, unit, h.values_at, values, a.values.data());
    else if (h.value_bytes == 8)
      copy_elements<double>(file, unit, h.values_at, values, a.values.data());
    meter.add(unit.end - unit.begin);
  });
  // Where two units meet. Entry 0 begins a row, so what stands before the others is there.
  for (const O k : seams)
    if (!std::binary_search(a.offsets.begin(), a.offsets.end(), k) &&
        a.columns[k] <= a.columns[k - 1])
      sound = false;
  if (!sound) fail_unsound(file, a);
}

}  // namespace

bool is_nzb(std::span<const char> bytes) {
  return bytes.size() >= sizeof(nzb_magic) &&
         std::memcmp(bytes.data(), nzb_magic, sizeof(nzb_magic)) == 0;
}

template <Value T, Offset O>
Csr<T, O> read_nzb(const Source& file, const Budget& budget, Meter& meter, FileInfo& info) {
  const NzbHeader h = read_header(file);
  budget.require(
      Budget::shape_bytes(h.rows, h.cols) + times(h.nnz, sizeof(index_t) + sizeof(T)), file.name(),
      fmt::format("a {} x {} matrix of {} entries with its vectors", h.rows, h.cols, h.nnz));
  require_countable<O>(static_cast<std::int64_t>(h.nnz), file.name().c_str());
  info.format = "nzb";
  info.field = h.value_bytes == 0 ? Field::pattern : Field::real;
  info.stored_entries = static_cast<std::int64_t>(h.nnz);

  Csr<T, O> a{static_cast<index_t>(h.rows), static_cast<index_t>(h.cols), Array<O>(h.rows + 1),
              Array<index_t>(h.nnz), Array<T>(h.nnz)};
  load(file, h, meter, a);
  if (h.value_bytes == 0)
    parallel_ranges(a.values.size(), [&](std::size_t begin, std::size_t end) {
      std::fill(a.values.begin() + begin, a.values.begin() + end, T{1});
    });
  return a;
}

#define NZ_INSTANTIATE(T, O) \
  template Csr<T, O> read_nzb<T, O>(const Source&, const Budget&, Meter&, FileInfo&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
