#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nonzero/registry.hpp>

#include "plan/models.hpp"

// What GPU kernels take: a launch, bytes at the memory's speed, and what gathers and atomics cost
// beyond.
namespace nz {
namespace {

// Fitted to measurements on an H200, float and double, cold (docs/experiments.md). Picoseconds a
// thing, unless something else is said.
struct Table {
  double megabyte = 0.245e6;  // that is streamed
  double launch = 3e6, second_launch = 1.5e6;
  // Lines of x beyond those that all rows together need: in the cache; what a miss adds.
  double line = 6, missed_line = 20;
  // gpu/csr/balanced: an entry, a row of floats and of doubles; graphs with hubs take longer, many
  // warps having little to do.
  double entry = 0.35, float_row = 1.5, double_row = 0.9, hubs = 1.2;
  // gpu/csr/adaptive, as a share of that: short rows of floats, rows of hundreds, of thousands,
  // small matrices, others.
  double short_rows = 0.87, hundreds = 0.9, thousands = 0.97, small = 0.94, others = 1.03;
  // In a small matrix of rows of dozens some wait, with floats and with doubles.
  double float_small = 1e6, double_small = 2e6, dozens = 32;
  // gpu/compact/balanced: an entry of short and of long rows, a row; in a small matrix of short
  // rows.
  double compact_entry = 1.1, compact_long_entry = 0.5, compact_row = 2.5, compact_small = 2e6;
  // Rows of a small matrix that was not looked at, for which it is best: so long ones, or of dozens
  // where there are so many entries.
  double few_long_rows = 512, nearly_large = 700e3;
  // gpu/packed/slices: a slice, a run of it of floats and of doubles, 32 picks; picks and runs that
  // wait for each other.
  double slice = 30, float_run = 32, double_run = 50, picks = 5;
  double next_pick = 0.6e6, next_run = 0.1e6;
  // gpu/coo/slots: an entry, a row; what gathers take, as a share, of
  // fewer entries.
  double slot_launch = 2.3e6, slot_entry = 0.9, large_slot_entry = 1.2, slot_row = 3;
  double slot_gathers = 0.5, slot_most = 4e6;
  // gpu/compact/slabs: an entry; x comes once for every so many bytes of y. For x that takes this
  // share of the cache.
  double slab_launch = 20e6, slab_entry = 5.5, slab_sums = 21e6, slab_cache = 0.5;
  // Its atomics in runs, side by side: of floats and of doubles.
  double float_add_in_run = 1.2, double_add_in_run = 3;
  // gpu/bsr/balanced; transposed as a share.
  double block_launch = 6e6, block_row = 5, block_transposed = 1.7;
  // Atomics in y: each; each that goes to a line of its own, in the cache and beyond; at the same
  // column one after the other; few columns.
  double add = 2.5, near_add = 10, far_add = 28, same_add = 1000, few_add = 20;
  double few_columns = 8192;
  // Starting T of gpu/csr/balanced, gpu/csr/adaptive and gpu/coo/segmented; the latter's entry.
  double balanced_t = 3e6, adaptive_t = 0.8e6, coo_t = 0.5e6, coo_entry = 8;
  double tile_launch = 7e6, tile_share = 0.9;  // of CSR's bytes, in time
  double tile = 300;                           // each
  double large_tile_entry = 12;
  // Preparing from CSR on the device: at least, a nonzero, a row.
  double csr_setup = 80e6, csr_setup_step = 8;
  double adaptive_setup = 150e6, adaptive_setup_row = 120, adaptive_setup_entry = 5;
  double coo_setup = 180e6, coo_setup_entry = 60;
  double compact_setup = 300e6, compact_setup_step = 90;
  double packed_setup = 300e6, packed_setup_entry = 15, packed_setup_pick = 110;
  double slot_setup = 100e6, slot_setup_entry = 40;
  double slab_setup = 300e6, slab_setup_entry = 55;
  double block_setup = 700e6, block_setup_block = 2000;
  double tile_setup = 1000e6, tile_setup_entry = 1800;
  double transpose_setup = 300e6, transpose_entry = 100;
};
constexpr Table table;
constexpr double pico = 1e-12;

// Tiles with fewer entries than this are made large instead.
constexpr double empty_tile = 24;

constexpr std::string_view planned[] = {
    "gpu/csr/balanced",  "gpu/csr/adaptive",     "gpu/coo/segmented",
    "gpu/coo/slots",     "gpu/compact/balanced", "gpu/compact/slabs",
    "gpu/packed/slices", "gpu/bsr/balanced",     "gpu/tile/balanced"};

class Model {
 public:
  Model(const Features& f, const DeviceInfo& device)
      : f_(f),
        nnz_(static_cast<double>(f.nnz)),
        value_(static_cast<double>(f.value_bytes)),
        vectors_(value_ * (static_cast<double>(f.rows) + f.cols)),
        cache_(static_cast<double>(device.cache_bytes)) {}

