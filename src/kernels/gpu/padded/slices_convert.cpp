#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/gather_ranges.hpp"
#include "device/sort_scan.hpp"
#include "device/value_codes.hpp"
#include "kernels/gpu/padded/slices.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

// A few launches and a prefix sum; what the host has to know comes in one copy.
namespace nz::NZ_HOME {
namespace {

// What a slice adds to the prefix sum: its steps, and one of these where its columns do not fit
// into 16 bits. There are fewer than 2^36 steps and 2^27 slices.
constexpr std::int64_t wide = std::int64_t{1} << 36;
constexpr std::int64_t most_steps = 0xffffffff;

// All slices have the same number of steps where that is no more than so many times the fewest:
// the bytes of a small matrix count less than the wait for a head.
constexpr double more_steps = 1.02, more_small_steps = 1.15;
constexpr std::int64_t few_steps = 32768;  // a million slots

NZ_HOST_DEVICE std::uint32_t step_of(std::int64_t sum) {
  return static_cast<std::uint32_t>(sum % wide);
}

// A warp a slice, and one for the end.
template <class O>
struct MeasureSlices {
  static constexpr const char* name = "measure slices";
  const O* offsets;
  const index_t* columns;
  std::int64_t rows, slices;
  std::int64_t* sums;
  index_t* lowest;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index(), slice = row / slice_rows;
    if (slice > slices) return;
    const O begin = row < rows ? t.load(offsets + row) : O(0);
    const O end = row < rows ? t.load(offsets + row + 1) : O(0);
    index_t low = 0x7fffffff, high = 0;
    if (begin < end) {  // columns increase along a row
      low = t.load(columns + begin);
      high = t.load(columns + end - 1);
    }
    const std::int64_t steps = max_all(t, static_cast<std::int64_t>(end - begin));
    low = min_all(t, low);
    high = max_all(t, high);
    if (t.lane() != 0) return;
    const bool fits = low >= high || high - low < no_column<std::uint16_t>;
    sums[slice] = steps + (fits ? 0 : wide);
    lowest[slice] = low < high ? low : high;
  }
};

// Likewise.
template <class T, class O>
struct WriteSlices {
  static constexpr const char* name = "write slices";
  CsrView<T, O> a;
  std::int64_t slices, same;  // steps of each slice; 0: by the sums
  const std::int64_t* sums;
  const index_t* lowest;
  bool narrow;
  ValueCode code;
  ValueLookup<T> lookup;
  SliceHead* heads;
  std::byte* columns;
  std::byte* values;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index(), slice = row / slice_rows;
    if (slice > slices) return;
    const std::uint32_t step = first_step(t, slice);
    const index_t low = narrow ? t.load(lowest + slice) : 0;
    if (t.lane() == 0) heads[slice] = {step, low};
    if (slice == slices) return;
    const O begin = row < a.rows ? t.load(a.offsets + row) : O(0);
    const O end = row < a.rows ? t.load(a.offsets + row + 1) : O(0);
    const auto steps = static_cast<std::int64_t>(first_step(t, slice + 1) - step);
    const std::int64_t to = std::int64_t{step} * slice_rows + t.lane();
    const auto write = [&](auto* at, auto none, auto&& make) {
      std::int64_t place = to;
      for (std::int64_t j = 0; j < steps; ++j, place += slice_rows)
        at[place] = begin + j < end ? make(begin + j) : none;
    };
    if (narrow)
      write(reinterpret_cast<std::uint16_t*>(columns), no_column<std::uint16_t>,
            [&](std::int64_t k) {
              return static_cast<std::uint16_t>(t.load_streaming(a.columns + k) - low);
            });
    else
      write(reinterpret_cast<index_t*>(columns), no_column<index_t>,
            [&](std::int64_t k) { return t.load_streaming(a.columns + k); });
    const auto coded = [&]<ValueCode c>() {
      using V = Coded<T, c>;
      write(reinterpret_cast<V*>(values), V(0),
            [&](std::int64_t k) { return encode<c>(t, lookup, t.load_streaming(a.values + k)); });
    };
    if (code == ValueCode::table) coded.template operator()<ValueCode::table>();
    if (code == ValueCode::single) coded.template operator()<ValueCode::single>();
    if (code == ValueCode::full) coded.template operator()<ValueCode::full>();
  }

 private:
  NZ_DEVICE std::uint32_t first_step(Thread& t, std::int64_t slice) const {
    if (same > 0) return static_cast<std::uint32_t>(slice * same);
    return step_of(t.load(sums + slice));
  }
};

}  // namespace

template <Value T, Offset O>
Slices<T> slices_on_device(const CsrView<T, O>& a) {
  if (a.nnz > most_steps)
    throw Refused("slices: " + std::to_string(a.nnz) + " nonzeros are too many to number");
  Slices<T> s{.cols = a.cols, .nnz = a.nnz};
  const Device device = current_device();
  const std::int64_t slices = (std::int64_t{a.rows} + slice_rows - 1) / slice_rows;
  const auto ends = static_cast<std::size_t>(slices) + 1;
  DeviceArray<std::int64_t> sums(device, ends);
  DeviceArray<index_t> lowest(device, ends);
  const Launch warps = one_thread_each((slices + 1) * slice_rows);
  launch(warps, MeasureSlices<O>{a.offsets, a.columns, a.rows, slices, sums.data(), lowest.data()});
  exclusive_sum(slices + 1, sums.data(), sums.data());
  const DeviceArray<Bits<T>> sample = sample_values(a.values, a.nnz);
  std::vector<std::byte> here(sizeof(std::int64_t) + sample.bytes());
  const std::array ranges{FetchRange{sums.data() + slices, sizeof(std::int64_t)},
                          FetchRange{sample.data(), sample.bytes()}};
  const RowMeasures m = fetch_ranges(ranges, here.data(), {a.offsets, sizeof(O), a.rows});
  std::int64_t sum = 0;
  std::memcpy(&sum, here.data(), sizeof sum);
  s.narrow = sum < wide;
  std::vector<Bits<T>> values(sample.size());
  if (!values.empty()) std::memcpy(values.data(), here.data() + sizeof sum, sample.bytes());
  const std::int64_t fewest = m.in_slices / slice_rows, most = m.longest * slices;
  const double more = fewest < few_steps ? more_small_steps : more_steps;
  const bool same = static_cast<double>(most) <= more * static_cast<double>(fewest);
  s.steps = same ? most : fewest;

  ValueCodes<T> codes = find_value_codes(a.values, a.nnz, std::span<const Bits<T>>(values));
  s.code = codes.code;
  s.different = codes.different;
  const auto slots = static_cast<std::size_t>(s.steps * slice_rows);
  s.heads = {device, ends};
  s.columns = {device, slots * (s.narrow ? sizeof(std::uint16_t) : sizeof(index_t))};
  s.values = {device, slots * code_bytes<T>(s.code)};
  launch(warps, WriteSlices<T, O>{a, slices, same ? m.longest : 0, sums.data(), lowest.data(),
                                  s.narrow, s.code, codes.lookup(), s.heads.data(),
                                  s.columns.data(), s.values.data()});
  s.table = std::move(codes.table);
  s.view = {a.rows,          same ? static_cast<int>(m.longest) : 0,
            s.heads.data(),  s.columns.data(),
            s.values.data(), s.table.data()};
  return s;
}

#define NZ_INSTANTIATE(T, O) template Slices<T> slices_on_device(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
