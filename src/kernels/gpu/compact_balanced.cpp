#include "kernels/gpu/compact_reading.hpp"

// The scheme of csr_balanced.cpp on fewer bytes: blocks take tiles of equal work, warps take pieces
// of long rows, in one launch; products wait in shared memory until rows are added up. For matrices
// whose columns stay within 65 536 of each other (bands, or no more columns than that) or whose
// values repeat: a graph of ones takes 2 bytes an entry there, a table of values 3, doubles that
// are floats 6, others 10, and row starts 2 bytes instead of 4 or 8.
//
// A byte less a load is a load more to keep the memory busy, so a thread takes octets: 16 bytes of
// narrow columns at once, and two octets where values are narrow too. Octets are dealt so that a
// warp's j-th entries are neighbours (compact_units.hpp): a gather of x is a gather of CSR's, and
// products go to shared memory at n j + g, 32 neighbours at once, each in a bank of its own but for
// the one place skipped after every 32, which keeps rows of 8, 16 or 32 entries from meeting in one
// bank when they are added. Pieces have no second loop for what is left over: every round loads all
// octets of a lane at once where they are there, and long rows of graphs are mostly one round.
//
// 1.15 times as fast in float and 1.24 in double as the better of cuSPARSE's CSR_ALG1 and ALG2,
// where gpu/csr/balanced is 1.05 and 1.12 (results/h200/suite.json, 14 matrices over ten million
// nonzeros).
namespace nz::NZ_HOME {
namespace {

template <Value T>
class Balanced {
 public:
  template <Offset O>
  Balanced(const CsrView<T, O>& a, const Parameters& p) : threads_(threads_of(p)) {
    const DeviceCsr<T, O> there(current_device(), a);
    ValueCodes<T> codes = find_value_codes(there.view().values, std::int64_t{a.nnz});
    octets_ = octets_a_thread(p.at("items"), code_bytes<T>(codes.code));
    const int room = threads_ * octets_ * 8;
    a_ = compact_on_device(there.view(), std::move(codes), room * 7 / 8, room / 8,
                           static_cast<int>(p.at("piece")));
  }

  index_t rows() const { return a_.rows; }
  index_t cols() const { return a_.cols; }
  bool borrows() const { return false; }
  std::size_t bytes() const { return a_.bytes(); }
  std::size_t matrix_bytes() const { return a_.matrix_bytes(); }
  Facts facts() const {
    return {{"value_bytes", static_cast<double>(code_bytes<T>(a_.codes.code))},
            {"different_values", a_.codes.different},
            {"tiles", a_.tiles},
            {"pieces", a_.long_rows.pieces()},
            {"wide_units", a_.wide}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    for_code<T>(a_.codes.code, [&]<ValueCode code>() {
      const auto run = [&]<class K>(K k) { launch(how(stream, K::shared_bytes(threads_)), k); };
      if (octets_ == 1)
        run(CompactMultiply<T, code, 1, PlainX<T>>{work(), {x}, {alpha, beta, y}});
      else
        run(CompactMultiply<T, code, 2, PlainX<T>>{work(), {x}, {alpha, beta, y}});
    });
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, cols());
    for_code<T>(a_.codes.code, [&]<ValueCode code>() {
      launch(how(stream, 0), CompactScatter<T, code>{work(), {}, alpha, x, y});
    });
  }

 private:
  static int octets_a_thread(std::int64_t items, std::size_t value_bytes) {
    if (items == 0) return value_bytes < 4 ? 2 : 1;
    return items < 12 ? 1 : 2;
  }
  int piece_blocks() const { return blocks_for(a_.long_rows.pieces(), threads_ / 32); }
  Launch how(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = piece_blocks() + a_.tiles,
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }
  CompactWork<T> work() const { return {a_.view(), a_.long_rows.view(), piece_blocks()}; }

  int threads_;
  int octets_ = 1;
  CompactUnits<T> a_;
};

}  // namespace

Kernel gpu_compact_balanced() {
  return {
      .device = "gpu",
      .format = "compact",
      .strategy = "balanced",
      .transposes = true,
      .deterministic = true,
      .atomic_transpose = true,
      .source = "own",
      .summary = "CSR with narrow columns and values, equal rows and entries a block, one launch",
      .parameters = {threads_parameter(128, 256),
                     {"items", "entries a thread: 8 or 16, the nearest; 0: by the values", 0, 0,
                      16},
                     {"piece", "entries of a long row that a warp takes; 0: by their number", 0, 0,
                      1 << 20}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Balanced>()};
}

}  // namespace nz::NZ_HOME
