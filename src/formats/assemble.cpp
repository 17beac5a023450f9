#include "formats/assemble.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/sort_rows.hpp"

namespace nz {
namespace {

// A bucket's share of the matrix should fit the second-level cache, even if it is several times the
// average; more buckets than this would cost more in bookkeeping than they gain.
constexpr std::int64_t bucket_entries = 1 << 14;
constexpr std::int64_t most_buckets = 1024;
constexpr std::size_t piece_entries = 1 << 16;  // pieces that assemble_csr cuts

}  // namespace

template <Offset O>
void require_countable(std::int64_t n, const char* what) {
  if (n > std::numeric_limits<O>::max())
    throw Refused(fmt::format("{}: {} entries do not fit {}-bit offsets; use 64-bit ones", what, n,
                              8 * sizeof(O)));
}
template void require_countable<std::int32_t>(std::int64_t, const char*);
template void require_countable<std::int64_t>(std::int64_t, const char*);

template <Value T, bool Valued>
Assembly<T, Valued>::Assembly(index_t rows, index_t cols, Mirror mirror, std::size_t entries)
    : rows_(rows), cols_(cols), mirror_(mirror) {
  if (mirror != Mirror::none) entries *= 2;
  const auto wanted = std::clamp<std::int64_t>(
      std::max(static_cast<std::int64_t>(entries), std::int64_t{rows}) / bucket_entries, 1,
      most_buckets);
  const auto height = static_cast<std::uint64_t>((rows + wanted - 1) / wanted);
  shift_ = std::bit_width(std::bit_ceil(std::max<std::uint64_t>(height, 1))) - 1;
  buckets_ = rows == 0 ? 0 : bucket_of(rows - 1) + 1;
  // Long enough for the memory to stream, not so long that unfilled blocks add up.
  const std::size_t share =
      entries / (std::max<std::size_t>(buckets_, 1) * static_cast<std::size_t>(threads()));
  block_bits_ = std::bit_width(std::clamp<std::size_t>(share / 8, 64, 1024)) - 1;
}

template <Value T, bool Valued>
Assembly<T, Valued>::Writer::Writer(Assembly& to)
    : buckets_(to.buckets_),
      written_([&]() -> Written& {
        std::lock_guard lock(to.guard_);
        return to.written_.emplace_back(to.buckets_, to.block_bits_);
      }()),
      strand_(written_.strand),
      shift_(to.shift_),
      mirror_(to.mirror_) {}

template <Value T, bool Valued>
void Assembly<T, Valued>::Writer::end(std::size_t piece) {
  Piece& p = written_.pieces.emplace_back(Piece{piece});
  p.end.resize(buckets_);
  for (std::size_t b = 0; b < buckets_; ++b) p.end[b] = strand_.size(b);
}

template <Value T, bool Valued>
auto Assembly<T, Valued>::in_order() const -> std::vector<Part> {
  std::vector<Part> parts;
  for (const Written& w : written_) {
    const Piece* before = nullptr;
    for (const Piece& p : w.pieces) {
      parts.push_back({p.number, &w.strand, before, &p});
      before = &p;
    }
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.number < b.number; });
  return parts;
}

template <Value T, bool Valued>
template <Offset O>
bool Assembly<T, Valued>::fill_bucket(std::size_t bucket, O base, const std::vector<Part>& parts,
                                      Csr<T, O>& a, std::vector<Cursor<O>>& rows) const {
  const auto first = static_cast<index_t>(bucket << shift_);
  const auto height = static_cast<std::size_t>(
      std::min<std::int64_t>(std::int64_t{1} << shift_, rows_ - static_cast<std::int64_t>(first)));
  rows.assign(height, {0, -1});
  for (const Written& w : written_)
    w.strand.for_each(bucket, 0, w.strand.size(bucket), [&](const Entry& e) {
      ++rows[static_cast<std::size_t>(e.row - first)].next;
    });
  O sum = base;
  for (std::size_t i = 0; i < height; ++i) {
    const O n = rows[i].next;
    a.offsets[static_cast<std::size_t>(first) + i] = rows[i].next = sum;
    sum += n;
  }
  index_t* const columns = a.columns.data();
  T* const values = a.values.data();
  bool rising = true;
  for (const Part& p : parts) {
    p.strand->for_each(bucket, p.before ? p.before->end[bucket] : 0, p.piece->end[bucket],
                       [&](const Entry& e) {
                         Cursor<O>& row = rows[static_cast<std::size_t>(e.row - first)];
                         rising &= row.last < e.column;
                         row.last = e.column;
                         const O k = row.next++;
                         columns[k] = e.column;
                         values[k] = value_of(e);
                       });
  }
  return rising;
}

