#include "plan/rehearsal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/error.hpp>
#include <nonzero/formats/csb.hpp>
#include <nonzero/threads.hpp>

#include "base/caches.hpp"
#include "base/each_alone.hpp"
#include "base/instantiate.hpp"
#include "plan/cache_rate.hpp"
#include "plan/make_product.hpp"
#include "plan/models.hpp"
#include "plan/row_windows.hpp"
#include "plan/selection.hpp"
#include "plan/timing.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz {
namespace {

// One of so many entries is in the sample, of more the more threads will share a product, within
// bounds: fewer are over too soon to be timed, more cost more than they tell.
constexpr double one_of = 16, a_thread = 4, fewest_entries = 8192, most_entries = 65'536;
constexpr double most_windows = 8;
// Columns a nonzero: where there are more, making an x takes longer than multiplying with it.
constexpr double most_columns = 2;
// Windows are whole slices of vector kernels and whole blocks of the usual sides.
constexpr index_t rows_together = 240;
// Of the last level of cache over memory, at most.
constexpr double most_gained = 3;
// What blocks take, over their second product: the sample's have fewer entries for as much of x and
// y, but lie nearer than those of a matrix that many threads share.
constexpr double fuller_blocks = 0.8, farther_blocks = 0.1;  // and for each doubling of the threads
// What slices take, over their second product: the ends of some are guessed right in a sample, of
// fewer in the matrix.
constexpr double longer_slices = 1.1;
// What bytes take is over work by so much of it: a processor does some work while it waits for
// them, but not all.
constexpr double beside_work = 0.8;
// Lines of blocks, and entries in them, a thread: with fewer, some threads wait for others.
constexpr index_t fewest_lines = 2;
constexpr double fewest_in_lines = 32'768;
bool blocks_are_few(const Features& f, int team) {
  return f.rows >> csb_block_bits(f.rows, f.cols) < fewest_lines * team ||
         static_cast<double>(f.nnz) < fewest_in_lines * team;
}
// Predicted for blocks that are not rehearsed, over plain CSR: not worth trying.
constexpr double never = 4;
// One of so many rows of the sample is multiplied first, for the kernel's code to be there: those
// at the beginning, or, where these alone are refused, the next that are not.
constexpr index_t first_of = 8;
// Candidates are not rehearsed that need so many times the bytes of the least.
constexpr double too_many_bytes = 8;

// A candidate is rehearsed by at most so many threads.
constexpr int most_copies = 4;

// How to cut a sample out of the matrix; no rows: it is too small for one.
RowWindows windows_of(const Features& f, int team) {
  const auto nnz = static_cast<double>(f.nnz);
  const double wanted =
      std::clamp(nnz / std::max(one_of, a_thread * team), fewest_entries, most_entries);
  if (nnz < 4 * fewest_entries || f.cols > most_columns * nnz) return {.rows = 0};
  const double together = std::max(wanted / std::max(f.row_length, 1.0) / rows_together, 1.0);
  const double count = std::floor(std::min(together, most_windows));
  const auto each = rows_together * static_cast<index_t>(together / count);
  if (2 * count * each > f.rows) return {.rows = 0};
  return {.count = static_cast<index_t>(count),
          .rows = each,
          .apart = 0,
          .entries = static_cast<std::int64_t>(2 * wanted / count)};
}

// One of first_of equal parts of a sample's rows: as it is at the beginning, with offsets of its
// own elsewhere.
template <Value T>
class SomeRows {
 public:
  SomeRows() = default;
  SomeRows(const CsrView<T, std::int64_t>& sample, index_t part) : view_(sample) {
    const index_t each = (sample.rows + first_of - 1) / first_of;
    const index_t begin = std::min<index_t>(part * each, sample.rows);
    view_.rows = std::min<index_t>(each, sample.rows - begin);
    const std::int64_t from = sample.offsets[begin];
    view_.nnz = sample.offsets[begin + view_.rows] - from;
    view_.columns += from;
    view_.values += from;
    if (begin == 0) return;
    offsets_ = Array<std::int64_t>(
        std::span(sample.offsets + begin, static_cast<std::size_t>(view_.rows) + 1));
    for (std::int64_t& o : offsets_) o -= from;
  }
  CsrView<T, std::int64_t> view() const {
    CsrView<T, std::int64_t> v = view_;
    if (!offsets_.empty()) v.offsets = offsets_.data();
    return v;
  }

