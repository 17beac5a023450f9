#include <fmt/format.h>

#include "lab/report/page.hpp"
#include "lab/report/svg.hpp"

// What the page shows of a paper's experiment beside its figures: which conclusions hold.
namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string figure_cell(const Json& claim, const char* key) {
  const auto at = claim.find(key);
  return at != claim.end() && at->is_number() ? fmt::format("{:.3g}", at->get<double>()) : "";
}

}  // namespace

std::string paper_html(const Run& run) {
  if (!run.paper.is_object()) return "";
  std::string all;
  const auto facts = run.paper.find("facts");
  if (facts != run.paper.end() && facts->is_array()) {
    all += "<ul class=\"hint\">\n";
    for (const Json& fact : *facts)
      if (fact.is_string()) all += fmt::format("<li>{}</li>\n", escaped(fact.get<std::string>()));
    all += "</ul>\n";
  }
  const auto claims = run.paper.find("claims");
  if (claims == run.paper.end() || !claims->is_array() || claims->empty()) return all;
  all +=
      "<div class=\"scroll\"><table class=\"short claims\"><thead><tr><th>the paper's "
      "conclusion</th><th class=\"n\">its figure</th><th class=\"n\">here</th><th>holds "
      "here</th></tr></thead><tbody>\n";
  for (const Json& c : *claims) {
    if (!c.is_object()) continue;
    const auto holds = c.find("holds");
    const bool judged = holds != c.end() && holds->is_boolean();
    const bool yes = judged && holds->get<bool>();
    all += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td{}>{}</td></tr>\n",
        escaped(c.value("text", "")), figure_cell(c, "paper"), figure_cell(c, "here"),
        judged && !yes ? " class=\"bad\"" : "",
        // What was measured may still be undecided, where the record says so.
        escaped(c.value("verdict", !judged ? "not measured"
                                   : yes   ? "yes"
                                           : "no")));
  }
  return all + "</tbody></table></div>\n";
}

}  // namespace nz::lab
