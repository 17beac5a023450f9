#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nonzero/registry.hpp>

#include "kernels/gpu/clusters/width.hpp"
#include "kernels/gpu/panels/width.hpp"
#include "plan/models.hpp"

// What GPU kernels take: a launch, bytes at the memory's speed, and what gathers and atomics cost
// beyond. What each of these takes is the device's table (tuning/gpu_tuning.hpp).
namespace nz {
namespace {

constexpr std::string_view planned[] = {
    "gpu/csr/balanced",     "gpu/csr/adaptive",        "gpu/coo/segmented", "gpu/coo/slots",
    "gpu/compact/balanced", "gpu/slabs/balanced",      "gpu/packed/slices", "gpu/bsr/balanced",
    "gpu/tile/balanced",    "gpu/sell/warp-per-slice", "gpu/panels/staged", "gpu/clusters/staged"};

// Null where this build has none. Looked for once a process: the registry is long, and its entries
// stay where they are.
const Kernel* planned_kernel(std::string_view id) {
  static std::array<std::atomic<const Kernel*>, std::size(planned)> known{};
  const auto i = static_cast<std::size_t>(std::ranges::find(planned, id) - std::begin(planned));
  if (const Kernel* k = known[i].load()) return k;
  const std::vector<const Kernel*> all = match_kernels(id);
  if (all.empty()) return nullptr;
  known[i].store(all.front());
  return all.front();
}

class Model {
 public:
  Model(const Features& f, const DeviceInfo& device, const GpuTuning& tuning)
      : f_(f),
        t_(tuning),
        nnz_(static_cast<double>(f.nnz)),
        value_(static_cast<double>(f.value_bytes)),
        vectors_(value_ * (static_cast<double>(f.rows) + f.cols)),
        cache_(static_cast<double>(device.cache_bytes)),
        processors_(device.processors),
        staged_columns_(staged_columns(f.value_bytes, device.shared_bytes)) {}

  std::vector<Candidate> candidates() {
    csr();
    slots();
    sell();
    compact();
    if (f_.entries > 0) {
      adaptive();
      coo();
      // Squares: the kernel is compiled for those; with others it loses to CSR
      // (docs/results-bsr.md).
      if (block_side() > 1) blocks();
      packed();
      slabs();
      panels();
      clusters();
    } else if (f_.hypersparse(true, true)) {
      coo();
    }
    if (f_.tile_entries > 0) tiles();
    return std::move(all_);
  }

 private:
  bool is_small() const { return nnz_ < t_.small_matrix; }
  bool rows_alike() const { return f_.longest_row <= 2 * f_.row_length + 2; }
  bool has_hubs() const { return f_.longest_row > 32 * f_.row_length + 128; }
  // In large graphs with hubs many warps have little to do; of the compact format only where there
  // are many hubs, none of which has a noteworthy part of all entries.
  bool is_large() const { return nnz_ >= t_.hubs_most; }
  double csr_hubs() const { return is_large() && has_hubs() ? t_.large_hubs : 1; }
  double compact_hubs() const {
    if (is_large()) return has_hubs() && f_.longest_row < 0.01 * nnz_ ? t_.large_hubs : 1;
    return is_irregular() ? t_.hubs : 1;
  }
  // Between what is predicted of small and of large matrices: a step at one size would favour
  // another kernel on each of its sides.
  double between(double small, double large) const {
    const double all = std::log(t_.large_from / t_.small_to);
    const double grown = all > 0 ? std::log(nnz_ / t_.small_to) / all : nnz_ < t_.small_to ? 0 : 1;
    return std::lerp(small, large, std::clamp(grown, 0.0, 1.0));
  }
  // A row that many blocks share: they wait for each other.
  double long_row() const { return t_.long_row * std::min(f_.longest_row, t_.long_row_most); }
  // Slots of slices a nonzero, without the slice of the longest row.
  double usual_slots() const { return f_.sell_slots - 31 * f_.longest_row / nnz_; }
  // Entries, weighed by how much longer than most of them the longest of 32 rows is. Long rows are
  // cut into pieces: how they differ makes none.
  double irregular() const {
    constexpr double most = 3;  // doublings
    if (usual_slots() <= 1 || f_.row_length > 256 || is_large()) return 0;
    return nnz_ * std::min(most, std::log2(usual_slots()));
  }
  bool is_irregular() const { return irregular() > nnz_; }
  // Entries, as far as rows are too few to fill the device.
  double in_few_rows() const { return nnz_ / (1 + f_.rows / t_.few_rows); }
  // What is only so of doubles, and of complex values, which are as large or larger.
  double of_double(double more) const { return value_ >= 8 ? more : 0; }
  double entries(double each, double more) const { return nnz_ * (each + of_double(more)); }

