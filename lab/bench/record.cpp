#include "lab/bench/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "io/output_file.hpp"
#include "lab/bench/json_words.hpp"
#include "lab/bench/machine.hpp"
#include "lab/bench/whole_number.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

// Plain CSR, best first: on the same threads where there is a threaded one.
constexpr const char* plain_threaded = "cpu/csr/omp-rows";
constexpr const char* plain_serial = "cpu/csr/serial";
// On a GPU the library everybody has, otherwise our plainest kernel that suits most matrices.
constexpr const char* plain_gpu = "peer/cusparse/csr-alg1-pre";
constexpr const char* plain_gpu_own = "gpu/csr/warp-per-row";

Json to_json(const Bandwidth& b) {
  if (b.device != "cpu")
    return {{"device", b.device},
            {"threads", b.threads},
            {"read", std::round(b.read)},
            {"copy", std::round(b.copy)},
            {"array_bytes", b.array_bytes}};
  return {{"threads", b.threads},
          {"read", std::round(b.read)},
          {"triad", std::round(b.triad)},
          {"array_bytes", b.array_bytes}};
}

Json to_json(const Lengths& l) {
  return {{"count", l.count},
          {"min", l.min},
          {"max", l.max},
          {"mean", std::stod(fmt::format("{:.6g}", l.mean))},
          {"empty", l.empty},
          {"deviation", std::stod(fmt::format("{:.6g}", l.deviation))},
          {"histogram", l.histogram}};
}

Lengths lengths_from(const Json& j) {
  Lengths l{.count = whole_number<std::int64_t>(j.at("count")),
            .min = whole_number<std::int64_t>(j.at("min")),
            .max = whole_number<std::int64_t>(j.at("max")),
            .empty = whole_number<std::int64_t>(j.at("empty")),
            .mean = j.at("mean"),
            .deviation = j.at("deviation")};
  for (const Json& n : j.at("histogram")) l.histogram.push_back(whole_number<std::int64_t>(n));
  return l;
}

std::string now() {
  const std::time_t t = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&t, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

Json header(const Record& r) {
  Json bandwidth = Json::array();
  double read = 0;
  int most = 0;
  for (const Bandwidth& b : r.bandwidth) {
    bandwidth.push_back(to_json(b));
    if (b.threads > most) most = b.threads, read = b.read;
  }
  Json j{{"schema", record_schema}, {"commit", r.commit}, {"dirty", r.dirty}, {"index_base", 0}};
  if (!r.date.empty()) j["date"] = r.date;
  j.update({{"machine", r.machine},
            {"compiler", r.compiler},
            {"build_type", r.build_type},
            {"environment", r.environment},
            {"settings", r.settings},
            {"read_bandwidth", most > 0 ? Json(std::round(read)) : Json(nullptr)},
            {"bandwidth", bandwidth}});
  if (!r.clocks.empty()) j["clocks"] = r.clocks;
  if (!r.pictures.empty()) j["pictures"] = r.pictures;
  return j;
}

}  // namespace

Record Record::here(Device device) {
  const Commit c = lab::commit();
  Record r{.commit = c.id,
           .dirty = c.dirty,
           .date = now(),
           .compiler = lab::compiler(),
           .build_type = lab::build_type(),
           .machine = describe_machine(device),
           .environment = describe_environment(),
           .settings = Json::object()};
  if (const auto peers = peer_versions(kernels()); !peers.empty()) r.environment["peers"] = peers;
  return r;
}

const Bandwidth* Record::memory(int threads, std::string_view device) const {
  const auto found = std::find_if(bandwidth.begin(), bandwidth.end(), [&](const Bandwidth& b) {
    return b.threads == threads && b.device == device;
  });
  return found == bandwidth.end() ? nullptr : &*found;
}

std::string_view plain_csr(Device::Kind kind) {
  return kind == Device::Kind::cpu ? plain_threaded : plain_gpu_own;
}

bool is_plain_csr(std::string_view kernel) {
  return kernel == plain_threaded || kernel == plain_serial || kernel == plain_gpu ||
         kernel == plain_gpu_own;
}

void Record::compare_with_csr() {
  using Place = std::tuple<std::string, std::string, std::string, int>;
  const auto place = [](const Result& r, int threads) {
    return Place{r.device, r.matrix, product_named(r), threads};
  };
  std::map<Place, const Result*> plain;
  for (const Result& r : results) {
    if (!r.timed()) continue;
    if (r.kernel == plain_threaded || r.kernel == plain_gpu) plain[place(r, r.threads)] = &r;
    // 0 stands for any number of threads.
    if (r.kernel == plain_serial || r.kernel == plain_gpu_own) plain[place(r, 0)] = &r;
  }
  for (Result& r : results) {
    r.baseline.clear();
    r.speedup.reset();
    r.break_even.reset();
    auto base = plain.find(place(r, r.threads));
    if (base == plain.end()) base = plain.find(place(r, 0));
    if (base == plain.end() || !r.timed()) continue;
    const Result& csr = *base->second;
    r.baseline = csr.kernel;
    r.speedup = *csr.median_s / *r.median_s;
    const double gain = *csr.median_s - *r.median_s;
    const double cost = r.setup_s.value_or(0) - csr.setup_s.value_or(0);
    if (&csr != &r && gain > 0) r.break_even = std::ceil(std::max(0.0, cost) / gain);
  }
}

