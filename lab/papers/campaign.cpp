#include "lab/papers/campaign.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/instantiate.hpp"
#include "lab/bench/source.hpp"
#include "lab/papers/recall.hpp"

namespace nz::lab {

double MatrixShots::time(std::string_view kernel, bool hot) const {
  const auto found = by.find(kernel);
  if (found == by.end()) return no_figure;
  const Shot& s = found->second;
  return hot && s.hot == s.hot ? s.hot : s.seconds;
}

template <Value T>
Campaign<T>::Campaign(const ExperimentOptions& options, std::size_t matrices)
    : options_(options), total_(matrices) {
  if (!has_gpu()) return;
  if (options.recall)
    watch_.emplace(*options.recall);
  else
    watch_.emplace(options.device);
}

template <Value T>
void Campaign<T>::tell(std::string_view what) const {
  if (options_.tell) options_.tell(begun_, total_, what);
}

template <Value T>
PaperMatrix Campaign<T>::matrix(std::string_view name, double published, Symmetric symmetric) {
  if (options_.recall) {
    const std::string source = options_.recall->source_of(name);
    return {std::string(name), source, options_.recall->size_of(source).stand_in, {}};
  }
  tell(fmt::format("loading {}", name));
  return paper_matrix(name, published, symmetric, options_);
}

template <Value T>
MatrixShots Campaign<T>::left_out(std::string_view name, std::string reason) {
  left_out_.push_back(fmt::format("{} ({})", name, reason));
  ++begun_;
  return {.name = std::string(name), .label = std::string(name)};
}

template <Value T>
MatrixShots Campaign<T>::measure(const PaperMatrix& m, const std::vector<Contender>& all) {
  const auto a =
      options_.recall ? Csr<T, std::int32_t>() : csr_cast<T, std::int32_t>(m.matrix.view());
  MatrixShots shots{.name = m.name,
                    .label = m.label(),
                    .stand_in = m.stand_in,
                    .rows = static_cast<double>(a.rows),
                    .cols = static_cast<double>(a.cols),
                    .nonzeros = static_cast<double>(a.nnz())};
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i) {
    const double length = static_cast<double>(a.offsets[i + 1] - a.offsets[i]);
    shots.shortest = std::fmin(shots.shortest, length);
    shots.longest = std::fmax(shots.longest, length);
  }
  if (const Recall* recall = options_.recall) {
    const Recall::Size size = recall->size_of(m.source);
    shots.rows = size.rows;
    shots.cols = size.cols;
    shots.nonzeros = size.nonzeros;
    shots.shortest = recall->here("", m.name, "shortest");
    shots.longest = recall->here("", m.name, "longest");
  }
  const auto run = [&](bool on_gpu) {
    std::vector<Setup> setups;
    for (const Contender& c : all)
      if (c.on_gpu == on_gpu) setups.push_back(c.setup);
    if (setups.empty() || (on_gpu && !has_gpu())) return;
    Trials<T> trials(a.view(), recorded_source(m.source),
                     on_gpu ? options_.gpu_budget : options_.budget,
                     on_gpu ? options_.device : cpu_device, {Op::none}, options_.recall);
    trials.in_parts(options_.parts);
    trials.run(setups, [&](std::uint64_t, std::uint64_t, std::string_view what) {
      tell(fmt::format("{}: {}", m.name, what));
    });
    for (const Contender& c : all) {
      if (c.on_gpu != on_gpu) continue;
      Shot& shot = shots.by[c.label];
      shot.seconds = trials.seconds(c.setup);
      const Trial* t = trials.find(c.setup);
      if (!t) continue;
      if (!t->hot.samples.empty()) shot.hot = t->hot.median();
      shot.facts = t->facts;
    }
    const std::size_t before = results_.size();
    trials.add_to(results_);
    for (std::size_t k = before; k < results_.size(); ++k) results_[k]["stand_in"] = m.stand_in;
  };
  run(false);
  run(true);
  if (watch_) watch_->look();
  (m.stand_in ? stand_ins_ : real_).push_back(m.name);
  ++begun_;
  return shots;
}

template <Value T>
void Campaign<T>::add_to(Reproduction& r) const {
  r.results = results_;
  if (watch_) watch_->add_to(r);
  if (!real_.empty())
    r.facts.push_back(fmt::format("the matrix itself: {}", fmt::join(real_, ", ")));
  if (!stand_ins_.empty())
    r.facts.push_back(fmt::format("stand-ins, marked *: {}", fmt::join(stand_ins_, ", ")));
  if (!left_out_.empty())
    r.facts.push_back(fmt::format("left out: {}", fmt::join(left_out_, ", ")));
  if (!has_gpu())
    r.facts.push_back(fmt::format("no device: {}; figures of a GPU are empty",
                                  options_.no_device.empty() ? "CPU only" : options_.no_device));
  for (std::string& line : how_it_went(r.results)) r.facts.push_back(std::move(line));
}

ExperimentOptions repeated(ExperimentOptions options, int on_cpu, int on_gpu) {
  options.budget.min_samples = std::max(options.budget.min_samples, on_cpu);
  options.gpu_budget.min_samples = std::max(options.gpu_budget.min_samples, on_gpu);
  return options;
}

void explain_stars(std::vector<Comparison>& tables) {
  for (Comparison& c : tables)
    if (std::any_of(c.lines.begin(), c.lines.end(),
                    [](const auto& l) { return l.label.ends_with(" *"); }))
      c.notes.push_back(star_note);
}

namespace {

std::string held(const std::vector<Claim>& all) {
  const auto judged = [](const Claim& c) { return c.holds.has_value(); };
  const auto holds = [](const Claim& c) { return c.holds.value_or(false); };
  const auto undecided =
      std::count_if(all.begin(), all.end(), [](const Claim& c) { return c.undecided; });
  return fmt::format("{} of {} judged{}, {} in all", std::count_if(all.begin(), all.end(), holds),
                     std::count_if(all.begin(), all.end(), judged),
                     undecided > 0 ? fmt::format(", {} undecided", undecided) : "", all.size());
}

}  // namespace

void conclude(Reproduction& r, const ExperimentOptions& options) {
  if (options.scale != 1) {
    r.facts.push_back("not the paper's sizes: nothing is concluded");
    for (Claim& c : r.claims) {
      c.holds.reset();
      c.undecided = false;
    }
    return;
  }
  r.facts.push_back("conclusions that hold here: " + held(r.claims));
}

void conclude(Reproduction& r, const ExperimentOptions& options, const std::vector<Claim>& hot) {
  conclude(r, options);
  if (options.scale != 1) return;
  if (options.device.kind != Device::Kind::cuda) return;
  r.facts.push_back("judged by times without flushed caches: " + held(hot));
  for (std::size_t k = 0; k < hot.size() && k < r.claims.size(); ++k)
    if (hot[k].holds != r.claims[k].holds)
      r.facts.push_back(fmt::format("only without flushed caches {}: {} ({})",
                                    hot[k].undecided ? "it is undecided"
                                    : !hot[k].holds  ? "it is not measured"
                                    : *hot[k].holds  ? "it holds"
                                                     : "it does not hold",
                                    hot[k].text, figure_text(hot[k].here)));
}

#define NZ_INSTANTIATE(T) template class Campaign<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::lab
