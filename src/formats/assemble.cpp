#include "formats/assemble.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/huge_pages.hpp"
#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/sort_rows.hpp"

namespace nz {
namespace {

// A bucket's share of the matrix should fit the second-level cache; more buckets than this would
// cost more in bookkeeping than they gain.
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

template <Value T>
Assembly<T>::Assembly(index_t rows, index_t cols, Mirror mirror, std::size_t pieces,
                      std::size_t entries, bool valued)
    : rows_(rows), cols_(cols), mirror_(mirror), pieces_(pieces) {
  if (mirror != Mirror::none) entries *= 2;
  const auto wanted = std::clamp<std::int64_t>(
      std::max(static_cast<std::int64_t>(entries), std::int64_t{rows}) / bucket_entries, 1,
      most_buckets);
  const auto height = static_cast<std::uint64_t>((rows + wanted - 1) / wanted);
  shift_ = std::bit_width(std::bit_ceil(std::max<std::uint64_t>(height, 1))) - 1;
  buckets_ = rows == 0 ? 0 : bucket_of(rows - 1) + 1;
  shared_ = Array<char>(entries * (valued ? sizeof(Entry) : sizeof(Place)));
  prefer_huge_pages(shared_.data(), shared_.size());
}

template <Value T>
void* Assembly<T>::memory_for(std::size_t bytes, Piece& piece) {
  const std::size_t at = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (at <= shared_.size() && bytes <= shared_.size() - at) return shared_.data() + at;
  piece.own = Array<char>(bytes);
  return piece.own.data();
}

template <Value T>
template <class E>
const E* Assembly<T>::sort_by_bucket(const TripletChunk<T>& from, Piece& piece) {
  const index_t* const row = from.row.data();
  const index_t* const column = from.column.data();
  const T* const value = from.value.data();
  const std::size_t n = from.row.size();
  const bool mirrored = mirror_ != Mirror::none;
  const auto entry = [](index_t i, index_t j, T v) {
    if constexpr (std::is_same_v<E, Entry>)
      return Entry{i, j, v};
    else
      return (void)v, Place{i, j};
  };
  std::vector<std::uint32_t> next(buckets_ + 1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    ++next[bucket_of(row[k])];
    if (mirrored && row[k] != column[k]) ++next[bucket_of(column[k])];
  }
  std::exclusive_scan(next.begin(), next.end(), next.begin(), std::uint32_t{0});
  piece.start = next;
  E* const to = static_cast<E*>(memory_for(next.back() * sizeof(E), piece));
  for (std::size_t k = 0; k < n; ++k) {
    const index_t i = row[k], j = column[k];
    const T v = std::is_same_v<E, Entry> ? value[k] : T{1};
    to[next[bucket_of(i)]++] = entry(i, j, v);
    if (mirrored && i != j)
      to[next[bucket_of(j)]++] = entry(j, i, mirror_ == Mirror::skew ? -v : v);
  }
  return to;
}

template <Value T>
void Assembly<T>::add(std::size_t piece, const TripletChunk<T>& entries) {
  Piece& p = pieces_[piece];
  if (entries.value.empty())
    p.places = sort_by_bucket<Place>(entries, p);
  else
    p.entries = sort_by_bucket<Entry>(entries, p);
}

template <Value T>
template <Offset O>
void Assembly<T>::fill_bucket(std::size_t bucket, O base, Csr<T, O>& a,
                              std::vector<O>& next) const {
  const auto first = static_cast<index_t>(bucket << shift_);
  const auto height = static_cast<std::size_t>(
      std::min<std::int64_t>(std::int64_t{1} << shift_, rows_ - static_cast<std::int64_t>(first)));
  next.assign(height, 0);
  const auto for_each = [&](auto&& visit) {
    for (const Piece& p : pieces_) {
      if (p.start.empty()) continue;
      const std::size_t begin = p.start[bucket], end = p.start[bucket + 1];
      if (p.entries != nullptr)
        for (std::size_t k = begin; k < end; ++k)
          visit(p.entries[k].row - first, p.entries[k].column, p.entries[k].value);
      else
        for (std::size_t k = begin; k < end; ++k)
          visit(p.places[k].row - first, p.places[k].column, T{1});
    }
  };
  for_each([&](index_t i, index_t, T) { ++next[static_cast<std::size_t>(i)]; });
  O sum = base;
  for (std::size_t i = 0; i < height; ++i) {
    const O n = next[i];
    a.offsets[static_cast<std::size_t>(first) + i] = next[i] = sum;
    sum += n;
  }
  for_each([&](index_t i, index_t j, T v) {
    const auto k = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
    a.columns[k] = j;
    a.values[k] = v;
  });
}

template <Value T>
template <Offset O>
Csr<T, O> Assembly<T>::finish() {
  std::vector<std::int64_t> base(buckets_ + 1, 0);
  for (std::size_t b = 0; b < buckets_; ++b) {
    base[b + 1] = base[b];
    for (const Piece& p : pieces_)
      if (!p.start.empty()) base[b + 1] += p.start[b + 1] - p.start[b];
  }
  require_countable<O>(base.back(), "CSR");
  const auto nnz = static_cast<std::size_t>(base.back());
  Csr<T, O> a{rows_, cols_, Array<O>(static_cast<std::size_t>(rows_) + 1), Array<index_t>(nnz),
              Array<T>(nnz)};
  prefer_huge_pages(a.offsets.data(), a.offsets.size() * sizeof(O));
  prefer_huge_pages(a.columns.data(), a.columns.size() * sizeof(index_t));
  prefer_huge_pages(a.values.data(), a.values.size() * sizeof(T));
  std::vector<SettledRange<O>> ranges(buckets_);
  std::atomic<std::size_t> next_bucket{0};
  parallel(buckets_ < 2 ? 1 : threads(), [&](int, int) {
    std::vector<O> next;
    RowSorter<T, O> sorter;
    for (std::size_t b; (b = next_bucket++) < buckets_;) {
      const auto first = static_cast<index_t>(b << shift_);
      const auto last = static_cast<index_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(b + 1) << shift_, rows_));
      const O begin = static_cast<O>(base[b]);
      fill_bucket(b, begin, a, next);
      ranges[b] = {first, begin, sorter.settle(a, first, last, static_cast<O>(base[b + 1]))};
    }
  });
  pieces_.clear();
  shared_ = {};
  close_gaps(a, ranges);
  return a;
}

