#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nonzero/registry.hpp>

#include "plan/models.hpp"

// What GPU kernels take: a launch, bytes at the memory's speed, and what gathers and atomics cost
// beyond. What each of these takes is the device's table (tuning/gpu_tuning.hpp).
namespace nz {
namespace {

constexpr double pico = 1e-12;

constexpr std::string_view planned[] = {
    "gpu/csr/balanced",  "gpu/csr/adaptive",     "gpu/coo/segmented",
    "gpu/coo/slots",     "gpu/compact/balanced", "gpu/slabs/balanced",
    "gpu/packed/slices", "gpu/bsr/balanced",     "gpu/tile/balanced"};

class Model {
 public:
  Model(const Features& f, const DeviceInfo& device, const GpuTuning& tuning)
      : f_(f),
        t_(tuning),
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
               f_.row_length >= (nnz_ < t_.compact_dozens_from ? t_.compact_long_row : t_.dozens)) {
      compact_of(sizeof(std::uint16_t), value_);
    }
    if (f_.tile_entries > 0) tiles();
    return std::move(all_);
  }

 private:
  bool is_small() const { return nnz_ < t_.small_matrix; }
  bool has_hubs() const { return f_.longest_row > 32 * f_.row_length + 128; }
  // Many of them, none of which has a noteworthy part of all entries.
  bool has_many_hubs() const { return has_hubs() && f_.longest_row < 0.01 * nnz_; }
  bool rows_alike() const { return f_.longest_row <= 2 * f_.row_length + 2; }
  // The share of a vector of so many elements that is not in the cache.
  double missing(index_t n) const {
    const double bytes = n * value_;
    return cache_ == 0 || bytes <= cache_ ? 0 : 1 - cache_ / bytes;
  }
  double stream(double bytes) const { return (bytes + vectors_) * 1e-6 * t_.megabyte; }
  double gathers() const {
    const double needed = f_.cols * value_ / 64;  // each line once
    const double lines = std::max(0.0, nnz_ * f_.lines - needed);
    // Where rows have much of x in common, their neighbours have brought it.
    const double apart = std::max(0.0, (f_.lines - 0.25) / 0.75);
    return lines * (t_.line + t_.missed_line * missing(f_.cols) * apart);
  }
  // Atomics in y, one an entry.
  double adds() const {
    const double apart = missing(f_.cols) > 0 ? t_.far_add : t_.near_add;
    return nnz_ * (t_.add + f_.lines * apart + f_.hottest * t_.same_add +
                   t_.few_add / (1 + f_.cols / t_.few_columns));
  }
  double row() const { return value_ == 4 ? t_.csr_float_row : t_.csr_double_row; }
  bool has_dozens() const { return is_small() && f_.row_length >= t_.dozens; }
  double csr_n() const {
    const double waits = !has_dozens() ? 0 : value_ == 4 ? t_.csr_float_wait : t_.csr_double_wait;
    return t_.launch + waits +
           (stream(f_.csr_bytes()) + nnz_ * t_.csr_entry + gathers() + f_.rows * row()) *
               (has_hubs() ? t_.hubs : 1);
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
    const bool is_short = f_.row_length >= 4 && f_.row_length <= 8 && f_.lines < 0.2;
    const double share = nnz_ < t_.adaptive_few_entries ? t_.adaptive_few
                         : f_.row_length >= 1024        ? t_.adaptive_thousands
                         : f_.row_length >= 256         ? t_.adaptive_hundreds
                         : is_short && value_ == 4 && nnz_ > t_.small_matrix
                             ? t_.adaptive_short_rows
                             : t_.adaptive_others;
    add("gpu/csr/adaptive", {}, csr_n() * share, csr_t() + t_.adaptive_t,
        t_.adaptive_setup + f_.rows * t_.adaptive_setup_row + nnz_ * t_.adaptive_setup_entry,
        f_.csr_bytes(), fmt::format("rows alike, of {:.0f}", f_.row_length));
  }

  // For its T alone: N of CSR is faster.
  void coo() {
    const double bytes = nnz_ * (8 + value_), t = t_.launch + t_.coo_t + stream(bytes) + adds();
    add("gpu/coo/segmented", {}, csr_n() + nnz_ * t_.coo_entry, t + nnz_ * t_.coo_entry,
        t_.coo_setup + nnz_ * t_.coo_setup_entry, bytes, "an atomic an entry for T");
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
    const double entry = f_.row_length >= 128 ? t_.compact_long_entry : t_.compact_entry;
    const double work = t_.launch + (is_small() && !has_dozens() ? t_.compact_wait : 0) +
                        stream(bytes) + nnz_ * entry + f_.rows * t_.compact_row;
    const double hubs = has_many_hubs() || (is_small() && has_hubs()) ? t_.hubs : 1;
    add("gpu/compact/balanced", {}, work * hubs + gathers(), work + t_.balanced_t + adds(),
        t_.compact_setup + (nnz_ + f_.rows) * t_.compact_setup_step, bytes,
        fmt::format("{:.1f} bytes a nonzero", bytes / nnz_));
  }

  void slots() {
    const double bytes = nnz_ * (sizeof(index_t) + value_ + 0.25) + f_.rows * 0.1;
    add("gpu/coo/slots", {},
        t_.slot_launch + stream(bytes) + nnz_ * (is_small() ? t_.slot_entry : t_.large_slot_entry) +
            (nnz_ < t_.slot_most ? t_.slot_gathers : 1) * gathers() +
            (is_small() ? 0 : f_.rows * t_.slot_row),
        csr_t() + t_.adaptive_t, t_.slot_setup + nnz_ * t_.slot_setup_entry, bytes,
        "two waits for memory");
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
    const double run = value_ == 4 ? t_.float_run : t_.double_run;
    const double n = std::max(
        stream(bytes) + slices * (t_.slice + f_.slice_runs * run + f_.slice_picks * t_.picks) +
            gathers(),
        // What is in no run waits for what was picked before it.
        std::max(f_.slice_depth, f_.longest_row - f_.slice_runs) * t_.next_pick +
            f_.slice_runs * t_.next_run);
    const double in_run = value_ == 4 ? t_.float_add_in_run : t_.double_add_in_run;
    add("gpu/packed/slices", {}, t_.launch + n,
        t_.launch + t_.second_launch + n + nnz_ * (1 - picked) * in_run + picked * adds(),
        t_.packed_setup + nnz_ * (t_.packed_setup_entry + picked * t_.packed_setup_pick), bytes,
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
    const double n = stream(bytes) + gathers() / side + f_.rows * t_.block_row;
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
  const GpuTuning& t_;
  double nnz_, value_, vectors_, cache_;
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
