#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "plan/door.hpp"
#include "plan/features.hpp"
#include "plan/models.hpp"
#include "plan/rounded.hpp"
#include "plan/selection.hpp"
#include "plan/tuning/tuning.hpp"
#include "simt/backend.hpp"

// Which kernel a plan takes: features of the matrix, a prediction for each candidate, and of those
// that may be taken the fastest.
namespace nz {
namespace {

// Setup in multiplies of plain CSR. Few matrices need all that a balanced plan may take: in the
// geometric mean it is far less (docs/plans.md).
constexpr double instant_multiplies = 3, balanced_multiplies = 120;

// The same bits every time are worth so much slower a product, unasked.
constexpr double worth_repeating = 1.05;

// The transpose was not seen yet: it must promise so much more.
constexpr double worth_transposing = 1.1;

// Whether to look for what takes long to make: where it may be timed, or where nothing else gives
// the same bits for both products from one copy.
bool closely(const Constraints& w) {
  return w.effort == Effort::thorough || (w.deterministic && w.use == both_ops);
}

bool repeats(const Candidate& c, Use use) {
  return std::ranges::all_of(all_ops, [&](Op op) { return !use.has(op) || c.repeats(op); });
}

// So many products share the setup where nothing else tells a fast one from a fast setup: what is
// predicted is wrong by more than that is worth. Where candidates are timed, the setup is not
// asked.
constexpr double products_to_share = 500;

// Where none is made in the time there is, that is not the time of this many products more than
// another one's.
constexpr double products_of_late = 100;

double rank_seconds(const Candidate& c, const Constraints& w) {
  const double setup = c.measured_seconds > 0 || w.effort == Effort::thorough
                           ? 0
                           : c.setup_seconds / products_to_share;
  return (seconds_for(c, w.use) + setup) * (repeats(c, w.use) ? 1 : worth_repeating) *
         (c.transposed && !w.transpose_seen ? worth_transposing : 1);
}

std::string obstacle(const Candidate& c, const Constraints& w, std::int64_t nnz) {
  if (w.use.t && !c.kernel->supports(c.inner(Op::transpose))) return "has no transposed product";
  if (w.use.n && !c.kernel->supports(c.inner(Op::none))) return "has no transposed product";
  if (w.deterministic && nnz > 0 && !repeats(c, w.use)) return "not the same bits every time";
  if (!stores(*c.kernel, w.store_values_as))
    return fmt::format("does not store values as {}", name(w.store_values_as));
  if (c.too_large) return "over the memory limit";
  return {};
}

bool takes_at_once(const Candidate& c, const Constraints& w) {
  return w.at_once && c.kernel->several;
}

std::vector<Candidate> candidates_for(const Features& f, Device device, const Constraints& w) {
  const bool here = device == cpu_device;
  std::vector<Candidate> all =
      here ? cpu_candidates(f, threads(), cpu_tuning())
           : gpu_candidates(f, simt::backend(device).info(), gpu_tuning(device));
  if (w.vectors == 1) return all;
  for (Candidate& c : all) {
    const bool at_once = takes_at_once(c, w);
    if (!here && at_once)
      c.parameters.merge(gpu_several_parameters(c, f, w.vectors, w.layout, gpu_tuning(device)));
    expect_several(c, f, device, w);
    c.why += fmt::format(", {} vectors {}", w.vectors, at_once ? "at once" : "one by one");
  }
  return all;
}

// Values are to be stored in few bytes, and the model, which has not looked at all that it could,
// suggests nothing that does so. The compact format takes every matrix, for about what CSR takes.
void add_narrow(std::vector<Candidate>& all, Device device, StoredValues as) {
  const bool here = device == cpu_device;
  const auto plain = std::find_if(all.begin(), all.end(), is_plain);
  if (plain == all.end() ||
      std::any_of(all.begin(), all.end(), [&](const auto& c) { return stores(*c.kernel, as); }))
    return;
  Candidate compact = *plain;
  compact.kernel = &find_kernel(here ? "cpu/compact/balanced" : "gpu/compact/balanced");
  compact.why = fmt::format("stores values as {}", name(as));
  all.push_back(std::move(compact));
}

template <Value T, Offset O>
void drop_others(std::vector<Candidate>& all, Device device) {
  std::erase_if(
      all, [&](const Candidate& c) { return !c.kernel->template prepare_for<T, O>(device.kind); });
}

}  // namespace

void expect_one(std::vector<Candidate*>& all, const Features& f) {
  const std::vector<Candidate> known = cpu_candidates(f, threads(), cpu_tuning());
  std::erase_if(all, [&](Candidate* c) {
    const Candidate* const one = same_candidate(*c, known);
    if (!one) return true;
    c->n_seconds = c->transposed ? one->t_seconds : one->n_seconds;
    c->t_seconds = c->transposed ? one->n_seconds : one->t_seconds;
    return false;
  });
}

// Kernels that have a product of their own for several vectors read the matrix once. The others
// multiply one by one, as all do for T.
void expect_several(Candidate& c, const Features& f, Device device, const Constraints& w) {
  const bool at_once = takes_at_once(c, w);
  double& as_it_is = c.transposed ? c.t_seconds : c.n_seconds;
  double& turned = c.transposed ? c.n_seconds : c.t_seconds;
  as_it_is = device == cpu_device
                 ? cpu_several_seconds(*c.kernel, as_it_is, f, w.vectors, w.layout, at_once,
                                       threads(), cpu_tuning())
                 : gpu_several_seconds(c, f, w.vectors, w.layout, at_once, gpu_tuning(device));
  turned *= w.vectors;
}

bool Candidate::repeats(Op op) const { return kernel->repeats(inner(op), parameters); }

double Candidate::seconds(bool n, bool t) const {
  if (measured_seconds > 0) return measured_seconds;
  const double both = (n ? n_seconds : 0) + (t ? t_seconds : 0);
  return n && t ? both / 2 : both;
}

bool better(const Candidate& a, const Candidate& b, const Constraints& w) {
  return rank_seconds(a, w) < rank_seconds(b, w);
}

bool is_plain(const Candidate& c) {
  return !c.transposed && c.kernel->format == "csr" && c.kernel->strategy == "balanced";
}

double setup_multiplies(Effort effort) {
  if (effort == Effort::thorough) return std::numeric_limits<double>::infinity();
  return effort == Effort::instant ? instant_multiplies : balanced_multiplies;
}

std::vector<Candidate> transposed_candidates(const Features& of_transpose, Device device,
                                             const Constraints& w) {
  const double transposing = device == cpu_device
                                 ? cpu_transpose_seconds(of_transpose, threads(), cpu_tuning())
                                 : gpu_transpose_seconds(of_transpose, gpu_tuning(device));
  std::vector<Candidate> all = candidates_for(of_transpose, device, w);
  for (Candidate& c : all) {
    c.transposed = true;
    std::swap(c.n_seconds, c.t_seconds);
    c.setup_seconds += transposing;
  }
  return all;
}

// A multiply of plain CSR, by which setup is measured; of the slowest where CSR will not do.
static double plain_seconds(const Selection& s, const Constraints& w) {
  double slowest = 0;
  for (std::size_t i = 0; i < s.usable; ++i) {
    const Candidate& c = s.candidates[i];
    if (is_plain(c)) return seconds_for(c, w.use);
    slowest = std::max(slowest, seconds_for(c, w.use));
  }
  return slowest;
}

int product_threads(Device device, const Features& f) {
  static const std::int64_t grain = find_kernel("cpu/csr/balanced").resolve({}).at("grain");
  return product_threads(device, f, grain);
}

int product_threads(Device device, const Features& f, std::int64_t grain) {
  if (device != cpu_device) return threads();
  const std::int64_t work = std::max(f.rows, f.cols) + f.nnz;
  return static_cast<int>(std::clamp<std::int64_t>(work / grain, 1, threads()));
}

bool goes_by_rule(const Selection& s, const Constraints& w) {
  return s.usable > 0 && s.candidates.front().spares_empty &&
         s.features.hypersparse(w.use.n, w.use.t);
}

Selection rank(Features features, std::vector<Candidate> candidates, const Constraints& w) {
  Selection s{.features = features, .candidates = std::move(candidates)};
  for (Candidate& c : s.candidates) {
    if (w.deterministic) c.kernel->make_deterministic(c.parameters);
    c.too_large = w.memory_limit > 0 && c.bytes > static_cast<double>(w.memory_limit);
    c.why_not = obstacle(c, w, s.features.nnz);
  }
  const auto out = std::stable_partition(s.candidates.begin(), s.candidates.end(),
                                         [](const Candidate& c) { return c.why_not.empty(); });
  s.usable = static_cast<std::size_t>(out - s.candidates.begin());
  const double most = setup_multiplies(w.effort) * plain_seconds(s, w);
  // What leaves empty rows alone goes before all others where there is little else.
  const bool hypersparse = s.features.hypersparse(w.use.n, w.use.t);
  const auto first = [&](const Candidate& c) { return hypersparse && c.spares_empty; };
  const bool as_it_is = std::any_of(s.candidates.begin(), out,
                                    [&](const Candidate& c) { return first(c) && !c.transposed; });
  const auto late = std::stable_partition(s.candidates.begin(), out, [&](const Candidate& c) {
    return c.setup_seconds <= most || (first(c) && !(c.transposed && as_it_is));
  });
  s.in_time = static_cast<std::size_t>(late - s.candidates.begin());
  std::stable_sort(s.candidates.begin(), late, [&](const Candidate& a, const Candidate& b) {
    return first(a) != first(b) ? first(a) : better(a, b, w);
  });
  const auto made_and_used = [&](const Candidate& c) {
    return c.setup_seconds + products_of_late * seconds_for(c, w.use);
  };
  std::stable_sort(late, out, [&](const Candidate& a, const Candidate& b) {
    return made_and_used(a) < made_and_used(b);
  });
  for (auto c = s.candidates.begin(); c != out; ++c) {
    if (c == s.candidates.begin()) continue;
    c->why_not = c < late ? first(s.candidates.front()) && !first(*c)
                                ? "touches what has no entries too"
                                : "predicted to be slower"
                          : fmt::format("setup would take {:.0f} multiplies of plain CSR",
                                        c->setup_seconds / plain_seconds(s, w));
  }
  return s;
}

template <Value T, Offset O>
Selection select(const CsrView<T, O>& a, Device device, const Constraints& w) {
  const ThreadScope team(product_threads(device, shape_features(a)));
  // CSR as it is needs no look.
  const Features f = w.effort == Effort::instant
                         ? glance_at(a, device)
                         : look_at(a, device, threads(), closely(w), w.start);
  std::vector<Candidate> all = candidates_for(f, device, w);
  add_narrow(all, device, w.store_values_as);
  if (w.csr_is_there)
    for (Candidate& c : all)
      if (c.kernel->format == "csr") c.bytes = 0;
  if (w.may_transpose && w.use == Use(Op::transpose) && w.effort != Effort::instant) {
    const std::vector<Candidate> more = transposed_candidates(f.transposed(), device, w);
    all.insert(all.end(), more.begin(), more.end());
  }
  drop_others<T, O>(all, device);
  Selection s = rank(f, std::move(all), w);
  if (s.usable > 0 || w.effort != Effort::instant) return s;
  // CSR as it is does not do.
  Constraints more = w;
  more.effort = Effort::balanced;
  return select(a, device, more);
}

template <Value T, Offset O>
Selection select_transposed(const CsrView<T, O>& transpose, Device device, const Constraints& w) {
  const Features f = w.effort == Effort::instant
                         ? glance_at(transpose, device)
                         : look_at(transpose, device, threads(), closely(w));
  Selection s{.features = f, .candidates = transposed_candidates(f, device, w)};
  drop_others<T, O>(s.candidates, device);
  return s;
}

#define NZ_INSTANTIATE(T, O)                                                   \
  template Selection select(const CsrView<T, O>&, Device, const Constraints&); \
  template Selection select_transposed(const CsrView<T, O>&, Device, const Constraints&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
