#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/formats/csr.hpp>

namespace nz {

// Entries as they come: any order, duplicates allowed, indices already checked against the shape.
// Without values every entry is 1.
template <Value T>
struct TripletChunk {
  std::span<const index_t> row;
  std::span<const index_t> column;
  std::span<const T> value;
};

// Whether each off-diagonal entry (i, j, v) also stands for (j, i, v) or (j, i, -v).
enum class Mirror { none, symmetric, skew };

// Entries on their way into CSR. The rows are cut into buckets; add() sorts a piece of the entries
// by bucket while it is in cache, finish() turns each bucket into its rows by a counting sort that
// stays in cache too. Both keep the order of the entries, so the matrix does not depend on threads.
template <Value T>
class Assembly {
 public:
  // About `entries` entries, not counting what is mirrored, will come in `pieces` pieces, with
  // values or without. Memory is set aside for that many, so they must not be a mere claim.
  Assembly(index_t rows, index_t cols, Mirror mirror, std::size_t pieces, std::size_t entries,
           bool valued);

  // Piece number `piece`; different pieces may be added by different threads at once. A piece has
  // less than 2^31 entries.
  void add(std::size_t piece, const TripletChunk<T>& entries);

  // Sorted CSR; duplicates are summed in the order of the pieces. Leaves nothing behind.
  template <Offset O>
  Csr<T, O> finish();

 private:
  struct Entry {
    index_t row, column;
    T value;
  };
  struct Place {
    index_t row, column;
  };
  struct Piece {
    const Entry* entries = nullptr;    // with values,
    const Place* places = nullptr;     // or without
    Array<char> own;                   // holds them where the shared memory was too small
    std::vector<std::uint32_t> start;  // of each bucket, and the end
  };
  template <class E>
  const E* sort_by_bucket(const TripletChunk<T>& from, Piece& piece);
  void* memory_for(std::size_t bytes, Piece& piece);
  template <Offset O>
  void fill_bucket(std::size_t bucket, O base, Csr<T, O>& a, std::vector<O>& next) const;
  std::size_t bucket_of(index_t row) const { return static_cast<std::size_t>(row) >> shift_; }

  index_t rows_, cols_;
  Mirror mirror_;
  int shift_ = 0;
  std::size_t buckets_ = 0;
  std::vector<Piece> pieces_;
  Array<char> shared_;  // for the entries of all pieces, as they come
  std::atomic<std::size_t> used_{0};
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
