#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// CMRS: Koza, Matyka, Szkoda and Mirosław, Compressed multi-row storage format for sparse matrices
// on graphics processing units, SIAM J. Sci. Comput. 36, 2014 (arXiv 1203.2946). `height`
// consecutive rows are a strip, and strip_ptr takes the place of the pointers to rows; every entry
// says in which row of its strip it is. A warp takes a strip and reads its entries side by side,
// whatever rows they are of; each lane adds to places of its own in shared memory, one a row, and
// the places of a row are reduced at the end.
//
// The row in the strip takes the bits that the column leaves of 32, so that an entry takes what it
// takes in CSR; where these are few, strips are lower. The height is a parameter of the format;
// height 0, a rule of ours, takes the least power of 2 up to 16 with 64 entries a strip on average.
namespace nz::NZ_HOME {
namespace {

constexpr int most_rows = 16;  // of a strip

template <class T, class O>
struct CmrsView {
  index_t rows;
  int height, column_bits;
  const O* strip_ptr;
  const std::uint32_t* places;  // column, and above it the row in the strip
  const T* values;
};

template <class T, class O>
struct CmrsStrips {
  static constexpr const char* name = "gpu/cmrs/warp-per-strip";
  CmrsView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> sums = t.shared<T>(t.block_size() * a.height);
    const std::int64_t strip = t.global_index() / 32, top = strip * a.height;
    if (top >= a.rows) return;  // the whole warp
    const int mine = t.warp() * 32 * a.height + t.lane();
    for (int r = 0; r < a.height; ++r) sums[mine + r * 32] = 0;
    const std::uint32_t column = (std::uint32_t{1} << a.column_bits) - 1;
    const std::int64_t end = t.load(a.strip_ptr + strip + 1);
    NZ_UNROLL_BY(4)
    for (std::int64_t k = t.load(a.strip_ptr + strip) + t.lane(); k < end; k += 32) {
      const std::uint32_t place = t.load(a.places + k);
      sums[mine + static_cast<int>(place >> a.column_bits) * 32] +=
          t.load(a.values + k) * t.load(x + (place & column));
    }
    for (int r = 0; r < a.height && top + r < a.rows; ++r) {
      const T sum = reduce_to_first_lane(t, T(sums[mine + r * 32]));
      if (t.lane() == 0) out.put(top + r, sum);
    }
  }
};

template <class T, class O>
class Cmrs {
 public:
  Cmrs(const CsrView<T, O>& a, const Parameters& p) : threads_(threads_of(p)) {
    const Device device = current_device();
    const HostCsr<T, O> host(device, a);
    const CsrView<T, O>& h = host.view();
    int column_bits = 1;
    while (column_bits < 31 && (std::int64_t{1} << column_bits) < a.cols) ++column_bits;
    int height = 1;
    const std::int64_t wanted = p.at("height");
    while (
        2 * height <= most_rows && column_bits + bits(2 * height) <= 32 &&
        (wanted > 0 ? 2 * height <= wanted : static_cast<double>(a.nnz) * height < 64.0 * a.rows))
      height *= 2;
    const auto strips = static_cast<std::size_t>((std::int64_t{a.rows} + height - 1) / height);
    std::vector<O> strip_ptr(strips + 1, 0);
    for (std::size_t s = 0; s <= strips; ++s)
      strip_ptr[s] = h.offsets[std::min(static_cast<std::int64_t>(s) * height,
                                        static_cast<std::int64_t>(a.rows))];
    Array<std::uint32_t> places(static_cast<std::size_t>(a.nnz));
    for (index_t r = 0; r < a.rows; ++r)
      for (O k = h.offsets[r]; k < h.offsets[r + 1]; ++k)
        places[static_cast<std::size_t>(k)] =
            static_cast<std::uint32_t>(h.columns[k]) |
            (height == 1 ? 0u : static_cast<std::uint32_t>(r % height) << column_bits);
    strip_ptr_ = {device, std::span<const O>(strip_ptr)};
    places_ = {device, std::span<const std::uint32_t>(places)};
    values_ = {device, std::span<const T>(h.values, static_cast<std::size_t>(a.nnz))};
    view_ = {a.rows, height, column_bits, strip_ptr_.data(), places_.data(), values_.data()};
  }

  std::size_t bytes() const { return strip_ptr_.bytes() + places_.bytes() + values_.bytes(); }
  Facts facts() const { return {{"height", view_.height}}; }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_for(static_cast<std::int64_t>(strip_ptr_.size()) - 1, threads_ / 32),
            .threads = threads_,
            .shared_bytes = sizeof(T) * static_cast<std::size_t>(threads_ * view_.height),
            .stream = stream},
           CmrsStrips<T, O>{view_, x, {alpha, beta, y}});
  }

 private:
  static int bits(int height) {
    int n = 0;
    while ((1 << n) < height) ++n;
    return n;
  }

  int threads_;
  CmrsView<T, O> view_;
  DeviceArray<O> strip_ptr_;
  DeviceArray<std::uint32_t> places_;
  DeviceArray<T> values_;
};

}  // namespace

Kernel gpu_cmrs_warp_per_strip() {
  return {
      .family = "gpu",
      .format = "cmrs",
      .strategy = "warp-per-strip",
      .determinism = Determinism::always,
      .source = "CMRS: Koza et al. 2014",
      .summary = "a warp a strip of rows, a place a lane and row in shared memory",
      .parameters = {{"height", "rows of a strip, the power of 2 below; 0: by the entries a row", 0,
                      0, most_rows},
                     threads_parameter(128, 256)},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Cmrs>()};
}

}  // namespace nz::NZ_HOME
