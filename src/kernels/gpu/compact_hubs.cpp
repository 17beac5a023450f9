#include "kernels/gpu/compact_reading.hpp"
#include "kernels/gpu/hub_columns.hpp"

// For graphs whose columns are as uneven as their rows. A gather of x that hits the L2 cache still
// takes a sector of it, and those are what R-MAT and its like are bound by: 80 million sectors for
// 65 million entries, 150 to a nanosecond. So every block keeps x of the fullest columns, the hubs,
// in shared memory: few blocks as large as there are, which stay and take one tile after the other.
// A hub is worth its place where it has more entries than there are blocks that load it.
//
// The units are those of compact_units.hpp, with numbers in place of columns: hubs by their place,
// others behind them.
namespace nz::NZ_HOME {
namespace {

template <class T, ValueCode code>
struct Multiply {
  static constexpr const char* name = "gpu/compact/hubs";
  static constexpr int max_threads = 1024, min_blocks = 1;
  using V = Coded<T, code>;
  CompactUnitsView<T> a;
  Pieces<T> pieces;
  int tiles;
  const index_t* hubs;
  int hub_count;
  const T* x;
  Output<T> out;

  static std::size_t shared_bytes(int threads, int hub_count) {
    const std::size_t table = code == ValueCode::table ? 256 * sizeof(T) : 0;
    const int room = threads * 8;
    return table + sizeof(T) * (static_cast<std::size_t>(hub_count) + padded(room)) +
           sizeof(std::uint16_t) * static_cast<std::size_t>(room + 1);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> hub = t.shared<T>(hub_count);
    const Decode<T, code> decode(t, a);
    load_hubs(t, hub);
    t.sync();
    const int room = t.block_size() * 8;
    const SharedArray<T> product = t.shared<T>(padded(room));
    const SharedArray<std::uint16_t> start = t.shared<std::uint16_t>(room + 1);
    NZ_ROLLED
    for (int p = t.block() * t.warps() + t.warp(); p < pieces.count;
         p += t.grid_size() * t.warps()) {
      const Piece piece = pieces.list[p];
      const T sum = add_piece(t, decode, hub, a.units[p]);
      pieces.finish(t, p, piece, sum, [&](index_t row, T all) { out.put(row, all); });
    }
    int tile = t.block();
    if (tile >= tiles) return;
    CompactUnit unit = a.units[pieces.count + tile];
    Octet<index_t> number = numbers(t, unit);
    NZ_ROLLED
    for (;;) {
      const bool last = tile + t.grid_size() >= tiles;
      if (!last) tile += t.grid_size();
      const CompactUnit next = a.units[pieces.count + tile];
      read(t, decode, hub, unit, number, product, start);
      if (!last) number = numbers(t, next);  // while rows are added up
      t.sync();
      add_tile_rows(t, unit, product, start, out);
      if (last) return;
      t.sync();
      unit = next;
    }
  }

 private:
  NZ_DEVICE void load_hubs(Thread& t, const SharedArray<T>& hub) const {
    constexpr int ahead = 8;
    const int step = t.block_size();
    NZ_ROLLED
    for (int i = t.index(); i < hub_count; i += ahead * step) {
      index_t column[ahead];
      T its[ahead];
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j)
        column[j] = t.load(hubs + (i + j * step < hub_count ? i + j * step : i));
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) its[j] = t.load(x + column[j]);
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j)
        if (i + j * step < hub_count) hub[i + j * step] = its[j];
    }
  }

  NZ_DEVICE T from_x(Thread& t, const SharedArray<T>& hub, index_t number) const {
    return number < hub_count ? T(hub[number]) : t.load(x + (number - hub_count));
  }

  // Of this thread's octet of a tile; any where it has none.
  NZ_DEVICE Octet<index_t> numbers(Thread& t, const CompactUnit& u) const {
    Octet<index_t> eight;
    const int n = octets_of(u.entries);
    if (n > 0)
      eight.load(t, a.template columns_of<index_t>(u), n, t.index() < n ? t.index() : n - 1);
    return eight;
  }

  NZ_DEVICE void read(Thread& t, const Decode<T, code>& decode, const SharedArray<T>& hub,
                      const CompactUnit& tile, const Octet<index_t>& number,
                      const SharedArray<T>& product,
                      const SharedArray<std::uint16_t>& start) const {
    const int n = octets_of(tile.entries), g = t.index();
    const std::uint16_t* starts = a.starts + tile.start;
    const std::uint16_t mine = g <= tile.rows ? t.load(starts + g) : std::uint16_t{0};
    if (g < n) {
      Octet<V> value;
      T its[8];
      if constexpr (code != ValueCode::constant) value.load(t, a.template values_of<V>(tile), n, g);
      NZ_UNROLL
      for (int j = 0; j < 8; ++j) its[j] = from_x(t, hub, number.at(j));
      NZ_UNROLL
      for (int j = 0; j < 8; ++j) product[padded(j * n + g)] = decode(value, j) * its[j];
    }
    if (g <= tile.rows) start[g] = mine;
    NZ_ROLLED
    for (int i = g + t.block_size(); i <= tile.rows; i += t.block_size())
      start[i] = t.load(starts + i);
  }

  // For one warp.
  NZ_DEVICE T add_piece(Thread& t, const Decode<T, code>& decode, const SharedArray<T>& hub,
                        const CompactUnit& piece) const {
    const int n = octets_of(piece.entries);
    T sum = 0;
    NZ_ROLLED
    for (int g = t.lane(); g < n; g += 32) {
      Octet<V> value;
      Octet<index_t> number;
      T its[8];
      number.load(t, a.template columns_of<index_t>(piece), n, g);
      if constexpr (code != ValueCode::constant)
        value.load(t, a.template values_of<V>(piece), n, g);
      NZ_UNROLL
      for (int j = 0; j < 8; ++j) its[j] = from_x(t, hub, number.at(j));
      NZ_UNROLL
      for (int j = 0; j < 8; ++j)
        if (j * n + g < piece.entries) sum += decode(value, j) * its[j];
    }
    return sum;
  }
};

