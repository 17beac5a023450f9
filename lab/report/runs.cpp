#include "lab/report/runs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "lab/bench/glob.hpp"
#include "lab/bench/json_words.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* reproduction_schema = "nonzero-reproduction/1";

std::string place_of(const Record& r, const std::string& device) {
  if (device == "emu") return "the emulator";
  if (device != "cpu" && r.machine.contains("gpu"))
    return r.machine.at("gpu").value("name", "a GPU");
  const auto cores = r.machine.value("cores", std::int64_t{0});
  const std::string cpu = r.machine.value("cpu", "a CPU");
  return cores > 0 ? fmt::format("{}, {}", cpu, plural(cores, "core", "cores")) : cpu;
}

Json parsed(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw BadInput("cannot open it");
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) throw BadInput("cannot read it");
  if (all.empty()) throw BadInput("it is empty");
  try {
    return Json::parse(all);
  } catch (const Json::parse_error& e) {
    throw BadInput(no_json(e, all.size()));
  }
}

// What an experiment says beside its results.
Json paper_of(const Json& j) {
  Json paper = Json::object();
  for (const char* key : {"title", "facts", "tables", "claims"})
    if (j.contains(key)) paper[key] = j[key];
  return paper;
}

Record reproduction(Json j) {
  const bool gpu = j.contains("machine") && j["machine"].contains("gpu");
  for (Json& r : j.at("results"))
    if (gpu && !r.contains("device")) r["device"] = "cuda:0";
  if (Json& b = j["bandwidth"]; b.is_object())
    b = Json::array({{{"device", gpu ? "cuda:0" : "cpu"},
                      {"threads", 1},
                      {"read", b.value("read", 0.0)},
                      {"copy", b.value("copy", 0.0)},
                      {"array_bytes", b.value("bytes", std::int64_t{0})}}});
  else if (!b.is_array())
    b = Json::array();
  j["schema"] = record_schema;
  return record_from_json(j);
}

// Times of another number of vectors, or of another layout, are of another product.
std::string vectors_text(const Result& r) {
  return r.vectors.several()
             ? fmt::format("{} vectors by {}", r.vectors.count, name(r.vectors.layout))
             : "";
}

// What a device has with several numbers of vectors; none where it has one alone.
std::vector<Result> together(const Record& all, const std::string& device) {
  std::vector<Result> its;
  std::set<int> counts;
  for (const Result& r : all.results) {
    if (r.device != device) continue;
    its.push_back(r);
    counts.insert(r.vectors.count);
  }
  if (counts.size() < 2) its.clear();
  return its;
}

// The parts of a record, one a device and a number of vectors.
std::vector<Run> split(const Record& all, const NamedPath& given, bool study, const Sides& sides) {
  std::vector<std::pair<std::string, std::string>> parts;
  std::set<std::string> devices;
  for (const Result& r : all.results) {
    devices.insert(r.device);
    const std::pair part(r.device, vectors_text(r));
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  std::vector<Run> runs;
  std::set<std::string> met;
  for (const auto& [device, vectors] : parts) {
    const std::string called =
        given.name.empty() ? std::filesystem::path(given.path).stem().string() : given.name;
    Run run{.name = called,
            .file = given.path,
            .record_name = called,
            .place = place_of(all, device),
            .record = all,
            .study = study,
            .sides = sides};
    if (devices.size() > 1) run.name += ' ' + device;
    if (!vectors.empty()) run.name += ", " + vectors;
    if (met.insert(device).second) run.of_all_vectors = together(all, device);
    std::erase_if(run.record.results, [&, on = device, of = vectors](const Result& r) {
      return r.device != on || vectors_text(r) != of;
    });
    std::erase_if(run.record.bandwidth,
                  [&, on = device](const Bandwidth& b) { return b.device != on; });
    runs.push_back(std::move(run));
  }
  return runs;
}

// What a paper's experiment says is of all its devices: one run tells it, that of the main device
// where there is one.
void tell(std::vector<Run>& runs, const Json& told, const std::string& device) {
  const auto main = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
    return run.record.results.front().device == device;
  });
  Run& teller = main != runs.end() ? *main : runs.front();
  teller.paper = told;
  std::string places;
  for (const Run& run : runs) places += (places.empty() ? "" : "; ") + run.place;
  teller.paper["places"] = places;
}

std::vector<Run> read_one(const NamedPath& given, const Sides& sides) {
  Json j = parsed(given.path);
  const std::string schema =
      j.is_object() && j.contains("schema") && j["schema"].is_string() ? j["schema"] : "";
  if (schema.empty()) throw BadInput("not a record: it has no schema");
  if (schema != record_schema && schema != reproduction_schema)
    throw BadInput(fmt::format("a record of another version: {}; this program reads {} and {}",
                               schema, record_schema, reproduction_schema));
  try {
    const bool paper = schema == reproduction_schema;
    const Json told = paper ? paper_of(j) : Json();
    const std::string device = j.contains("device") && j["device"].is_string() ? j["device"] : "";
    Record record = paper ? reproduction(std::move(j)) : record_from_json(j);
    if (record.results.empty()) throw BadInput("it has no results");
    for (const auto& [name, part] : {std::pair{"machine", &record.machine},
                                     {"environment", &record.environment},
                                     {"settings", &record.settings},
                                     {"clocks", &record.clocks}})
      if (!part->is_object()) throw BadInput(fmt::format("not a whole record: no {}", name));
    const bool sweep = record.settings.contains("sweep");
    std::vector<Run> runs = split(record, given, paper || sweep, sides);
    if (paper) tell(runs, told, device);
    return runs;
  } catch (const Json::exception& e) {
    throw BadInput(fmt::format("not a whole record: {}", words_of(e)));
  }
}

}  // namespace

