#include "lab/papers/recall.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/machine.hpp"
#include "lab/papers/trials.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

// Of a matrix from a file the name without its ending.
std::string_view stem(std::string_view source) { return source.substr(0, source.find('.')); }

// Of a parameter that the kernel did not have then, a trial has the value that it begins with now.
bool same_parameters(std::string_view kernel, const Parameters& wanted, const Json& had) {
  for (const auto& [name, value] : wanted) {
    if (name.starts_with("max_")) continue;
    if (const auto found = had.find(name); found != had.end()) {
      if (*found != value) return false;
      continue;
    }
    if (match_kernels(kernel).empty()) continue;
    for (const Parameter& p : find_kernel(kernel).parameters)
      if (p.name == name && p.initial != value) return false;
  }
  return true;
}

// The oldest records do not say.
bool on_cpu(const Json& result) { return result.value("device", "cpu") == "cpu"; }

Timing timing_of(const Json& result, const char* samples, const char* median) {
  Timing t;
  if (const auto all = result.find(samples); all != result.end())
    t.samples = all->get<std::vector<double>>();
  else if (const auto one = result.find(median); one != result.end())
    t.samples = {one->get<double>()};
  return t;
}

Trial trial_of(const Json& result, Op op) {
  Trial t;
  t.op = op;
  t.status = result.at("status") == "ok" ? Status::ok : Status::failed;
  t.reason = result.at("reason");
  t.parameters = result.at("parameters").get<Parameters>();
  if (const auto bytes = result.find("bytes"); bytes != result.end()) {
    t.prepared = true;
    t.traffic = bytes->get<std::size_t>();
    t.bytes = result.value("stored_bytes", std::size_t{0});
    t.prepare_seconds = result.at("setup_s");
  }
  if (const auto facts = result.find("facts"); facts != result.end()) t.facts = facts->get<Facts>();
  t.timing = timing_of(result, "samples_s", "median_s");
  t.timing.runs_per_sample = result.value("multiplies_a_sample", 1);
  t.hot = timing_of(result, "hot_samples_s", "hot_median_s");
  return t;
}

constexpr std::array about_conclusions{"conclusions that hold", "judged by times without",
                                       "only without flushed caches", "told again from"};

bool is_about_conclusions(const std::string& fact) {
  return std::any_of(about_conclusions.begin(), about_conclusions.end(),
                     [&](const char* start) { return fact.starts_with(start); });
}

}  // namespace

Recall::Recall(Json record, const std::string& file) : record_(std::move(record)) {
  const auto is = [&](const char* key, bool (Json::*kind)() const noexcept) {
    const auto found = record_.is_object() ? record_.find(key) : record_.end();
    return found != record_.end() && ((*found).*kind)();
  };
  if (!is("schema", &Json::is_string) || record_["schema"] != "nonzero-reproduction/1" ||
      !is("experiment", &Json::is_string) || !is("scale", &Json::is_number) ||
      !is("results", &Json::is_array) || !is("tables", &Json::is_array) ||
      !is("facts", &Json::is_array) || !is("machine", &Json::is_object))
    throw BadInput(fmt::format("{}: not the record of an experiment of a paper", file));
}

Device Recall::device() const {
  const std::string name = record_.value("device", "cpu");  // the oldest do not say
  int index = 0;
  if (std::sscanf(name.c_str(), "cuda:%d", &index) == 1) return {Device::Kind::cuda, index};
  return name == "emu" ? Device{Device::Kind::emulator, 0} : cpu_device;
}