  std::vector<Candidate> candidates() {
    csr();
    slots();
    if (f_.longest_row > 0) {
      adaptive();
      coo();
    }
    if (f_.entries > 0) {
      // Squares: the kernel is compiled for those; with others it loses to CSR
      // (docs/results-bsr.md).
      if (block_side() > 1) blocks();
      compact();
      packed();
      slabs();
    } else if (is_small() &&
               f_.row_length >= (nnz_ < table.nearly_large ? table.few_long_rows : table.dozens)) {
      compact_of(sizeof(std::uint16_t), value_);
    }
    if (f_.tile_entries > 0) tiles();
    return std::move(all_);
  }

 private:
  bool is_small() const { return nnz_ < 1e6; }
  bool has_hubs() const { return f_.longest_row > 32 * f_.row_length + 128; }
  // Many of them, none of which has a noteworthy part of all entries.
  bool has_many_hubs() const { return has_hubs() && f_.longest_row < 0.01 * nnz_; }
  bool rows_alike() const { return f_.longest_row <= 2 * f_.row_length + 2; }
  // The share of a vector of so many elements that is not in the cache.
  double missing(index_t n) const {
    const double bytes = n * value_;
    return cache_ == 0 || bytes <= cache_ ? 0 : 1 - cache_ / bytes;
  }
  double stream(double bytes) const { return (bytes + vectors_) * 1e-6 * table.megabyte; }
  double gathers() const {
    const double needed = f_.cols * value_ / 64;  // each line once
    const double lines = std::max(0.0, nnz_ * f_.lines - needed);
    // Where rows have much of x in common, their neighbours have brought it.
    const double apart = std::max(0.0, (f_.lines - 0.25) / 0.75);
    return lines * (table.line + table.missed_line * missing(f_.cols) * apart);
  }
  // Atomics in y, one an entry.
  double adds() const {
    const double apart = missing(f_.cols) > 0 ? table.far_add : table.near_add;
    return nnz_ * (table.add + f_.lines * apart + f_.hottest * table.same_add +
                   table.few_add / (1 + f_.cols / table.few_columns));
  }
  double row() const { return value_ == 4 ? table.float_row : table.double_row; }
  bool has_dozens() const { return is_small() && f_.row_length >= table.dozens; }
  double csr_n() const {
    const double waits = !has_dozens() ? 0 : value_ == 4 ? table.float_small : table.double_small;
    return table.launch + waits +
           (stream(f_.csr_bytes()) + nnz_ * table.entry + gathers() + f_.rows * row()) *
               (has_hubs() ? table.hubs : 1);
  }
  double csr_t() const { return table.launch + stream(f_.csr_bytes()) + adds(); }

  void csr() {
    add("gpu/csr/balanced", {}, csr_n(), csr_t() + table.balanced_t,
        table.csr_setup + (nnz_ + f_.rows) * table.csr_setup_step, f_.csr_bytes(),
        "equal entries a block");
  }

  void adaptive() {
    // A few long rows leave most of the device idle.
    if (!rows_alike() || (f_.row_length > 32 && f_.rows < 4096)) return;
    const bool is_short = f_.row_length >= 4 && f_.row_length <= 8 && f_.lines < 0.2;
    const double share = nnz_ < 1e5                              ? table.small
                         : f_.row_length >= 1024                 ? table.thousands
                         : f_.row_length >= 256                  ? table.hundreds
                         : is_short && value_ == 4 && nnz_ > 1e6 ? table.short_rows
                                                                 : table.others;
    add("gpu/csr/adaptive", {}, csr_n() * share, csr_t() + table.adaptive_t,
        table.adaptive_setup + f_.rows * table.adaptive_setup_row +
            nnz_ * table.adaptive_setup_entry,
        f_.csr_bytes(), fmt::format("rows alike, of {:.0f}", f_.row_length));
  }

  // For its T alone: N of CSR is faster.
  void coo() {
    const double bytes = nnz_ * (8 + value_),
                 t = table.launch + table.coo_t + stream(bytes) + adds();
    add("gpu/coo/segmented", {}, csr_n() + nnz_ * table.coo_entry, t + nnz_ * table.coo_entry,
        table.coo_setup + nnz_ * table.coo_setup_entry, bytes, "an atomic an entry for T");
  }

  void compact() {
    if (f_.compact_bytes == 0) return;
    const double starts = (4.0 + 0.26) * f_.rows / nnz_;  // of rows and groups, in the samples
    compact_of(f_.compact_bytes - f_.narrow_value_bytes - starts < 3 ? 2 : 4,
               f_.narrow_value_bytes);
  }
  // Columns and values of so many bytes.
  void compact_of(double column, double value) {
    const double bytes = nnz_ * (column + value) + f_.rows * 2.0;
    const double entry = f_.row_length >= 128 ? table.compact_long_entry : table.compact_entry;
    const double work = table.launch + (is_small() && !has_dozens() ? table.compact_small : 0) +
                        stream(bytes) + nnz_ * entry + f_.rows * table.compact_row;
    const double hubs = has_many_hubs() || (is_small() && has_hubs()) ? table.hubs : 1;
    add("gpu/compact/balanced", {}, work * hubs + gathers(), work + table.balanced_t + adds(),
        table.compact_setup + (nnz_ + f_.rows) * table.compact_setup_step, bytes,
        fmt::format("{:.1f} bytes a nonzero", bytes / nnz_));
  }

