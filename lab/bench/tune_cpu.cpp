#include "lab/bench/tune_cpu.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nonzero/array.hpp>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/caches.hpp"
#include "base/parallel.hpp"
#include "lab/bench/bandwidth.hpp"
#include "lab/bench/trial.hpp"
#include "plan/features.hpp"
#include "plan/models.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz::lab {
namespace {

using Clock = std::chrono::steady_clock;
using Matrix = Csr<double, std::int32_t>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A figure further from the built-in one is a mistake of measuring, or of the model: other work
// beside this, a constant that matters too little for the time it is found by. It is not believed.
constexpr double most_off = 10;
double within_reason(double value, double built_in) {
  return value > built_in / most_off && value < built_in * most_off ? value : built_in;
}

// What of a candidate a constant is found by.
enum class From : char { n, t, setup };
double part(const Candidate& c, From from) {
  return from == From::n ? c.n_seconds : from == From::t ? c.t_seconds : c.setup_seconds;
}

struct Fit {
  double CpuTuning::*constant;
  const char* kernel;
  From from;
};

// A matrix for which these constants matter, each more than those that are not known yet.
struct Subject {
  std::string spec;
  std::vector<Fit> fits;
};

std::vector<Subject> subjects(std::int64_t nonzeros) {
  using C = CpuTuning;
  const std::int64_t band = std::max<std::int64_t>(nonzeros / 21, 64),
                     town = std::max<std::int64_t>(
                         std::llround(std::sqrt(static_cast<double>(nonzeros) / 2.5)), 16),
                     side = std::max<std::int64_t>(std::llround(std::cbrt(nonzeros / 117.0)), 4);
  return {
      // Short rows of changing length.
      {fmt::format("banded:n={},lower=10,upper=10,density=0.25", 3 * band),
       {{&C::row_start, "cpu/csr/balanced", From::n}}},
      // Rows alike, without gaps.
      {fmt::format("banded:n={},lower=10,upper=10", band),
       {{&C::decoding, "cpu/compact/balanced", From::n},
        {&C::scattering, "cpu/csb/balanced", From::n},
        {&C::csr_setup, "cpu/csr/balanced", From::setup},
        {&C::compact_setup, "cpu/compact/balanced", From::setup},
        {&C::sell_setup, "cpu/sell/gather", From::setup},
        {&C::packed_setup, "cpu/packed/slices", From::setup},
        {&C::csb_setup, "cpu/csb/balanced", From::setup}}},
      {fmt::format("fem:nx={0},ny={0},nz={0},block=3", side),
       {{&C::block_setup, "cpu/bsr/unrolled", From::setup}}},
      // Every entry far from the one before.
      {fmt::format("random:rows={},cols={},density={}", nonzeros / 16, nonzeros,
                   16.0 / static_cast<double>(nonzeros)),
       {{&C::far_line, "cpu/csr/balanced", From::n},
        {&C::private_sums, "cpu/csr/balanced", From::t}}},
      // Half of the entries in runs, half picked.
      {fmt::format("road:nx={0},ny={0}", town), {{&C::picking, "cpu/packed/slices", From::n}}},
  };
}

const Candidate* find(const std::vector<Candidate>& all, const char* kernel) {
  const auto at =
      std::ranges::find_if(all, [&](const Candidate& c) { return c.kernel->id() == kernel; });
  return at == all.end() ? nullptr : &*at;
}

class CpuTuner {
 public:
  CpuTuner(const TuneSettings& settings, const TuneProgress& progress)
      : settings_(settings), progress_(progress) {
    // What is measured is memory: no matrix stays in the last cache.
    if (settings_.nonzeros == 0)
      settings_.nonzeros = static_cast<int>(
          std::clamp(static_cast<double>(last_level_cache_bytes()) / 6, 4e6, 64e6));
  }

  DeviceTable table() {
    const std::vector<Subject> all = subjects(settings_.nonzeros);
    steps_ = 4 + static_cast<int>(all.size());
    memory();
    waking();
    near();
    for (const Subject& s : all) look(s);
    return {table_key({}), measured_, numbers_of(tuning_)};
  }

 private:
  void step(std::string_view what) { progress_(done_++, steps_, what); }

  Bandwidth bandwidth(int threads, std::size_t bytes) const {
    const ThreadScope scope(threads);
    return bytes > 0 ? measure_bandwidth(bytes) : measure_bandwidth();
  }

  // One thread's rate r and how many have half of it, h, so that n threads read r n / (1 + n / h).
  void memory() {
    const int n = threads();
    step("memory, one thread");
    const double one = bandwidth(1, settings_.buffer_bytes).read;
    step("memory, all threads");
    const double all = n > 1 ? bandwidth(n, settings_.buffer_bytes).read : one;
    const double alone = n * one - all;  // what they lack together
    double half = built_in_.half_rate_threads;
    if (n > 1) half = alone > 0 && all > one ? n * (all - one) / alone : alone > 0 ? 1e-2 : 1e6;
    tuning_.half_rate_threads = within_reason(half, built_in_.half_rate_threads);
    tuning_.thread_rate = all / n * (1 + n / tuning_.half_rate_threads);
    measured_ = {{"threads", n},
                 {"one_thread_bytes_per_second", one},
                 {"read_bytes_per_second", all},
                 {"cache_bytes_per_second", bandwidth(1, 128 << 10).read}};
  }

