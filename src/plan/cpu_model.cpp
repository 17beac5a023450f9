#include <algorithm>

#include <fmt/format.h>
#include <nonzero/formats/csb.hpp>
#include <nonzero/registry.hpp>

#include "kernels/cpu_several_rules.hpp"
#include "plan/models.hpp"

// What CPU kernels take: the bytes they must move a nonzero. What is no byte of the matrix is
// counted in bytes as well: fetching x from far away entry by entry, adding up private sums in a
// transposed product, and work. How many, the processor's table says (tuning/cpu_tuning.hpp).
namespace nz {
namespace {

constexpr std::string_view planned[] = {
    "cpu/csr/balanced",  "cpu/compact/balanced", "cpu/sell/gather",  "cpu/bsr/unrolled",
    "cpu/packed/slices", "cpu/csb/balanced",     "cpu/dcsr/balanced"};

// Padding beyond this share of the entries is not worth its bytes, wherever they come from.
constexpr double most_slots = 2.5;
// Rows or columns of which at most such a share has entries: the others are worth leaving out.
constexpr double few_rows = 0.875, few_columns = 0.5;
// Rows of so many entries in the mean: some processors add to y faster than they write it. What is
// rehearsed tells.
constexpr double short_rows = 16;
bool few(double nonempty, index_t all, double share) {
  return nonempty >= 0 && nonempty <= share * all;
}
// What has nothing to do for some threads, over plain CSR.
constexpr double idle_threads = 4;
// Nonzeros of the largest matrix that may be left to one thread.
constexpr double most_for_one = 60'000;
constexpr std::int64_t most_grain = 1 << 30;  // as kernels take it

// What a further vector takes where lanes go down the rows, over the first.
constexpr double stream_share = 0.7;
// Packed slices read X by rows as it is where so many of their places are in runs.
constexpr double read_by_rows = 15.0 / 16;
// Where fewer than so many are, packed slices gather, or write their entries down as those of CSR.
constexpr double gathers_below = 3.0 / 4;
// Loading a row of X, an entry, in bytes.
constexpr double row_loads = 16;

// Of x, a nonzero, for what goes row by row.
double far_bytes(const Features& f, const CpuTuning& tuning) {
  const double x = static_cast<double>(f.cols) * static_cast<double>(f.value_bytes);
  return x > tuning.near_bytes ? f.lines * tuning.far_line : 0;
}

struct Estimate {
  OneOf<planned> kernel;
  double matrix;  // bytes of the format, a nonzero
  double n, t;    // bytes of streaming a nonzero
  double setup;   // likewise
  std::string why;
  Parameters parameters{};
};

}  // namespace

std::span<const std::string_view> cpu_planned() { return planned; }

std::vector<Candidate> cpu_candidates(const Features& f, int threads, const CpuTuning& tuning) {
  const auto nnz = static_cast<double>(std::max<std::int64_t>(f.nnz, 1));
  const auto value = static_cast<double>(f.value_bytes);
  constexpr double index = sizeof(index_t);
  const double csr = f.csr_bytes() / nnz;
  const double vectors = value * (static_cast<double>(f.rows) + f.cols) / nnz;
  const double starts = tuning.row_start * (f.row_length > 0 ? 1 / f.row_length : f.rows);
  // Products that go row by row fetch x from wherever it is, or scatter into private sums there.
  const double far = far_bytes(f, tuning);
  const double sums = f.overlap * f.cols / nnz * tuning.private_sums * value;

  std::vector<Estimate> all;
  const auto by_row = [&](Estimate e) {
    e.n += far;
    e.t = e.n + sums;
    all.push_back(std::move(e));
  };
  by_row({"cpu/csr/balanced", csr, csr + starts, 0, tuning.csr_setup,
          nnz < tuning.small_matrix ? "small: plain CSR" : "plain CSR"});
  const bool spares =
      few(f.nonempty_rows, f.rows, few_rows) || few(f.nonempty_cols, f.cols, few_columns);
  const bool has_short_rows = f.nonempty_rows >= 0 && f.row_length <= short_rows;
  if (spares || (nnz >= tuning.small_matrix && has_short_rows)) {
    const double listed = f.nonempty_rows / nnz, columns = f.nonempty_cols / nnz;
    const double matrix = value + index + listed * (index + static_cast<double>(f.offset_bytes));
    // Of y what is touched; of x others read no more than this either, but by columns.
    const double n = matrix + tuning.row_start * listed + far + value * (listed - f.rows / nnz);
    const double sums_of_columns =
        threads > 1 && nnz >= tuning.small_matrix ? tuning.private_sums * value * columns : 0;
    const double t = n + value * (columns - f.cols / nnz) + sums_of_columns;
    all.push_back({"cpu/dcsr/balanced", matrix, n, spares ? t : std::max(t, n + sums),
                   tuning.csr_setup + 2 * (matrix + f.csr_bytes() / nnz),
                   fmt::format("entries in {:.0f} of {} rows, at most {:.0f} of {} columns",
                               f.nonempty_rows, f.rows, f.nonempty_cols, f.cols)});
  }
  if (f.sell_slots > 0 && f.sell_slots <= most_slots) {
    const double bytes = f.sell_slots * (value + index) + index / std::max(f.row_length, 1e-9);
    by_row({"cpu/sell/gather", bytes, bytes, 0, tuning.sell_setup,
            fmt::format("rows of like length, {:.2f} slots a nonzero", f.sell_slots)});
  }
  if (f.entries > 0) {
    const double offsets = csr - value - index;
    by_row({"cpu/compact/balanced", f.compact_bytes, f.compact_bytes + tuning.decoding + starts, 0,
            tuning.compact_setup, fmt::format("{:.1f} bytes a nonzero", f.compact_bytes)});
    if (f.block_rows > 1 && f.block_rows == f.block_cols) {
      const double side = f.block_rows;
      const double bytes = f.block_fill * (value + index / (side * side)) + offsets / side;
      by_row({"cpu/bsr/unrolled",
              bytes,
              bytes,
              0,
              tuning.block_setup,
              fmt::format("blocks of {0} x {0}, {1:.2f} values a nonzero", side, f.block_fill),
              {{"block_rows", f.block_rows}, {"block_cols", f.block_cols}}});
    }
    if (f.packed_bytes > 0)
      by_row({"cpu/packed/slices", f.packed_bytes,
              f.packed_bytes + tuning.decoding + (1 - f.run_share) * tuning.picking, 0,
              tuning.packed_setup, fmt::format("{:.0f} % in runs", 100 * f.run_share)});
    // x and y stay near: a part of the far cost is left. The sums are in cache, not in registers.
    const double blocks = f.narrow_value_bytes + index;
    const double both = blocks + tuning.scattering + far / 4;
    // A line of blocks is one thread's: with fewer lines than threads it is not worth trying.
    const int bits = csb_block_bits(f.rows, f.cols);
    const auto by_lines = [&](index_t side) {
      return side >> bits < threads - 1 ? std::max(both, idle_threads * csr) : both;
    };
    all.push_back({"cpu/csb/balanced", blocks, by_lines(f.rows), by_lines(f.cols), tuning.csb_setup,
                   "blocks that go both ways"});
  }

  std::vector<Candidate> candidates;
  const double second = nnz / tuning.rate(threads);  // a byte a nonzero takes so long
  for (Estimate& e : all)
    candidates.push_back({.kernel = &find_kernel(e.kernel.id),
                          .parameters = std::move(e.parameters),
                          .n_seconds = tuning.wake_up + (e.n + vectors) * second,
                          .t_seconds = tuning.wake_up + (e.t + vectors) * second,
                          .setup_seconds = e.setup * second,
                          .bytes = e.matrix * nnz,
                          .why = std::move(e.why),
                          .spares_empty = e.kernel.id == std::string_view("cpu/dcsr/balanced")});
  // Of what needs no setup, so that it can be tried: waking others may take longer than they save.
  const std::int64_t work = f.rows + f.nnz;
  const std::int64_t grain = candidates.front().kernel->resolve({}).at("grain");
  if (threads > 1 && nnz < most_for_one && work >= 2 * grain) {
    Candidate alone = candidates.front();
    alone.parameters["grain"] = std::min(work, most_grain);  // all for one
    alone.n_seconds = alone.t_seconds = (csr + starts + far + vectors) * nnz / tuning.rate(1);
    alone.why = "plain CSR, one thread";
    candidates.push_back(std::move(alone));
  }
  return candidates;
}

bool x_is_far(const Features& f, const CpuTuning& tuning) {
  const auto entry = static_cast<double>(f.value_bytes + sizeof(index_t));
  const double x = static_cast<double>(f.cols) * static_cast<double>(f.value_bytes);
  return x > tuning.near_bytes / 8 && f.lines * tuning.far_line > entry / 2;
}

double cpu_several_seconds(const Kernel& kernel, double one, const Features& f, int vectors,
                           Layout layout, bool at_once, int threads, const CpuTuning& tuning) {
  if (!at_once) return vectors * one;
  const double more = vectors - 1;
  const double second = static_cast<double>(f.value_bytes) / tuning.rate(threads);  // an element
  const bool by_rows = layout == Layout::row_major;
  const std::string_view format = kernel.format;
  // X in the other layout: read and written.
  const double copied = 2 * vectors * second * f.cols;
  const int few_of_rows = format == "packed"
                              ? cpu::few_picks_of_rows(static_cast<std::size_t>(f.value_bytes))
                              : cpu::few_gathers_of_rows;
  const bool few = vectors <= (by_rows ? few_of_rows : cpu::few_gathers);
  // Runs are multiplied again for every vector, by what is in registers, picks from columns.
  if (format == "packed" && (few || f.run_share >= gathers_below))
    return (1 + more * stream_share) * one + (by_rows && f.run_share < read_by_rows ? copied : 0);
  // And so are gathers, for a few.
  if (format == "sell" && few) return vectors * one + (by_rows ? copied : 0);
  if (format == "csb" && !by_rows && vectors <= cpu::few_columns) return vectors * one;
  // Gathered elements come from a near cache, an eighth of what memory takes; a row of X that is
  // loaded for a block serves all its rows. Otherwise it is a load of its own, where one vector has
  // several entries in a gather.
  const auto nnz = static_cast<double>(f.nnz);
  const double gathered = nnz / (format == "bsr" ? 16 : 8);
  // CSB has a row of sums to load and to store beside it.
  const double rows_an_entry = format == "bsr" ? 0 : format == "csb" ? 3 : 1;
  const double loads = rows_an_entry * row_loads * nnz / tuning.rate(threads);
  const double written = format == "sell" ? one : format == "packed" ? 2 * one : 0;
  const bool as_it_lies = by_rows || f.nnz < cpu::worth_copying * f.cols;
  return std::max(one + written, loads) + (as_it_lies ? 0 : copied) +
         more * second * (static_cast<double>(f.rows) + f.cols + gathered);
}

double cpu_transpose_seconds(const Features& f, int threads, const CpuTuning& tuning) {
  return tuning.transpose_setup * static_cast<double>(f.nnz) / tuning.rate(threads);
}

}  // namespace nz
