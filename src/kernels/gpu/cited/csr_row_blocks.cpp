#include <span>
#include <vector>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// CSR-Adaptive: Greathouse and Daga, Efficient sparse matrix-vector multiplication on GPUs using
// the CSR storage format, SC 2014, with the long rows of Daga and Greathouse, Structural agnostic
// SpMV, HiPC 2015. The host cuts the matrix into row blocks of at most `entries` entries. A block
// of several rows is CSR-Stream: its products go through shared memory, and a thread a row, or
// several where there are few rows, add them up. A row that fills a block by itself is CSR-Vector,
// summed by all threads. A row of more than `multiple` blocks is CSR-VectorL: several thread blocks
// add their parts to y with atomics. Rows of more than 128 entries and rows of less than 32 do not
// share a row block. The defaults are those of the authors' library: 256 threads, 1024 entries,
// multiple 3.
//
// There the first of the thread blocks of a long row scales y and the others wait for it; here a
// launch before scales those rows, since no block of ours waits for another.
namespace nz::NZ_HOME {
namespace {

struct RowBlock {
  index_t first, rows;
  int part, parts;  // of a long row
};

// Rows 0 to the end of `offsets`, in their order.
class RowBlockCutter {
 public:
  RowBlockCutter(std::int64_t entries, std::int64_t multiple)
      : entries_(entries), multiple_(multiple) {}

  template <class O>
  std::vector<RowBlock> cut(std::span<const O> offsets) {
    const auto rows = static_cast<index_t>(offsets.size() - 1);
    bool among_long = false;  // the open block has rows of more than `long_row` entries
    for (index_t i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto length = static_cast<std::int64_t>(offsets[at + 1] - offsets[at]);
      if (among_long ? length < short_row : length > long_row) close(i);
      if (length > entries_) {
        close(i);
        add_long(i, length);
        among_long = false;
        continue;
      }
      if (sum_ + length > entries_) close(i);
      if (first_ == i) among_long = length > long_row;
      sum_ += length;
      if (sum_ == entries_) close(i + 1);
    }
    close(rows);
    return std::move(blocks_);
  }

 private:
  static constexpr std::int64_t long_row = 128, short_row = 32;

  void close(index_t end) {
    if (end > first_) blocks_.push_back({first_, end - first_, 0, 1});
    first_ = end;
    sum_ = 0;
  }
  void add_long(index_t row, std::int64_t length) {
    const std::int64_t share = entries_ * multiple_;
    const auto parts = static_cast<int>((length + share - 1) / share);
    for (int i = 0; i < parts; ++i) blocks_.push_back({row, 1, i, parts});
    first_ = row + 1;
  }

  std::int64_t entries_, multiple_, sum_ = 0;
  index_t first_ = 0;
  std::vector<RowBlock> blocks_;
};

template <class T, class O>
struct RowBlocks {
  static constexpr const char* name = "gpu/csr/row-blocks";
  static constexpr int max_threads = 512;
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  const RowBlock* blocks;
  int entries;
  std::int64_t share;  // entries of a part

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> product = t.shared<T>(entries);
    const SharedArray<T> partial = t.shared<T>(t.block_size());
    const RowBlock b = t.load(blocks + t.block());
    const O begin = t.load(a.offsets + b.first);
    if (b.rows > 1) return stream(t, b, begin, product, partial);
    std::int64_t k = begin, end = t.load(a.offsets + b.first + 1);
    if (b.parts > 1) {
      k += b.part * share;
      if (k + share < end) end = k + share;
    }
    T sum = 0;
    NZ_UNROLL_BY(4)
    for (k += t.index(); k < end; k += t.block_size()) sum += product_at(t, k);
    sum = reduce(t, sum, t.block_size(), partial);
    if (t.index() != 0) return;
    if (b.parts > 1)
      t.atomic_add(out.y + b.first, out.alpha * sum);
    else
      out.put(b.first, sum);
  }

 private:
  NZ_DEVICE T product_at(Thread& t, std::int64_t k) const {
    return t.load(a.values + k) * t.load(x + t.load(a.columns + k));
  }

