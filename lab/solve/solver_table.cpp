#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/report/text.hpp"
#include "lab/solve/solver_bench.hpp"

namespace nz::lab {

Table solver_table(const nlohmann::ordered_json& record) {
  Table t({{"matrix"},
           {"method"},
           {"kernel"},
           {"an iteration", Align::right},
           {"its product", Align::right},
           {"of the limit", Align::right},
           {"cuSPARSE", Align::right},
           {"speed-up", Align::right},
           {""}});
  const auto seconds = [](const nlohmann::ordered_json& j, const char* key) {
    return j.contains(key) ? seconds_text(j[key]) : std::string();
  };
  const auto times = [](const nlohmann::ordered_json& j, const char* key) {
    return j.contains(key) ? fmt::format("{:.2f}x", j[key].get<double>()) : std::string();
  };
  for (const auto& r : record["results"]) {
    std::string status = r.value("status", "");
    if (r.contains("why")) status += ": " + r["why"].get<std::string>();
    t.add({r["matrix"].get<std::string>(),
           r["method"].get<std::string>(),
           r.value("kernel", ""),
           seconds(r, "iteration_s"),
           seconds(r, "product_s"),
           times(r, "over_limit"),
           "",
           times(r, "speedup"),
           {status, status == "ok" ? Tone::good : Tone::bad}});
    if (r.contains("without_fused_end")) {
      const auto& apart = r["without_fused_end"];
      t.add({"",
             "",
             {"without a fused end", Tone::dim},
             seconds(apart, "iteration_s"),
             "",
             "",
             "",
             times(apart, "gain"),
             ""});
    }
    if (!r.contains("peers")) continue;
    for (const auto& p : r["peers"])
      t.add({"",
             "",
             {p.value("how", ""), Tone::dim},
             "",
             "",
             "",
             seconds(p, "iteration_s"),
             times(p, "speedup"),
             {p.value("why", ""), Tone::bad}});
  }
  return t;
}

}  // namespace nz::lab
