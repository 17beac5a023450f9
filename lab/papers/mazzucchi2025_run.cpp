#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/formats/coo.hpp>
#include <nonzero/threads.hpp>

#include "lab/papers/experiments.hpp"
#include "lab/papers/mazzucchi2025.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/recall.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using namespace mazzucchi2025;

// The paper's figures are of one run each; ours are medians of these at least.
constexpr int cpu_repeats = 20, gpu_repeats = 10;

// A record is told again with the blocks that it has.
std::vector<Contender> contenders(int threads, bool recalled) {
  std::vector<Contender> all;
  for (const Kernel& k : all_kernels) {
    Setup setup{k.id, k == openmp ? threads : 1};
    if (k.on_gpu && k != own && !recalled) setup.parameters["threads"] = block_threads;
    all.push_back({k.label, std::move(setup), k.on_gpu});
  }
  return all;
}

// What a record has of the conversion and of Eigen.
void recall(const Recall& from, const std::string& name, AllFigures& f) {
  const auto converted = [&](const char* column) { return from.here("Table I:", name, column); };
  f.conversion_ms[name] = converted(conversion);
  f.shared_conversion_ms[name] = converted(shared_conversion);
  // Older records have only the conversion on all threads, under the name that the one on a single
  // thread has now.
  if (std::isnan(f.shared_conversion_ms[name]))
    std::swap(f.conversion_ms[name], f.shared_conversion_ms[name]);
  for (const Kernel& k : all_kernels)
    if (const double worst = from.here("Check", name, k.label); worst == worst)
      f.from_eigen[name][k.label] = worst;
  if (f.from_eigen.empty()) f.why_not_checked = "not in the record";
}

// From sorted coordinates, as the paper's; the best of three.
double conversion_time(const GeneratedMatrix& a, int threads) {
  const ThreadScope scope(threads);
  const Coo<double> coordinates = coo_from_csr(a.view());
  double best = no_figure;
  for (int k = 0; k < 3; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const auto csr = coo_to_csr<std::int32_t>(coordinates.view());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::fmin(best, took.count());
  }
  return best;
}

}  // namespace

Reproduction reproduce_mazzucchi2025(const ExperimentOptions& given) {
  given.check_scale();
  const ExperimentOptions options = repeated(given, cpu_repeats, gpu_repeats);
  const auto lines = printed_table("mazzucchi2025", "Table I");
  Campaign<double> campaign(options, lines.size());
  AllFigures f;
  const int threads = options.recall ? options.recall->threads() : nz::threads();
  for (const auto& [name, figures] : lines) {
    const PaperMatrix a =
        campaign.matrix(name, figure(figures, "nonzeros"),
                        figure(figures, "symmetric") > 0 ? Symmetric::completed : Symmetric::whole);
    if (options.recall) {
      recall(*options.recall, name, f);
    } else {
      f.conversion_ms[name] = conversion_time(a.matrix, 1);
      f.shared_conversion_ms[name] = conversion_time(a.matrix, threads);
      if (EigenCheck one = check_with_eigen(a.matrix.view(), options.device, f.why_not_checked);
          !one.empty())
        f.from_eigen[name] = std::move(one);
    }
    f.matrices.push_back(campaign.measure(a, contenders(threads, options.recall)));
  }
  const std::string cpu = plural(threads, "thread", "threads");
  Reproduction r{
      .title = "mazzucchi2025, section VI: CSR by threads and by warps",
      .facts =
          {campaign.has_gpu() ? fmt::format("device: {}, and {} of the CPU",
                                            campaign.watch()->info().description, cpu)
                              : fmt::format("device: {} of the CPU", cpu),
           "the paper: an L40S with EPYC 9334s and a GT 730M with a Core i7-4800MQ; it does not "
           "say which of them table I is of",
           "matrices: those of table I, symmetric ones with both halves, as there; f64",
           campaign.emulated()
               ? "no times of the GPU: the emulator verifies the kernels, and is not for speed"
               : "times: the median of one product, checked beforehand, on a GPU with the "
                 "caches flushed before each, of 20 at least and 10 on a GPU; the paper: one run, "
                 "the first"},
      .device = options.device};
  if (campaign.has_gpu())
    r.facts.push_back(
        fmt::format("launches: blocks of {} threads, as in the paper's program", block_threads));
  campaign.add_to(r);
  r.tables = tables(f);
  r.claims = claims(f);
  conclude(r, options, claims(f, true));
  return r;
}

}  // namespace nz::lab
