#include "plan/rehearsal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/error.hpp>
#include <nonzero/formats/csb.hpp>
#include <nonzero/threads.hpp>

#include "base/caches.hpp"
#include "base/instantiate.hpp"
#include "plan/make_product.hpp"
#include "plan/models.hpp"
#include "plan/row_windows.hpp"
#include "plan/timing.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz {
namespace {

// One of so many entries is in the sample, within bounds: fewer are over too soon to be timed, more
// cost more than they tell.
constexpr double one_of = 16, fewest_entries = 8192, most_entries = 65'536;
constexpr double most_windows = 8;
// Columns a nonzero: where there are more, making an x takes longer than multiplying with it.
constexpr double most_columns = 2;
// Windows are whole slices of vector kernels and whole blocks of the usual sides.
constexpr index_t rows_together = 240;
// Times as many bytes a second come from the last level of cache as from memory.
constexpr double cache_gain = 3;
// A block of the sample has fewer entries than one of the matrix: work is that much less there.
constexpr double fuller_blocks = 0.7;
// Candidates are not rehearsed that need so many times the bytes of the least.
constexpr double too_many_bytes = 8;

// How to cut a sample out of the matrix; no rows: it is too small for one.
RowWindows windows_of(const Features& f) {
  const auto nnz = static_cast<double>(f.nnz);
  const double wanted = std::clamp(nnz / one_of, fewest_entries, most_entries);
  if (nnz < 4 * fewest_entries || f.cols > most_columns * nnz) return {.rows = 0};
  const double together = std::max(wanted / std::max(f.row_length, 1.0) / rows_together, 1.0);
  const double count = std::floor(std::min(together, most_windows));
  const auto each = rows_together * static_cast<index_t>(together / count);
  if (2 * count * each > f.rows) return {.rows = 0};
  return {.count = static_cast<index_t>(count),
          .rows = each,
          .apart = 1,
          .entries = static_cast<std::int64_t>(2 * wanted / count)};
}

// What a candidate's bytes alone take: the model without what it knows of work.
double streaming_seconds(const Candidate& c, const std::vector<Candidate>& by_bytes, double cache) {
  const auto same = std::find_if(by_bytes.begin(), by_bytes.end(), [&](const Candidate& b) {
    return b.kernel == c.kernel && b.parameters == c.parameters;
  });
  if (same == by_bytes.end()) return 0;
  return same->bytes < cache ? same->n_seconds / cache_gain : same->n_seconds;
}

}  // namespace

template <Value T, Offset O>
bool rehearse(const CsrView<T, O>& a, const Features& f, std::span<Candidate* const> candidates) {
  const RowWindows cut = windows_of(f);
  if (cut.rows == 0) return false;
  const Csr<T, std::int64_t> sample = sample_windows(cpu_device, a, cut);
  const CsrView<T, std::int64_t> view = sample.view();
  if (static_cast<double>(view.nnz) < fewest_entries / 4) return false;
  const int team = threads();
  const CpuTuning tuning = cpu_tuning();
  CpuTuning bytes_alone = tuning;
  bytes_alone.decoding = bytes_alone.picking = bytes_alone.scattering = bytes_alone.row_start = 0;
  bytes_alone.wake_up = 0;
  const std::vector<Candidate> by_bytes = cpu_candidates(f, team, bytes_alone);
  double least = by_bytes.front().n_seconds;
  for (const Candidate& b : by_bytes) least = std::min(least, b.n_seconds);
  const double cache = static_cast<double>(last_level_cache_bytes()) / 2;
  const double times = static_cast<double>(f.nnz) / static_cast<double>(view.nnz) / team;

  // The first window alone, for the kernel's code to be there.
  RowWindows one = cut;
  one.count = 1;
  const Csr<T, std::int64_t> first = sample_windows(cpu_device, a, one);

  Array<T> x(static_cast<std::size_t>(view.cols), T(1));
  Array<T> y(static_cast<std::size_t>(view.rows), T(0));
  const auto work_of = [&](const Product<T>& product, index_t rows) {
    return time_first<T>(product, {x.data(), x.size()}, {y.data(), static_cast<std::size_t>(rows)});
  };

  const ThreadScope alone(1);
  std::vector<double> seconds(candidates.size(), 0);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = *candidates[i];
    const double stream = streaming_seconds(c, by_bytes, cache);
    seconds[i] = c.transposed ? c.t_seconds : c.n_seconds;
    if (stream == 0 || stream > too_many_bytes * least) continue;
    // Plain CSR that is left to one thread has nobody to wake.
    const bool by_one = c.parameters.contains("grain");
    try {
      Parameters parameters = c.kernel->resolve(c.parameters);
      // Blocks as large as the whole matrix would have them.
      if (const auto bits = parameters.find("block_bits");
          bits != parameters.end() && bits->second == 0)
        bits->second = csb_block_bits(f.rows, f.cols);
      const auto little = make_product(*c.kernel, first.view(), parameters, cpu_device);
      const auto product = make_product(*c.kernel, view, parameters, cpu_device);
      work_of(*little, first.rows);
      double work = work_of(*product, view.rows);
      // Blocks have no rows whose ends a processor could learn: what the first product makes for
      // itself need not count.
      const bool blocks = c.kernel->format == "csb";
      if (blocks) work = fuller_blocks * std::min(work, work_of(*product, view.rows));
      work *= times * (by_one ? team : 1);
      seconds[i] = (by_one ? 0 : tuning.wake_up) + std::max(stream, work);
    } catch (const NoResource&) {
      throw;
    } catch (const Error&) {  // the whole matrix may be taken
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i)
    (candidates[i]->transposed ? candidates[i]->t_seconds : candidates[i]->n_seconds) = seconds[i];
  return true;
}

#define NZ_INSTANTIATE(T, O) \
  template bool rehearse(const CsrView<T, O>&, const Features&, std::span<Candidate* const>);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
