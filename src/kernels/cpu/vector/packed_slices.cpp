#include <algorithm>
#include <limits>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/formats/packed.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/fused.hpp"
#include "kernels/cpu/vector/packed_runs.hpp"
#include "kernels/cpu/vector/packed_streams.hpp"
#include "kernels/cpu/vector/run_writer.hpp"
#include "kernels/cpu/vector/value_readers.hpp"
#include "kernels/cpu/windows.hpp"
#include "kernels/cpu_several_rules.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// The rows of slices `first` to `last`, whose streams begin at `at`. All is copied first, so that
// nothing of it is loaded again after every store to y.
template <class T, class Values>
void row_sums(const PackedView<T>& stored, const Runs* runs, index_t first, index_t last,
              PackedMark at, const Values& given, T alpha, const T* x, T beta, T* y) {
  const PackedView<T> a = stored;
  const Values values = given;
  for (index_t s = first; s < last; ++s) {
    const PackedSlice head = a.slice[s];
    Slice<T> sums;
    sums.clear();
    add_runs(a, head, runs[s], at, values, x, sums);
    if (head.picks > 0)
      with_indices(a.indices + at.index, head.width, [&](const auto* indices) NZ_INLINE_LAMBDA {
        add_picks(a, head, at.slot + head.runs, indices, values, x, sums);
      });
    sums.put(alpha, beta, y + s * PackedView<T>::lanes, a.height(s));
    at.pass(head, PackedView<T>::lanes);
  }
}

template <Value T>
class PackedSlices final : public cpu::SeveralProduct<T> {
  using View = PackedView<T>;

 public:
  template <Offset O>
  PackedSlices(const CsrView<T, O>& a, const Parameters& p)
      : stored_(packed_from_csr(a, static_cast<double>(p.at("max_ratio")))), a_(stored_.view()) {
    const int team = std::min(
        cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain")),
        std::max(1, a_.groups()));
    // Groups of slices, as many slots to each part; a slice costs something, too.
    cuts_ = cpu::split_lines(a_.groups(), team, [&](index_t g) {
      return a_.mark[g].slot + std::int64_t{g} * View::group;
    });
    windows_ = {a.cols, column_ranges(a)};
    look_at_runs();
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    with_values<T>(a_.code, a_.values, a_.table, stored_.different,
                   [&](const auto& values) { run(op, values, alpha, x.data(), beta, y.data()); });
  }

  bool fuses(Op op) const override { return op == Op::none && team() <= cpu::most_fused; }
  // Some groups of slices are ended while the nearest cache has their rows.
  void multiply_fused(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                      std::span<T> y, const Epilogue<T>& end) const override {
    if (!fuses(op) || !cpu::takes_fused(stream, alpha))
      return Product<T>::multiply_fused(stream, op, alpha, x, beta, y, end);
    with_values<T>(a_.code, a_.values, a_.table, stored_.different, [&](const auto& values) {
      cpu::end_parts(end, team(), [&](int part) {
        EndSums sums;
        cpu::in_steps(cuts_[part], cuts_[part + 1], 8, [&](index_t from, index_t to) {
          const index_t first = from * View::group, last = std::min(a_.slices(), to * View::group);
          row_sums(a_, runs_.data(), first, last, a_.mark[from], values, alpha, x.data(), beta,
                   y.data());
          sums += end_elements(end, y.data(), std::int64_t{first} * View::lanes,
                               std::min<std::int64_t>(a_.rows, std::int64_t{last} * View::lanes));
        });
        return sums;
      });
    });
  }

  std::size_t bytes() const override {
    return stored_.bytes() + windows_.bytes() + cuts_.size() * sizeof(index_t) + runs_.size();
  }
  bool borrows() const override { return false; }
  std::size_t traffic(Op op, bool reads_y) const override {
    const bool reads_runs = op == Op::none || moves_along<T>;
    const std::size_t matrix = a_.bytes() + (reads_runs ? runs_.size() : 0);
    return cpu::traffic_of(a_, matrix - (op == Op::none ? unread_ : unread_transposed_), op,
                           reads_y);
  }

 private:
  int team() const { return static_cast<int>(cuts_.size()) - 1; }