  // The share of a vector of so many elements that is not in so much of the cache.
  double missing(index_t n, double share) const {
    const double bytes = n * value_, room = cache_ * share;
    return cache_ == 0 || bytes <= room ? 0 : 1 - room / bytes;
  }
  double stream(double bytes) const { return (bytes + vectors_) * 1e-6 * t_.megabyte; }
  // What a few rows touch does not say what rows have in common: of those that are so long that
  // fewer were seen nothing is known.
  bool saw_rows() const { return f_.entries >= 8 * f_.row_length; }
  // `hits`: what those from the cache take of what they take in other kernels.
  double gathers(double hits = 1) const {
    if (!saw_rows()) return 0;
    const double needed = f_.cols * value_ / 64;  // each line once
    const double lines = std::max(0.0, nnz_ * f_.lines - needed);
    // Where rows have much of x in common, their neighbours have brought it.
    const double apart = std::max(0.0, (f_.lines - 0.25) / 0.75);
    return lines * (t_.line * hits + t_.missed_line * missing(f_.cols, t_.cache_for_x) * apart);
  }
  // Atomics in y, one an entry.
  double adds() const {
    const double apart = missing(f_.cols, 1) > 0 ? t_.far_add : t_.near_add;
    return nnz_ * (t_.add + f_.lines * apart + f_.hottest * t_.same_add +
                   t_.few_add / (1 + f_.cols / t_.few_columns));
  }
  double csr_n() const {
    const double most = stream(f_.csr_bytes()) + gathers() + in_few_rows() * t_.csr_few;
    const double small = t_.csr_small_launch + of_double(t_.csr_small_double) + most +
                         irregular() * t_.csr_small_irregular;
    const double large =
        t_.csr_launch + irregular() * t_.csr_irregular +
        csr_hubs() * (most + entries(t_.csr_entry, t_.csr_double) + f_.rows * t_.csr_row);
    return between(small, large) + long_row();
  }
  double csr_t() const { return t_.launch + stream(f_.csr_bytes()) + adds(); }

  void csr() {
    add("gpu/csr/balanced", {}, csr_n(), csr_t() + t_.balanced_t,
        t_.csr_setup + (nnz_ + f_.rows) * t_.csr_setup_step, f_.csr_bytes(),
        "equal entries a block");
  }

  void adaptive() {
    // A few long rows leave most of the device idle.
    if (!rows_alike() || (f_.row_length > 32 && f_.rows < t_.adaptive_fewest_rows)) return;
    const double n = t_.adaptive_launch + stream(f_.csr_bytes()) + gathers() +
                     entries(t_.adaptive_entry, t_.adaptive_double) + f_.rows * t_.adaptive_row +
                     irregular() * t_.adaptive_irregular + in_few_rows() * t_.adaptive_few;
    add("gpu/csr/adaptive", {}, n, csr_t() + t_.adaptive_t,
        t_.adaptive_setup + f_.rows * t_.adaptive_setup_row + nnz_ * t_.adaptive_setup_entry,
        f_.csr_bytes(), fmt::format("rows alike, of {:.0f}", f_.row_length));
  }

  // For its T, and for N where it reads and writes nothing for rows without entries: else N of CSR
  // is faster.
  void coo() {
    const double bytes = nnz_ * (8 + value_), t = t_.launch + t_.coo_t + stream(bytes) + adds();
    if (f_.hypersparse(true, true)) {
      const double touched =
          stream(bytes + value_ * (f_.nonempty_rows + f_.nonempty_cols) - vectors_);
      add("gpu/coo/segmented", {}, t_.launch + touched + nnz_ * t_.coo_entry + gathers(),
          t_.launch + t_.coo_t + touched + nnz_ * t_.coo_entry + adds(),
          t_.coo_setup + nnz_ * t_.coo_setup_entry, bytes,
          fmt::format("entries in {:.0f} of {} rows, at most {:.0f} of {} columns",
                      f_.nonempty_rows, f_.rows, f_.nonempty_cols, f_.cols));
      return;
    }
    add("gpu/coo/segmented", {}, csr_n() + nnz_ * t_.coo_entry, t + nnz_ * t_.coo_entry,
        t_.coo_setup + nnz_ * t_.coo_setup_entry, bytes, "an atomic an entry for T");
  }

