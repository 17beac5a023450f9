#include "kernels/gpu/cited/carries.hpp"
#include "kernels/gpu/cited/csr5_host.hpp"
#include "kernels/gpu/gpu_product.hpp"

// CSR5: Liu and Vinter, CSR5: an efficient storage format for cross-platform sparse matrix-vector
// multiplication, ICS 2015. The entries of CSR are cut into tiles of omega = 32 columns by sigma
// entries, transposed so that the lanes of a warp read neighbours. tile_ptr has the row of each
// tile's first entry; tile_desc has a lane's bit_flag (which of its entries begin rows), y_offset
// (segments begun by the lanes before) and seg_offset (lanes behind it in which none begins). A
// warp a tile adds up segments in registers, joins what lanes leave open by the fast segmented sum,
// a difference of prefix sums, and writes whole rows; the sum of a tile's first segment goes to the
// calibrator, which another launch adds to y. Entries behind the last whole tile are multiplied a
// warp a row.
//
// sigma follows the entries a row: r = 4 up to r, as many up to s = 32, s up to t = 256, u beyond,
// which is 4 here and 6 in the authors' program. Here it is the power of 2 below, so that the check
// knows over which entries prefix sums go; the paper takes any. Rows without entries, and those
// that begin with a tile, are scaled first.
namespace nz::NZ_HOME {
namespace {

using csr5::omega;

template <class T>
struct Csr5View {
  index_t rows;
  int sigma, packets, tiles;
  const std::uint32_t* tile_ptr;
  const std::uint32_t* tile_desc;
  const std::int64_t* empty_ptr;
  const index_t* empty_offset;
  const index_t* columns;
  const T* values;
};

template <class T>
struct Csr5Tiles {
  static constexpr const char* name = "gpu/csr5/tiles";
  Csr5View<T> a;
  const T* x;
  Output<T> out;
  T* calibrator;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t tile = t.global_index() / 32;
    if (tile >= a.tiles) return;  // the whole warp
    const std::uint32_t top = t.load(a.tile_ptr + tile);
    const std::uint32_t next = t.load(a.tile_ptr + tile + 1) & ~csr5::dirty;
    const std::int64_t first = tile * omega * a.sigma + t.lane();
    if (top == next) {  // one row has all of it
      T sum = 0;
      NZ_UNROLL_BY(4)
      for (int s = 0; s < a.sigma; ++s) sum += product(t, first + s * omega);
      sum = reduce_to_first_lane(t, sum);
      if (t.lane() == 0) calibrator[tile] = sum;
      return;
    }
    const std::uint32_t* words = a.tile_desc + tile * a.packets * omega + t.lane();
    std::uint64_t word = t.load(words);
    if (a.packets > 1) word |= static_cast<std::uint64_t>(t.load(words + omega)) << 32;
    int segment = static_cast<int>(word & ((1u << csr5::y_bits) - 1)) - 1;
    const int alone = static_cast<int>(word >> csr5::y_bits & ((1u << csr5::seg_bits) - 1));
    const auto flags = static_cast<std::uint32_t>(word >> csr5::head_bits);

    const auto emit = [&](int which, T sum) {
      if (which == 0)
        calibrator[tile] = sum;
      else
        out.put(row_of(t, tile, top, which), sum);
    };
    T head = 0, sum = 0;  // before the first segment that begins here; of the one at hand
    bool open = false;
    NZ_UNROLL_BY(4)
    for (int s = 0; s < a.sigma; ++s) {
      const T p = product(t, first + s * omega);
      if (flags >> s & 1u) {
        if (open)
          emit(segment, sum);
        else
          head = sum;
        ++segment;
        open = true;
        sum = 0;
      }
      sum += p;
    }
    if (!open) head = sum;
    // The fast segmented sum: what the lanes behind have of a segment that is open here.
    T behind = t.shuffle_down(head, 1);
    if (t.lane() == 31) behind = 0;
    const T scan = inclusive_sum(t, behind);
    const T up_to = t.shuffle(scan, t.lane() + alone);
    if (open) emit(segment, sum + (up_to - scan + behind));
  }

 private:
  NZ_DEVICE T product(Thread& t, std::int64_t k) const {
    return t.load(a.values + k) * t.load(x + t.load(a.columns + k));
  }
  NZ_DEVICE std::int64_t row_of(Thread& t, std::int64_t tile, std::uint32_t top,
                                int segment) const {
    if ((top & csr5::dirty) == 0) return std::int64_t{top} + segment;
    return std::int64_t{top & ~csr5::dirty} +
           t.load(a.empty_offset + t.load(a.empty_ptr + tile) + segment);
  }
};

template <class T>
struct Csr5Calibrate {
  static constexpr const char* name = "gpu/csr5/tiles, calibrator";
  Csr5View<T> a;
  const T* calibrator;
  T alpha;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index();
    Carry<T> mine{-1, T(0)};
    if (i < a.tiles)
      mine = {static_cast<index_t>(t.load(a.tile_ptr + i) & ~csr5::dirty), calibrator[i]};
    add_carries(t, mine, a.rows, alpha, y);
  }
};