Party party(const Sides& sides, const std::string& kernel) {
  if (names_any(kernel, sides.peers)) return Party::peer;
  if (names_any(kernel, sides.ours)) return Party::ours;
  return kernel.starts_with("peer/") ? Party::none : Party::ours;
}

Runs read_runs(const std::vector<std::string>& files, const Sides& sides) {
  Runs all;
  std::set<std::string> given, names, records;
  for (const std::string& word : files) {
    const NamedPath path = named_path(word);
    const std::string& file = path.path;
    try {
      std::error_code none;
      if (!given.insert(std::filesystem::weakly_canonical(file, none).string()).second)
        throw BadInput("given twice");
      const auto another = [](std::set<std::string>& known, const std::string& name) {
        std::string now = name;
        for (int i = 2; !known.insert(now).second; ++i) now = fmt::format("{} ({})", name, i);
        return now;
      };
      std::vector<Run> its = read_one(path, sides);
      const std::string called = another(records, its.front().record_name);
      for (Run& run : its) {
        run.name = another(names, run.name);
        run.record_name = called;
        all.runs.push_back(std::move(run));
      }
    } catch (const BadInput& e) {
      all.left_out.push_back({file, e.what()});
    }
  }
  return all;
}

std::vector<Variant> variants(const Run& run) {
  std::vector<Variant> all;
  for (const char* op : {"N", "T"})
    for (const char* type : {"f64", "f32"}) {
      const Variant v{type, op};
      if (std::any_of(run.record.results.begin(), run.record.results.end(),
                      [&](const Result& r) { return r.timed() && v.has(r); }))
        all.push_back(v);
    }
  return all;
}

std::vector<Contest> contests(const Run& run, const std::optional<Variant>& variant) {
  if (run.study) return {};
  Filter filter{};
  if (variant) filter.ops = {variant->op}, filter.types = {variant->type};
  std::vector<Contest> all = compare_within(run.record, run.sides, filter);
  std::stable_partition(all.begin(), all.end(),
                        [](const Contest& c) { return c.ours && c.best_peer(); });
  return all;
}

std::vector<Pair> pairs(const std::vector<Contest>& contests) {
  std::vector<Pair> all;
  for (const Contest& c : contests)
    if (c.ours && c.best_peer()) all.push_back({c.ours, c.best_peer()});
  return all;
}

std::vector<const Result*> matrices(const Run& run) {
  std::vector<const Result*> all;
  std::map<std::string, std::size_t> known;
  for (const Result& r : run.record.results) {
    const auto [at, fresh] = known.emplace(r.matrix, all.size());
    if (fresh)
      all.push_back(&r);
    else if (all[at->second]->nnz == 0)
      all[at->second] = &r;  // one that was loaded tells more
  }
  return all;
}

std::string ours_text(const std::vector<Contest>& contests) {
  std::size_t planned = 0, all = 0;
  for (const Contest& c : contests)
    if (c.ours)
      ++all, planned += c.ours->planned.value_or(false) || c.ours->kernel.starts_with("plan/");
  if (planned == all && all > 0) return "what a plan chooses";
  return planned == 0 ? "the fastest of our kernels"
                      : "what a plan chooses, or the fastest of our kernels where none was asked,";
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::optional<double> predicted_seconds(const Run& run, const Result& r) {
  if (const auto told = r.facts.find("predicted_us"); told != r.facts.end())
    return told->second * 1e-6;
  if (r.vectors.several()) return {};
  for (const Forecast& f : run.record.forecasts) {
    if (f.matrix != r.matrix || f.device != r.device || f.type != r.type || f.op != r.op ||
        f.threads != r.threads)
      continue;
    for (const Prediction& p : f.predictions) {
      // Of a kernel with the parameters that the plan would give it.
      const bool same = std::all_of(p.parameters.begin(), p.parameters.end(), [&](const auto& one) {
        const auto at = r.parameters.find(one.first);
        return at != r.parameters.end() && at->second == one.second;
      });
      if (p.kernel == r.kernel && same) return p.seconds;
    }
  }
  return {};
}

std::optional<double> own_rate(const Result& r) {
  if (!r.timed() || !r.bytes || !(*r.median_s > 0)) return {};
  return static_cast<double>(*r.bytes) / *r.median_s;
}

std::optional<double> csr_rate(const Result& r) {
  if (!r.timed() || r.csr_bytes <= 0 || !(*r.median_s > 0)) return {};
  return static_cast<double>(r.csr_bytes) / *r.median_s;
}

double csr_storage(const Result& r) {
  const double value = r.type == "f32" ? 4 : 8;
  const double vectors = static_cast<double>(r.rows + r.cols) * r.vectors.count;
  return r.csr_bytes > 0 ? static_cast<double>(r.csr_bytes) - value * vectors : 0;
}

std::string short_name(const std::string& kernel) {
  return kernel.starts_with("peer/") ? kernel.substr(5) : kernel;
}

std::string parameters_text(const Parameters& parameters) {
  std::string all;
  for (const auto& [name, value] : parameters)
    all += fmt::format("{}{}={}", all.empty() ? "" : " ", name, value);
  return all;
}

}  // namespace nz::lab
