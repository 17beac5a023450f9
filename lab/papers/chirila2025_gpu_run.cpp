#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "lab/papers/campaign.hpp"
#include "lab/papers/chirila2025.hpp"
#include "lab/papers/chirila2025_gpu.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/gpu_watch.hpp"
#include "lab/papers/published.hpp"
#include "lab/papers/recall.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using namespace chirila2025;

// What of a launch the paper varies.
struct How {
  int threads = 128;
  int oversubscription = 1;
  std::int64_t registers = 0;
  std::int64_t blocks_per_sm = 0;  // 0: as many as fit
  std::int64_t rows = rows_at_once;
  bool fused = false;
  Shape shape{block, block};
  int calls = listed_calls;
};

Setup other(const char* kernel) {
  return {kernel, 1, {{"block", block}, {"block_rows", block}, {"block_cols", block}}};
}

class Repetition {
 public:
  Repetition(const CsrView<double, std::int32_t>& a, const std::string& matrix,
             const ExperimentOptions& options)
      : trials_(a, matrix,
                options.batch == 0 ? options.gpu_budget
                                   : in_batches(options.gpu_budget, options.batch, runs),
                options.device, {Op::none}, options.recall),
        emulated_(options.device.kind == Device::Kind::emulator),
        options_(options),
        watch_(options.recall ? GpuWatch(*options.recall) : GpuWatch(options.device)) {
    if (options.batch > 0) trials_.scale_by(alpha, beta);
    trials_.in_parts(options.parts);
    f_.device = watch_.info();
    f_.bytes = bytes_of_product(a.rows, a.nnz);
    f_.peak = published_peaks(f_.device).memory;
    if (!emulated_) f_.read = watch_.bandwidth().read;
    best_launches();
    low_occupancy();
    studies();
    block_shapes();
    others();
    if (emulated_) forget();
  }

  const GpuFigures& figures() const { return f_; }
  void add_to(Reproduction& r) const {
    trials_.add_to(r.results);
    watch_.add_to(r);
  }

 private:
  static constexpr std::pair<const char*, const char*> peers[] = {
      {cusparse, "peer/cusparse/bsrmv"}, {cusparse_generic, "peer/cusparse/bsr-alg1"}};

  // The emulator pays for every thread, and has nothing to choose by.
  std::vector<int> tried() const {
    if (emulated_) return {2};
    return {std::begin(oversubscriptions), std::end(oversubscriptions)};
  }

  Setup setup(const char* kernel, const How& how) const {
    Setup s{kernel,
            1,
            {{"block_rows", how.shape.rows},
             {"block_cols", how.shape.cols},
             {"max_ratio", 1000},  // blocks that are not the matrix's own fill a little
             {"threads", how.threads},
             {"oversubscription", how.oversubscription},
             {"registers", how.registers},
             {"blocks_per_sm", how.blocks_per_sm},
             {"rows_at_once", how.rows},
             {"fused", how.fused}}};
    // Records that are older than the parameter are of one call.
    if (!options_.recall || options_.recall->has_parameter(kernel, "calls"))
      s.parameters["calls"] = how.calls;
    return s;
  }

  void run(const std::vector<Setup>& all) {
    trials_.run(all, options_.tell);
    watch_.look();
  }

  Launch launch(const Setup& s, double oversubscription) const {
    Launch l{.seconds = products * trials_.seconds(s)};
    const Trial* t = trials_.find(s);
    if (!t) return l;
    if (!t->hot.samples.empty()) l.hot_seconds = products * t->hot.median();
    const auto fact = [&](const char* name) {
      const auto found = t->facts.find(name);
      return found == t->facts.end() ? no_figure : found->second;
    };
    l.max_blocks = fact("resident_blocks");
    l.registers = fact("registers");
    // A launch that was not the best of any is not shown.
    if (std::isnan(l.seconds)) return l;
    l.grid = fact("grid");
    l.fill = fact("fill_ratio");
    l.bytes = static_cast<double>(t->traffic);
    l.oversubscription = oversubscription;
    return l;
  }

