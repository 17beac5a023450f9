#include <nonzero/formats/packed.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/grain.hpp"
#include "formats/packed_size.hpp"
#include "formats/packed_walk.hpp"
#include "formats/scan.hpp"
#include "formats/short_index.hpp"
#include "formats/narrow_values.hpp"

namespace nz {
namespace {

constexpr int most_slots = std::numeric_limits<std::uint16_t>::max();
// Groups of slices from which on all threads convert, however few entries they have.
constexpr index_t flat_groups = 64;

// What one slice will need.
template <RealValue T>
struct Plan {
  std::int64_t runs = 0, in_runs = 0;             // and entries in them
  std::int64_t picks[PackedView<T>::lanes] = {};  // of each lane
  index_t low = std::numeric_limits<index_t>::max();
  index_t high = 0;
  index_t next_run = 0;  // where a band would go on
  bool band = true;

  std::int64_t pick_slots() const { return *std::max_element(picks, picks + PackedView<T>::lanes); }
  std::uint8_t width() const {
    if (pick_slots() == 0) return 0;
    return index_width(high - low);
  }
  bool fits() const { return std::max(runs, pick_slots()) <= most_slots; }
  PackedSlice head() const {
    return {width() == 0 ? 0 : low, static_cast<std::uint16_t>(runs),
            static_cast<std::uint16_t>(pick_slots()), width(), band && runs > 0};
  }
};

template <RealValue T, Offset O>
Plan<T> plan_slice(const CsrView<T, O>& a, index_t s, RunFinder& finder) {
  Plan<T> p;
  walk(
      a, s, finder,
      [&](index_t start, unsigned mask, const O*) {
        p.band = p.band && mask == PackedView<T>::full_mask && (p.runs == 0 || start == p.next_run);
        p.next_run = start + 1;
        ++p.runs;
        p.in_runs += lanes_in(mask);
      },
      [&](index_t l, O k) {
        ++p.picks[l];
        p.low = std::min(p.low, a.columns[k]);
        p.high = std::max(p.high, a.columns[k]);
      });
  return p;
}

// Writes values in their code.
template <RealValue T, ValueCode code>
struct ValueWriter {
  std::byte* values;
  const ValueTable<T>& table;

