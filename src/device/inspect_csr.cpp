#include "device/inspect_csr.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "device/each.hpp"
#include "simt/backend.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

enum Total : char { first_offset, last_offset, bad_offsets, bad_columns, falls, totals };

// Counts what is wrong. A block has some entries and as large a share of the rows at a time: where
// rows are alike, the first columns of these rows are among the entries that it has just read.
template <class O>
struct InspectCsr {
  static constexpr const char* name = "inspect CSR";
  static constexpr int max_threads = 256;
  static constexpr std::int64_t share = 8192;  // entries, or rows where there are more of them
  const O* offsets;
  const index_t* columns;
  std::int64_t rows, nnz;
  index_t cols;
  std::int64_t shares;
  unsigned long long* total;  // by Total

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t first = t.load(offsets), last = t.load(offsets + rows);
    const bool read = first >= 0 && last >= first && last - first == nnz && nnz > 0;
    Counts found;
    for (std::int64_t s = t.block(); s < shares; s += t.grid_size()) {
      if (read) look_at_columns(t, columns + first, s, found);
      look_at_rows(t, first, read, s, found);
    }
    add(t, bad_offsets, found.bad_offsets);
    add(t, bad_columns, found.bad_columns);
    add(t, falls, found.falls);
    if (t.global_index() != 0) return;
    total[first_offset] = static_cast<unsigned long long>(first);
    total[last_offset] = static_cast<unsigned long long>(last);
  }

 private:
  struct Counts {
    int bad_offsets = 0, bad_columns = 0, falls = 0;
  };

  NZ_DEVICE bool outside(index_t c) const {
    return static_cast<unsigned>(c) >= static_cast<unsigned>(cols);
  }
  NZ_DEVICE void look_at_column(Thread& t, const index_t* from, std::int64_t k, Counts& f) const {
    const index_t c = t.load(from + k);
    f.bad_columns += outside(c);
    if (k > 0) f.falls += c <= t.load(from + k - 1);
  }

  // Entries before the first whole pack go with the first share, those behind the last one with the
  // last.
  NZ_DEVICE void look_at_columns(Thread& t, const index_t* from, std::int64_t s, Counts& f) const {
    using Four = Pack<index_t, 4>;
    const auto past = reinterpret_cast<std::uintptr_t>(from) / sizeof(index_t) % 4;
    const auto unaligned = static_cast<std::int64_t>((4 - past) % 4);
    const std::int64_t head = unaligned < nnz ? unaligned : nnz;
    const std::int64_t packs = (nnz - head) / 4, begin = s * (share / 4);
    const std::int64_t end = begin + share / 4 < packs ? begin + share / 4 : packs;
    const index_t* const aligned = from + head;
    NZ_UNROLL_BY(4)
    for (std::int64_t p = begin + t.index(); p < end; p += t.block_size()) {
      const std::int64_t k = 4 * p;
      const Four c = t.load(reinterpret_cast<const Four*>(aligned + k));
      const index_t before = t.load(aligned + k - (head + k > 0));
      f.falls += (head + k > 0 && c.at[0] <= before) + (c.at[1] <= c.at[0]) + (c.at[2] <= c.at[1]) +
                 (c.at[3] <= c.at[2]);
      f.bad_columns += outside(c.at[0]) | outside(c.at[1]) | outside(c.at[2]) | outside(c.at[3]);
    }
    if (s == 0 && t.index() < head) look_at_column(t, from, t.index(), f);
    const std::int64_t left = head + 4 * packs + t.index();
    if (s == shares - 1 && left < nnz) look_at_column(t, from, left, f);
  }

  // First columns of rows may be anything. Where there is no row, the first column stands for it,
  // so that no load waits for a condition.
  NZ_DEVICE void look_at_rows(Thread& t, std::int64_t first, bool read, std::int64_t s,
                              Counts& f) const {
    const std::int64_t each = (rows + shares - 1) / shares, begin = s * each;
    const std::int64_t end = begin + each < rows ? begin + each : rows;
    NZ_UNROLL_BY(4)
    for (std::int64_t r = begin + t.index(); r < end; r += t.block_size()) {
      const std::int64_t now = t.load(offsets + r), next = t.load(offsets + r + 1);
      f.bad_offsets += next < now;
      if (!read) continue;
      const bool begins = now > first && now < next && now - first < nnz;
      const index_t* const at = columns + (begins ? now : first);
      f.falls -= begins & (t.load(at) <= t.load(at - begins));
    }
  }

  NZ_DEVICE void add(Thread& t, Total what, int mine) const {
    const int sum = reduce_to_first_lane(t, mine);
    if (t.lane() == 0 && sum != 0)
      t.atomic_add(total + what, static_cast<unsigned long long>(std::int64_t{sum}));
  }
};

