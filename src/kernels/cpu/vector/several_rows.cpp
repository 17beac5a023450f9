#include "kernels/cpu/vector/several_rows.hpp"

#include <algorithm>
#include <bit>

#include "base/instantiate.hpp"
#include "kernels/cpu/vector/several_columns.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// Vectors of sums that registers hold.
constexpr int most_vectors = 8;
// Entries that stay in the cache while groups of columns pass over them.
constexpr std::int64_t block_entries = 64;
// Rows whose sums go to columns of Y together.
constexpr index_t block_rows = 32;

// Adds the products of entries k to `end` to a group's sums. `cut`: one vector, loaded in part.
template <int n, bool cut, class T, class O>
NZ_INLINE void add_entries(const EntryRun<T, O>& run, std::int64_t k, std::int64_t end, const T* x,
                           std::int64_t leading, const ColumnGroup& g,
                           typename Lanes<T>::Vector* sums) {
  using L = Lanes<T>;
  const T* const near = x + g.first;
  const index_t last = g.last - g.first;
  const auto mask = L::first(cut ? g.stop : 0);
  for (; k < end; ++k) {
    const T* const from = near + run.columns[k] * leading;
    const auto v = L::all(run.values[k]);
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      const T* const here = from + (j == n - 1 ? last : j * L::width);
      if constexpr (cut)
        sums[j] = L::fma(v, L::load_some(mask, here), sums[j]);
      else
        sums[j] = L::fma(v, L::load(here), sums[j]);
    });
  }
}

// The rows of a run from i on, `rows` of them, the first from entry k on. All by value, so that
// nothing of it is loaded again after every store to Y.
template <int n, bool cut, class T, class O>
void rows_of(cpu::Several<T> s, EntryRun<T, O> run, index_t i, index_t rows, std::int64_t k,
             ColumnGroup g) {
  using L = Lanes<T>;
  const bool direct = s.y.column_stride() == 1;
  alignas(64) T waiting[block_rows * n * L::width];
  for (index_t r = 0; r < rows; ++r) {
    typename L::Vector sums[n];
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA { sums[j] = L::zero(); });
    const auto next = static_cast<std::int64_t>(run.offsets[i + r + 1]);
    add_entries<n, cut>(run, k, next, s.x, s.x_leading, g, sums);
    k = next;
    if (direct)
      put_row<n>(g, sums, s.alpha, s.beta, s.y.data() + run.row(i + r) * s.y.row_stride());
    else
      for_vectors<n>([&](int j)
                         NZ_INLINE_LAMBDA { L::store(waiting + (r * n + j) * L::width, sums[j]); });
  }
  if (!direct)
    put_columns<n>(g, waiting, rows, s.alpha, s.beta, s.y,
                   [&](index_t r) NZ_INLINE_LAMBDA { return run.row(i + r); });
}

// Adds the products of entries k to `end` to a row of sums.
template <int n, bool cut, class T, class O>
void piece_of(const cpu::Several<T>& s, const EntryRun<T, O>& run, std::int64_t k, std::int64_t end,
              const ColumnGroup& g, T* to) {
  using L = Lanes<T>;
  typename L::Vector sums[n];
  for_vectors<n>([&](int j) NZ_INLINE_LAMBDA { sums[j] = L::zero(); });
  add_entries<n, cut>(run, k, end, s.x, s.x_leading, g, sums);
  put_row<n>(g, sums, T(1), T(1), to);
}

// The same by vectors, eight entries or so at once.
template <int n, class T, class O>
NZ_INLINE void add_gathered(const EntryRun<T, O>& run, std::int64_t k, std::int64_t end,
                            const T* const* x, T* to) {
  using L = Lanes<T>;
  typename L::Vector sums[n];
  for_vectors<n>([&](int j) NZ_INLINE_LAMBDA { sums[j] = L::zero(); });
  for (; k + L::width <= end; k += L::width) {
    const auto v = L::load(run.values + k);
    const auto i = L::indices(run.columns + k);
    for_vectors<n>([&](int j)
                       NZ_INLINE_LAMBDA { sums[j] = L::fma(v, L::gather(x[j], i), sums[j]); });
  }
  if (k < end) {
    const auto rest = L::first(static_cast<int>(end - k));
    const auto v = L::load_some(rest, run.values + k);
    const auto i = L::indices_some(rest, run.columns + k);
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      sums[j] = L::fma(v, L::gather_some(rest, x[j], i), sums[j]);
    });
  }
  for_vectors<n>([&](int j) NZ_INLINE_LAMBDA { to[j] += L::sum(sums[j]); });
}

