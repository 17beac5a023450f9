#include <algorithm>

#include <fmt/format.h>

#include "lab/report/page.hpp"
#include "lab/report/text.hpp"

// How two records compare, at the head of the page.
namespace nz::lab {
namespace {

std::string read_text(const Run& run) {
  double most = 0;
  for (const Bandwidth& b : run.record.bandwidth) most = std::max(most, b.read);
  return most > 0 ? fmt::format("{:.1f} GB/s", most / 1e9) : "not in this record";
}

std::string who_table(const RecordPair& p) {
  std::string rows;
  const auto add = [&](const char* what, const std::string& a, const std::string& b) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", what,
                        escaped(a), escaped(b));
  };
  const Record &a = p.first->record, &b = p.second->record;
  const auto or_none = [](const std::string& s) { return s.empty() ? "not in this record" : s; };
  add("file", p.first->file, p.second->file);
  add("device", p.first->place, p.second->place);
  add("commit", commit_text(a), commit_text(b));
  add("date", or_none(a.date), or_none(b.date));
  add("compiler", fmt::format("{} ({})", a.compiler, a.build_type),
      fmt::format("{} ({})", b.compiler, b.build_type));
  add("memory, read", read_text(*p.first), read_text(*p.second));
  return fmt::format(
      "<div class=\"scroll\"><table class=\"short "
      "who\"><thead><tr><th></th><th>{}</th><th>{}</th></tr>"
      "</thead><tbody>\n{}</tbody></table></div>\n",
      escaped(p.first->record_name), escaped(p.second->record_name), rows);
}

std::string summary_row(const std::string& what, const std::vector<Pair>& pairs) {
  const Summary s = summarise(pairs);
  const Pair& best =
      *std::max_element(pairs.begin(), pairs.end(),
                        [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td class=\"n\" data-title=\"cases\">{}</td><td class=\"n\" "
      "data-title=\"geometric mean\">{:.2f}</td>{}<td data-title=\"on\">{}</td>{}<td "
      "data-title=\"on\">{}</td><td class=\"n{}\" data-title=\"losses\">{}</td></tr>\n",
      escaped(what), s.cases, s.geomean, ratio_cell(s.worst, "worst"),
      escaped(s.worst.ours->matrix), ratio_cell(best, "best"), escaped(best.ours->matrix),
      s.lost ? " bad" : "", s.lost);
}

std::string summaries(const RecordPair& p) {
  std::string rows;
  const auto add = [&](const std::string& what, const std::vector<Pair>& all) {
    std::vector<std::pair<std::string, std::vector<Pair>>> groups;
    for (const Pair& one : all) {
      const std::string product = product_named(*one.ours);
      auto at = std::find_if(groups.begin(), groups.end(),
                             [&](const auto& g) { return g.first == product; });
      if (at == groups.end()) at = groups.insert(at, {product, {}});
      at->second.push_back(one);
    }
    for (const auto& [product, its] : groups) rows += summary_row(what + ", " + product, its);
    if (groups.size() > 1) rows += summary_row(what + ", all", all);
  };
  add("every kernel", p.pairs());
  add("ours", p.ours);
  return "<div class=\"scroll\"><table class=\"short summary\"><thead><tr><th></th><th "
         "class=\"n\">cases</th><th class=\"n\">geometric mean</th><th class=\"n\">worst</th>"
         "<th>on</th><th class=\"n\">best</th><th>on</th><th class=\"n\">losses</th></tr></thead>"
         "<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

// Where the two sides of a pair differ beside their times.
std::string differences(const Pair& p) {
  std::string text;
  if (p.ours->threads != p.theirs->threads)
    text = fmt::format("{} and {} threads", p.theirs->threads, p.ours->threads);
  if (p.ours->parameters != p.theirs->parameters)
    text += fmt::format("{}{} and {}", text.empty() ? "" : "; ",
                        parameters_text(p.theirs->parameters), parameters_text(p.ours->parameters));
  return text;
}

std::string pairs_table(const RecordPair& p) {
  constexpr std::size_t few = 40;
  std::vector<Pair> all = p.pairs();
  std::stable_sort(all.begin(), all.end(),
                   [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  const bool differ = std::any_of(all.begin(), all.end(),
                                  [](const Pair& one) { return !differences(one).empty(); });
  std::string rows;
  for (const Pair& one : all)
    rows += fmt::format(
        "<tr>{}<td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>{}"
        "</tr>\n",
        ratio_cell(one, "ratio"), escaped(one.ours->matrix), escaped(one.ours->kernel),
        escaped(product_named(*one.ours)), time_of(*one.theirs->median_s),
        time_of(*one.ours->median_s), differ ? "<td>" + escaped(differences(one)) + "</td>" : "");
  return fmt::format(
      "<details{}><summary>Every pair, the worst first: {}</summary>\n<div class=\"scroll tall\" "
      "tabindex=\"0\" role=\"region\" aria-label=\"Every pair\"><table class=\"short "
      "pairs\"><thead>"
      "<tr><th class=\"n\">ratio</th><th>matrix</th><th>kernel</th><th>product</th><th "
      "class=\"n\">{}</th><th class=\"n\">{}</th>{}</tr></thead><tbody>\n{}</tbody></table></div>"
      "</details>\n",
      all.size() <= few ? " open" : "", all.size(), escaped(p.first->record_name),
      escaped(p.second->record_name), differ ? "<th>with</th>" : "", rows);
}

std::string only_list(const std::string& name, const std::vector<const Result*>& only) {
  if (only.empty()) return "";
  std::string items;
  for (const Result* r : only) items += fmt::format("<li>{}</li>\n", escaped(key(*r)));
  return fmt::format(
      "<details><summary>Only in {}: {}</summary>\n<ul class=\"hint\">\n{}</ul></details>\n",
      escaped(name), plural(static_cast<std::int64_t>(only.size()), "case", "cases"), items);
}

}  // namespace

std::string pair_html(const RecordPair& p) {
  std::string all = fmt::format(
      "<section id=\"records\">\n<h2>{} against {}</h2>\n<p "
      "class=\"lead\">{}</p>\n",
      escaped(p.second->record_name), escaped(p.first->record_name), prose(p.sentence()));
  all += who_table(p);
  if (!p.warnings.empty()) {
    all += "<div class=\"notice\"><strong>Before you believe a ratio:</strong><ul>\n";
    for (const std::string& w : p.warnings) all += fmt::format("<li>{}</li>\n", escaped(w));
    all += "</ul></div>\n";
  }
  if (!p.pairs().empty()) {
    all +=
        summaries(p) +
        "<p class=\"hint\">A ratio is how many times as fast the second record is. A loss is more "
        "than 5 % slower. \"Ours\" is what a plan chose in each of them, or else the fastest of "
        "our "
        "kernels, which need not be the same one.</p>\n";
    all += "<div class=\"figures\">\n" + figure_html(*p.figure) + "</div>\n" + pairs_table(p);
  }
  all += only_list(p.first->record_name, p.only_first);
  all += only_list(p.second->record_name, p.only_second);
  return all + "</section>\n";
}

}  // namespace nz::lab
