#include <algorithm>
#include <string>

#include "kernels/gpu/device_tiles.hpp"
#include "kernels/gpu/tile_product.hpp"

// A and its transpose from one copy: tiles whose entries lie in groups that do not meet in a row or
// a column, sums in shared memory, each output written once (tile_product.hpp). Tiles of 256 x 256
// with 16-bit places where those have entries enough; larger ones otherwise, whose sums several
// warps share by atomics in shared memory, unless the product is to be deterministic.
namespace nz::NZ_HOME {
namespace {

template <Value T>
class Balanced {
 public:
  template <Offset O>
  Balanced(const CsrView<T, O>& a, const Parameters& p)
      : deterministic_(p.at("deterministic") != 0) {
    TileHeads heads;
    tiles_ = DeviceTiles<T>(a, static_cast<int>(p.at("side_bits")), heads);
    const TilesView<T> v = heads.here(tiles_.view());
    const int side = int(v.side());
    with_kernels([&]<class N, class Transposed>() {
      const DeviceInfo& device = simt::backend(current_device()).info();
      if (N::shared_bytes(side) > device.shared_bytes)
        throw Refused("gpu/tile/balanced: tiles of " + std::to_string(side) + " need " +
                      std::to_string(N::shared_bytes(side)) +
                      " bytes of shared memory, the device has " +
                      std::to_string(device.shared_bytes));
      const std::int64_t room =
          device.processors *
          std::int64_t{resident_blocks<N>(N::max_threads, N::shared_bytes(side))} *
          N::tasks_a_block;
      const auto groups = [&](index_t i) { return v.first_group[i + 1] - v.first_group[i]; };
      along_rows_ = TileTasks<T>(std::span(v.row_starts, std::size_t(v.grid_rows()) + 1),
                                 int(v.side()), v.groups, rounds * room, groups);
      along_columns_ =
          TileTasks<T>(std::span(v.column_starts, std::size_t(v.grid_cols()) + 1), int(v.side()),
                       v.groups, rounds * room, [&](index_t i) { return groups(v.by_column[i]); });
    });
  }

  index_t rows() const { return tiles_.view().rows; }
  index_t cols() const { return tiles_.view().cols; }
  bool borrows() const { return false; }
  std::size_t bytes() const {
    return tiles_.bytes() + along_rows_.bytes() + along_columns_.bytes();
  }
  std::size_t matrix_bytes() const { return tiles_.view().bytes(); }
  Facts facts() const {
    const TilesView<T>& v = tiles_.view();
    const auto each = [](double n, double of) { return of == 0 ? 0 : n / of; };
    const auto nnz = static_cast<double>(v.nnz);
    return {{"side", v.side()},
            {"tiles", v.tiles},
            {"entries_a_tile", each(nnz, v.tiles)},
            {"group_fill", each(nnz, 32 * static_cast<double>(v.groups))},
            {"tasks", along_rows_.count()},
            {"tasks_transposed", along_columns_.count()}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    with_kernels([&]<class N, class Transposed>() {
      run<N>(stream, along_rows_, x, {alpha, beta, y});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    with_kernels([&]<class N, class Transposed>() {
      run<Transposed>(stream, along_columns_, x, {alpha, beta, y});
    });
  }

 private:
  static constexpr int rounds = 1;  // tasks for each block that the device holds

  // f.operator()<plain, transposed>()
  template <class F>
  void with_kernels(F&& f) const {
    constexpr int warps = 16;
    if (tiles_.view().is_short())
      f.template operator()<ShortTiles<T, false>, ShortTiles<T, true>>();
    else if (deterministic_)
      f.template operator()<LongTiles<T, false, 1>, LongTiles<T, true, 1>>();
    else
      f.template operator()<LongTiles<T, false, warps>, LongTiles<T, true, warps>>();
  }
  template <class K>
  void run(CUstream_st* stream, const TileTasks<T>& tasks, const T* x, const Output<T>& out) const {
    const TilesView<T>& v = tiles_.view();
    const bool in_pieces = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
    launch({.blocks = blocks_for(tasks.count(), K::tasks_a_block),
            .threads = K::max_threads,
            .shared_bytes = K::shared_bytes(int(v.side())),
            .stream = stream},
           K{{v, tasks.view(), x, in_pieces, out}});
  }

  bool deterministic_;
  DeviceTiles<T> tiles_;
  TileTasks<T> along_rows_, along_columns_;
};

}  // namespace

Kernel gpu_tile_balanced() {
  return {
      .device = "gpu",
      .format = "tile",
      .strategy = "balanced",
      .transposes = true,
      .source = "own",
      .summary = "tiles of entries that do not meet, sums in shared memory; N and T from one copy",
      .parameters = {{"side_bits", "tiles of 2^side_bits rows and columns; 0: by the matrix", 0, 0,
                      tiles_most_side_bits},
                     {"deterministic", "1: the same bits always, in large tiles too", 0, 0, 1}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Balanced>()};
}

}  // namespace nz::NZ_HOME