template <Value T, bool Valued>
template <Offset O>
Csr<T, O> Assembly<T, Valued>::finish() {
  std::vector<std::int64_t> base(buckets_ + 1, 0);
  for (std::size_t b = 0; b < buckets_; ++b) {
    base[b + 1] = base[b];
    for (const Written& w : written_) base[b + 1] += static_cast<std::int64_t>(w.strand.size(b));
  }
  require_countable<O>(base.back(), "CSR");
  const auto nnz = static_cast<std::size_t>(base.back());
  Csr<T, O> a{rows_, cols_, Array<O>(static_cast<std::size_t>(rows_) + 1), Array<index_t>(nnz),
              Array<T>(nnz)};
  const std::vector<Part> parts = in_order();
  std::vector<SettledRange<O>> ranges(buckets_);
  std::atomic<std::size_t> next_bucket{0};
  parallel(buckets_ < 2 ? 1 : threads(), [&](int, int) {
    std::vector<Cursor<O>> rows;
    RowSorter<T, O> sorter;
    for (std::size_t b; (b = next_bucket++) < buckets_;) {
      const auto first = static_cast<index_t>(b << shift_);
      const auto last = static_cast<index_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(b + 1) << shift_, rows_));
      const O begin = static_cast<O>(base[b]), end = static_cast<O>(base[b + 1]);
      const bool rising = fill_bucket(b, begin, parts, a, rows);
      ranges[b] = {first, begin, rising ? end : sorter.settle(a, first, last, end)};
    }
  });
  written_.clear();
  close_gaps(a, ranges);
  return a;
}

template <Value T, Offset O>
Csr<T, O> assemble_csr(index_t rows, index_t cols, std::span<const TripletChunk<T>> chunks,
                       Mirror mirror) {
  std::vector<TripletChunk<T>> pieces;
  std::size_t entries = 0;
  for (const auto& chunk : chunks) {
    const std::size_t n = chunk.row.size();
    entries += n;
    for (std::size_t at = 0; at < n; at += piece_entries) {
      const std::size_t m = std::min(piece_entries, n - at);
      pieces.push_back(
          {chunk.row.subspan(at, m), chunk.column.subspan(at, m), chunk.value.subspan(at, m)});
    }
  }
  using A = Assembly<T, true>;
  A assembly(rows, cols, mirror, entries);
  std::atomic<std::size_t> next{0};
  parallel(pieces.size() < 2 ? 1 : threads(), [&](int, int) {
    typename A::Writer writer(assembly);
    for (std::size_t p; (p = next++) < pieces.size();) {
      const auto& piece = pieces[p];
      for (std::size_t k = 0; k < piece.row.size(); ++k)
        writer.add(piece.row[k], piece.column[k], piece.value[k]);
      writer.end(p);
    }
  });
  return assembly.template finish<O>();
}

#define NZ_INSTANTIATE_VALUE(T)     \
  template class Assembly<T, true>; \
  template class Assembly<T, false>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE_VALUE)
#define NZ_INSTANTIATE(T, O)                          \
  template Csr<T, O> Assembly<T, true>::finish<O>();  \
  template Csr<T, O> Assembly<T, false>::finish<O>(); \
  template Csr<T, O> assemble_csr<T, O>(index_t, index_t, std::span<const TripletChunk<T>>, Mirror);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