// Back from numbers.
struct HubOrColumn {
  const index_t* hubs;
  int hub_count;
  NZ_DEVICE index_t operator()(Thread& t, index_t number) const {
    return number < hub_count ? t.load(hubs + number) : number - hub_count;
  }
};

template <Value T>
class Hubs {
 public:
  template <Offset O>
  Hubs(const CsrView<T, O>& a, const Parameters& p)
      : threads_(threads_of(p)), blocks_(blocks(threads_)) {
    const DeviceCsr<T, O> there(current_device(), a);
    ValueCodes<T> codes = find_value_codes(there.view().values, std::int64_t{a.nnz});
    const int room = threads_ * 8;
    HubColumns hubs = hub_columns(there.view().columns, std::int64_t{a.nnz}, a.cols, p.at("fewest"),
                                  most_hubs(codes.code));
    a_ = compact_on_device(there.view(), std::move(codes), room * 7 / 8, room / 8,
                           static_cast<int>(p.at("piece")), hubs.numbers.data());
    hubs_ = std::move(hubs.list);
    share_ = hubs.share;
  }

  index_t rows() const { return a_.rows; }
  index_t cols() const { return a_.cols; }
  bool borrows() const { return false; }
  std::size_t bytes() const { return a_.bytes() + hubs_.bytes(); }
  std::size_t matrix_bytes() const { return a_.matrix_bytes() + hubs_.bytes(); }
  Facts facts() const {
    return {{"value_bytes", static_cast<double>(code_bytes<T>(a_.codes.code))},
            {"hubs", static_cast<double>(hubs_.size())},
            {"in_hubs", share_},
            {"tiles", a_.tiles},
            {"pieces", a_.long_rows.pieces()}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const auto hubs = static_cast<int>(hubs_.size());
    const int warps = threads_ / 32,
              units = std::max(a_.tiles, blocks_for(a_.long_rows.pieces(), warps));
    for_code<T>(a_.codes.code, [&]<ValueCode code>() {
      using K = Multiply<T, code>;
      launch({.blocks = std::min(blocks_, units),
              .threads = threads_,
              .shared_bytes = K::shared_bytes(threads_, hubs),
              .stream = stream},
             K{a_.view(), a_.long_rows.view(), a_.tiles, hubs_.data(), hubs, x, {alpha, beta, y}});
    });
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, cols());
    const int piece_blocks = blocks_for(a_.long_rows.pieces(), threads_ / 32);
    const CompactWork<T> work{a_.view(), a_.long_rows.view(), piece_blocks};
    const HubOrColumn column{hubs_.data(), static_cast<int>(hubs_.size())};
    for_code<T>(a_.codes.code, [&]<ValueCode code>() {
      launch({.blocks = piece_blocks + a_.tiles, .threads = threads_, .stream = stream},
             CompactScatter<T, code, HubOrColumn>{work, column, alpha, x, y});
    });
  }

 private:
  // A processor holds 2048 threads; these are for one block of 1024 or two of 512, whose registers
  // allow no more.
  static int blocks_a_processor(int threads) { return std::max(1, 1024 / threads); }
  static int blocks(int threads) {
    return blocks_a_processor(threads) * simt::backend(current_device()).info().processors;
  }
  int most_hubs(ValueCode code) const {
    constexpr std::size_t reserved = 1024;  // of each block, by the driver
    const std::size_t all = simt::backend(current_device()).info().shared_bytes + reserved;
    const std::size_t mine =
        all / static_cast<std::size_t>(blocks_a_processor(threads_)) - reserved;
    std::size_t others = 0;
    for_code<T>(code, [&]<ValueCode c>() { others = Multiply<T, c>::shared_bytes(threads_, 0); });
    return mine > others + 64 ? static_cast<int>((mine - others - 64) / sizeof(T)) : 0;
  }

  int threads_, blocks_;
  CompactUnits<T> a_;
  DeviceArray<index_t> hubs_;
  double share_ = 0;
};

}  // namespace

Kernel gpu_compact_hubs() {
  return {.device = "gpu",
          .format = "compact",
          .strategy = "hubs",
          .transposes = true,
          .deterministic = true,
          .atomic_transpose = true,
          .source = "own",
          .summary = "blocks that stay, x of the fullest columns in their shared memory",
          .parameters = {threads_parameter(1024, 1024),
                         {"fewest", "entries that make a column a hub", 256, 1, 1 << 30},
                         {"piece", "entries of a long row that a warp takes; 0: by their number", 0,
                          0, 1 << 20}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Hubs>()};
}

}  // namespace nz::NZ_HOME
