#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/formats/coo.hpp>
#include <nonzero/threads.hpp>

#include "lab/papers/experiments.hpp"
#include "lab/papers/mazzucchi2025.hpp"
#include "lab/papers/printed.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using namespace mazzucchi2025;

std::vector<Contender> contenders() {
  std::vector<Contender> all;
  for (const Kernel& k : all_kernels)
    all.push_back({k.label, {k.id, k == openmp ? nz::threads() : 1}, k.on_gpu});
  return all;
}

// From sorted coordinates, as the paper's; the best of three.
double conversion_time(const GeneratedMatrix& a) {
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

Reproduction reproduce_mazzucchi2025(const ExperimentOptions& options) {
  options.check_scale();
  const auto lines = printed_table("mazzucchi2025", "Table I");
  Campaign<double> campaign(options, lines.size());
  AllFigures f;
  for (const auto& [name, figures] : lines) {
    const PaperMatrix a =
        campaign.matrix(name, figure(figures, "nonzeros"),
                        figure(figures, "symmetric") > 0 ? Symmetric::completed : Symmetric::whole);
    f.conversion_ms[name] = conversion_time(a.matrix);
    f.matrices.push_back(campaign.measure(a, contenders()));
  }
  const std::string cpu = plural(nz::threads(), "thread", "threads");
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
                 "caches flushed before each; the paper: one launch, the first"},
      .device = options.device};
  campaign.add_to(r);
  r.tables = tables(f);
  r.claims = claims(f);
  conclude(r, options, claims(f, true));
  return r;
}

}  // namespace nz::lab
