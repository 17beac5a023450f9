#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "lab/bench/machine.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/messa2025.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/recall.hpp"

namespace nz::lab {
namespace {

using namespace messa2025;

std::vector<Contender> contenders(bool emulated) {
  std::vector<Contender> all;
  for (const Kernel& k : kernels) {
    all.push_back({plain(k.label), {k.plain}});
    all.push_back({k.label, {k.optimised}});
  }
  all.push_back({own, {own}});
  if (!emulated) {
    all.push_back({cusparse, {"peer/cusparse/csr-alg1"}});
    all.push_back({cusparse_alg2, {"peer/cusparse/csr-alg2"}});
  }
  for (const Kernel& k : kernels) {
    for (const int n : bounds)
      all.push_back({bound(k.label, n), {k.optimised, 1, {{"launch_bounds", n}}}});
    all.push_back({rolled(k.label), {k.optimised, 1, {{"rolled", 1}}}});
    all.push_back({shared(k.label), {k.shared}});
  }
  return all;
}

// A warp a row and bins, in both forms.
std::vector<Contender> of_warps() {
  std::vector<Contender> all;
  for (const Kernel& k : {kernels[1], kernels[2]}) {
    all.push_back({plain(k.label), {k.plain}});
    all.push_back({k.label, {k.optimised}});
  }
  return all;
}

}  // namespace

Reproduction reproduce_messa2025(const ExperimentOptions& options) {
  options.check_scale();
  if (options.device == cpu_device)
    throw InvalidArgument("messa2025 runs on a GPU or on the emulator");
  const auto& named = printed("messa2025")["matrices"];
  Campaign<double> campaign(options, named.size() + 1);
  std::vector<MatrixShots> all;
  MatrixShots together;
  for (const auto& m : named) {
    const std::string name = m["name"];
    PaperMatrix a =
        campaign.matrix(name, printed_figure("messa2025", "Table III", name, "nonzeros"),
                        m["half"].get<bool>() ? Symmetric::half : Symmetric::whole);
    // With a row of millions a product of one thread a row takes about a second; one that takes
    // longer than the budget is checked and then timed once.
    all.push_back(campaign.measure(a, contenders(campaign.emulated())));
    if (name != together_of) continue;
    a.name = together_name;
    a.source = fmt::format("{} (empty rows first)", a.source);
    // Older records have none.
    if (options.recall && std::isnan(options.recall->size_of(a.source).rows)) continue;
    if (!options.recall) a.matrix = empty_rows_first(a.matrix.view());
    together = campaign.measure(a, of_warps());
  }
  Reproduction r{
      .title = "messa2025, section VII: four CSR kernels and cuSPARSE",
      .facts = {fmt::format("device: {}; the paper: A30, CUDA 12.3",
                            campaign.watch()->info().description),
                "matrices: those of table III, of symmetric ones the stored half, as there; f64",
                campaign.emulated()
                    ? "no times: the emulator verifies the kernels, and is not for speed"
                    : "times: the median of one product, checked beforehand, with the caches "
                      "flushed before each; the paper: the mean of 10, not flushed"},
      .device = options.device};
  campaign.add_to(r);
  r.tables = tables(all,
                    {campaign.watch()->info(),
                     options.recall ? options.recall->record().value("compiler", "") : compiler()},
                    together);
  r.claims = claims(all);
  conclude(r, options, claims(all, true));
  return r;
}

}  // namespace nz::lab
