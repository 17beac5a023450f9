#include <algorithm>

#include <fmt/format.h>
#include <nonzero/registry.hpp>

#include "plan/models.hpp"

// What GPU kernels take: a launch, bytes at the memory's speed, and what gathers and atomics cost
// beyond. Seconds, or seconds a thing.
namespace nz {
namespace {

// Read off results/h200/suite.json, float and double, cold; what that record does not have
// (compact, packed, transposing) is estimated from bytes.
struct Table {
  double rate = 4.2e12;  // bytes a second of a kernel that streams
  double launch = 3e-6;  // one kernel
  // x is fetched in lines: what one costs beyond its bytes, from the cache and from beyond it.
  double near_line = 3e-12, far_line = 13e-12;
  double row = 4e-12;  // what a row costs that is begun and ended
  // Atomics in y: each; each that goes to a line of its own, in the cache and beyond; at the same
  // column one after the other; few columns.
  double add = 4e-12, near_add = 10e-12, far_add = 28e-12, same_add = 1e-9, few_add = 20e-12;
  double few_columns = 8192;
  double block_launch = 5e-6, block_transposed = 1.7;
  double tile_launch = 7e-6, tile_share = 0.9;  // of CSR's bytes, in time
  double tile = 0.3e-9;                         // each
  double large_tile_entry = 12e-12;             // what an entry of a large tile takes
  // Narrow columns and values: what decoding costs an entry; picks of packed slices, each.
  double decode = 0.1e-12, pick = 2e-12;
  // Preparing from CSR on the device: at least, and a nonzero.
  double csr_setup = 120e-6, csr_setup_entry = 0.04e-9;
  double block_setup = 1e-3, block_setup_entry = 0.2e-9;
  double compact_setup = 300e-6, compact_setup_entry = 0.05e-9;
  double packed_setup = 500e-6, packed_setup_entry = 0.1e-9;
  double tile_setup = 1e-3, tile_setup_entry = 1.8e-9;
  // Sorting all entries; estimated from bytes.
  double transpose_setup = 300e-6, transpose_entry = 0.1e-9;
};
constexpr Table table;

// Tiles with fewer entries than this are made large instead.
constexpr double empty_tile = 24;

class Model {
 public:
  Model(const Features& f, const DeviceInfo& device)
      : f_(f),
        nnz_(static_cast<double>(f.nnz)),
        vectors_(static_cast<double>(f.value_bytes) * (static_cast<double>(f.rows) + f.cols)),
        cache_(static_cast<double>(device.cache_bytes)) {}

  std::vector<Candidate> candidates() {
    csr();
    if (f_.nnz >= small_matrix && f_.entries > 0) {
      // Squares: the kernel is compiled for those; with others it loses to CSR
      // (docs/results-bsr.md).
      if (f_.block_rows > 1 && f_.block_rows == f_.block_cols) blocks();
      compact();
      packed();
      tiles();
    }
    return std::move(all_);
  }

 private:
  // Whether a vector of so many elements stays in the cache.
  bool stays(index_t n) const {
    return cache_ == 0 || static_cast<double>(n) * static_cast<double>(f_.value_bytes) <= cache_;
  }
  double stream(double bytes) const { return (bytes + vectors_) / table.rate; }
  double gathers() const {
    return nnz_ * f_.lines * (stays(f_.cols) ? table.near_line : table.far_line);
  }

  // Atomics in y, one an entry.
  double adds() const {
    return nnz_ * (table.add + f_.lines * (stays(f_.cols) ? table.near_add : table.far_add) +
                   f_.hottest * table.same_add + table.few_add / (1 + f_.cols / table.few_columns));
  }

  // A product row by row, its T by atomics after y was scaled: what it streams, and works beyond.
  void by_rows(const char* kernel, double bytes, double work, double setup, std::string why) {
    const double n = table.launch + stream(bytes) + work;
    add(kernel, {}, n + gathers(), n + table.launch + adds(), setup, bytes, std::move(why));
  }

  void csr() {
    by_rows("gpu/csr/balanced", f_.csr_bytes(), f_.rows * table.row,
            table.csr_setup + nnz_ * table.csr_setup_entry, "equal entries a block");
  }

  void compact() {
    if (f_.compact_bytes == 0) return;
    by_rows("gpu/compact/balanced", nnz_ * f_.compact_bytes,
            nnz_ * table.decode + f_.rows * table.row,
            table.compact_setup + nnz_ * table.compact_setup_entry,
            fmt::format("{:.1f} bytes a nonzero", f_.compact_bytes));
  }

  void packed() {
    if (f_.packed_bytes == 0) return;
    by_rows("gpu/packed/slices", nnz_ * f_.packed_bytes,
            nnz_ * (table.decode + (1 - f_.run_share) * table.pick),
            table.packed_setup + nnz_ * table.packed_setup_entry,
            fmt::format("{:.0f} % in runs", 100 * f_.run_share));
  }

  void blocks() {
    const double area = static_cast<double>(f_.block_rows) * f_.block_cols;
    const double bytes =
        nnz_ * f_.block_fill * (static_cast<double>(f_.value_bytes) + sizeof(index_t) / area) +
        static_cast<double>(f_.offset_bytes) * f_.rows / f_.block_rows;
    const double n = stream(bytes) + gathers() / f_.block_cols;
    add("gpu/bsr/balanced", {{"block_rows", f_.block_rows}, {"block_cols", f_.block_cols}},
        table.block_launch + n, table.block_launch + table.block_transposed * n,
        table.block_setup + nnz_ * table.block_setup_entry, bytes,
        fmt::format("blocks of {} x {} take {:.2f} of CSR's bytes", f_.block_rows, f_.block_cols,
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
      add("gpu/tile/balanced", {}, time, time, setup,
          f_.csr_bytes() + nnz_ * static_cast<double>(f_.value_bytes),
          "large tiles of scattered entries");
    }
  }

  void add(const char* kernel, Parameters p, double n, double t, double setup, double bytes,
           std::string why) {
    if (match_kernels(kernel).empty()) return;
    all_.push_back({.kernel = &find_kernel(kernel),
                    .parameters = std::move(p),
                    .n_seconds = n,
                    .t_seconds = t,
                    .setup_seconds = setup,
                    .bytes = bytes,
                    .why = std::move(why)});
  }

  const Features& f_;
  double nnz_, vectors_, cache_;
  std::vector<Candidate> all_;
};

}  // namespace

std::vector<Candidate> gpu_candidates(const Features& f, const DeviceInfo& device) {
  return Model(f, device).candidates();
}

double gpu_transpose_seconds(const Features& f) {
  return table.transpose_setup + static_cast<double>(f.nnz) * table.transpose_entry;
}

}  // namespace nz