Record record_from_json(const Json& j) {
  if (!j.is_object() || j.value("schema", "") != record_schema)
    throw BadInput(fmt::format("not a record of nonzero bench ({})", record_schema));
  Record r;
  r.commit = j.value("commit", "unknown");
  r.dirty = j.value("dirty", false);
  r.date = j.value("date", "");
  r.compiler = j.value("compiler", "");
  r.build_type = j.value("build_type", "");
  const auto object = [&](const char* key) {
    Json found = j.value(key, Json::object());
    if (!found.is_object()) throw BadInput(fmt::format("'{}' is not an object", key));
    return found;
  };
  r.machine = object("machine");
  r.environment = object("environment");
  r.settings = object("settings");
  r.clocks = object("clocks");
  // Asked for later, where another type would be no error of ours.
  (void)r.settings.value("pinned", false);
  (void)r.settings.value("device", "cpu");
  for (const Json& b : j.value("bandwidth", Json::array()))
    r.bandwidth.push_back({.read = b.at("read"),
                           .triad = b.value("triad", 0.0),
                           .array_bytes = whole_number<std::size_t>(b.at("array_bytes")),
                           .threads = whole_number<int>(b.at("threads")),
                           .device = b.value("device", "cpu"),
                           .copy = b.value("copy", 0.0)});
  if (const auto at = j.find("pictures"); at != j.end()) at->get_to(r.pictures);
  const Json matrices = object("matrices");
  for (const auto& [matrix, one] : matrices.items())
    if (one.contains("row_lengths")) r.row_lengths[matrix] = lengths_from(one.at("row_lengths"));
  for (const Json& one : j.value("forecasts", Json::array()))
    r.forecasts.push_back(forecast_from_json(one));
  for (const Json& one : j.at("results")) r.results.push_back(result_from_json(one));
  return r;
}

Record read_record(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadInput(fmt::format("{}: cannot open it", path.string()));
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  try {
    return record_from_json(Json::parse(all));
  } catch (const Json::parse_error& e) {
    throw BadInput(
        fmt::format("{}: {}", path.string(), all.empty() ? "it is empty" : no_json(e, all.size())));
  } catch (const Json::exception& e) {
    throw BadInput(fmt::format("{}: {}", path.string(), words_of(e)));
  } catch (const BadInput& e) {
    throw BadInput(fmt::format("{}: {}", path.string(), e.what()));
  }
}

std::string text(const Record& r) {
  using Handler = Json::error_handler_t;
  // A file name need not be UTF-8; JSON must be.
  std::string all = header(r).dump(1, ' ', false, Handler::replace);
  all.erase(all.find_last_of('}'));
  while (all.back() == '\n') all.pop_back();
  const auto line = [](const Json& j) { return j.dump(-1, ' ', false, Handler::replace); };
  const char* before = nullptr;
  const auto next = [&](const std::string& text) {
    all += before + text;
    before = ",\n  ";
  };
  if (!r.row_lengths.empty()) {
    all += ",\n \"matrices\": {";
    before = "\n  ";
    for (const auto& [matrix, lengths] : r.row_lengths)
      next(line(matrix) + ": " + line({{"row_lengths", to_json(lengths)}}));
    all += "\n }";
  }
  if (!r.forecasts.empty()) {
    all += ",\n \"forecasts\": [";
    before = "\n  ";
    for (const Forecast& f : r.forecasts) next(line(to_json(f)));
    all += "\n ]";
  }
  all += ",\n \"results\": [";
  before = "\n  ";
  for (const Result& one : r.results) next(line(to_json(one)));
  return all + "\n ]\n}\n";
}

void write_record(const std::filesystem::path& path, const Record& r) { write_file(path, text(r)); }

void require_same_origin(const Record& before, const Record& now) {
  const auto differ = [](const char* what, const std::string& then, const std::string& here) {
    if (then != here)
      throw InvalidArgument(
          fmt::format("cannot resume: the record's {} is {}, here it is {}", what, then, here));
  };
  const auto commit = [](const Record& r) { return r.commit + (r.dirty ? " with changes" : ""); };
  differ("commit", commit(before), commit(now));
  differ("compiler", before.compiler, now.compiler);
  differ("build type", before.build_type, now.build_type);
  for (const char* key : {"cpu", "cpus", "isa", "gpu"})
    differ(key, before.machine.value(key, Json()).dump(), now.machine.value(key, Json()).dump());
  const auto pinned = [](const Record& r) {
    return r.settings.is_object() && r.settings.value("pinned", false) ? "on" : "off";
  };
  differ("pinning of threads", pinned(before), pinned(now));
  const auto device = [](const Record& r) {
    return r.settings.is_object() ? r.settings.value("device", "cpu") : "cpu";
  };
  differ("device", device(before), device(now));
  for (const char* key : {"alpha", "beta", "together", "rounds"}) {
    const auto set = [&](const Record& r) {
      const bool there = r.settings.is_object() && r.settings.contains(key);
      return there ? r.settings[key].dump() : std::string("the usual");
    };
    differ(key, set(before), set(now));
  }
  const auto peers = [](const Record& r) {
    const Json none = Json::array();
    return r.environment.is_object() ? r.environment.value("peers", none).dump() : none.dump();
  };
  differ("list of other libraries", peers(before), peers(now));
}

}  // namespace nz::lab