  // Of several launches with as many threads the fastest, or the first.
  static void keep(Launches& all, int threads, const Launch& l) {
    const auto [at, is_new] = all.emplace(threads, l);
    if (!is_new && !(l.seconds >= at->second.seconds) && !std::isnan(l.seconds)) at->second = l;
  }

  // Tables 7, 8, 10 and 12.
  void best_launches() {
    std::vector<Setup> all;
    each_launch([&](const GpuKernel& k, const How& how) { all.push_back(setup(k.id, how)); });
    run(all);
    each_launch([&](const GpuKernel& k, const How& how) {
      keep(f_.best[k.id], how.threads, launch(setup(k.id, how), how.oversubscription));
    });
  }
  template <class Each>
  void each_launch(Each&& each) const {
    for (const GpuKernel& k : gpu_kernels)
      for (const int threads : block_sizes)
        for (const int times : tried())
          each(k, How{.threads = threads, .oversubscription = times, .registers = k.registers});
  }

  // Table 9: an eighth, a quarter, half and three quarters of the blocks that fit.
  void low_occupancy() {
    std::vector<std::pair<int, Setup>> all;
    for (const auto& [threads, full] : f_.best[thread_private.id]) {
      if (std::isnan(full.max_blocks)) continue;
      std::set<std::int64_t> fewer;
      for (const double share : {0.125, 0.25, 0.5, 0.75})
        fewer.insert(static_cast<std::int64_t>(share * full.max_blocks));
      for (const std::int64_t n : fewer)
        if (n > 0)
          all.emplace_back(threads, setup(thread_private.id, {.threads = threads,
                                                              .registers = thread_private.registers,
                                                              .blocks_per_sm = n}));
    }
    std::vector<Setup> setups;
    for (const auto& [threads, s] : all) setups.push_back(s);
    run(setups);
    for (const auto& [threads, s] : all) keep(f_.low, threads, launch(s, 1));
  }

  // The best launch of a kernel, or a usual one where nothing was timed.
  How best_of(const GpuKernel& k) const {
    How how{.registers = k.registers};
    double least = no_figure;
    for (const auto& [threads, l] : f_.best.at(k.id))
      if (!std::isnan(l.seconds) && !(l.seconds > least)) {
        least = l.seconds;
        how.threads = threads;
        how.oversubscription = static_cast<int>(l.oversubscription);
      }
    return how;
  }

  void studies() {
    std::vector<Setup> all;
    const auto limited = [&](int limit, int threads) {
      const double times = f_.best.at(unrolled.id).at(threads).oversubscription;
      return How{.threads = threads,
                 .oversubscription = std::isnan(times) ? 1 : static_cast<int>(times),
                 .registers = limit};
    };
    // The kernel has listing 12's four calls with eight rows at once alone: here one for all.
    const auto by_rows = [&](int n) {
      How how = best_of(unrolled);
      how.rows = n;
      how.calls = 1;
      return how;
    };
    const auto fused = [&](const GpuKernel& k) {
      How how = best_of(k);
      how.fused = true;
      return how;
    };
    for (const int limit : register_limits)
      for (const int threads : block_sizes)
        all.push_back(setup(unrolled.id, limited(limit, threads)));
    for (const int n : rows_at_once_tried) all.push_back(setup(unrolled.id, by_rows(n)));
    for (const GpuKernel& k : gpu_kernels) all.push_back(setup(k.id, fused(k)));
    run(all);
    for (const int limit : register_limits)
      for (const int threads : block_sizes) {
        const How how = limited(limit, threads);
        f_.limited[limit][threads] = launch(setup(unrolled.id, how), how.oversubscription);
      }
    for (const int n : rows_at_once_tried)
      f_.rows_at_once[n] = launch(setup(unrolled.id, by_rows(n)), no_figure);
    for (const GpuKernel& k : gpu_kernels)
      f_.scaling[k.id] = {launch(setup(k.id, best_of(k)), 1).seconds,
                          launch(setup(k.id, fused(k)), 1).seconds};
  }

