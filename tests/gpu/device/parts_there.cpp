#include "gpu/device/parts_there.hpp"

#include <span>

#include <nonzero/device.hpp>

#include "device/csr.hpp"
#include "device/line_order.hpp"
#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/parts/meeting.hpp"
#include "kernels/gpu/parts/packed_loads.hpp"
#include "kernels/gpu/parts/row_sums.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

template <class V>
std::vector<V> brought(const DeviceArray<V>& there) {
  std::vector<V> here(there.size());
  there.download(here);
  return here;
}

template <class T>
struct MeetAndSum {
  static constexpr const char* name = "meet and sum";
  const T* parts;
  int count, each;
  T* room;
  unsigned* arrived;
  T* sums;
  NZ_DEVICE void operator()(Thread& t) const {
    const int which = t.block() * t.warps() + t.warp();
    if (which >= count) return;
    const int first = which / each * each;
    const int n = count - first < each ? count - first : each;
    meet_and_sum(
        t, {arrived + first, n}, which - first, t.lane() == 0 ? parts[which] : T(-1),
        [&](int i) { return room + first + i; }, [&](T sum) { sums[first / each] = sum; });
  }
};

template <class T>
struct MeetByLanes {
  static constexpr const char* name = "meet by lanes";
  const T* parts;
  int warps, each;
  T* room;
  unsigned* arrived;
  T* sums;
  NZ_DEVICE void operator()(Thread& t) const {
    const int which = t.block() * t.warps() + t.warp();
    if (which >= warps) return;
    const int first = which / each * each;
    const Meeting meeting{arrived + first, warps - first < each ? warps - first : each};
    room[32 * which + t.lane()] = parts[32 * which + t.lane()];
    Meeting::publish_lanes(t);
    if (!meeting.last_warp(t)) return;
    T sum = 0;
    for (int p = 0; p < meeting.parts; ++p)
      sum += t.load_coherent(room + 32 * (first + p) + t.lane());
    sums[first / each * 32 + t.lane()] = sum;
    if (t.lane() == 0) meeting.reset();
  }
};

template <class O>
struct FindRows {
  static constexpr const char* name = "find rows";
  const O* offsets;
  index_t rows;
  std::int64_t nnz;
  index_t* found;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t k = t.global_index();
    if (k < nnz) found[k] = row_of(t, offsets, k, 0, rows - 1);
  }
};

struct FindColumns {
  static constexpr const char* name = "find columns";
  const index_t* columns;
  int n;
  const index_t* wanted;
  int count, guesses;
  int* found;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto i = static_cast<int>(t.global_index());
    if (i < count * guesses) found[i] = first_from(t, columns, n, wanted[i / guesses], i % guesses);
  }
};

struct FindExtremes {
  static constexpr const char* name = "find extremes of warps";
  const index_t* of_lanes;
  index_t* found;
  NZ_DEVICE void operator()(Thread& t) const {
    const index_t mine = of_lanes[t.global_index()];
    const index_t least = min_all(t, mine), most = max_all(t, mine);
    const int first = lowest(t.ballot(mine != 0));
    // Every lane knows them; one of each warp tells.
    if (t.lane() != 7) return;
    index_t* to = found + t.global_index() / 32 * 3;
    to[0] = least;
    to[1] = most;
    to[2] = first;
  }
};

template <class V>
struct CopyPacked {
  static constexpr const char* name = "copy packed";
  const V* from;
  std::int64_t n;
  V* to;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t at = 4 * t.global_index();
    if (at >= n) return;
    V some[4];
    load_packed(t, from + at, some);
    for (int i = 0; i < 4; ++i) to[at + i] = some[i];
  }
};

constexpr int tile_mark = 1 << 20;

template <class T>
struct AddTile {
  static constexpr const char* name = "add the rows of a tile";
  const T* products;
  int count;
  const int* starts;
  int rows;
  T* sums;
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> product = t.shared<T>(padded(count));
    const SharedArray<int> start = t.shared<int>(rows + 1);
    for (int i = t.index(); i < count; i += t.block_size()) product[padded(i)] = products[i];
    for (int i = t.index(); i <= rows; i += t.block_size()) start[i] = starts[i];
    t.sync();
    add_tile_rows<tile_mark>(t, rows, product, start, [&](int i, T sum) { sums[i] = sum; });
  }
};