template <Value T, Offset O>
Csr<T, O> assemble_csr(index_t rows, index_t cols, std::span<const TripletChunk<T>> chunks,
                       Mirror mirror) {
  std::vector<TripletChunk<T>> pieces;
  std::size_t entries = 0;
  bool valued = false;
  for (const auto& chunk : chunks) {
    const std::size_t n = chunk.row.size();
    entries += n;
    valued |= !chunk.value.empty();
    for (std::size_t at = 0; at < n; at += piece_entries) {
      const std::size_t m = std::min(piece_entries, n - at);
      pieces.push_back({chunk.row.subspan(at, m), chunk.column.subspan(at, m),
                        chunk.value.empty() ? chunk.value : chunk.value.subspan(at, m)});
    }
  }
  Assembly<T> assembly(rows, cols, mirror, pieces.size(), entries, valued);
  std::atomic<std::size_t> next{0};
  parallel(pieces.size() < 2 ? 1 : threads(), [&](int, int) {
    for (std::size_t p; (p = next++) < pieces.size();) assembly.add(p, pieces[p]);
  });
  return assembly.template finish<O>();
}

#define NZ_INSTANTIATE_VALUE(T) template class Assembly<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)
#define NZ_INSTANTIATE(T, O)                   \
  template Csr<T, O> Assembly<T>::finish<O>(); \
  template Csr<T, O> assemble_csr<T, O>(index_t, index_t, std::span<const TripletChunk<T>>, Mirror);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