  // The vector kernel on the same matrix cut into other blocks, with the launches of table 12.
  void block_shapes() {
    const auto how = [&](const Shape& shape, int threads) {
      const double times = f_.best.at(unrolled.id).at(threads).oversubscription;
      return How{.threads = threads,
                 .oversubscription = std::isnan(times) ? 1 : static_cast<int>(times),
                 .shape = shape};
    };
    const auto each = [&](auto&& use) {
      for (const Shape& shape : shapes)
        for (const int threads : shape_block_sizes) use(shape, threads, how(shape, threads));
    };
    std::vector<Setup> all;
    each([&](const Shape&, int, const How& h) { all.push_back(setup(unrolled.id, h)); });
    run(all);
    each([&](const Shape& shape, int threads, const How& h) {
      f_.by_shape[shape][threads] = launch(setup(unrolled.id, h), h.oversubscription);
    });
  }

  void others() {
    std::vector<Setup> all;
    if (!emulated_)
      for (const auto& [label, id] : peers) all.push_back(other(id));
    const bool ours = !match_kernels(own).empty();
    if (ours) all.push_back(other(own));
    run(all);
    for (const auto& [label, id] : peers) f_.others[label] = launch(other(id), no_figure);
    if (ours) f_.others[own] = launch(other(own), no_figure);
  }

  // What the emulator says of registers and blocks is nothing to compare with.
  void forget() {
    f_.best.clear();
    f_.low.clear();
    f_.limited.clear();
    f_.rows_at_once.clear();
    f_.by_shape.clear();
    f_.others.clear();
  }

  Trials<double> trials_;
  bool emulated_;
  const ExperimentOptions& options_;
  GpuWatch watch_;
  GpuFigures f_;
};

}  // namespace

Reproduction reproduce_chirila2025_gpu(const ExperimentOptions& options) {
  options.check_scale();
  const bool emulated = options.device.kind == Device::Kind::emulator;
  const long n = std::max(20L, std::lround(options.scale * rows / block)) * block;
  const std::string spec = fmt::format("block-band:n={},block={}", n, block);
  if (options.tell) options.tell(0, 1, "generating " + spec);
  const auto a = csr_with_offsets<std::int32_t>(generate(spec).matrix);

  const Repetition experiment(a.view(), spec, options);
  const DeviceInfo& device = experiment.figures().device;
  Reproduction r{
      .title = "chirila2025, chapter 8: BSR on the GPU",
      .facts = {fmt::format("matrix: gen:{}, {} nonzeros in dense blocks of {} x {}, f64", spec,
                            count_text(a.nnz()), block, block),
                fmt::format("device: {}, {} multiprocessors; the paper: Tesla P100 PCIe 16 GB, {}",
                            device.description, device.processors, P100::processors),
                emulated ? "no times: the emulator verifies the kernels, and is not for speed"
                : options.batch == 0
                    ? fmt::format("times: {} times the median of one product, y = A x, checked "
                                  "beforehand, with the caches flushed before each; the paper: "
                                  "runs of {} products",
                                  products, products)
                    : fmt::format("times: the median of {}, one behind the other, checked "
                                  "beforehand",
                                  about_batches(options.batch)),
                "the band is contiguous: the paper does not say where in a row its blocks are",
                "launches: with 32 registers a thread at most, as in the paper, but for the vector "
                "kernel; each line has the best oversubscription of 1, 2, 4, 8 and 16"},
      .device = options.device};
  r.about["batch"] = options.batch;
  if (n != rows)
    r.facts.push_back(fmt::format("the paper's matrix has {} rows: compare shapes, not seconds",
                                  count_text(rows)));
  experiment.add_to(r);
  for (const std::string& line : how_it_went(r.results)) r.facts.push_back(line);
  r.tables = gpu_tables(experiment.figures());
  r.claims = gpu_claims(r.tables);
  conclude(r, options);
  return r;
}

}  // namespace nz::lab
