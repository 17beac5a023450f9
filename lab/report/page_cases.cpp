#include <fmt/format.h>

#include "lab/report/page.hpp"
#include "lab/report/text.hpp"

// Every case as a table: made by the page's script, and without it as plain rows.
namespace nz::lab {
namespace {

constexpr const char* controls = R"(<section id="table">
<h2>Every case</h2>
<p class="hint">A click on a title sorts, a second one turns the order. Pointing at a number shows it as
the record has it. Refused, failed and wrong cases are there too, with the reason. The # of a row is its
address.</p>
<form class="filters needs-script" role="search" onsubmit="return false" hidden>
<input type="search" id="words" placeholder="Filter: csr fem f64 …" aria-label="Rows that have all these words">
<select id="by-record" aria-label="record"></select>
<select id="by-matrix" aria-label="matrix"></select>
<select id="by-type" aria-label="type"></select>
<select id="by-op" aria-label="op"></select>
<select id="by-status" aria-label="status"></select>
<select id="sort-by" aria-label="order"></select>
<details id="columns"><summary>Columns</summary><fieldset><legend>Columns of the table</legend></fieldset></details>
<output id="shown"></output>
</form>
<div class="scroll tall needs-script" tabindex="0" role="region" aria-label="Every case" hidden><table id="cases"><thead></thead><tbody></tbody></table></div>
<button id="more" type="button" hidden>Show all</button>
)";

std::string time_cell(const std::optional<double>& seconds) {
  return fmt::format("<td class=\"n\">{}</td>", seconds ? time_of(*seconds) : "");
}

std::string row(const Run& run, const Result& r, const std::string& id, bool several) {
  const auto rate = own_rate(r);
  return fmt::format(
      "<tr id=\"{}\"><th scope=\"row\"><a href=\"#{}\">{}</a></th>{}<td>{}</td><td>{} {}</td><td "
      "class=\"n\">{}</td>{}<td class=\"n\">{}</td>{}<td{}>{}</td></tr>\n",
      id, id, escaped(r.matrix), several ? "<td>" + escaped(run.name) + "</td>" : "",
      escaped(r.kernel), escaped(r.type), escaped(r.op), r.threads, time_cell(r.median_s),
      rate ? fmt::format("{:.1f}", *rate / 1e9) : "", time_cell(r.setup_s),
      r.status == Status::ok ? "" : " class=\"bad\"",
      r.status == Status::ok ? r.planned.value_or(false) ? "what a plan takes" : ""
                             : escaped(fmt::format("{}: {}", name(r.status), r.reason)));
}

}  // namespace

std::string cases_html(const std::vector<Chapter>& chapters, const Anchors& anchors) {
  const bool several = chapters.size() > 1;
  std::string all = controls;
  all += fmt::format(
      "<noscript><p class=\"notice\">Sorting, filtering and further columns need JavaScript; "
      "\"nonzero report --csv\" writes the whole table for other programs.</p>\n<div "
      "class=\"scroll "
      "tall\" tabindex=\"0\"><table id=\"plain-cases\"><thead><tr><th>matrix</th>{}<th>kernel</th>"
      "<th>product</th><th class=\"n\">threads</th><th class=\"n\">time</th><th "
      "class=\"n\">GB/s</th>"
      "<th class=\"n\">setup</th><th></th></tr></thead><tbody>\n",
      several ? "<th>record</th>" : "");
  for (std::size_t c = 0; c < chapters.size(); ++c) {
    const auto& results = chapters[c].run->record.results;
    for (std::size_t i = 0; i < results.size(); ++i)
      all += row(*chapters[c].run, results[i], anchors.cases[c][i], several);
  }
  return all + "</tbody></table></div></noscript>\n</section>\n";
}

}  // namespace nz::lab
