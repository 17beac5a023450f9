#include <algorithm>
#include <string>
#include <vector>

#include "device/fetch.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/tile/convert.hpp"
#include "kernels/gpu/tile/large.hpp"
#include "kernels/gpu/tile/small.hpp"

// A and its transpose from one copy: tiles whose entries lie in groups that do not meet in a row or
// a column, sums in shared memory, each output written once. Tiles of 256 x 256 with 16-bit places
// where those have entries enough (tile/small.hpp); larger ones otherwise (tile/large.hpp), whose
// sums several warps share by atomics in shared memory, unless the product is to be deterministic.
namespace nz::NZ_HOME {
namespace {

template <Value T>
class TileBalanced {
 public:
  template <Offset O>
  TileBalanced(const CsrView<T, O>& a, const Parameters& p)
      : deterministic_(p.at("deterministic") != 0) {
    tiles_ = tiles_on_device(DeviceCsr<T, O>(current_device(), a).view(),
                             static_cast<int>(p.at("side_bits")));
    // What tasks are made of, in host memory; they know the starts for products.
    const auto here = [](const auto& v) { return fetch(v.data(), v.size()); };
    const std::vector<std::int64_t> first_group = here(tiles_.first_group);
    const std::vector<index_t> by_column = here(tiles_.by_column);
    const auto groups = [&](std::size_t i) { return first_group[i + 1] - first_group[i]; };
    const int side = int(tiles_.view.side());
    const bool small = tiles_.view.is_short();
    const std::int64_t most = room(side);
    along_rows_ = TileTasks<T>(here(tiles_.row_starts), side, most, small,
                               [&](index_t i) { return groups(std::size_t(i)); });
    along_columns_ = TileTasks<T>(here(tiles_.column_starts), side, most, small, [&](index_t i) {
      return groups(std::size_t(by_column[std::size_t(i)]));
    });
    tiles_.row_starts = {};
    tiles_.column_starts = {};
    tiles_.connect();
  }

  std::size_t bytes() const {
    return tiles_.bytes() + along_rows_.bytes() + along_columns_.bytes();
  }
  // For the tasks of both directions, then of large tiles what each entry contributes.
  simt::ScratchSize scratch_size() const {
    const TilesView<T>& v = tiles_.view;
    return of_tasks() + (v.is_short() ? simt::ScratchSize{}
                                      : simt::scratch_for<T>(0, static_cast<std::size_t>(v.nnz)));
  }
  std::size_t matrix_bytes() const { return tiles_.view.bytes(); }
  Facts facts() const {
    const TilesView<T>& v = tiles_.view;
    const auto each = [](double n, double of) { return of == 0 ? 0 : n / of; };
    const auto nnz = static_cast<double>(v.nnz);
    return {{"side", v.side()},
            {"tiles", v.tiles},
            {"entries_a_tile", each(nnz, v.tiles)},
            {"group_fill", each(nnz, 32 * static_cast<double>(v.groups))},
            {"tasks", along_rows_.count()},
            {"pieces", along_rows_.pieces()},
            {"tasks_transposed", along_columns_.count()},
            {"pieces_transposed", along_columns_.pieces()}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    run<false>(stream, along_columns_, along_rows_.view(scratch), x, {alpha, beta, y}, scratch);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    const simt::Scratch behind = scratch.behind(along_rows_.scratch_size());
    run<true>(stream, along_rows_, along_columns_.view(behind), x, {alpha, beta, y}, scratch);
  }

 private:
  static constexpr int warps = large_warps(sizeof(T));

  simt::ScratchSize of_tasks() const {
    return along_rows_.scratch_size() + along_columns_.scratch_size();
  }

  // Tasks that the device works on at once.
  std::int64_t room(int side) const {
    const DeviceInfo& device = simt::backend(current_device()).info();
    const bool small = tiles_.view.is_short();
    using Small = SmallTiles<T, false>;
    using Large = LargeTileSums<T, false, warps>;
    const std::size_t needed =
        small ? Small::shared_bytes(Small::most_warps, side) : large_bytes<T>(side);
    if (needed > device.shared_bytes)
      throw Refused("gpu/tile/balanced: tiles of " + std::to_string(side) + " need " +
                    std::to_string(needed) + " bytes of shared memory, the device has " +
                    std::to_string(device.shared_bytes));
    return std::int64_t{device.processors} *
           (small ? resident_blocks<Small>(Small::max_threads, needed) * Small::most_warps
                  : resident_blocks<Large>(Large::max_threads, needed));
  }

  // `inputs`: tasks whose tiles share a part of x; `outputs`: those that share sums.
  template <bool transposed>
  void run(CUstream_st* stream, const TileTasks<T>& inputs, const TileTaskView<T>& outputs,
           const T* x, const Output<T>& out, const simt::Scratch& scratch) const {
    const TilesView<T>& v = tiles_.view;
    const int side = int(v.side());
    if (v.is_short()) {
      using K = SmallTiles<T, transposed>;
      const bool in_pieces = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
      const int warps_per_block = outputs.tasks_per_block;
      launch({.blocks = blocks_for(outputs.count, warps_per_block),
              .threads = 32 * warps_per_block,
              .shared_bytes = K::shared_bytes(warps_per_block, side),
              .stream = stream},
             K{v, outputs, x, in_pieces, out});
      return;
    }
    const auto one_each = [&](int tasks, int threads) {
      return Launch{.blocks = tasks,
                    .threads = threads,
                    .shared_bytes = large_bytes<T>(side),
                    .stream = stream};
    };
    T* const products = scratch.behind(of_tasks()).template values<T>();
    using Products = LargeTileProducts<T, transposed>;
    if (v.nnz > 0)
      launch(one_each(inputs.count(), Products::max_threads),
             Products{v, inputs.list(), x, products});
    const auto add = [&]<class K>(K k) { launch(one_each(outputs.count, K::max_threads), k); };
    if (deterministic_)
      add(LargeTileSums<T, transposed, 1>{v, outputs, products, out});
    else
      add(LargeTileSums<T, transposed, warps>{v, outputs, products, out});
  }

  bool deterministic_;
  TileArrays<T> tiles_;
  TileTasks<T> along_rows_, along_columns_;
};

}  // namespace

Kernel gpu_tile_balanced() {
  return {
      .family = "gpu",
      .format = "tile",
      .strategy = "balanced",
      .transposes = true,
      .determinism = Determinism::on_demand,
      .source = "own",
      .summary = "tiles of entries that do not meet, sums in shared memory; N and T from one copy",
      .parameters = {{"side_bits", "tiles of 2^side_bits rows and columns; 0: by the matrix", 0, 0,
                      tiles_most_side_bits},
                     deterministic_parameter("1: the same bits always, in large tiles too")},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<TileBalanced>()};
}

}  // namespace nz::NZ_HOME
