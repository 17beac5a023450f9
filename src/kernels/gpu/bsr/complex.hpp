#pragma once
#include <algorithm>
#include <utility>

#include "kernels/bsr_limit.hpp"
#include "kernels/gpu/bsr/columns.hpp"
#include "kernels/gpu/bsr/device_bsr.hpp"
#include "kernels/gpu/bsr/large.hpp"

// Blocks of complex values, of any shape: warps take windows of the rows of a line of blocks, long
// lines in pieces, as bsr/balanced.cpp does with large blocks. A value of 8 or 16 bytes is as much
// as a lane loads at once, so that copying ahead would gain little.
namespace nz::NZ_HOME {

template <class T, class O>
class BsrComplex : public OnBsr<T, O> {
 public:
  BsrComplex(const CsrView<T, O>& a, const Parameters& p)
      : OnBsr<T, O>(a, p), rows_(this->a().block_rows), cols_(this->a().block_cols) {
    const BsrView<T, O>& b = this->a();
    require_31_bits(b.blocks);
    along_rows_ = tasks_of<false>(b.offsets, b.grid_rows());
    DeviceBlockColumns<O> columns = columns_on_device(b);
    along_columns_ = tasks_of<true>(columns.starts.data(), b.grid_cols());
    number_ = std::move(columns.block);
    row_ = std::move(columns.row);
  }

  std::size_t bytes() const {
    return OnBsr<T, O>::bytes() + along_rows_.bytes() + along_columns_.bytes() + number_.bytes() +
           row_.bytes();
  }
  simt::ScratchSize scratch_size() const {
    return along_rows_.scratch_size() + along_columns_.scratch_size();
  }
  // Transposed, numbers and rows of the blocks instead of their columns.
  std::size_t matrix_bytes(Op op) const {
    const std::size_t n = this->a().bytes();
    return is_transposed(op) ? n + number_.bytes() : n;
  }

  void multiply(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                const simt::Scratch& scratch) const {
    const BsrView<T, O>& a = this->a();
    run(stream, along_rows_.count(),
        BsrLarge<T, false>{along_rows_.view(scratch),
                           rows_,
                           cols_,
                           {a.values, a.columns, nullptr, a.cols, a.rows, alpha, x, beta, y}});
  }
  void multiply_transposed(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    const BsrView<T, O>& a = this->a();
    run(stream, along_columns_.count(),
        BsrLarge<T, true>{
            along_columns_.view(scratch.behind(along_rows_.scratch_size())),
            rows_,
            cols_,
            {a.values, row_.data(), number_.data(), a.rows, a.cols, alpha, x, beta, y}});
  }

 private:
  static constexpr int values_per_task = 1 << 12;

  template <bool transposed>
  LineTasks<T> tasks_of(const O* starts, index_t lines) const {
    const HostOffsets<O> host(current_device(), starts, static_cast<std::size_t>(lines) + 1);
    constexpr int window = large_window<transposed>;
    const int outputs = transposed ? cols_ : rows_, inputs = transposed ? rows_ : cols_;
    return LineTasks<T>(host.span(), outputs, window,
                        std::max(1, values_per_task / (std::min(window, outputs) * inputs)));
  }
  template <class K>
  static void run(CUstream_st* stream, int tasks, const K& k) {
    launch({.blocks = blocks_for(tasks, 4), .threads = 128, .stream = stream}, k);
  }

  int rows_, cols_;
  LineTasks<T> along_rows_, along_columns_;
  DeviceArray<int> number_;
  DeviceArray<index_t> row_;
};

}  // namespace nz::NZ_HOME