  cpu::SeveralShape several_shape() const override {
    cpu::SeveralShape shape = several_shape_of<T>(a_.nnz, team(), true);
    shape.streams = shape.streams_of_rows = std::numeric_limits<index_t>::max();
    shape.streams_gather = picks_ > a_.slots / 4;
    if (shape.streams_gather) {
      shape.streams = cpu::few_gathers;
      shape.streams_of_rows = cpu::few_picks_of_rows(sizeof(T));
    }
    shape.streams_rows =
        streams_rows<T> && with_masks_ < a_.slots / 4 * 3 && picks_ < a_.slots / 16;
    return shape;
  }
  void streams(const cpu::Several<T>& s) const override {
    const StreamLanes<T> lanes(s.columns);
    with_values<T>(a_.code, a_.values, a_.table, stored_.different, [&](const auto& values) {
      parallel_parts(team(), [&](int part) {
        // As many slices at a time as the nearest cache has for all streams.
        for (index_t g = cuts_[part]; g < cuts_[part + 1]; ++g)
          for_streams(s, lanes, [&](auto sums, const T* x, index_t stream, auto n) {
            const index_t last = std::min(a_.slices(), (g + 1) * View::group);
            stream_sums(a_, runs_.data(), g * View::group, last, a_.mark[g], values, sums, n, x,
                        stream, s);
          });
      });
    });
  }
  void several(Op op, const cpu::Several<T>& s) const override {
    several_by_writing(op, s, windows_, [&](int part, RunWriter<T>& to) {
      with_values<T>(a_.code, a_.values, a_.table, stored_.different, [&](const auto& values) {
        for_each_slice(part, [&](index_t q, const PackedMark& at) { write(q, at, values, to); });
      });
    });
  }

  // The entries of a slice, row by row.
  template <class Values>
  void write(index_t s, const PackedMark& at, const Values& values, RunWriter<T>& to) const {
    const PackedSlice head = a_.slice[s];
    const index_t* const columns = a_.run_columns + at.run;
    const bool gaps = runs_[s] == Runs::gaps;
    for (index_t l = 0; l < a_.height(s); ++l) {
      to.begin_row(s * View::lanes + l);
      write_slots(at.slot, head.runs, gaps, l, values, to,
                  [=](int k) NZ_INLINE_LAMBDA { return columns[k] + l; });
      with_indices(a_.indices + at.index, head.width, [&](const auto* indices) {
        write_slots(at.slot + head.runs, head.picks, true, l, values, to,
                    [=, base = head.base](int k) NZ_INLINE_LAMBDA {
                      return base + static_cast<index_t>(indices[k * View::lanes + l]);
                    });
      });
      to.end_row();
    }
  }

  // What lane l has in some slots from `slot` on.
  template <class Values, class Column>
  NZ_INLINE void write_slots(std::int64_t slot, int slots, bool gaps, index_t l,
                             const Values& given, RunWriter<T>& to, Column&& column) const {
    const Values values = given;
    const auto* const masks = a_.masks + slot;
    std::int64_t p = slot * View::lanes + l;
    for (int k = 0; k < slots;) {
      const int end = std::min<int>(slots, k + RunWriter<T>::room);
      const auto place = to.place(end - k);
      int n = 0;
      if (gaps)
        for (; k < end; ++k, p += View::lanes) {
          place.values[n] = values.at(p);
          place.columns[n] = column(k);
          n += masks[k] >> l & 1;
        }
      else
        for (; k < end; ++k, ++n, p += View::lanes) {
          place.values[n] = values.at(p);
          place.columns[n] = column(k);
        }
      to.taken(n);
    }
  }

  void look_at_runs() {
    runs_ = Array<Runs>(static_cast<std::size_t>(a_.slices()));
    parallel_parts(team(), [&](int part) {
      for_each_slice(part, [&](index_t s, const PackedMark& at) { runs_[s] = runs_of(s, at); });
    });
    for (index_t s = 0; s < a_.slices(); ++s) {
      const std::size_t runs = a_.slice[s].runs, masks = runs * sizeof(typename View::Mask);
      const bool band = a_.slice[s].band;
      const std::size_t columns = band ? (runs - 1) * sizeof(index_t) : 0;
      const bool gaps = runs_[s] == Runs::gaps;
      picks_ += a_.slice[s].picks;
      with_masks_ += a_.slice[s].picks + (gaps ? a_.slice[s].runs : 0);
      if (!gaps) unread_ += masks + columns;
      if (moves_along<T> ? !gaps : band) unread_transposed_ += masks + columns;
    }
  }