// Columns of X one by one, where their numbers do not lie side by side or are few: dots of a group
// of them, for entries k to `end`.
template <int n, class T, class O>
NZ_INLINE void add_dots(const EntryRun<T, O>& run, std::int64_t k, std::int64_t end,
                        const T* const* x, std::int64_t leading, T* sums) {
  if constexpr (Lanes<T>::can_gather)
    if (leading == 1 && end - k >= Lanes<T>::width / 2)
      return add_gathered<n>(run, k, end, x, sums);
  for (; k < end; ++k) {
    const std::int64_t at = run.columns[k] * leading;
    const T v = run.values[k];
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA { sums[j] += v * x[j][at]; });
  }
}

// rows_of() so.
template <int n, class T, class O>
void dots_of(cpu::Several<T> s, EntryRun<T, O> run, index_t i, index_t rows, std::int64_t k,
             index_t first) {
  const T* x[n];
  for (int j = 0; j < n; ++j) x[j] = s.x + (first + j) * s.x_stride;
  for (index_t r = 0; r < rows; ++r) {
    T sums[n] = {};
    const auto next = static_cast<std::int64_t>(run.offsets[i + r + 1]);
    add_dots<n>(run, k, next, x, s.x_leading, sums);
    k = next;
    T* const y = s.y.data() + run.row(i + r) * s.y.row_stride() + first * s.y.column_stride();
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      cpu::store(y[j * s.y.column_stride()], s.alpha, sums[j], s.beta);
    });
  }
}

template <int n, class T, class O>
void dots_of_piece(const cpu::Several<T>& s, const EntryRun<T, O>& run, std::int64_t k,
                   std::int64_t end, index_t first, T* to) {
  const T* x[n];
  for (int j = 0; j < n; ++j) x[j] = s.x + (first + j) * s.x_stride;
  T sums[n] = {};
  add_dots<n>(run, k, end, x, s.x_leading, sums);
  for (int j = 0; j < n; ++j) to[first + j] += sums[j];
}

// Rows of X that packs of n numbers can be read from: of so many, or, where they are read `over`
// their ends, of fewer.
template <int n, bool over, class T>
struct NarrowRows {
  using P = Pack<T, n>;
  const T* x;
  std::int64_t leading;
  const T* last_row;
  index_t last;

  explicit NarrowRows(const cpu::Several<T>& s)
      : x(s.x), leading(s.x_leading), last_row(s.last_row), last(s.x_rows - 1) {}
  NZ_INLINE typename P::Vector operator[](index_t i) const {
    if constexpr (over) return P::load(i == last ? last_row : x + i * leading);
    return P::load(x + i * leading);
  }
};

// Sums of n columns, fewer than a vector. A part of a vector would reach over the end of a cache
// line, which costs as much as two loads: docs/results-cpu.md says what that takes.
template <int n, bool over, class T>
class Narrow {
  using P = Pack<T, n>;
  using Rows = NarrowRows<n, over, T>;

 public:
  template <class O>
  NZ_INLINE void add(const EntryRun<T, O>& run, std::int64_t k, std::int64_t end, const Rows& x) {
    if (end - k >= is_long) {
      sum_ = of_long(sum_, run.values + k, run.columns + k, end - k, x);
    } else {
      for (; k < end; ++k) sum_ += run.values[k] * x[run.columns[k]];
    }
  }
  // Of a column.
  NZ_INLINE T operator[](index_t j) const { return sum_[j]; }
  // To a row of Y.
  NZ_INLINE void put(const cpu::Several<T>& s, T* y) const {
    P::put(y, s.y.column_stride(), s.columns, s.alpha, sum_, s.beta);
  }

 private:
  using Vector = typename P::Vector;
  static constexpr std::int64_t is_long = 16;

  // Four chains of additions side by side. Not inlined, to keep the loop over short rows short.
  __attribute__((noinline)) static Vector of_long(Vector a, const T* values, const index_t* columns,
                                                  std::int64_t count, Rows x) {
    Vector b{}, c{}, d{};
    std::int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
      a += values[k] * x[columns[k]];
      b += values[k + 1] * x[columns[k + 1]];
      c += values[k + 2] * x[columns[k + 2]];
      d += values[k + 3] * x[columns[k + 3]];
    }
    for (; k < count; ++k) a += values[k] * x[columns[k]];
    return (a + b) + (c + d);
  }

  Vector sum_{};
};

