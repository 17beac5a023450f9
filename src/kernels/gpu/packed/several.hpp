#pragma once
#include "device/value_readers.hpp"
#include "kernels/gpu/packed/slices.hpp"
#include "kernels/gpu/several/tile_rows.hpp"

// Packed slices times several vectors: a block a slice, a group of lanes a row, which walks the
// runs and picks of the slice that its row has a part in. What says where they are is the same for
// all rows of the slice, and comes from near caches.
namespace nz::NZ_HOME {

template <class T, ValueCode code, class Index, int pack>
struct PackedSeveral {
  static constexpr const char* name = "gpu/packed/slices, several vectors";
  static constexpr int max_threads = 128, min_blocks = 8;
  PackedSlicesView<T> a;
  const Index* picks;
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int slice = t.block();
    const SliceStart start = t.load(a.starts + slice);
    const ValueReader<T, code> reader(t, a.table);
    const int groups = 32 / x.lanes, lane = t.lane() % x.lanes;
    NZ_ROLLED
    for (int r = t.warp() * groups + t.lane() / x.lanes; r < slice_rows; r += t.warps() * groups) {
      const std::int64_t row = std::int64_t{slice} * slice_rows + r;
      if (row >= a.rows) return;
      NZ_ROLLED
      for (int p = lane; p < x.packs; p += x.lanes) {
        T sum[pack] = {};
        add_runs(t, reader, start, r, static_cast<index_t>(row), p, sum);
        if (a.picks) add_picks(t, reader, slice, r, p, sum);
        out.put(row, p * pack, sum);
      }
    }
  }

 private:
  // Whether row r of the slice takes part in a run.
  NZ_DEVICE static bool takes_part(Thread& t, const Run<T>* run, int r) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(run);
    const int l = r % 32, part = r / 32;
    return t.load(bytes + l / 2) >> (4 * (l % 2) + part) & 1;
  }

  NZ_DEVICE void add_runs(Thread& t, const ValueReader<T, code>& reader, const SliceStart& start,
                          int r, index_t row, int p, T (&sum)[pack]) const {
    const Run<T>* list = a.runs + start.list;
    add_several<4>(t, x, p, 0, static_cast<int>(start.equal), 1, sum,
                   [&](int k, index_t& column, T& value) {
                     const auto head = t.load(&list[k].head);
                     column = takes_part(t, list + k, r) ? row + head.diagonal : -1;
                     value = head.value;
                   });
    list += start.equal;
    const std::int64_t first = std::int64_t{start.values} * slice_rows + r;
    add_several<4>(t, x, p, 0, static_cast<int>(start.others()), 1, sum,
                   [&](int k, index_t& column, T& value) {
                     column =
                         takes_part(t, list + k, r) ? row + t.load(&list[k].head.diagonal) : -1;
                     value = reader.value(
                         t, reader.load(t, a.run_values, first + std::int64_t{k} * slice_rows));
                   });
  }

  NZ_DEVICE void add_picks(Thread& t, const ValueReader<T, code>& reader, int slice, int r, int p,
                           T (&sum)[pack]) const {
    const SlicePicks at{t.load(&a.picks[slice].start), t.load(&a.picks[slice].tail)};
    if (at.start.at[0] == at.tail.end) return;
    const int rank = t.load(a.ranks + (std::int64_t{slice} * slice_rows + r));
    const int part = rank / 32;
    const std::uint32_t begin = at.start.at[part],
                        end = part + 1 < slice_parts ? at.start.at[part + 1] : at.tail.end;
    const std::int64_t first = std::int64_t{begin} * 32 + rank % 32;
    add_several<4>(t, x, p, 0, static_cast<int>(end - begin), 1, sum,
                   [&](int k, index_t& column, T& value) {
                     const std::int64_t i = first + std::int64_t{k} * 32;
                     const std::uint32_t pick = t.load(picks + i);
                     column = pick != a.no_pick ? at.tail.base + static_cast<index_t>(pick) : -1;
                     value = reader.value(t, reader.load(t, a.pick_values, i));
                   });
  }
};

}  // namespace nz::NZ_HOME