template <class T>
struct AddPieces {
  static constexpr const char* name = "add pieces of long rows";
  CsrView<T, std::int32_t> a;
  const T* x;
  Pieces<T> pieces;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const int which = pieces.mine(t);
    if (which >= 0)
      pieces.template add<4>(t, a, x, which, [&](index_t row, T sum) { y[row] = sum; });
  }
};

}  // namespace

template <class T>
std::pair<std::vector<T>, std::vector<unsigned>> sums_that_meet(const std::vector<T>& parts,
                                                                int each, int launches) {
  const Device device = current_device();
  const std::size_t n = parts.size();
  DeviceArray<T> from(device, std::span<const T>(parts)), room(device, n);
  DeviceArray<T> sums(device,
                      (n + static_cast<std::size_t>(each) - 1) / static_cast<std::size_t>(each));
  DeviceArray<unsigned> arrived(device, std::span<const unsigned>(std::vector<unsigned>(n)));
  const auto count = static_cast<int>(n);
  for (int i = 0; i < launches; ++i)
    launch({.blocks = blocks_for(count, 3), .threads = 96},
           MeetAndSum<T>{from.data(), count, each, room.data(), arrived.data(), sums.data()});
  wait_for(device);
  return {brought(sums), brought(arrived)};
}

template <class T>
std::vector<T> lanes_that_meet(const std::vector<T>& parts, int each, int launches) {
  const Device device = current_device();
  const auto warps = static_cast<int>(parts.size() / 32);
  DeviceArray<T> from(device, std::span<const T>(parts)), room(device, parts.size());
  DeviceArray<T> sums(device, static_cast<std::size_t>((warps + each - 1) / each) * 32);
  DeviceArray<unsigned> arrived(
      device, std::span<const unsigned>(std::vector<unsigned>(static_cast<std::size_t>(warps))));
  for (int i = 0; i < launches; ++i)
    launch({.blocks = blocks_for(warps, 2), .threads = 64},
           MeetByLanes<T>{from.data(), warps, each, room.data(), arrived.data(), sums.data()});
  wait_for(device);
  return brought(sums);
}

template <class O>
std::vector<index_t> rows_of_entries(const std::vector<O>& offsets) {
  const Device device = current_device();
  const auto nnz = static_cast<std::int64_t>(offsets.back());
  DeviceArray<O> there(device, std::span<const O>(offsets));
  DeviceArray<index_t> found(device, static_cast<std::size_t>(nnz));
  launch(one_thread_each(nnz),
         FindRows<O>{there.data(), static_cast<index_t>(offsets.size()) - 1, nnz, found.data()});
  wait_for(device);
  return brought(found);
}

std::vector<int> first_columns(const std::vector<index_t>& columns,
                               const std::vector<index_t>& wanted, int guesses) {
  const Device device = current_device();
  DeviceArray<index_t> c(device, std::span<const index_t>(columns));
  DeviceArray<index_t> w(device, std::span<const index_t>(wanted));
  const auto count = static_cast<int>(wanted.size());
  DeviceArray<int> found(device, wanted.size() * static_cast<std::size_t>(guesses));
  launch(one_thread_each(std::int64_t{count} * guesses),
         FindColumns{c.data(), static_cast<int>(columns.size()), w.data(), count, guesses,
                     found.data()});
  wait_for(device);
  return brought(found);
}

std::pair<std::vector<int>, std::vector<index_t>> items_by_line(const std::vector<index_t>& line,
                                                                index_t lines) {
  DeviceArray<index_t> there(current_device(), std::span<const index_t>(line));
  const auto order = order_by_line(static_cast<int>(line.size()), there.data(), lines);
  return {brought(order.starts), brought(order.item)};
}