// rows_of() so.
template <int n, bool over, class T, class O>
void narrow_rows_of(cpu::Several<T> s, EntryRun<T, O> run, index_t i, index_t rows,
                    std::int64_t k) {
  const NarrowRows<n, over, T> x(s);
  for (index_t r = 0; r < rows; ++r) {
    Narrow<n, over, T> sums;
    const auto next = static_cast<std::int64_t>(run.offsets[i + r + 1]);
    sums.add(run, k, next, x);
    k = next;
    T* const y = s.y.data() + run.row(i + r) * s.y.row_stride();
    sums.put(s, y);
  }
}

template <int n, bool over, class T, class O>
void narrow_piece_of(const cpu::Several<T>& s, const EntryRun<T, O>& run, std::int64_t k,
                     std::int64_t end, T* to) {
  Narrow<n, over, T> sums;
  sums.add(run, k, end, NarrowRows<n, over, T>(s));
  for (index_t j = 0; j < s.columns; ++j) to[j] += sums[j];
}

// use(Count<n>) where n numbers are fewer than a vector and can be read at once.
template <class T, class Use>
NZ_INLINE bool with_narrow(std::int64_t n, Use&& use) {
  constexpr int w = Lanes<T>::width;
  if constexpr (w > 2)
    if (n == 2) return use(Count<2>{}), true;
  if constexpr (w > 4)
    if (n == 4) return use(Count<4>{}), true;
  if constexpr (w > 8)
    if (n == 8) return use(Count<8>{}), true;
  return false;
}

// How X is read: by vectors of its rows, by one of them that is cut short, by a narrow one, by one
// that reaches over the end of a row, or by single numbers.
enum class Reads : char { vectors, part, narrow, over, numbers };
template <Reads reads>
struct How {};

// use(Count<n>, How<reads>, group) for the groups of columns.
template <class T, class Use>
NZ_INLINE void for_all_groups(const cpu::Several<T>& s, Use&& use) {
  constexpr int w = Lanes<T>::width;
  const bool few = s.columns < w && !s.padded;
  // Rows that are padded are so to a power of two, or to whole vectors.
  const std::int64_t read = s.padded && s.x_leading < w ? s.x_leading : s.columns;
  if (s.x_stride == 1 &&
      with_narrow<T>(read, [&](auto n) { use(n, How<Reads::narrow>{}, ColumnGroup{}); }))
    return;
  if (s.last_row && with_narrow<T>(std::bit_ceil(static_cast<std::uint32_t>(s.columns)),
                                   [&](auto n) { use(n, How<Reads::over>{}, ColumnGroup{}); }))
    return;
  if (s.x_stride != 1 || (few && !Lanes<T>::can_cut))
    return for_groups<1, most_vectors>(
        s.columns, true, [&](auto n, const ColumnGroup& g) { use(n, How<Reads::numbers>{}, g); });
  if constexpr (Lanes<T>::can_cut)
    if (few)
      return for_groups<w, 1>(s.columns, false,
                              [&](auto n, const ColumnGroup& g) { use(n, How<Reads::part>{}, g); });
  for_groups<w, most_vectors>(
      s.columns, s.padded, [&](auto n, const ColumnGroup& g) { use(n, How<Reads::vectors>{}, g); });
}

template <int n, class T>
NZ_INLINE void scatter_row(const T* values, const index_t* columns, std::int64_t count, const T* x,
                           int stop, std::int64_t stride, T* sums, std::int64_t leading) {
  using L = Lanes<T>;
  typename L::Vector factors[n];
  for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
    const T* const from = x + j * L::width * stride;
    const int lanes = j < n - 1 ? L::width : stop;
    if (stride == 1 && lanes == L::width) {
      factors[j] = L::load(from);
    } else {
      alignas(64) T some[L::width] = {};
      for (int l = 0; l < lanes; ++l) some[l] = from[l * stride];
      factors[j] = L::load(some);
    }
  });
  for (std::int64_t k = 0; k < count; ++k) {
    T* const to = sums + columns[k] * leading;
    const auto v = L::all(values[k]);
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      T* const here = to + j * L::width;
      L::store(here, L::fma(v, factors[j], L::load(here)));
    });
  }
}

