#include <concepts>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/json_words.hpp"
#include "lab/bench/record.hpp"
#include "lab/bench/whole_number.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

// More digits than a clock has only make a record long.
double rounded(double v) { return std::stod(fmt::format("{:.6g}", v)); }

Json or_null(const std::optional<double>& v) { return v ? Json(rounded(*v)) : Json(nullptr); }
Json or_null(const std::optional<std::int64_t>& v) { return v ? Json(*v) : Json(nullptr); }

template <class T>
T value_of(const Json& j) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>)
    return whole_number<T>(j);
  else
    return j.get<T>();
}

template <class T>
void read(const Json& j, const char* key, std::optional<T>& to) {
  if (const auto at = j.find(key); at != j.end() && !at->is_null()) to = value_of<T>(*at);
}

template <class T>
void read(const Json& j, const char* key, T& to) {
  if (const auto at = j.find(key); at != j.end() && !at->is_null()) to = value_of<T>(*at);
}

Json rounded(const std::vector<double>& all) {
  Json j = Json::array();
  for (const double v : all) j.push_back(rounded(v));
  return j;
}

Status status_named(const std::string& text) {
  for (const Status s : {Status::ok, Status::wrong, Status::refused, Status::failed})
    if (name(s) == text) return s;
  throw BadInput(fmt::format("status '{}' is not ok, wrong, refused or failed", text));
}

}  // namespace

Json to_json(const Result& r) {
  Json j{{"matrix", r.matrix},
         {"source", r.source},
         {"rows", r.rows},
         {"cols", r.cols},
         {"nnz", r.nnz},
         {"device", r.device},
         {"kernel", r.kernel},
         {"op", r.op},
         {"type", r.type},
         {"threads", r.threads},
         {"parameters", r.parameters},
         {"status", name(r.status)},
         {"reason", r.reason}};
  if (r.vectors.several()) {
    j["vectors"] = r.vectors.count;
    j["layout"] = name(r.vectors.layout);
    if (r.one_by_one) j["one_by_one"] = true;
    if (r.judged_columns) j["judged_columns"] = *r.judged_columns;
  }
  if (r.planned) j["planned"] = *r.planned;
  if (!r.plan.empty()) j["plan"] = r.plan;
  if (!r.facts.empty()) {
    Json& facts = j["facts"] = Json::object();
    for (const auto& [name, value] : r.facts) facts[name] = rounded(value);
  }
  j["setup_s"] = or_null(r.setup_s);
  j["median_s"] = or_null(r.median_s);
  j["spread"] = or_null(r.spread);
  j["noise"] = or_null(r.noise);
  j["worst_error"] = or_null(r.worst_error);
  j["bytes"] = or_null(r.bytes);
  j["csr_bytes"] = r.csr_bytes;
  j["prepared_bytes"] = or_null(r.prepared_bytes);
  j["gflops"] = or_null(r.gflops);
  j["bandwidth_share"] = or_null(r.bandwidth_share);
  j["baseline"] = r.baseline;
  j["speedup"] = or_null(r.speedup);
  j["break_even"] = or_null(r.break_even);
  j["multiplies_a_sample"] = r.multiplies_per_sample;
  j["samples_s"] = rounded(r.samples_s);
  if (r.hot_median_s) {
    j["hot_median_s"] = or_null(r.hot_median_s);
    j["hot_noise"] = or_null(r.hot_noise);
    j["hot_multiplies_a_sample"] = r.hot_multiplies_per_sample;
    j["hot_samples_s"] = rounded(r.hot_samples_s);
  }
  if (r.replayed) j["replayed"] = *r.replayed;
  return j;
}

Result result_from_json(const Json& j) {
  Result r;
  try {
    j.at("matrix").get_to(r.matrix);
    r.kernel = current_id(j.at("kernel").get<std::string_view>());
    j.at("op").get_to(r.op);
    j.at("type").get_to(r.type);
    r.status = status_named(j.at("status").get<std::string>());
    read(j, "source", r.source);
    read(j, "rows", r.rows);
    read(j, "cols", r.cols);
    read(j, "nnz", r.nnz);
    read(j, "device", r.device);
    read(j, "threads", r.threads);
    if (const auto p = j.find("parameters"); p != j.end())
      for (const auto& [name, value] : p->items())
        r.parameters[name] = whole_number<std::int64_t>(value);
    if (const auto f = j.find("facts"); f != j.end())
      for (const auto& [name, value] : f->items()) r.facts[name] = value.get<double>();
    read(j, "vectors", r.vectors.count);
    if (r.vectors.count < 1)
      throw BadInput(fmt::format("a result of the record: {} vectors", r.vectors.count));
    std::string layout(name(r.vectors.layout));
    read(j, "layout", layout);
    if (layout != "rows" && layout != "columns")
      throw BadInput(fmt::format("a result of the record: layout '{}'", layout));
    r.vectors.layout = layout_named(layout);
    read(j, "one_by_one", r.one_by_one);
    read(j, "judged_columns", r.judged_columns);
    read(j, "reason", r.reason);
    read(j, "planned", r.planned);
    read(j, "plan", r.plan);
    read(j, "setup_s", r.setup_s);
    read(j, "median_s", r.median_s);
    read(j, "spread", r.spread);
    read(j, "noise", r.noise);
    read(j, "worst_error", r.worst_error);
    read(j, "samples_s", r.samples_s);
    read(j, "multiplies_a_sample", r.multiplies_per_sample);
    read(j, "hot_median_s", r.hot_median_s);
    read(j, "hot_noise", r.hot_noise);
    read(j, "hot_samples_s", r.hot_samples_s);
    read(j, "hot_multiplies_a_sample", r.hot_multiplies_per_sample);
    read(j, "replayed", r.replayed);
    read(j, "bytes", r.bytes);
    read(j, "prepared_bytes", r.prepared_bytes);
    read(j, "csr_bytes", r.csr_bytes);
    read(j, "gflops", r.gflops);
    read(j, "bandwidth_share", r.bandwidth_share);
    read(j, "baseline", r.baseline);
    r.baseline = current_id(r.baseline);
    read(j, "speedup", r.speedup);
    read(j, "break_even", r.break_even);
  } catch (const Json::exception& e) {
    throw BadInput(fmt::format("a result of the record: {}", words_of(e)));
  }
  return r;
}

std::string key(const Result& r) {
  std::string parameters;
  for (const auto& [name, value] : r.parameters) parameters += fmt::format(" {}={}", name, value);
  // One vector as it was before there were several.
  const std::string vectors =
      r.vectors.several() ? fmt::format(" x {} {}", r.vectors.count, name(r.vectors.layout)) : "";
  return fmt::format("{} {}{} {} {}{} {}{}", r.matrix, r.device == "cpu" ? "" : r.device + ' ',
                     r.kernel, r.op, r.type, vectors, r.threads, parameters);
}

std::string product_named(const Result& r) {
  std::string text = r.type + ' ' + r.op;
  if (r.vectors.several())
    text += fmt::format(" x {} by {}", r.vectors.count, name(r.vectors.layout));
  return text;
}

}  // namespace nz::lab
