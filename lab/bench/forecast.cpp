#include "lab/bench/forecast.hpp"

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/whole_number.hpp"
#include "plan/selection.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

// A prediction has no more digits than that.
double rounded(double v) { return std::stod(fmt::format("{:.4g}", v)); }

}  // namespace

template <Value T, Offset O>
std::vector<Prediction> predictions(const CsrView<T, O>& a, Op op, Device device) {
  std::vector<Prediction> all;
  try {
    for (const Candidate& c : select(a, device, {.use = op, .effort = Effort::balanced}).candidates)
      all.push_back({.kernel = c.kernel->id(),
                     .parameters = c.parameters,
                     .seconds = c.seconds(op),
                     .setup_seconds = c.setup_seconds,
                     .bytes = c.bytes,
                     .why = c.why,
                     .why_not = c.why_not});
  } catch (const Error&) {
    all.clear();  // what cannot be looked at is still measured
  }
  return all;
}

Json to_json(const Forecast& f) {
  Json all = Json::array();
  for (const Prediction& p : f.predictions) {
    Json one{{"kernel", p.kernel},
             {"seconds", rounded(p.seconds)},
             {"setup_s", rounded(p.setup_seconds)},
             {"bytes", rounded(p.bytes)},
             {"why", p.why}};
    if (!p.parameters.empty()) one["parameters"] = p.parameters;
    if (!p.why_not.empty()) one["why_not"] = p.why_not;
    all.push_back(std::move(one));
  }
  Json j{{"matrix", f.matrix},
         {"device", f.device},
         {"type", f.type},
         {"op", f.op},
         {"threads", f.threads}};
  if (!f.kernel.empty()) j["kernel"] = f.kernel, j["why"] = f.why;
  j["predictions"] = std::move(all);
  return j;
}

Forecast forecast_from_json(const Json& j) {
  Forecast f{.matrix = j.at("matrix"),
             .device = j.value("device", "cpu"),
             .type = j.at("type"),
             .op = j.at("op"),
             .threads = j.contains("threads") ? whole_number<int>(j.at("threads")) : 1,
             .kernel = std::string(current_id(j.value("kernel", ""))),
             .why = j.value("why", "")};
  for (const Json& one : j.value("predictions", Json::array())) {
    Prediction p{.kernel = std::string(current_id(one.at("kernel").get<std::string>())),
                 .seconds = one.at("seconds"),
                 .setup_seconds = one.value("setup_s", 0.0),
                 .bytes = one.value("bytes", 0.0),
                 .why = one.value("why", ""),
                 .why_not = one.value("why_not", "")};
    if (const auto at = one.find("parameters"); at != one.end())
      for (const auto& [name, value] : at->items())
        p.parameters[name] = whole_number<std::int64_t>(value);
    f.predictions.push_back(std::move(p));
  }
  return f;
}

#define NZ_INSTANTIATE(T, O) \
  template std::vector<Prediction> predictions(const CsrView<T, O>&, Op, Device);
NZ_INSTANTIATE(float, std::int32_t)
NZ_INSTANTIATE(float, std::int64_t)
NZ_INSTANTIATE(double, std::int32_t)
NZ_INSTANTIATE(double, std::int64_t)
#undef NZ_INSTANTIATE

}  // namespace nz::lab