 private:
  CsrView<T, std::int64_t> view_{};
  Array<std::int64_t> offsets_;
};

// A candidate as one thread rehearses it.
template <Value T>
struct Rehearsed {
  std::size_t candidate;
  SomeRows<T> some{};
  std::unique_ptr<Product<T>> little{}, product{};  // none: it cannot be made
  Array<T> y{};
  SampleTimes times{};  // of the product

  // For the sample, and for some of its rows alone.
  void prepare(const Candidate& c, const Features& f, const CsrView<T, std::int64_t>& sample) {
    Parameters parameters = c.kernel->resolve(c.parameters);
    // Blocks as large as the whole matrix would have them.
    if (const auto bits = parameters.find("block_bits");
        bits != parameters.end() && bits->second == 0)
      bits->second = csb_block_bits(f.rows, f.cols);
    const auto made = [&](const CsrView<T, std::int64_t>& a) -> std::unique_ptr<Product<T>> {
      try {
        return make_product(*c.kernel, a, parameters, cpu_device);
      } catch (const NoResource&) {
        throw;
      } catch (const Error&) {
        return nullptr;
      }
    };
    product = made(sample);
    if (!product) return;  // the whole matrix may still be taken
    y = Array<T>(static_cast<std::size_t>(sample.rows), T(0));
    for (index_t part = 0; !little && part < first_of; ++part) {
      some = SomeRows<T>(sample, part);
      little = made(some.view());
    }
  }

  void perform(const Candidate& c, const CsrView<T, std::int64_t>& sample, std::span<const T> x,
               bool near) {
    if (!product) return;
    if (little) time_first<T>(*little, x, {y.data(), static_cast<std::size_t>(some.view().rows)});
    const auto bring_near = [&](const auto* all, std::size_t n) {
      for (std::size_t i = 0; i < n; i += 64 / sizeof(*all)) y[0] += static_cast<T>(all[i]);
    };
    times = time_sample(c, sample, x, near, bring_near, [&] {
      return time_first<T>(*product, x, {y.data(), y.size()});
    });
  }
};

// Those that are worth it, each by several threads where there are some: on a processor whose
// threads share cores all of them are busy then, as they will be.
template <Value T>
std::vector<Rehearsed<T>> parts_for(const std::vector<std::size_t>& candidates, int team) {
  const int some = std::max(1, static_cast<int>(candidates.size()));
  const int copies = std::clamp(team / some, 1, most_copies);
  std::vector<Rehearsed<T>> parts;
  for (int copy = 0; copy < copies; ++copy)
    for (const std::size_t i : candidates) parts.push_back({i});
  return parts;
}

// What a candidate's bytes alone take: the model without what it knows of work.
double streaming_seconds(const Candidate& c, const std::vector<Candidate>& by_bytes, double cache,
                         double gain) {
  const Candidate* const same = same_candidate(c, by_bytes);
  if (!same) return 0;
  return same->bytes < cache ? same->n_seconds / gain : same->n_seconds;
}

}  // namespace

double sample_seconds(const Kernel& kernel, double first, double again, double row_ends, int team) {
  const double least = std::min(first, again);
  if (kernel.brings_x_near) return (fuller_blocks + farther_blocks * std::log2(team)) * least;
  if (kernel.rows_end_together) return longer_slices * least;
  return std::min(first, again + row_ends);
}

double shortest_sample_seconds(const Candidate& c, std::span<const SampleTimes> all, int team) {
  constexpr double never_timed = std::numeric_limits<double>::infinity();
  double row_ends = never_timed, shortest = never_timed;
  for (const SampleTimes& t : all)
    if (is_plain(*t.candidate)) row_ends = std::min(row_ends, std::max(0.0, t.first - t.again));
  for (const SampleTimes& t : all)
    if (t.candidate == &c)
      shortest = std::min(shortest, sample_seconds(*c.kernel, t.first, t.again, row_ends, team));
  return shortest;
}

