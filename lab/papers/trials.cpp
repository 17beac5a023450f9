#include "lab/papers/trials.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/registry.hpp>

#include "base/instantiate.hpp"
#include "lab/papers/recall.hpp"

namespace nz::lab {
namespace {

Parameters known_to(const Kernel& kernel, const Parameters& wanted) {
  Parameters known;
  for (const Parameter& p : kernel.parameters)
    if (const auto found = wanted.find(p.name); found != wanted.end())
      known.emplace(found->first, std::clamp(found->second, p.min, p.max));
  return known;
}

std::string text_of(const Setup& s, Device device) {
  const auto threads = s.parameters.find("threads");
  return fmt::format(
      "{}, threads {}", s.kernel,
      device == cpu_device || threads == s.parameters.end() ? s.threads : threads->second);
}

}  // namespace

template <Value T>
void Trials<T>::run(const std::vector<Setup>& setups, const Tell& tell) {
  if (recall_) return recall({setups.begin(), setups.end()});
  std::uint64_t begun = 0;
  for (const Setup& s : setups) {
    if (tell) tell(begun++, setups.size(), text_of(s, device_));
    if (done_.contains(s)) continue;
    std::vector<Trial>& trials = done_[s];
    if (trials = measured_before(s); !trials.empty()) continue;
    const auto found = match_kernels(s.kernel);
    if (found.empty() || parts_.over()) {
      const char* reason = found.empty() ? "not built" : left_for_later;
      for (const Op op : ops_)
        trials.push_back({.op = op, .status = Status::failed, .reason = reason});
      continue;
    }
    const Kernel& kernel = *found.front();
    if (!stage_) stage_ = std::make_unique<Stage<T, std::int32_t>>(a_);
    trials = stage_->perform(kernel, {.device = device_,
                                      .ops = ops_,
                                      .parameters = known_to(kernel, s.parameters),
                                      .threads = s.threads,
                                      .budget = budget_,
                                      .alpha = alpha_,
                                      .beta = beta_});
  }
}

template <Value T>
void Trials<T>::recall(const std::set<Setup>& setups) {
  for (const Setup& s : setups) {
    if (done_.contains(s)) continue;
    for (const Op op : ops_)
      done_[s].push_back(
          recall_->find(matrix_, s, op, device_ != cpu_device, &taken_)
              .value_or(Trial{.op = op, .status = Status::failed, .reason = "not in the record"}));
  }
}

template <Value T>
std::vector<Trial> Trials<T>::measured_before(const Setup& setup) const {
  std::vector<Trial> all;
  if (!parts_.before) return all;
  for (const Op op : ops_) {
    auto one = parts_.before->find(matrix_, setup, op, device_ != cpu_device);
    if (!one || one->status != Status::ok) return {};
    all.push_back(*std::move(one));
  }
  return all;
}

template <Value T>
const Trial* Trials<T>::find(const Setup& setup, Op op) const {
  const auto found = done_.find(setup);
  if (found != done_.end())
    for (const Trial& t : found->second)
      if (t.op == op) return &t;
  return nullptr;
}

template <Value T>
double Trials<T>::seconds(const Setup& setup, Op op) const {
  const Trial* t = find(setup, op);
  if (!t || t->timing.samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  return t->timing.median();
}

template <Value T>
std::string Trials<T>::missing(std::string_view kernel) const {
  std::string reason = "not asked for";
  for (const auto& [setup, trials] : done_) {
    if (setup.kernel != kernel) continue;
    for (const Trial& t : trials) {
      if (!t.timing.samples.empty()) return "";
      reason = t.reason;
    }
  }
  return reason;
}

template <Value T>
void Trials<T>::add_to(nlohmann::ordered_json& results) const {
  const auto add = [&](const Setup& setup, const Trial& t) {
    nlohmann::ordered_json r{{"matrix", matrix_},        {"rows", a_.rows},
                             {"cols", a_.cols},          {"nnz", a_.nnz},
                             {"device", device_.name()}, {"kernel", setup.kernel},
                             {"op", name(t.op)},         {"type", name(value_type_of<T>)},
                             {"threads", setup.threads}, {"parameters", t.parameters},
                             {"status", name(t.status)}, {"reason", t.reason}};
    if (t.prepared) {
      r["setup_s"] = t.prepare_seconds;
      r["bytes"] = t.traffic;
      r["stored_bytes"] = t.bytes;
      r["csr_bytes"] = a_.bytes();
      if (!t.facts.empty()) r["facts"] = t.facts;
    }
    if (!t.timing.samples.empty()) {
      r["median_s"] = t.timing.median();
      r["samples_s"] = t.timing.samples;
      r["multiplies_a_sample"] = t.timing.runs_per_sample;
    }
    if (!t.hot.samples.empty()) {
      r["hot_median_s"] = t.hot.median();
      r["hot_samples_s"] = t.hot.samples;
    }
    results.push_back(std::move(r));
  };
  for (const auto& [setup, trials] : done_)
    for (const Trial& t : trials) add(setup, t);
}

#define NZ_INSTANTIATE(T) template class Trials<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::lab