// The same of sums that have fewer columns than a vector.
template <int n, class T>
NZ_INLINE void scatter_narrow(const T* values, const index_t* columns, std::int64_t count,
                              const T* x, index_t there, std::int64_t stride, T* sums) {
  using P = Pack<T, n>;
  T some[n] = {};
  for (index_t j = 0; j < there; ++j) some[j] = x[j * stride];
  const auto factors = P::load(some);
  for (std::int64_t k = 0; k < count; ++k) {
    T* const to = sums + std::int64_t{columns[k]} * n;
    P::store(to, P::load(to) + values[k] * factors);
  }
}

}  // namespace

template <class T>
template <class O>
void RowSums<T>::take(const EntryRun<T, O>& run) {
  index_t i = run.first;
  std::int64_t k = run.begin;
  const auto add_piece = [&](std::int64_t end) {
    for_all_groups(s_, [&]<int n, Reads how>(Count<n>, How<how>, const ColumnGroup& g) {
      if constexpr (how == Reads::numbers)
        dots_of_piece<n>(s_, run, k, end, g.first, open_);
      else if constexpr (how == Reads::narrow || how == Reads::over)
        narrow_piece_of<n, how == Reads::over>(s_, run, k, end, open_);
      else
        piece_of<n, how == Reads::part>(s_, run, k, end, g, open_);
    });
    k = end;
  };
  if (open_row_ >= 0 && i < run.last) {
    add_piece(static_cast<std::int64_t>(run.offsets[i + 1]));
    for (index_t j = 0; j < s_.columns; ++j)
      cpu::store(s_.y(open_row_, j), s_.alpha, open_[j], s_.beta);
    open_row_ = -1;
    ++i;
  }
  const bool at_once = s_.y.column_stride() == 1 && s_.columns <= most_vectors * Lanes<T>::width;
  const index_t most = s_.y.column_stride() == 1 ? run.last : block_rows;
  while (i < run.last) {
    index_t end = at_once ? run.last : i + 1;
    while (end < run.last && end - i < most &&
           static_cast<std::int64_t>(run.offsets[end + 1]) - k <= block_entries)
      ++end;
    for_all_groups(s_, [&]<int n, Reads how>(Count<n>, How<how>, const ColumnGroup& g) {
      if constexpr (how == Reads::numbers)
        dots_of<n>(s_, run, i, end - i, k, g.first);
      else if constexpr (how == Reads::narrow || how == Reads::over)
        narrow_rows_of<n, how == Reads::over>(s_, run, i, end - i, k);
      else
        rows_of<n, how == Reads::part>(s_, run, i, end - i, k, g);
    });
    i = end;
    k = static_cast<std::int64_t>(run.offsets[end]);
  }
  if (k >= run.end) return;
  if (open_row_ < 0) {
    std::fill_n(open_, s_.columns, T(0));
    open_row_ = run.row(run.last);
  }
  add_piece(run.end);
}

template <class T, class O>
void scatter_several(const cpu::Several<T>& s, const EntryRun<T, O>& run, T* sums,
                     std::int64_t leading) {
  std::int64_t k = run.begin;
  for (index_t i = run.first; k < run.end; ++i) {
    const auto next = i < run.last ? static_cast<std::int64_t>(run.offsets[i + 1]) : run.end;
    if (next == k) continue;
    const T* const x = s.x + run.row(i) * s.x_leading;
    const T* const values = run.values + k;
    const index_t* const columns = run.columns + k;
    const std::int64_t count = next - k;
    k = next;
    if (leading < Lanes<T>::width) {
      with_narrow<T>(leading, [&]<int n>(Count<n>) NZ_INLINE_LAMBDA {
        scatter_narrow<n>(values, columns, count, x, s.columns, s.x_stride, sums);
      });
      continue;
    }
    // The sums are padded, and X can be read in part: no vector need overlap another.
    for_groups<Lanes<T>::width, most_vectors>(
        s.columns, true, [&]<int n>(Count<n>, const ColumnGroup& g) NZ_INLINE_LAMBDA {
          scatter_row<n>(values, columns, count, x + g.first * s.x_stride,
                         s.padded ? Lanes<T>::width : g.stop, s.x_stride, sums + g.first, leading);
        });
  }
}

#define NZ_SEVERAL(T, O)                                 \
  template void RowSums<T>::take(const EntryRun<T, O>&); \
  template void scatter_several(const cpu::Several<T>&, const EntryRun<T, O>&, T*, std::int64_t);
NZ_FOR_EACH_VALUE_OFFSET(NZ_SEVERAL)
#undef NZ_SEVERAL

#include "kernels/cpu/vector/isa_end.hpp"