std::vector<index_t> warp_extremes(const std::vector<index_t>& of_lanes) {
  const Device device = current_device();
  DeviceArray<index_t> from(device, std::span<const index_t>(of_lanes));
  DeviceArray<index_t> found(device, of_lanes.size() / 32 * 3);
  launch({.blocks = 1, .threads = static_cast<int>(of_lanes.size())},
         FindExtremes{from.data(), found.data()});
  wait_for(device);
  return brought(found);
}

template <class V>
std::vector<V> packed_copy(const std::vector<V>& from) {
  const Device device = current_device();
  DeviceArray<V> there(device, std::span<const V>(from)), to(device, from.size());
  const auto n = static_cast<std::int64_t>(from.size());
  launch(one_thread_each(n / 4), CopyPacked<V>{there.data(), n, to.data()});
  wait_for(device);
  return brought(to);
}

template <class T>
std::vector<T> tile_row_sums(const std::vector<T>& products, const std::vector<int>& starts,
                             int elsewhere_bit, int threads, T untouched) {
  const Device device = current_device();
  std::vector<int> marked = starts;
  for (int& s : marked)
    if ((s & elsewhere_bit) != 0) s = (s & ~elsewhere_bit) | tile_mark;
  const auto rows = static_cast<int>(starts.size()) - 1;
  const auto count = static_cast<int>(products.size());
  DeviceArray<T> p(device, std::span<const T>(products));
  DeviceArray<int> s(device, std::span<const int>(marked));
  DeviceArray<T> sums(
      device, std::span<const T>(std::vector<T>(static_cast<std::size_t>(rows), untouched)));
  launch({.blocks = 1,
          .threads = threads,
          .shared_bytes = sizeof(T) * static_cast<std::size_t>(padded(count)) +
                          sizeof(int) * (static_cast<std::size_t>(rows) + 1)},
         AddTile<T>{p.data(), count, s.data(), rows, sums.data()});
  wait_for(device);
  return brought(sums);
}

template <class T>
std::vector<T> long_row_sums(const CsrView<T, std::int32_t>& a, const std::vector<T>& x,
                             std::int64_t most, int piece, T untouched) {
  const Device device = current_device();
  const DeviceCsr<T, std::int32_t> there(device, a);
  const LongRows<T> rows(there.view(), most, piece);
  DeviceArray<T> from(device, std::span<const T>(x));
  DeviceArray<T> y(device,
                   std::span<const T>(std::vector<T>(static_cast<std::size_t>(a.rows), untouched)));
  DeviceArray<T> partial(device, static_cast<std::size_t>(rows.pieces()));
  DeviceArray<unsigned> arrived(
      device,
      std::span<const unsigned>(std::vector<unsigned>(static_cast<std::size_t>(rows.pieces()))));
  launch({.blocks = blocks_for(rows.pieces(), 4), .threads = 128},
         AddPieces<T>{there.view(),
                      from.data(),
                      {rows.list(), rows.pieces(), partial.data(), arrived.data()},
                      y.data()});
  wait_for(device);
  return brought(y);
}

#define NZ_INSTANTIATE(T)                                                                         \
  template std::pair<std::vector<T>, std::vector<unsigned>> sums_that_meet(const std::vector<T>&, \
                                                                           int, int);             \
  template std::vector<T> lanes_that_meet(const std::vector<T>&, int, int);                       \
  template std::vector<T> packed_copy(const std::vector<T>&);                                     \
  template std::vector<T> tile_row_sums(const std::vector<T>&, const std::vector<int>&, int, int, \
                                        T);                                                       \
  template std::vector<T> long_row_sums(const CsrView<T, std::int32_t>&, const std::vector<T>&,   \
                                        std::int64_t, int, T);
NZ_INSTANTIATE(float)
NZ_INSTANTIATE(double)
template std::vector<index_t> packed_copy(const std::vector<index_t>&);
template std::vector<index_t> rows_of_entries(const std::vector<std::int32_t>&);
template std::vector<index_t> rows_of_entries(const std::vector<std::int64_t>&);

}  // namespace nz::NZ_HOME
