#pragma once
#include <cstdint>
#include <vector>

#include "kernels/cpu/several.hpp"
#include "kernels/cpu/vector/several_columns.hpp"
#include "kernels/cpu/vector/slot.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Several vectors where lanes go down the rows. Their sums are streams of 64 bytes: of X by
// columns, one a column; of X by rows without gaps, k for k columns, in which the sums of 64 bytes
// of rows follow each other as they do in Y.
template <class T>
constexpr bool streams_rows = requires {
  typename Lanes<T>::Order;
};
template <class T>
constexpr index_t stream_lanes = 64 / sizeof(T);
// So many of them stay in registers.
constexpr int most_streams = 4;

// Of the streams by rows: each lane's row among those of 64 bytes, and its column.
template <class T>
struct StreamLanes {
  std::vector<std::int32_t> rows, columns;

  explicit StreamLanes(index_t count) {
    for (index_t l = 0; l < stream_lanes<T>; ++l)
      for (index_t j = 0; j < count; ++j) {
        rows.push_back(l);
        columns.push_back(j);
      }
  }
};

// The sums of n streams, the first of which reads X from the pointer on that it is given.
template <class T, int n>
class StreamsByColumns {
  using L = Lanes<T>;

 public:
  static constexpr bool by_rows = false;

  explicit StreamsByColumns(std::int64_t apart) : apart_(apart) { clear(); }

  NZ_INLINE void clear() {
    for_each([&](int j, int h) NZ_INLINE_LAMBDA { sums_[j].at[h] = L::zero(); });
  }
  static constexpr std::integral_constant<index_t, 1> column_apart() { return {}; }
  NZ_INLINE void add(const Slot<T>& v, const T* x) {
    for_each([&](int j, int h) NZ_INLINE_LAMBDA {
      const T* const from = x + j * apart_ + h * L::width;
      sums_[j].at[h] = L::fma(v.at[h], L::load(from), sums_[j].at[h]);
    });
  }
  NZ_INLINE void add(T v, const T* x) {
    const auto same = L::all(v);
    for_each([&](int j, int h) NZ_INLINE_LAMBDA {
      const T* const from = x + j * apart_ + h * L::width;
      sums_[j].at[h] = L::fma(same, L::load(from), sums_[j].at[h]);
    });
  }
  // Of the vector h alone: v x[columns], where these are not negative.
  NZ_INLINE void gather(int h, typename L::Vector v, const index_t* columns, const T* x) {
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      const T* const from = x + j * apart_;
      if constexpr (requires { L::gather_taken(x, columns); }) {
        sums_[j].at[h] = L::fma(v, L::gather_taken(from, columns), sums_[j].at[h]);
      } else {
        const auto i = L::indices(columns);
        const auto taken = L::not_negative(i);
        sums_[j].at[h] = L::fma(v, L::gather_some(taken, from, i), sums_[j].at[h]);
      }
    });
  }
  // Where stream j begins, after the first.
  NZ_INLINE std::int64_t apart() const { return apart_; }
  NZ_INLINE Slot<T>& operator[](int j) { return sums_[j]; }

 private:
  template <class Body>
  NZ_INLINE void for_each(Body&& body) {
    for_vectors<n>(
        [&](int j) NZ_INLINE_LAMBDA { for_steps<T>([&](int h) NZ_INLINE_LAMBDA { body(j, h); }); });
  }

  std::int64_t apart_;
  Slot<T> sums_[n];
};

template <class T, int n>
requires(streams_rows<T>) class StreamsByRows {
  using L = Lanes<T>;
  static constexpr int w = L::width;

 public:
  static constexpr bool by_rows = true;

  // `first` of `count` streams.
  StreamsByRows(const StreamLanes<T>& lanes, index_t first, index_t count)
      : first_(std::int64_t{first} * w), count_(count) {
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      const auto at = static_cast<std::size_t>((first + j) * w);
      orders_[j] = L::order(lanes.rows.data() + at);
      columns_[j] = L::indices(lanes.columns.data() + at);
    });
    clear();
  }

  NZ_INLINE void clear() {
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA { sums_[j].at[0] = L::zero(); });
  }
  NZ_INLINE std::int64_t column_apart() const { return count_; }
  NZ_INLINE void add(const Slot<T>& v, const T* x) {
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      const auto its = L::permute(orders_[j], v.at[0]);
      sums_[j].at[0] = L::fma(its, L::load(x + first_ + j * w), sums_[j].at[0]);
    });
  }
  NZ_INLINE void add(T v, const T* x) {
    const auto same = L::all(v);
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      sums_[j].at[0] = L::fma(same, L::load(x + first_ + j * w), sums_[j].at[0]);
    });
  }
  // Of the lanes of the mask alone.
  NZ_INLINE void add_some(typename L::Mask m, const Slot<T>& v, const T* x) {
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      const auto its = L::permute_mask(orders_[j], m);
      sums_[j].at[0] = L::fma_some(its, L::permute(orders_[j], v.at[0]),
                                   L::load_some(its, x + first_ + j * w), sums_[j].at[0]);
    });
  }
  NZ_INLINE void gather_some(typename L::Mask m, const Slot<T>& v, typename L::Indices i,
                             const T* x) {
    for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
      const auto places = L::permute_columns(orders_[j], i, count_, columns_[j]);
      const auto its = L::permute_mask(orders_[j], m);
      sums_[j].at[0] = L::fma_some(its, L::permute(orders_[j], v.at[0]),
                                   L::gather_some(its, x, places), sums_[j].at[0]);
    });
  }
  NZ_INLINE Slot<T>& operator[](int j) { return sums_[j]; }

 private:
  typename L::Order orders_[n];
  typename L::Indices columns_[n];
  std::int64_t first_;
  std::int32_t count_;
  Slot<T> sums_[n];
};

// use(sums, x, stream, Count<n>) for groups of n streams from `stream` on, which read X from x on.
template <class T, class Use>
NZ_INLINE void for_streams(const cpu::Several<T>& s, const StreamLanes<T>& lanes, Use&& use) {
  for_groups<1, most_streams>(
      s.columns, true, [&]<int n>(Count<n>, const ColumnGroup& g) NZ_INLINE_LAMBDA {
        if constexpr (streams_rows<T>)
          if (s.x_leading != 1)
            return use(StreamsByRows<T, n>(lanes, g.first, s.columns), s.x, g.first, Count<n>{});
        use(StreamsByColumns<T, n>(s.x_stride), s.x + g.first * s.x_stride, g.first, Count<n>{});
      });
}

#include "kernels/cpu/vector/isa_end.hpp"