double cache_gain(double cache_rate, double memory_rate) {
  return cache_rate > 0 ? std::clamp(cache_rate / memory_rate, 1.0, most_gained) : most_gained;
}

template <Value T, Offset O>
bool rehearse(const CsrView<T, O>& a, const Features& f, std::span<Candidate* const> candidates,
              TrialVectors<T>& vectors) {
  const int team = threads();
  const RowWindows cut = windows_of(f, team);
  if (cut.rows == 0) return false;
  const Csr<T, std::int64_t> sample = sample_windows(cpu_device, a, cut);
  const CsrView<T, std::int64_t> view = sample.view();
  if (static_cast<double>(view.nnz) < fewest_entries / 4) return false;
  const CpuTuning tuning = cpu_tuning();
  CpuTuning bytes_alone = tuning;
  bytes_alone.decoding = bytes_alone.picking = bytes_alone.scattering = bytes_alone.row_start = 0;
  bytes_alone.wake_up = 0;
  const std::vector<Candidate> by_bytes = cpu_candidates(f, team, bytes_alone);
  double least = by_bytes.front().n_seconds;
  for (const Candidate& b : by_bytes) least = std::min(least, b.n_seconds);
  const double cache = static_cast<double>(last_level_cache_bytes()) / 2;
  // What stays in the threads' own caches has no need of the last one.
  const bool own = f.csr_bytes() < tuning.near_bytes * team;
  const double memory_rate = tuning.rate(team);
  const double gain = cache_gain(own ? 0 : cache_rate(team, memory_rate), memory_rate);
  const double times = static_cast<double>(f.nnz) / static_cast<double>(view.nnz) / team;

  const std::span<const T> x = vectors.x.first(static_cast<std::size_t>(view.cols));
  const bool near = static_cast<double>(x.size_bytes()) <= tuning.near_bytes;

  std::vector<double> seconds, streams;
  std::vector<std::size_t> worth_it;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = *candidates[i];
    seconds.push_back(c.transposed ? c.t_seconds : c.n_seconds);
    streams.push_back(streaming_seconds(c, by_bytes, cache, gain));
    if (c.kernel->brings_x_near && blocks_are_few(f, team))
      seconds[i] = never * by_bytes.front().n_seconds;
    else if (streams[i] > 0 && streams[i] <= too_many_bytes * least)
      worth_it.push_back(i);
  }
  std::vector<Rehearsed<T>> parts = parts_for<T>(worth_it, team);
  const auto each = [&](auto&& act) {
    each_alone(static_cast<int>(parts.size()), [&](int i) {
      Rehearsed<T>& part = parts[static_cast<std::size_t>(i)];
      act(part, *candidates[part.candidate]);
    });
  };
  each([&](auto& part, const Candidate& c) { part.prepare(c, f, view); });
  each([&](auto& part, const Candidate& c) { part.perform(c, view, x, near); });

  std::vector<SampleTimes> timed;
  for (const Rehearsed<T>& part : parts)
    if (part.product) timed.push_back(part.times);
  for (const std::size_t i : worth_it) {
    double work = shortest_sample_seconds(*candidates[i], timed, team);
    if (!std::isfinite(work)) continue;
    // Plain CSR that is left to one thread has nobody to wake.
    const bool by_one = candidates[i]->parameters.contains("grain");
    work *= times * (by_one ? team : 1);
    seconds[i] = (by_one ? 0 : tuning.wake_up) + work + beside_work * streams[i];
  }
  for (std::size_t i = 0; i < candidates.size(); ++i)
    (candidates[i]->transposed ? candidates[i]->t_seconds : candidates[i]->n_seconds) = seconds[i];
  return true;
}

#define NZ_INSTANTIATE(T, O)                                                                 \
  template bool rehearse(const CsrView<T, O>&, const Features&, std::span<Candidate* const>, \
                         TrialVectors<T>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