// The first row of the tail may have entries in tiles too: then y has their sum already.
template <class T, class O>
struct Csr5Tail {
  static constexpr const char* name = "gpu/csr5/tiles, tail";
  Csr5View<T> a;
  const O* offsets;
  index_t first_row;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = first_row + t.global_index() / 32;
    if (row >= a.rows) return;
    const std::int64_t tail = std::int64_t{a.tiles} * omega * a.sigma;
    const std::int64_t begin = t.load(offsets + row), end = t.load(offsets + row + 1);
    T sum = 0;
    for (std::int64_t k = (begin < tail ? tail : begin) + t.lane(); k < end; k += 32)
      sum += t.load(a.values + k) * t.load(x + t.load(a.columns + k));
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() != 0 || begin == end) return;
    if (begin < tail)
      out.y[row] += out.alpha * sum;
    else
      out.put(row, sum);
  }
};

template <class T>
struct ScaleListed {
  static constexpr const char* name = "gpu/csr5/tiles, scale";
  const index_t* rows;
  std::int64_t count;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index();
    if (i < count) out.put_empty(t.load(rows + i));
  }
};

int sigma_for(std::int64_t nnz, std::int64_t rows, std::int64_t wanted) {
  const std::int64_t mean = rows > 0 ? nnz / rows : 0;
  std::int64_t sigma = wanted > 0 ? wanted : mean > 256 ? 4 : std::clamp<std::int64_t>(mean, 4, 32);
  while ((sigma & (sigma - 1)) != 0) sigma &= sigma - 1;
  return static_cast<int>(std::max<std::int64_t>(sigma, 4));
}

template <class T, class O>
class Csr5 {
 public:
  Csr5(const CsrView<T, O>& a, const Parameters& p) : threads_(threads_of(p)) {
    const Device device = current_device();
    const HostCsr<T, O> host(device, a);
    const auto m = csr5::convert(host.view(), sigma_for(a.nnz, a.rows, p.at("sigma")));
    const auto up = [&](auto& to, const auto& from) {
      to = {device, std::span(from.data(), from.size())};
    };
    up(tile_ptr_, m.tile_ptr);
    up(tile_desc_, m.tile_desc);
    up(empty_offset_, m.empty_offset);
    if (!m.empty_offset.empty()) up(empty_ptr_, m.empty_ptr);
    up(unwritten_, m.unwritten);
    up(columns_, m.columns);
    up(values_, m.values);
    offsets_ = {device, std::span(host.view().offsets, static_cast<std::size_t>(a.rows) + 1)};
    tail_row_ = static_cast<index_t>(m.tile_ptr.back());
    view_ = {a.rows,           m.sigma,           csr5::packets_for(m.sigma), m.tiles,
             tile_ptr_.data(), tile_desc_.data(), empty_ptr_.data(),          empty_offset_.data(),
             columns_.data(),  values_.data()};
  }

  std::size_t bytes() const {
    return tile_ptr_.bytes() + tile_desc_.bytes() + empty_ptr_.bytes() + empty_offset_.bytes() +
           unwritten_.bytes() + columns_.bytes() + values_.bytes() + offsets_.bytes();
  }
  // The tail alone reads offsets.
  std::size_t matrix_bytes() const { return bytes() - offsets_.bytes(); }
  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<T>(0, static_cast<std::size_t>(view_.tiles));
  }
  Facts facts() const {
    return {{"sigma", view_.sigma}, {"tiles", static_cast<double>(view_.tiles)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    const Output<T> out{alpha, beta, y};
    const auto unwritten = static_cast<std::int64_t>(unwritten_.size());
    if (beta != T(1) && unwritten > 0)
      launch(each(stream, unwritten), ScaleListed<T>{unwritten_.data(), unwritten, out});
    if (view_.tiles > 0) {
      T* const calibrator = scratch.values<T>();
      launch(each(stream, std::int64_t{view_.tiles} * 32), Csr5Tiles<T>{view_, x, out, calibrator});
      launch(each(stream, view_.tiles), Csr5Calibrate<T>{view_, calibrator, alpha, y});
    }
    if (tail_row_ < view_.rows)
      launch(each(stream, std::int64_t{view_.rows - tail_row_} * 32),
             Csr5Tail<T, O>{view_, offsets_.data(), tail_row_, x, out});
  }

 private:
  Launch each(CUstream_st* stream, std::int64_t n) const {
    const int threads = threads_for(n, threads_);
    return {.blocks = blocks_for(n, threads), .threads = threads, .stream = stream};
  }

  int threads_;
  index_t tail_row_;
  Csr5View<T> view_;
  DeviceArray<std::uint32_t> tile_ptr_, tile_desc_;
  DeviceArray<std::int64_t> empty_ptr_;
  DeviceArray<index_t> empty_offset_, unwritten_, columns_;
  DeviceArray<T> values_;
  DeviceArray<O> offsets_;
};

}  // namespace

Kernel gpu_csr5_tiles() {
  return {
      .family = "gpu",
      .format = "csr5",
      .strategy = "tiles",
      .shared_rounding = omega * 32,
      .source = "CSR5: Liu and Vinter 2015",
      .summary = "a warp a transposed tile, segments by flags; bound of the chunk, not of the row",
      .parameters = {{"sigma",
                      "entries a lane, the power of 2 below, at least 4; 0: by the entries a row",
                      0, 0, 32},
                     threads_parameter(128)},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Csr5>()};
}

}  // namespace nz::NZ_HOME
