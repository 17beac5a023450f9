#pragma once
#include <complex>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include <nonzero/formats/csr.hpp>

#include "formats/strand.hpp"

namespace nz {

// Whether each off-diagonal entry (i, j, v) also stands for (j, i, v), (j, i, -v) or, conjugated,
// for (j, i, conj(v)).
enum class Mirror { none, symmetric, skew, hermitian };

// Entries on their way into CSR, in any order, duplicates allowed. The rows are cut into buckets:
// writers send each entry to its row's bucket, finish() turns each bucket into its rows by a
// counting sort that stays in cache. The order of the entries is kept, so the matrix does not
// depend on the number of threads. A matrix that is not Valued has 1 everywhere.
template <Value T, bool Valued>
class Assembly {
 public:
  // About so many entries come, which only shapes the buckets.
  Assembly(index_t rows, index_t cols, Mirror mirror, std::size_t entries);

  // A thread's way in. The entries come in numbered pieces. Each piece is written by one writer,
  // which says end() after it; a writer takes its pieces in rising order. Indices are already
  // checked against the shape.
  class Writer;

  // Sorted CSR; duplicates are summed in the order of the pieces. Leaves nothing behind.
  template <Offset O>
  Csr<T, O> finish();

 private:
  struct ValuedEntry {
    index_t row, column;
    T value;
  };
  struct Place {
    index_t row, column;
  };
  using Entry = std::conditional_t<Valued, ValuedEntry, Place>;
  struct Piece {
    std::size_t number = 0;
    std::vector<std::uint64_t> end{};  // of each bucket in the strand
  };
  struct Written {  // by one writer
    Written(std::size_t buckets, int block_bits) : strand(buckets, block_bits) {}
    Strand<Entry> strand;
    std::vector<Piece> pieces;
  };
  // The part of a piece's entries that lie in a bucket of a strand.
  struct Part {
    std::size_t number;
    const Strand<Entry>* strand;
    const Piece *before, *piece;
  };
  template <Offset O>
  struct Cursor {  // of a row
    O next;        // where its next entry goes
    index_t last;  // column
  };
  // True when the columns of every row came in rising order.
  template <Offset O>
  bool fill_bucket(std::size_t bucket, O base, const std::vector<Part>& parts, Csr<T, O>& a,
                   std::vector<Cursor<O>>& rows) const;
  std::vector<Part> in_order() const;
  std::size_t bucket_of(index_t row) const { return static_cast<std::size_t>(row) >> shift_; }
  static T value_of(const Entry& e) {
    if constexpr (Valued) return e.value;
    return T{1};
  }

  index_t rows_, cols_;
  Mirror mirror_;
  std::int64_t shift_ = 0;
  int block_bits_ = 0;
  std::size_t buckets_ = 0;
  std::list<Written> written_;  // one for each writer
  std::mutex guard_;            // of the list
};

template <Value T, bool Valued>
class Assembly<T, Valued>::Writer {
 public:
  explicit Writer(Assembly& to);

  void add(index_t i, index_t j, T v) {
    push(i, j, v);
    if (mirror_ != Mirror::none && i != j) push(j, i, mirrored(v));
  }
  void end(std::size_t piece);

 private:
  T mirrored(T v) const {
    if constexpr (ComplexValue<T>)
      if (mirror_ == Mirror::hermitian) return std::conj(v);
    return mirror_ == Mirror::skew ? -v : v;
  }
  void push(index_t i, index_t j, T v) {
    const std::size_t bucket = static_cast<std::size_t>(i) >> shift_;
    if constexpr (Valued)
      strand_.push(bucket, Entry{i, j, v});
    else
      strand_.push(bucket, Entry{i, j});
  }

  std::size_t buckets_;
  Written& written_;
  Strand<Entry>& strand_;
  std::int64_t shift_;  // no index_t, which any store of an entry might change
  Mirror mirror_;
};

template <Value T>
struct TripletChunk {
  std::span<const index_t> row;
  std::span<const index_t> column;
  std::span<const T> value;
};

// Sorted CSR of all chunks together; duplicates are summed in the order of the chunks.
template <Value T, Offset O>
Csr<T, O> assemble_csr(index_t rows, index_t cols, std::span<const TripletChunk<T>> chunks,
                       Mirror mirror = Mirror::none);

// Sorts each row of a CSR-like matrix by column and sums duplicates, in place.
template <Value T, Offset O>
void sort_rows_and_sum(Csr<T, O>& a);

// Throws Refused when O cannot count n entries.
template <Offset O>
void require_countable(std::int64_t n, const char* what);

}  // namespace nz