template <class O>
struct RebaseOffsets {
  static constexpr const char* name = "rebase offsets";
  const O* offsets;
  std::int64_t first;
  O* to;
  NZ_DEVICE void operator()(Thread& t, std::int64_t i) const {
    to[i] = static_cast<O>(t.load(offsets + i) - first);
  }
};

template <class O>
CsrFindings inspect_as(const CsrToInspect& a, FetchedAlong* along) {
  using Kernel = InspectCsr<O>;
  const std::int64_t n = std::max({a.rows, a.nnz, std::int64_t{1}});
  const std::int64_t shares = (n + Kernel::share - 1) / Kernel::share;
  const Device device = current_device();
  std::array<unsigned long long, totals> here;
  const RowsToMeasure rows{a.offsets, a.offset_bytes, a.rows};
  // What comes along is queued first: it needs nothing of what is found, and clears its place.
  const PartsToFetch parts =
      along ? PartsToFetch{along->ranges, rows, along->entries, a.rows > 0 ? sizeof here : 0}
            : PartsToFetch{};
  const std::size_t bytes = sizeof here + bytes_of(parts);
  DeviceArray<std::byte> there(device, bytes);
  if (parts.zeros == 0) simt::backend(device).clear(there.data(), sizeof here, nullptr);
  if (along) queue_parts(parts, there.data() + sizeof here);
  // A block has one share, unless there are many: then so many blocks as large GPUs hold at a time.
  launch(
      {.blocks = blocks_for(shares, 1, 2048), .threads = threads_for(n / 4, Kernel::max_threads)},
      Kernel{static_cast<const O*>(a.offsets), a.columns, a.rows, a.nnz, a.cols, shares,
             reinterpret_cast<unsigned long long*>(there.data())});
  if (along) {
    Array<std::byte> all(bytes);
    there.download({all.data(), bytes});
    std::memcpy(here.data(), all.data(), sizeof here);
    along->measures = measures_in(all.data() + sizeof here, rows);
    along->begin = sizeof here + measure_bytes(rows);
    along->bytes = std::move(all);
  } else {
    there.download(std::as_writable_bytes(std::span(here)));
  }
  const auto signed_total = [&](Total t) { return static_cast<std::int64_t>(here[t]); };
  return {.first = signed_total(first_offset),
          .last = signed_total(last_offset),
          .bad_offsets = here[bad_offsets] != 0,
          .bad_columns = here[bad_columns] != 0,
          .rising = here[falls] == 0};
}

template <class O>
void rebase_as(const CsrToInspect& a, std::int64_t first, void* to) {
  for_each(a.rows + 1,
           RebaseOffsets<O>{static_cast<const O*>(a.offsets), first, static_cast<O*>(to)});
}

}  // namespace

CsrFindings inspect_csr(const CsrToInspect& a, FetchedAlong* along) {
  return a.offset_bytes == 4 ? inspect_as<std::int32_t>(a, along)
                             : inspect_as<std::int64_t>(a, along);
}

void rebase_offsets(const CsrToInspect& a, std::int64_t first, void* to) {
  if (a.offset_bytes == 4)
    rebase_as<std::int32_t>(a, first, to);
  else
    rebase_as<std::int64_t>(a, first, to);
}

}  // namespace nz::NZ_HOME