  // Of a column within a few rows, and of a value: from the samples, or from the shape, as of rows
  // that are too long to be sampled, whose pieces span few columns.
  double column_bytes() const {
    if (f_.compact_bytes == 0) return f_.cols < 0xffff || f_.row_length >= 512 ? 2 : 4;
    const double starts = (4.0 + 0.26) * f_.rows / nnz_;  // of rows and groups
    return f_.compact_bytes - compact_value_bytes() - starts < 3 ? 2 : 4;
  }
  double value_bytes() const { return f_.entries > 0 ? f_.narrow_value_bytes : value_; }
  // The same unless they are short.
  double compact_value_bytes() const {
    return f_.entries > 0 && f_.compact_value_bytes > 0 ? f_.compact_value_bytes : value_bytes();
  }

  void compact() {
    if (f_.longest_row == 0) return;  // not looked at
    const double bytes = nnz_ * (column_bytes() + compact_value_bytes()) + f_.rows * 2.0;
    const double most = stream(bytes) + in_few_rows() * t_.compact_few;
    const double small = compact_small(most), large = compact_large(most);
    add("gpu/compact/balanced", {}, between(small, large * compact_hubs()) + gathers(),
        between(small, large) + t_.balanced_t + adds(),
        t_.compact_setup + (nnz_ + f_.rows) * t_.compact_setup_step, bytes,
        fmt::format("{:.1f} bytes a nonzero", bytes / nnz_));
  }
  double compact_small(double most) const {
    return t_.compact_small_launch + of_double(t_.compact_small_double) + most +
           irregular() * t_.compact_small_irregular +
           nnz_ * t_.compact_short_entry / (1 + f_.row_length / 8) +
           t_.compact_short_wait / (1 + f_.row_length / 16);
  }
  double compact_large(double most) const {
    return t_.compact_launch + most + entries(t_.compact_entry, t_.compact_double) +
           f_.rows * t_.compact_row + (value_bytes() == 1 ? nnz_ * t_.compact_table : 0) +
           irregular() * (t_.compact_irregular + of_double(t_.compact_double_irregular));
  }

  void slots() {
    const double bytes = nnz_ * (sizeof(index_t) + value_ + 0.25) + f_.rows * 0.1;
    const double most = stream(bytes) + gathers() + f_.rows * t_.slot_row;
    const double small = t_.slot_small_launch + of_double(t_.slot_small_double) + most +
                         irregular() * t_.slot_small_irregular + in_few_rows() * t_.slot_small_few;
    const double large = t_.slot_launch + most + entries(t_.slot_entry, t_.slot_double) +
                         in_few_rows() * t_.slot_few +
                         (is_large() ? nnz_ * t_.slot_large_entry : 0);
    add("gpu/coo/slots", {}, between(small, large) + long_row(), csr_t() + t_.adaptive_t,
        t_.slot_setup + nnz_ * t_.slot_setup_entry, bytes, "two waits for memory");
  }

  void sell() {
    if (f_.sell_slots == 0 || f_.sell_slots > t_.sell_most_slots) return;
    if (is_small() && (nnz_ < t_.sell_fewest || f_.longest_row > t_.sell_small_longest)) return;
    // Steps of the longest row that wait for each other; warps share them where there are few.
    const double slots = nnz_ * f_.sell_slots, slices = f_.rows / 32.0;
    const double parts = std::clamp(processors_ * 43 / slices, 1.0, 8.0);
    const double rounds = f_.longest_row / 8 / (slots / slices > 8 * 32 ? parts : 1);
    if (rounds > t_.sell_most_rounds) return;
    const double bytes = slots * (column_bytes() + value_bytes()) + f_.rows * 0.25;
    add("gpu/sell/warp-per-slice", {},
        t_.sell_launch + stream(bytes) + slots * of_double(t_.sell_double) + f_.rows * t_.sell_row +
            gathers() + rounds * (t_.sell_round + of_double(t_.sell_double_round)) +
            (value_bytes() == 1 ? t_.sell_table : 0),
        csr_t() + t_.adaptive_t, t_.sell_setup + slots * t_.sell_setup_slot, bytes,
        fmt::format("{:.2f} slots a nonzero, a row a lane", f_.sell_slots));
  }