DeviceInfo Recall::info() const {
  DeviceInfo d{.device = device()};
  const Json& machine = record_["machine"];
  const auto gpu = machine.find("gpu");
  if (gpu == machine.end()) return d;
  d.description = gpu->value("name", "");
  d.processors = gpu->value("multiprocessors", 0);
  d.clock_mhz = gpu->value("clock_mhz", 0);
  std::sscanf(gpu->value("compute_capability", "0.0").c_str(), "%d.%d", &d.major, &d.minor);
  int major = 0, minor = 0;
  std::sscanf(gpu->value("runtime", "0.0").c_str(), "%d.%d", &major, &minor);
  d.runtime = 1000 * major + 10 * minor;
  std::sscanf(gpu->value("driver", "0.0").c_str(), "%d.%d", &major, &minor);
  d.driver = 1000 * major + 10 * minor;
  d.memory_bytes = gpu->value("memory_bytes", std::size_t{0});
  d.cache_bytes = gpu->value("l2_bytes", std::size_t{0});
  return d;
}

double Recall::read() const {
  const auto found = record_.find("bandwidth");
  return found == record_.end() ? no_figure : found->value("read", no_figure);
}

int Recall::threads() const {
  int most = 1;
  for (const Json& r : record_["results"])
    if (on_cpu(r)) most = std::max(most, r.at("threads").get<int>());
  return most;
}

std::string Recall::source_of(std::string_view name) const {
  for (const Json& r : record_["results"]) {
    const std::string source = r.at("matrix");
    if (source == fmt::format("like:{}", name) || stem(source) == name) return source;
  }
  return "";
}

std::string Recall::source_beginning(std::string_view start) const {
  for (const Json& r : record_["results"])
    if (const std::string source = r.at("matrix"); source.starts_with(start)) return source;
  return "";
}

Recall::Size Recall::size_of(std::string_view source) const {
  for (const Json& r : record_["results"])
    if (r.at("matrix") == source)
      return {r.at("rows"), r.at("cols"), r.at("nnz"), r.value("stand_in", false)};
  return {};
}

std::optional<Trial> Recall::find(std::string_view source, const Setup& setup, Op op, bool on_gpu,
                                  std::set<std::size_t>* taken) const {
  const Json& results = record_["results"];
  std::optional<std::size_t> alike;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Json& r = results[k];
    if (r.at("matrix") != source || current_id(r.at("kernel").get<std::string>()) != setup.kernel ||
        r.value("op", "N") != name(op) || on_cpu(r) == on_gpu ||
        (!on_gpu && r.at("threads") != setup.threads) ||
        !same_parameters(setup.kernel, setup.parameters, r.at("parameters")))
      continue;
    if (!alike) alike = k;
    if (!taken) break;
    if (!taken->insert(k).second) continue;
    alike = k;
    break;
  }
  if (!alike) return {};
  return trial_of(results[*alike], op);
}

bool Recall::has_parameter(std::string_view kernel, std::string_view parameter) const {
  for (const Json& r : record_["results"])
    if (current_id(r.at("kernel").get<std::string>()) == kernel &&
        r.at("parameters").contains(parameter))
      return true;
  return false;
}

double Recall::here(std::string_view table, std::string_view line, std::string_view column) const {
  for (const Json& t : record_["tables"]) {
    if (!t.at("title").get<std::string>().starts_with(table)) continue;
    for (const Json& l : t.at("lines")) {
      const std::string label = l.at("label");
      const auto found = l.at("here").find(column);
      if ((label == line || label == fmt::format("{} *", line)) && found != l.at("here").end() &&
          found->is_number())
        return *found;
    }
  }
  return no_figure;
}

Json Recall::retold(const Reproduction& r) const {
  Json anew = to_json(r), all = record_;
  for (const char* key : {"tables", "claims", "facts"}) all[key] = std::move(anew[key]);
  all["retold_by"] = commit().id;
  return all;
}

std::vector<std::string> retold_facts(const Recall& recall, const std::vector<std::string>& anew) {
  std::vector<std::string> all;
  for (const Json& fact : recall.record()["facts"])
    if (const std::string text = fact; !is_about_conclusions(text)) all.push_back(text);
  for (const std::string& fact : anew)
    if (is_about_conclusions(fact)) all.push_back(fact);
  all.push_back(fmt::format(
      "told again from the record of commit {}: trials as they were, tables and conclusions anew",
      recall.record().value("commit", "unknown").substr(0, 7)));
  return all;
}

}  // namespace nz::lab