  Runs runs_of(index_t s, const PackedMark& at) const {
    const PackedSlice head = a_.slice[s];
    const auto* masks = a_.masks + at.slot;
    if (head.runs == 0 ||
        !std::all_of(masks, masks + head.runs, [](auto mask) { return mask == View::full_mask; }))
      return Runs::gaps;
    bool level = a_.code == ValueCode::table;
    for (int k = 0; level && k < head.runs; ++k) {
      const std::byte* codes = a_.values + (at.slot + k) * View::lanes;
      level = std::all_of(codes, codes + View::lanes, [&](auto code) { return code == *codes; });
    }
    if (head.band) return level ? Runs::level_band : Runs::band;
    return level ? Runs::level : Runs::whole;
  }

  template <class Values>
  void run(Op op, const Values& values, T alpha, const T* x, T beta, T* y) const {
    if (op == Op::none) {
      parallel_parts(team(), [&](int part) {
        const index_t first = cuts_[part] * View::group;
        const index_t last = std::min(a_.slices(), cuts_[part + 1] * View::group);
        row_sums(a_, runs_.data(), first, last, a_.mark[cuts_[part]], values, alpha, x, beta, y);
      });
    } else {
      typename cpu::Windows<T>::Sums buffers(windows_);
      parallel_parts(team(), [&](int part) {
        T* sums = buffers.clear(part);
        for_each_slice(part,
                       [&](index_t s, const PackedMark& at) { scatter(s, at, values, x, sums); });
      });
      buffers.reduce(team(), alpha, beta, y);
    }
  }

  template <class Body>
  NZ_INLINE void for_each_slice(int part, Body&& body) const {
    PackedMark at = a_.mark[cuts_[part]];
    const index_t end = std::min(a_.slices(), cuts_[part + 1] * View::group);
    for (index_t s = cuts_[part] * View::group; s < end; ++s) {
      body(s, at);
      at.pass(a_.slice[s], View::lanes);
    }
  }

  template <class Values>
  NZ_INLINE void scatter(index_t s, const PackedMark& at, const Values& values, const T* x,
                         T* sums) const {
    const PackedSlice head = a_.slice[s];
    Slice<T> factors;
    factors.load(x + s * View::lanes, a_.height(s));
    scatter_runs(a_, head, runs_[s], at, values, factors, sums);
    with_indices(a_.indices + at.index, head.width, [&](const auto* indices) {
      scatter_picks(a_, head, at.slot + head.runs, indices, values, factors, sums);
    });
  }

  template <Offset O>
  std::vector<cpu::ColumnRange> column_ranges(const CsrView<T, O>& a) const {
    std::vector<cpu::ColumnRange> ranges(static_cast<std::size_t>(team()));
    constexpr index_t tall = View::group * View::lanes;
    parallel_parts(team(), [&](int part) {
      // Without overflow: the last cut may lie beyond the last row.
      const auto row = [&](index_t cut) { return cut >= a_.groups() ? a.rows : cut * tall; };
      ranges[part] = cpu::columns_touched(a, row(cuts_[part]), row(cuts_[part + 1]));
    });
    return ranges;
  }

  Packed<T> stored_;
  View a_;
  std::vector<index_t> cuts_;
  Array<Runs> runs_;  // of each slice
  std::size_t unread_ = 0, unread_transposed_ = 0;
  std::int64_t picks_ = 0, with_masks_ = 0;  // slots
  cpu::Windows<T> windows_;
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<PackedSlices<T>>(a, p);
}

}  // namespace

Kernel cpu_packed_slices() {
  return {.family = "cpu",
          .format = "packed",
          .strategy = "slices",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
          .threaded = true,
          .source = "own",
          .summary = "narrow columns and values without loss, vector lanes down the rows",
          .parameters = {{"max_ratio", "most stored places a nonzero", 3, 1, 1'000'000'000},
                         {"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = {prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                      prepare<double, std::int32_t>, prepare<double, std::int64_t>},
          .narrowing = Narrowing::floats,
          .rows_end_together = true};
}

#include "kernels/cpu/vector/isa_end.hpp"