  void slots() {
    const double bytes = nnz_ * (sizeof(index_t) + value_ + 0.25) + f_.rows * 0.1;
    add("gpu/coo/slots", {},
        table.slot_launch + stream(bytes) +
            nnz_ * (is_small() ? table.slot_entry : table.large_slot_entry) +
            (nnz_ < table.slot_most ? table.slot_gathers : 1) * gathers() +
            (is_small() ? 0 : f_.rows * table.slot_row),
        csr_t() + table.adaptive_t, table.slot_setup + nnz_ * table.slot_setup_entry, bytes,
        "two waits for memory");
  }

  // Where gathers miss the cache, and nothing else helps.
  void slabs() {
    const double x = f_.cols * value_, rounds = std::ceil(f_.rows * value_ / table.slab_sums);
    if (x < table.slab_cache * cache_ || f_.lines < 0.5 || has_hubs()) return;
    const double bytes = nnz_ * (sizeof(index_t) + value_);
    add("gpu/compact/slabs", {},
        table.slab_launch + stream(bytes + rounds * x) + nnz_ * table.slab_entry, csr_t(),
        table.slab_setup + nnz_ * table.slab_setup_entry, bytes, "x from the cache, slab by slab");
  }

  void packed() {
    if (f_.slice_bytes == 0) return;
    const double slices = f_.rows / 128.0, bytes = nnz_ * f_.slice_bytes;
    const double picked = std::min(1.0, slices * f_.slice_picks * 32 / nnz_);
    const double run = value_ == 4 ? table.float_run : table.double_run;
    const double n = std::max(
        stream(bytes) +
            slices * (table.slice + f_.slice_runs * run + f_.slice_picks * table.picks) + gathers(),
        // What is in no run waits for what was picked before it.
        std::max(f_.slice_depth, f_.longest_row - f_.slice_runs) * table.next_pick +
            f_.slice_runs * table.next_run);
    const double in_run = value_ == 4 ? table.float_add_in_run : table.double_add_in_run;
    add("gpu/packed/slices", {}, table.launch + n,
        table.launch + table.second_launch + n + nnz_ * (1 - picked) * in_run + picked * adds(),
        table.packed_setup + nnz_ * (table.packed_setup_entry + picked * table.packed_setup_pick),
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
    const double n = stream(bytes) + gathers() / side + f_.rows * table.block_row;
    add("gpu/bsr/balanced", {{"block_rows", side}, {"block_cols", side}}, table.block_launch + n,
        table.block_launch + table.block_transposed * n,
        table.block_setup + nnz_ * f_.block_fill / area * table.block_setup_block, bytes,
        fmt::format("blocks of {} x {} take {:.2f} of CSR's bytes", side, side,
                    bytes / f_.csr_bytes()));
  }

  // N and T cost the same (docs/tiles.md).
  void tiles() {
    const double setup = table.tile_setup + nnz_ * table.tile_setup_entry;
    if (f_.tile_entries >= empty_tile) {
      const double time = table.tile_launch + table.tile_share * stream(f_.csr_bytes()) +
                          nnz_ / f_.tile_entries * table.tile;
      // Small tiles have the same bits always (docs/tiles.md).
      add("gpu/tile/balanced", {{"deterministic", 1}}, time, time, setup, 0.85 * f_.csr_bytes(),
          fmt::format("{:.0f} entries a tile of 256 x 256", f_.tile_entries));
    } else {
      const double time = 2 * table.tile_launch + stream(0) + nnz_ * table.large_tile_entry;
      add("gpu/tile/balanced", {}, time, time, setup, f_.csr_bytes() + nnz_ * value_,
          "large tiles of scattered entries");
    }
  }

  // Times in picoseconds.
  void add(OneOf<planned> kernel, Parameters p, double n, double t, double setup, double bytes,
           std::string why) {
    if (match_kernels(kernel.id).empty()) return;
    all_.push_back({.kernel = &find_kernel(kernel.id),
                    .parameters = std::move(p),
                    .n_seconds = n * pico,
                    .t_seconds = t * pico,
                    .setup_seconds = setup * pico,
                    .bytes = bytes,
                    .why = std::move(why)});
  }

  const Features& f_;
  double nnz_, value_, vectors_, cache_;
  std::vector<Candidate> all_;
};

}  // namespace

std::span<const std::string_view> gpu_planned() { return planned; }

std::vector<Candidate> gpu_candidates(const Features& f, const DeviceInfo& device) {
  return Model(f, device).candidates();
}

double gpu_transpose_seconds(const Features& f) {
  return (table.transpose_setup + static_cast<double>(f.nnz) * table.transpose_entry) * pico;
}

}  // namespace nz
