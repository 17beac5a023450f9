#include "kernels/gpu/row_order.hpp"
#include "kernels/gpu/several/tile_rows.hpp"
#include "simt/warp.hpp"

// A warp, or `lanes` lanes of one, a row, the rows in the order of row_order.hpp, whose load
// balancing izawa2023 §3.3.3 takes over for blocks; swizzle=0 shows what the order is worth.
namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct SwizzledRows {
  static constexpr const char* name = "gpu/csr/row-swizzle";
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  const index_t* order;  // null: as they are
  int lanes;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t place = t.global_index() / lanes;
    const bool mine = place < a.rows;
    std::int64_t row = place;
    T sum = 0;
    if (mine) {
      if (order) row = t.load(order + place);
      const std::int64_t end = t.load(a.offsets + row + 1);
      NZ_UNROLL_BY(4)
      for (std::int64_t k = t.load(a.offsets + row) + t.index() % lanes; k < end; k += lanes)
        sum += t.load(a.values + k) * t.load(x + t.load(a.columns + k));
    }
    sum = reduce_to_first_lane(t, sum, lanes);
    if (mine && t.index() % lanes == 0) out.put(row, sum);
  }
};

// Several vectors: a warp a row in the same order, its lanes the columns of X.
template <class T, class O, int pack>
struct SwizzledRowsSeveral {
  static constexpr const char* name = "gpu/csr/row-swizzle, several vectors";
  CsrView<T, O> a;
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  const index_t* order;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t place = t.global_index() / 32;
    if (place >= a.rows) return;
    const std::int64_t row = order ? t.load(order + place) : place;
    const std::int64_t begin = t.load(a.offsets + row);
    add_row_several(
        t, 0, static_cast<int>(t.load(a.offsets + row + 1) - begin), x,
        [&](int e, index_t& c, T& v) {
          c = t.load(a.columns + begin + e);
          v = t.load(a.values + begin + e);
        },
        [&](int j, const T(&sum)[pack]) { out.put(row, j, sum); });
  }
};

template <class T, class O>
class RowSwizzle : public OnOrderedCsr<T, O> {
 public:
  RowSwizzle(const CsrView<T, O>& a, const Parameters& p)
      : OnOrderedCsr<T, O>(a, p), threads_(threads_of(p)) {
    while (2 * lanes_ <= p.at("lanes")) lanes_ *= 2;
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_for(this->rows(), threads_ / lanes_),
            .threads = threads_,
            .stream = stream},
           SwizzledRows<T, O>{this->a(), x, {alpha, beta, y}, this->order(), lanes_});
  }

  void multiply_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                        const Several<T>& y) const {
    with_pack(x, [&](auto pack) {
      launch({.blocks = blocks_for(this->rows(), threads_ / 32),
              .threads = threads_,
              .stream = stream},
             SwizzledRowsSeveral<T, O, pack()>{
                 this->a(), rows_of<pack()>(x),
                 wide_output<pack()>(SeveralOutput<T>{alpha, beta, y}), this->order()});
    });
  }

 private:
  int threads_;
  int lanes_ = 1;
};

}  // namespace

Kernel gpu_csr_row_swizzle() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "row-swizzle",
          .several = true,
          .determinism = Determinism::always,
          .source = "row-swizzle: Gale et al. 2020",
          .summary = "a warp a row, the longest rows first",
          .parameters = {swizzle_parameter(1),
                         {"lanes", "lanes a row, the power of 2 below", 32, 1, 32},
                         threads_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<RowSwizzle>()};
}

}  // namespace nz::NZ_HOME