  // x in shared memory, whole or in panels.
  void panels() {
    if (staged_columns_ == 0 || f_.nnz > most_staged_entries) return;
    const auto count = static_cast<double>(panels_of(f_.cols, staged_columns_));
    const double bytes = nnz_ * (2.25 + value_bytes());
    const double t = csr_t() + t_.adaptive_t;
    if (count == 1) {
      const double lists = f_.nonempty_rows < f_.rows ? f_.rows * 4.0 : 0;
      add("gpu/panels/staged", {},
          t_.panel_launch + of_double(t_.panel_double) + t_.panel_stream * stream(bytes + lists) +
              f_.cols * value_ * t_.panel_staged + entries(t_.panel_entry, t_.panel_entry_double) +
              f_.rows * t_.panel_row,
          t, t_.panel_setup + nnz_ * t_.panel_setup_entry, bytes + lists,
          "all of x in shared memory");
      return;
    }
    if (f_.panel_parts == 0) return;
    const double work =
        std::max(stream(bytes), nnz_ * value_bytes() * t_.panels_value + f_.rows * t_.panels_row +
                                    entries(t_.panels_entry, t_.panels_entry_double));
    const double parts = nnz_ * f_.panel_parts;
    add("gpu/panels/staged", {},
        t_.panels_launch + of_double(t_.panels_double) + work + count * t_.panels_each +
            parts * (t_.panels_part + of_double(t_.panels_part_double)),
        t, t_.panels_setup + nnz_ * t_.panels_setup_entry,
        bytes + parts * (8 + value_) + f_.rows * 4.0,
        fmt::format("x in shared memory, in {:.0f} panels", count));
  }

  // Rows brought together that touch the same columns, x of which comes once a block.
  void clusters() {
    if (f_.patch_columns == 0 || f_.nnz > most_clustered_entries) return;
    const int rows =
        rows_of_cluster_block(f_.rows, nnz_, f_.value_bytes, static_cast<int>(processors_));
    // Of a block's columns those of its own rows, and those around it, which are fewer a row where
    // blocks are larger, as a surface is of its content.
    const double touched = f_.patch_columns * f_.row_length;
    const double around = std::max(0.0, touched - 1) * std::cbrt(f_.patch_rows / rows);
    const double columns = f_.rows * std::min(1 + t_.cluster_around * around, f_.row_length);
    const double bytes = nnz_ * (2 + value_bytes()) + columns * 4 + f_.rows * 4.0;
    const double rounds = f_.longest_row / 8 * std::min(1.0, rows / 256.0);
    add("gpu/clusters/staged", {},
        t_.cluster_launch + of_double(t_.cluster_double) + stream(bytes) +
            columns * t_.cluster_column + rounds * t_.cluster_round,
        csr_t() + t_.adaptive_t, t_.cluster_setup + nnz_ * t_.cluster_setup_entry, bytes,
        fmt::format("{:.2f} columns a nonzero in blocks of {} rows", columns / nnz_, rows));
  }

  // Where gathers miss the cache, and nothing else helps.
  void slabs() {
    const double x = f_.cols * value_, rounds = std::ceil(f_.rows * value_ / t_.slab_sums);
    if (x < t_.slab_cache * cache_ || f_.lines < 0.5 || has_hubs()) return;
    const double bytes = nnz_ * (sizeof(index_t) + value_);
    add("gpu/slabs/balanced", {},
        t_.slab_launch + stream(bytes + rounds * x) + nnz_ * t_.slab_entry, csr_t(),
        t_.slab_setup + nnz_ * t_.slab_setup_entry, bytes, "x from the cache, slab by slab");
  }