  void put(std::int64_t place, T v) const {
    if constexpr (code == ValueCode::full)
      reinterpret_cast<T*>(values)[place] = v;
    else if constexpr (code == ValueCode::single)
      reinterpret_cast<float*>(values)[place] = static_cast<float>(v);
    else if constexpr (code == ValueCode::table)
      reinterpret_cast<std::uint8_t*>(values)[place] = table.code(v);
  }
  void clear(std::int64_t first, std::int64_t count) const {
    const auto bytes = static_cast<std::int64_t>(code_bytes<T>(code));
    std::fill_n(values + first * bytes, count * bytes, std::byte{0});
  }
};

// use(writer) for the code that there is.
template <RealValue T, class Use>
void with_writer(Packed<T>& b, const ValueTable<T>& table, Use&& use) {
  switch (b.code) {
    case ValueCode::full:
      return use(ValueWriter<T, ValueCode::full>{b.values.data(), table});
    case ValueCode::single:
      return use(ValueWriter<T, ValueCode::single>{b.values.data(), table});
    case ValueCode::table:
      return use(ValueWriter<T, ValueCode::table>{b.values.data(), table});
    case ValueCode::constant:
    case ValueCode::half:  // the format has none of these
    case ValueCode::bfloat:
      return use(ValueWriter<T, ValueCode::constant>{b.values.data(), table});
  }
}

// body(slice, its place in the streams, what its thread finds runs with) over all slices, in
// parallel.
template <RealValue T, class Body>
void for_each_slice(const PackedView<T>& a, Body&& body) {
  parallel_ranges(
      a.groups(),
      [&](index_t begin, index_t end) {
        RunFinder finder;
        for (index_t g = begin; g < end; ++g) {
          PackedMark at = a.mark[g];
          const index_t last = std::min(a.slices(), (g + 1) * PackedView<T>::group);
          for (index_t s = g * PackedView<T>::group; s < last; ++s) {
            body(s, at, finder);
            at.pass(a.slice[s], PackedView<T>::lanes);
          }
        }
      },
      grain_of(a.nnz, flat_groups));
}

// entry(lane, column, place) for every entry of a slice.
template <RealValue T, class Entry>
void for_each_entry(const PackedView<T>& a, index_t s, const PackedMark& at, Entry&& entry) {
  constexpr index_t lanes = PackedView<T>::lanes;
  const PackedSlice& head = a.slice[s];
  for (index_t k = 0; k < head.runs + head.picks; ++k)
    for (index_t l = 0; l < lanes; ++l) {
      if (!(a.masks[at.slot + k] >> l & 1)) continue;
      const std::int64_t pick = std::int64_t{k - head.runs} * lanes + l;
      const index_t column =
          k < head.runs ? a.run_columns[at.run + k] + l
                        : head.base + static_cast<index_t>(get_index(
                                          a.indices + at.index + pick * head.width, head.width));
      entry(l, column, (at.slot + k) * lanes + l);
    }
}

// The runs and picks of a slice that was planned.
template <RealValue T, Offset O, class Writer>
void fill_slice(const CsrView<T, O>& a, index_t s, const PackedMark& at, Packed<T>& b,
                const Writer& writer, RunFinder& finder) {
  using Mask = typename PackedView<T>::Mask;
  constexpr index_t lanes = PackedView<T>::lanes;
  const PackedSlice& head = b.slice[s];
  const std::int64_t picks = at.slot + head.runs;
  std::fill_n(b.masks.begin() + picks, head.picks, Mask{0});
  PackedMark next = at;
  next.pass(head, lanes);
  std::fill(b.indices.begin() + at.index, b.indices.begin() + next.index, std::uint8_t{0});
  writer.clear(picks * lanes, std::int64_t{head.picks} * lanes);
  std::int64_t run = 0, picked[lanes] = {};
  const auto put_pick = [&](index_t l, O k) {
    const std::int64_t pick = picked[l]++, slot = picks + pick;
    b.masks[slot] = static_cast<Mask>(b.masks[slot] | 1u << l);
    put_index(b.indices.data() + at.index + (pick * lanes + l) * head.width, head.width,
              static_cast<std::uint32_t>(a.columns[k] - head.base));
    writer.put(slot * lanes + l, a.values[k]);
  };
  if (head.runs == 0) {
    for (index_t l = 0; l < b.view().height(s); ++l)
      for (O k = a.offsets[s * lanes + l]; k < a.offsets[s * lanes + l + 1]; ++k) put_pick(l, k);
    return;
  }
  walk(
      a, s, finder,
      [&](index_t start, unsigned mask, const O* entry) {
        const std::int64_t slot = at.slot + run;
        b.run_columns[at.run + run++] = start;
        b.masks[slot] = static_cast<Mask>(mask);
        if (mask != PackedView<T>::full_mask) writer.clear(slot * lanes, lanes);
        for (index_t l = 0; l < lanes; ++l)
          if (mask >> l & 1u) writer.put(slot * lanes + l, a.values[entry[l]]);
      },
      put_pick);
}

}  // namespace

template <RealValue T, Offset O>
Packed<T> packed_from_csr(const CsrView<T, O>& a, double max_ratio) {
  using View = PackedView<T>;
  constexpr index_t lanes = View::lanes;
  Packed<T> b{a.rows, a.cols, static_cast<std::int64_t>(a.nnz)};
  const index_t slices = b.view().slices(), groups = b.view().groups();
  b.slice = Array<PackedSlice>(static_cast<std::size_t>(slices));
  b.mark = Array<PackedMark>(static_cast<std::size_t>(groups) + 1);
  b.mark[0] = {};
  parallel_ranges(
      groups,
      [&](index_t begin, index_t end) {
        RunFinder finder;
        for (index_t g = begin; g < end; ++g) {
          PackedMark size;
          for (index_t s = g * View::group; s < std::min(slices, (g + 1) * View::group); ++s) {
            const Plan<T> p = plan_slice(a, s, finder);
            if (!p.fits())
              throw Refused(fmt::format("packed: rows {} to {} need {} slots, more than {}",
                                        s * lanes, s * lanes + lanes - 1, p.runs + p.pick_slots(),
                                        most_slots));
            b.slice[s] = p.head();
            size.pass(b.slice[s], lanes);
          }
          b.mark[g + 1] = size;
        }
      },
      grain_of(a.nnz, flat_groups));
  for (index_t g = 0; g < groups; ++g) {
    b.mark[g + 1].slot += b.mark[g].slot;
    b.mark[g + 1].run += b.mark[g].run;
    b.mark[g + 1].index += b.mark[g].index;
  }
  const PackedMark total = b.mark[groups];
  require_ratio("packed", total.slot, lanes, a.nnz, max_ratio,
                fmt::format("{} slots of {} rows", total.slot, lanes));

  const ValueChoice<T> choice = choose_value_code(a.values, static_cast<std::int64_t>(a.nnz));
  b.code = choice.code;
  b.different = choice.different();
  b.table = table_of(choice);
  b.masks = Array<typename View::Mask>(static_cast<std::size_t>(total.slot));
  b.run_columns = Array<index_t>(static_cast<std::size_t>(total.run));
  b.indices = Array<std::uint8_t>(static_cast<std::size_t>(total.index));
  const std::size_t slot_bytes = static_cast<std::size_t>(lanes) * b.view().value_bytes();
  b.values = Array<std::byte>(static_cast<std::size_t>(total.slot) * slot_bytes);

  with_writer(b, choice.table, [&](const auto& writer) {
    for_each_slice(b.view(), [&](index_t s, const PackedMark& at, RunFinder& finder) {
      fill_slice(a, s, at, b, writer, finder);
    });
  });
  return b;
}

template <RealValue T, Offset O>
PackedSize packed_size(const CsrView<T, O>& a) {
  using View = PackedView<T>;
  const View shape{.rows = a.rows, .cols = a.cols};
  PackedSize size;
  PackedMark end;
  RunFinder finder;
  for (index_t s = 0; s < shape.slices(); ++s) {
    const Plan<T> p = plan_slice(a, s, finder);
    size.fits = size.fits && p.fits();
    size.in_runs += p.in_runs;
    end.pass(p.head(), View::lanes);
  }
  size.slots = end.slot;
  View whole = shape;
  whole.slots = end.slot;
  whole.runs = end.run;
  whole.index_bytes = end.index;
  size.bytes = whole.bytes() - static_cast<std::size_t>(end.slot * View::lanes) * sizeof(T);
  return size;
}

template <RealValue T>
void Packed<T>::validate() const {
  check_shape("packed", rows, cols);
  const PackedView<T> v = view();
  constexpr std::size_t lanes = PackedView<T>::lanes;
  check_size("packed", "slice", slice.size(), static_cast<std::size_t>(v.slices()));
  check_size("packed", "mark", mark.size(), static_cast<std::size_t>(v.groups()) + 1);
  check_size("packed", "table", table.size(), table_size(code));
  check_size("packed", "values", values.size(), masks.size() * lanes * v.value_bytes());
  PackedMark at;
  for (index_t s = 0; s < v.slices(); ++s) {
    if (s % PackedView<T>::group == 0 && !(mark[s / PackedView<T>::group] == at))
      throw BadInput(fmt::format("packed: slice {} is not where its mark says", s));
    const int w = slice[s].width;
    if ((w != 0 && w != 1 && w != 2 && w != 4) || (w == 0) != (slice[s].picks == 0))
      throw BadInput(fmt::format("packed: slice {}: indices of {} bytes", s, w));
    for (int k = 0; slice[s].band && k < slice[s].runs; ++k)
      if (at.slot + k >= v.slots || at.run + k >= v.runs ||
          masks[at.slot + k] != PackedView<T>::full_mask ||
          run_columns[at.run + k] != run_columns[at.run] + k)
        throw BadInput(fmt::format("packed: slice {} is no band", s));
    at.pass(slice[s], PackedView<T>::lanes);
  }
  if (!(mark.back() == at)) throw BadInput("packed: the last mark is not the end");
  check_size("packed", "masks", masks.size(), static_cast<std::size_t>(at.slot));
  check_size("packed", "run_columns", run_columns.size(), static_cast<std::size_t>(at.run));
  check_size("packed", "indices", indices.size(), static_cast<std::size_t>(at.index));
  std::int64_t found = 0;
  at = {};
  for (index_t s = 0; s < v.slices(); ++s) {
    for_each_entry(v, s, at, [&](index_t l, index_t column, std::int64_t) {
      ++found;
      if (l >= v.height(s) || column < 0 || column >= cols)
        throw BadInput(
            fmt::format("packed: slice {}, lane {}: column {} is not in the matrix", s, l, column));
    });
    at.pass(slice[s], PackedView<T>::lanes);
  }
  check_entries("packed", entries, found);
}

template <Offset O, RealValue T>
Csr<T, O> packed_to_csr(const PackedView<T>& a) {
  constexpr index_t lanes = PackedView<T>::lanes;
  Array<std::int64_t> starts(static_cast<std::size_t>(a.rows) + 1, 0);
  for_each_slice(a, [&](index_t s, const PackedMark& at, RunFinder&) {
    for_each_entry(a, s, at, [&](index_t l, index_t, std::int64_t) { ++starts[s * lanes + l]; });
  });
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, starts);
  for_each_slice(a, [&](index_t s, const PackedMark& at, RunFinder&) {
    std::vector<std::pair<index_t, T>> row[lanes];
    for_each_entry(a, s, at, [&](index_t l, index_t column, std::int64_t place) {
      row[l].emplace_back(column, decode_value(a.code, a.values, a.table, place));
    });
    for (index_t l = 0; l < a.height(s); ++l) {
      std::sort(row[l].begin(), row[l].end(),
                [](const auto& p, const auto& q) { return p.first < q.first; });
      std::int64_t to = starts[s * lanes + l];
      for (const auto& [column, value] : row[l]) {
        b.columns[to] = column;
        b.values[to++] = value;
      }
    }
  });
  return b;
}

#define NZ_INSTANTIATE_CLASS(T)                                                    \
  template struct Packed<T>;                                                       \
  template Csr<T, std::int32_t> packed_to_csr<std::int32_t>(const PackedView<T>&); \
  template Csr<T, std::int64_t> packed_to_csr<std::int64_t>(const PackedView<T>&);
#define NZ_INSTANTIATE(T, O)                                        \
  template Packed<T> packed_from_csr(const CsrView<T, O>&, double); \
  template PackedSize packed_size(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