  // The sum over groups of `lanes` threads, a power of 2, in the first of each. All threads call.
  NZ_DEVICE static T reduce(Thread& t, T sum, int lanes, const SharedArray<T>& partial) {
    if (lanes > 32) {
      partial[t.index()] = sum;
      for (int by = lanes / 2; by >= 32; by /= 2) {
        t.sync();
        if (t.index() % lanes < by) partial[t.index()] += T(partial[t.index() + by]);
      }
      sum = partial[t.index()];
    }
    return reduce_to_first_lane(t, sum, lanes < 32 ? lanes : 32);
  }

  NZ_DEVICE void stream(Thread& t, const RowBlock& b, O begin, const SharedArray<T>& product,
                        const SharedArray<T>& partial) const {
    const int all = static_cast<int>(t.load(a.offsets + b.first + b.rows) - begin);
    NZ_UNROLL_BY(4)
    for (int k = t.index(); k < all; k += t.block_size()) product[k] = product_at(t, begin + k);
    t.sync();
    const auto end_of = [&](index_t r) -> int {  // of the row before r
      return static_cast<int>(t.load(a.offsets + b.first + r) - begin);
    };
    if (b.rows > t.block_size() / 2) {
      for (index_t r = t.index(); r < b.rows; r += t.block_size()) {
        T sum = 0;
        const int end = end_of(r + 1);
        for (int k = end_of(r); k < end; ++k) sum += T(product[k]);
        out.put(std::int64_t{b.first} + r, sum);
      }
      return;
    }
    int lanes = t.block_size();
    while (lanes * b.rows > t.block_size()) lanes /= 2;
    const index_t r = t.index() / lanes;
    const bool mine = r < b.rows;
    T sum = 0;
    if (mine) {
      const int end = end_of(r + 1);
      for (int k = end_of(r) + t.index() % lanes; k < end; k += lanes) sum += T(product[k]);
    }
    sum = reduce(t, sum, lanes, partial);
    if (mine && t.index() % lanes == 0) out.put(std::int64_t{b.first} + r, sum);
  }
};

template <class T>
struct ScaleLongRows {
  static constexpr const char* name = "gpu/csr/row-blocks, long rows";
  const RowBlock* blocks;
  int count;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index();
    if (i >= count) return;
    const RowBlock b = t.load(blocks + i);
    if (b.parts > 1 && b.part == 0) out.put_empty(b.first);
  }
};

template <class T, class O>
class CsrRowBlocks : public OnCsr<T, O> {
 public:
  CsrRowBlocks(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        entries_(static_cast<int>(p.at("entries"))),
        share_(entries_ * p.at("multiple")) {
    while (2 * threads_ <= p.at("threads")) threads_ *= 2;
    const auto offsets = host_offsets(current_device(), a);
    const std::vector<RowBlock> blocks =
        RowBlockCutter(entries_, p.at("multiple")).cut(offsets.span());
    for (const RowBlock& b : blocks) shares_rows_ = shares_rows_ || b.parts > 1;
    blocks_ = {current_device(), std::span<const RowBlock>(blocks)};
  }

  std::size_t bytes() const { return OnCsr<T, O>::bytes() + blocks_.bytes(); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const auto count = static_cast<int>(blocks_.size());
    const Output<T> out{alpha, beta, y};
    if (shares_rows_ && beta != T(1)) {
      Launch config = one_thread_each(count);
      config.stream = stream;
      launch(config, ScaleLongRows<T>{blocks_.data(), count, out});
    }
    launch({.blocks = count,
            .threads = threads_,
            .shared_bytes = sizeof(T) * static_cast<std::size_t>(entries_ + threads_),
            .stream = stream},
           RowBlocks<T, O>{this->a(), x, out, blocks_.data(), entries_, share_});
  }

 private:
  int threads_ = 32;
  int entries_;
  std::int64_t share_;
  bool shares_rows_ = false;
  DeviceArray<RowBlock> blocks_;
};

}  // namespace

Kernel gpu_csr_row_blocks() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "row-blocks",
          .source = "CSR-Adaptive: Greathouse and Daga 2014, 2015",
          .summary = "row blocks: many rows through shared memory, one row by a block or several",
          .parameters = {{"threads", "threads a block, the power of 2 below", 256, 32, 512},
                         {"entries", "entries of a row block", 1024, 32, 4096},
                         {"multiple", "a longer row has a part for each so many times `entries`", 3,
                          1, 64}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<CsrRowBlocks>()};
}

}  // namespace nz::NZ_HOME