  void packed() {
    if (f_.slice_bytes == 0) return;
    const double slices = f_.rows / 128.0, bytes = nnz_ * f_.slice_bytes;
    const double picked = std::min(1.0, slices * f_.slice_picks * 32 / nnz_);
    const double fullness =
        std::min(1.0, nnz_ * (1 - picked) / std::max(1.0, slices * f_.slice_runs * 128));
    const double of_slice = t_.slice + (f_.slice_picks > 0 ? t_.picked_slice : 0) +
                            f_.slice_runs * of_double(t_.double_run) + f_.slice_picks * t_.picks;
    // What is in no run waits for what was picked before it.
    const double waits = std::max(f_.slice_depth, f_.longest_row - f_.slice_runs) * t_.next_pick +
                         f_.slice_runs * (t_.next_run + (1 - fullness) * t_.empty_run);
    const double n =
        std::max(stream(bytes), t_.packed_stream * stream(bytes) + gathers(t_.packed_gathers) +
                                    slices * of_slice + waits);
    const double in_run = value_ == 4 ? t_.float_add_in_run : t_.double_add_in_run;
    add("gpu/packed/slices", {}, t_.packed_launch + n,
        t_.packed_launch + t_.second_launch + n + nnz_ * (1 - picked) * in_run + picked * adds(),
        t_.packed_setup + nnz_ * t_.packed_setup_entry +
            f_.slice_steps * std::max(1.0, slices / t_.packed_setup_slices) * t_.packed_setup_step,
        bytes,
        fmt::format("{:.1f} bytes a nonzero, {:.0f} % in runs", f_.slice_bytes,
                    100 * (1 - picked)));
  }

  // Of square blocks; wide or high ones may be several of those.
  int block_side() const {
    const int least = std::min(f_.block_rows, f_.block_cols),
              most = std::max(f_.block_rows, f_.block_cols);
    return least == most || (least > 2 && most % least == 0) ? least : 1;
  }
  void blocks() {
    const int side = block_side();
    const double area = static_cast<double>(side) * side;
    const double bytes = nnz_ * f_.block_fill * (value_ + sizeof(index_t) / area) +
                         static_cast<double>(f_.offset_bytes) * f_.rows / side;
    const double n = stream(bytes) + 2 * gathers() / side + f_.rows * t_.block_row +
                     f_.block_fill * entries(t_.block_value, t_.block_double);
    add("gpu/bsr/balanced", {{"block_rows", side}, {"block_cols", side}}, t_.block_launch + n,
        t_.block_launch + t_.block_transposed * n,
        t_.block_setup + nnz_ * f_.block_fill / area * t_.block_setup_block, bytes,
        fmt::format("blocks of {} x {} take {:.2f} of CSR's bytes", side, side,
                    bytes / f_.csr_bytes()));
  }

  // N and T cost the same (docs/tiles.md).
  void tiles() {
    const double setup = t_.tile_setup + nnz_ * t_.tile_setup_entry;
    if (f_.tile_entries >= t_.empty_tile) {
      const double time = t_.tile_launch + t_.tile_share * stream(f_.csr_bytes()) +
                          nnz_ / f_.tile_entries * t_.tile;
      // Small tiles have the same bits always (docs/tiles.md).
      add("gpu/tile/balanced", {{"deterministic", 1}}, time, time, setup, 0.85 * f_.csr_bytes(),
          fmt::format("{:.0f} entries a tile of 256 x 256", f_.tile_entries));
    } else {
      const double time = 2 * t_.tile_launch + stream(0) + nnz_ * t_.large_tile_entry;
      add("gpu/tile/balanced", {}, time, time, setup, f_.csr_bytes() + nnz_ * value_,
          "large tiles of scattered entries");
    }
  }

  // Times in picoseconds.
  void add(OneOf<planned> kernel, Parameters p, double n, double t, double setup, double bytes,
           std::string why) {
    const Kernel* const found = planned_kernel(kernel.id);
    if (!found) return;
    all_.push_back({.kernel = found,
                    .parameters = std::move(p),
                    .n_seconds = n * pico,
                    .t_seconds = t * pico,
                    .setup_seconds = setup * pico,
                    .bytes = bytes,
                    .why = std::move(why),
                    .spares_empty = kernel.id == std::string_view("gpu/coo/segmented")});
  }

  const Features& f_;
  const GpuTuning& t_;
  double nnz_, value_, vectors_, cache_, processors_;
  std::int64_t staged_columns_;  // of x that a block can have
  std::vector<Candidate> all_;
};

}  // namespace

std::span<const std::string_view> gpu_planned() { return planned; }

std::vector<Candidate> gpu_candidates(const Features& f, const DeviceInfo& device,
                                      const GpuTuning& tuning) {
  return Model(f, device, tuning).candidates();
}

double gpu_transpose_seconds(const Features& f, const GpuTuning& tuning) {
  return (tuning.transpose_setup + static_cast<double>(f.nnz) * tuning.transpose_entry) * pico;
}

}  // namespace nz