  void waking() {
    step("waking threads");
    const Timing t = measure([] { parallel(threads(), [](int, int) {}); },
                             {.warm_up_seconds = 0.1 * settings_.seconds,
                              .seconds = settings_.seconds,
                              .sample_seconds = 1e-4});
    measured_.emplace_back("wake_up_seconds", t.best());
    tuning_.wake_up = within_reason(t.best(), built_in_.wake_up);
    // As many as memory gives meanwhile.
    tuning_.small_matrix =
        within_reason(built_in_.small_matrix * tuning_.wake_up * tuning_.thread_rate /
                          (built_in_.wake_up * built_in_.thread_rate),
                      built_in_.small_matrix);
  }

  // Of one read, here and there in so many bytes: a power of two.
  static double gather_seconds(std::size_t bytes) {
    constexpr int reads = 1 << 20;
    Array<double> a(bytes / sizeof(double));
    std::fill(a.begin(), a.end(), 1.0);
    const std::uint64_t mask = a.size() - 1;
    double best = std::numeric_limits<double>::infinity(), total = 0;
    for (int r = 0; r < 3; ++r) {
      const auto start = Clock::now();
      double sum = 0;
      for (std::uint64_t i = 0; i < reads; ++i) sum += a[(i * 0x9e3779b97f4a7c15u >> 20) & mask];
      best = std::min(best, seconds_since(start));
      total += sum;
    }
    if (total != 3.0 * reads) throw Error("the test of the caches read back a wrong sum");
    return best / reads;
  }

  // The largest array whose elements come rather as from the smallest than as from the largest.
  void near() {
    step("caches");
    constexpr std::size_t least = 64 << 10, most = 64 << 20;
    const double limit = std::sqrt(gather_seconds(least) * gather_seconds(most));
    std::size_t bytes = least;
    while (bytes < most / 2 && gather_seconds(2 * bytes) <= limit) bytes *= 2;
    tuning_.near_bytes = within_reason(static_cast<double>(bytes), built_in_.near_bytes);
  }

  void look(const Subject& subject) {
    step(subject.spec.substr(0, subject.spec.find(':')));
    const auto a = csr_cast<double, std::int32_t>(generate(subject.spec).matrix.view());
    const Features f = look_at(a.view(), cpu_device, threads(), false);
    Stage<double, std::int32_t> stage(a.view());
    for (const Fit& fit : subject.fits) fit_to(fit, f, stage);
    if (subject.fits.front().constant == &CpuTuning::row_start) transposing(a, f);
  }

  // The constant with which the model predicts what is measured. Kept as it is where the kernel is
  // no candidate, does not take the matrix, or the constant does not matter.
  void fit_to(const Fit& fit, const Features& f, Stage<double, std::int32_t>& stage) {
    CpuTuning with = tuning_;
    const auto predicted = [&](double value) -> const Candidate* {
      with.*fit.constant = value;
      candidates_ = cpu_candidates(f, threads(), with);
      return find(candidates_, fit.kernel);
    };
    const double built_in = built_in_.*fit.constant;
    const Candidate* c = predicted(0);
    if (!c) return;
    const double without = part(*c, fit.from);
    const Parameters parameters = c->parameters;
    const double each = (part(*predicted(built_in), fit.from) - without) / built_in;
    if (!(each > 0)) return;
    const Op op = fit.from == From::t ? Op::transpose : Op::none;
    const Trial t =
        stage
            .perform(
                find_kernel(fit.kernel),
                {.ops = {op}, .parameters = parameters, .budget = {.seconds = settings_.seconds}})
            .front();
    if (t.status != Status::ok) return;
    const double took = fit.from == From::setup ? t.prepare_seconds : t.timing.best();
    tuning_.*fit.constant = within_reason((took - without) / each, built_in);
  }

  void transposing(const Matrix& a, const Features& f) {
    const auto start = Clock::now();
    const Matrix t = transpose(a.view());
    const double a_byte = static_cast<double>(f.nnz) / tuning_.rate(threads());
    tuning_.transpose_setup =
        within_reason(seconds_since(start) / a_byte, built_in_.transpose_setup);
  }

  TuneSettings settings_;
  const TuneProgress& progress_;
  int done_ = 0, steps_ = 0;
  NamedNumbers measured_;
  const CpuTuning built_in_{};
  CpuTuning tuning_{};
  std::vector<Candidate> candidates_;
};

}  // namespace

DeviceTable tune_cpu(const TuneSettings& settings, const TuneProgress& progress) {
  return CpuTuner(settings, progress).table();
}

}  // namespace nz::lab
