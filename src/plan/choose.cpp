#include <array>
#include <limits>

#include <fmt/format.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "plan/fitted.hpp"
#include "plan/samples.hpp"
#include "simt/backend.hpp"

// Which kernel a plan takes: the one that must move the fewest bytes. What is no byte of the matrix
// is counted in bytes as well: fetching x from far away entry by entry, adding up private sums in a
// transposed product, and work. The constants are rounded from measured times
// (docs/results-cpu.md).
namespace nz {
namespace {

// Below this, one thread has multiplied before others have woken up, and no format pays.
constexpr std::int64_t small = 20'000;

// An x, or private sums, larger than this do not stay in a core's own cache.
constexpr double near_bytes = 1 << 20;

// What fetching one line from far away costs beyond its use, in bytes of streaming.
constexpr double far_line = 24;

// Work that takes as long as streaming so many bytes, a nonzero: narrow columns and values made
// wide, picks of the packed format, sums that are loaded and stored for every entry.
constexpr double decoding = 0.3;
constexpr double picking = 6;
constexpr double scattering = 4;

// Work of the same kind for every row that is begun and ended, where rows are not side by side:
// short rows of changing length are guessed wrong by the processor.
constexpr double row_start = 25;

// Bytes a column for each thread that has private sums for it: cleared, added to, added up.
constexpr double private_sums = 3;

// Blocks pay on a GPU when they take at most this share of CSR's bytes.
constexpr double worth_blocks = 0.85;

Choice take(const char* id, Parameters p, std::string reason) {
  return {&find_kernel(id), std::move(p), std::move(reason)};
}

// The transposed product by tiles rather than by atomics in y (docs/tiles.md): from so many
// nonzeros and so many entries a tile on. Where small tiles are nearly empty, large ones, of large
// matrices: if y does not fit into the cache, or if additions queue at a column that has such a
// share of all.
constexpr std::int64_t enough_for_tiles = 200'000, enough_for_large_tiles = 4'000'000;
constexpr double full_tile = 128, empty_tile = 24;
constexpr double hot_column = 0.01;

template <Value T, Offset O>
Choice choose_on_gpu(const CsrView<T, O>& a, Op op, Device device) {
  const auto can = [&](const char* kernel) {
    return a.nnz >= small && !match_kernels(kernel).empty() &&
           find_kernel(kernel).prepare_for<T, O>(device.kind);
  };
  const char* blocks = "gpu/bsr/balanced";
  if (can(blocks)) {
    const BlockVerdict v = detect_blocks_on(device, a);
    // Squares: the kernel is compiled for those; with others it loses to CSR
    // (docs/results-bsr.md).
    if (v.pays() && v.ratio() <= worth_blocks && v.block_rows == v.block_cols)
      return take(blocks, {{"block_rows", v.block_rows}, {"block_cols", v.block_cols}},
                  fmt::format("blocks of {} x {} take {:.2f} of CSR's bytes", v.block_rows,
                              v.block_cols, v.ratio()));
  }
  const char* tiles = "gpu/tile/balanced";
  if (op == Op::transpose && a.nnz >= enough_for_tiles && can(tiles)) {
    const TileVerdict v = look_for_tiles_on(device, a);
    if (v.entries >= full_tile)
      return take(tiles, {}, fmt::format("{:.0f} entries a tile of 256 x 256", v.entries));
    const std::size_t cache = simt::backend(device).info().cache_bytes;
    if (v.entries < empty_tile && a.nnz >= enough_for_large_tiles) {
      if (cache > 0 && static_cast<std::size_t>(a.cols) * sizeof(T) > cache)
        return take(tiles, {}, "scattered over a y larger than the cache");
      if (v.hottest >= hot_column)
        return take(tiles, {}, fmt::format("{:.1f} % of all in one column", 100 * v.hottest));
    }
  }
  return take("gpu/csr/balanced", {}, "equal entries a block");
}

struct Candidate {
  const char* kernel;
  double bytes;  // a nonzero
  Parameters parameters;
};

}  // namespace

template <Value T, Offset O>
Choice choose(const CsrView<T, O>& a, Op op, Device device) {
  if (device != cpu_device) return choose_on_gpu(a, op, device);
  const auto nnz = static_cast<double>(a.nnz);
  if (a.nnz < small) return take("cpu/csr/balanced", {}, "small: plain CSR");
  const Samples s = take_samples(a, threads());
  if (s.entries == 0) return take("cpu/csr/balanced", {}, "no rows to sample: plain CSR");

  constexpr double value = sizeof(T), index = sizeof(index_t);
  const double offsets = static_cast<double>(sizeof(O)) / s.row_length;
  // Products that go row by row fetch x from wherever it is, or scatter into private sums there.
  const double near = static_cast<double>(a.cols) * value;
  const double far = near > near_bytes ? s.lines * far_line : 0;
  const double sums = op == Op::none ? 0 : s.overlap * a.cols / nnz * private_sums * value;
  const double by_row = far + sums;
  const double starts = row_start / s.row_length;

  const double none = std::numeric_limits<double>::infinity();
  const std::array<Candidate, 5> candidates{{
      {"cpu/csr/balanced", value + index + offsets + starts + by_row, {}},
      {"cpu/compact/balanced", s.compact_bytes + decoding + starts + by_row, {}},
      {"cpu/bsr/unrolled",
       s.block == 1
           ? none
           : s.block_fill * (value + index / (s.block * s.block)) + offsets / s.block + by_row,
       {{"block_rows", s.block}, {"block_cols", s.block}}},
      {"cpu/packed/slices",
       s.packed_bytes == 0 ? none
                           : s.packed_bytes + decoding + (1 - s.run_share) * picking + by_row,
       {}},
      // x and y stay near: a part of the far cost is left. The sums are in cache, not in registers.
      {"cpu/csb/balanced", s.value_bytes + index + scattering + far / 4, {}},
  }};
  const Candidate* best = &candidates[0];
  std::string reason = "estimated bytes a nonzero:";
  for (const Candidate& c : candidates) {
    if (c.bytes < best->bytes) best = &c;
    if (c.bytes < none) reason += fmt::format(" {} {:.1f}", find_kernel(c.kernel).format, c.bytes);
  }
  return take(best->kernel, best->parameters, std::move(reason));
}

#define NZ_INSTANTIATE(T, O) template Choice choose(const CsrView<T, O>&, Op, Device);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
