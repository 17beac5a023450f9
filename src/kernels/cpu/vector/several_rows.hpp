#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include <nonzero/array.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/several.hpp"
#include "kernels/cpu/vector/lanes.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Entries in the order of CSR: those of a matrix, or some of them that were decoded into a buffer.
// Rows `first` to `last` end among them; what follows these belongs to row `last`, which goes on.
template <class T, class O>
struct EntryRun {
  const T* values = nullptr;         // of entry k at [k]
  const index_t* columns = nullptr;  // of entry k at [k]
  const O* offsets = nullptr;        // of row i at [i]
  const index_t* names = nullptr;    // row i is names[i] of the matrix; null: i
  index_t first = 0, last = 0;
  std::int64_t begin = 0, end = 0;

  NZ_INLINE index_t row(index_t i) const { return names ? names[i] : i; }
};

// The rows of Y, from entries that come run after run; a row may be in several of them.
template <class T>
class RowSums {
 public:
  // `open` has room for a row of sums, those of a row that has not ended.
  RowSums(const cpu::Several<T>& s, T* open) : s_(s), open_(open) {}

  template <class O>
  void take(const EntryRun<T, O>& run);
  // The row that has not ended, and whose sums are in `open`; -1: none.
  index_t open_row() const { return open_row_; }

 private:
  const cpu::Several<T> s_;
  T* open_;
  index_t open_row_ = -1;
};

// Adds the transposed products of a run to sums of the rows of Y, `leading` numbers each.
template <class T, class O>
void scatter_several(const cpu::Several<T>& s, const EntryRun<T, O>& run, T* sums,
                     std::int64_t leading);

template <class T, class O>
using TakeRun = std::function<void(const EntryRun<T, O>&)>;

template <class T>
cpu::SeveralShape several_shape_of(std::int64_t entries, int team, bool fast_alone = false) {
  return {Lanes<T>::width, entries, team, fast_alone};
}

// Y = alpha A X + beta Y of a matrix in parts: feed(part, take) hands the runs of a part to take,
// in the order of its rows. A row that several parts share is finished by the last of them, and
// what the others have of it is added afterwards, in their order.
template <class T, class O, class Feed>
void several_by_rows(const cpu::Several<T>& s, int parts, Feed&& feed) {
  const auto columns = static_cast<std::size_t>(s.columns);
  Array<T> open(static_cast<std::size_t>(parts) * columns);
  std::vector<index_t> rows(static_cast<std::size_t>(parts));
  parallel_parts(parts, [&](int part) {
    const auto p = static_cast<std::size_t>(part);
    RowSums<T> sums(s, open.data() + p * columns);
    feed(part, TakeRun<T, O>([&](const EntryRun<T, O>& run) { sums.take(run); }));
    rows[p] = sums.open_row();
  });
  for (std::size_t p = 0; p < rows.size(); ++p)
    if (rows[p] >= 0)
      for (index_t j = 0; j < s.columns; ++j)
        s.y(rows[p], j) += s.alpha * open[p * columns + static_cast<std::size_t>(j)];
}

// Y = alpha A^T X + beta Y by private sums: scatter(part, some, sums, leading) adds a part's, for
// some of the columns at a time.
template <class T, class Scatter>
void several_into_windows(const cpu::Several<T>& s, const cpu::Windows<T>& windows,
                          Scatter&& scatter) {
  cpu::SeveralWindows<T> sums(windows, s, Lanes<T>::width);
  for (index_t first = 0; first < s.columns; first += sums.columns_at_once()) {
    const auto some = s.some_columns(first, std::min(sums.columns_at_once(), s.columns - first));
    parallel_parts(sums.parts(),
                   [&](int part) { scatter(part, some, sums.clear(part), sums.leading()); });
    sums.reduce(some);
  }
}

// The same of parts that are fed as above.
template <class T, class O, class Feed>
void several_by_columns(const cpu::Several<T>& s, const cpu::Windows<T>& windows, Feed&& feed) {
  several_into_windows(s, windows,
                       [&](int part, const cpu::Several<T>& some, T* sums, std::int64_t leading) {
                         feed(part, TakeRun<T, O>([&](const EntryRun<T, O>& run) {
                                scatter_several(some, run, sums, leading);
                              }));
                       });
}

#include "kernels/cpu/vector/isa_end.hpp"
