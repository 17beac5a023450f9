#include "lab/report/page.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/size_text.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

constexpr const char* style =
#include <page.css.inc>  // made by lab/CMakeLists.txt
    ;
// What all share, the table, the explorer, the picture of a file of the reader's.
constexpr const char* scripts[] = {
#include <page.js.inc>
    ,
#include <page_cases.js.inc>
    ,
#include <page_explorer.js.inc>
    ,
#include <page_spy.js.inc>
};

using Json = nlohmann::ordered_json;

}  // namespace

std::string prose(const std::string& text) {
  std::string all = escaped(text);
  for (std::size_t at = 0; (at = all.find(" %", at)) != all.npos;) all.replace(at, 1, "&nbsp;");
  return all;
}

std::string ratio_cell(const Pair& p, const char* title) {
  return fmt::format("<td class=\"n{}\" data-title=\"{}\">{:.2f}</td>", p.lost() ? " bad" : "",
                     title, p.ratio());
}

std::string figure_html(const Figure& f) {
  return fmt::format(
      "<figure class=\"{}\" data-kind=\"{}\" "
      "data-variant=\"{}\">{}<figcaption>{}</figcaption></figure>\n",
      f.kind, f.kind, f.variant, f.drawing.inline_svg(f.label), escaped(f.caption));
}

namespace {

// A line a variant: how ours stands against the best peer.
std::string variant_table(const Run& run) {
  std::string rows;
  for (const Variant& v : variants(run)) {
    const std::vector<Contest> all = contests(run, v);
    const std::vector<Pair> both = pairs(all);
    if (both.empty()) continue;
    const Summary s = summarise(both);
    std::vector<double> shares;
    for (const Pair& p : both)
      if (p.ours->bandwidth_share) shares.push_back(*p.ours->bandwidth_share);
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"n\" data-title=\"matrices\">{}</td><td "
        "class=\"n\" "
        "data-title=\"geometric mean\">{:.2f}</td>{}<td data-title=\"on\">{}</td>"
        "<td data-title=\"against\">{}</td><td class=\"n{}\" data-title=\"losses\">{}</td>"
        "<td class=\"n\" data-title=\"of read, median\">{}</td></tr>\n",
        v.text(), s.cases, s.geomean, ratio_cell(s.worst, "worst"), escaped(s.worst.ours->matrix),
        escaped(short_name(s.worst.theirs->kernel)), s.lost ? " bad" : "", s.lost,
        shares.empty() ? "" : fmt::format("{:.0f} %", 100 * median(shares)));
  }
  if (rows.empty()) return "";
  return "<div class=\"scroll\"><table class=\"short summary\"><thead><tr><th>product</th><th "
         "class=\"n\">matrices</th><th class=\"n\">geometric mean</th><th "
         "class=\"n\">worst</th><th>on</th><th>against</th><th class=\"n\">losses</th><th "
         "class=\"n\">of read, median</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string losses(const Run& run) {
  std::vector<Pair> lost;
  for (const Pair& p : pairs(contests(run)))
    if (p.lost()) lost.push_back(p);
  if (lost.empty()) return "";
  std::stable_sort(lost.begin(), lost.end(),
                   [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  std::string all = fmt::format(
      "<details{}><summary>Where ours is more than 5 % slower: {}</summary>\n<div "
      "class=\"scroll\"><table class=\"short losses\"><thead><tr><th "
      "class=\"n\">ratio</th><th>matrix</th><th>product</th><th>ours</th><th "
      "class=\"n\">time</th><th>best peer</th><th class=\"n\">time</th></tr></thead><tbody>\n",
      lost.size() <= 12 ? " open" : "",
      plural(static_cast<std::int64_t>(lost.size()), "product", "products"));
  for (const Pair& p : lost)
    all += fmt::format(
        "<tr>{}<td>{}</td><td>{} {}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td "
        "class=\"n\">{}</td></tr>\n",
        ratio_cell(p, "ratio"), escaped(p.ours->matrix), p.ours->type, p.ours->op,
        escaped(p.ours->kernel), time_of(*p.ours->median_s), escaped(short_name(p.theirs->kernel)),
        time_of(*p.theirs->median_s));
  return all + "</tbody></table></div></details>\n";
}

// Names and values, nested objects as "gpu, name".
void facts_of(const Json& j, const std::string& prefix, std::string& rows) {
  for (const auto& [key, value] : j.items()) {
    const std::string name = prefix.empty() ? key : prefix + ", " + key;
    if (value.is_object()) {
      facts_of(value, name, rows);
      continue;
    }
    std::string text;
    if (value.is_array())
      for (const Json& one : value) {
        std::string line;
        if (one.is_object())
          for (const auto& [k, v] : one.items())
            line += (line.empty() ? "" : " ") + (v.is_string() ? v.get<std::string>() : v.dump());
        else
          line = one.is_string() ? one.get<std::string>() : one.dump();
        text += (text.empty() ? "" : "; ") + line;
      }
    else if (key.ends_with("bytes") && value.is_number())
      text = size_text(value.get<double>());
    else
      text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.empty()) continue;
    rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(text));
  }
}

std::string machine(const Run& run) {
  const Record& r = run.record;
  std::string rows =
      fmt::format("<dt>record</dt><dd>{}</dd>\n<dt>commit</dt><dd>{}{}</dd>\n", escaped(run.file),
                  escaped(r.commit), r.dirty ? ", with changes that were not committed" : "");
  rows += fmt::format("<dt>compiler</dt><dd>{} ({})</dd>\n", escaped(r.compiler),
                      escaped(r.build_type));
  for (const Bandwidth& b : r.bandwidth)
    rows +=
        fmt::format("<dt>memory, {}</dt><dd>read {:.1f} GB/s, {} {:.1f} GB/s over {}</dd>\n",
                    b.device == "cpu" ? plural(b.threads, "thread", "threads") : escaped(b.device),
                    b.read / 1e9, b.device == "cpu" ? "triad" : "copy",
                    (b.device == "cpu" ? b.triad : b.copy) / 1e9,
                    size_text(static_cast<double>(b.array_bytes)));
  for (const Json* part : {&r.machine, &r.settings, &r.environment}) facts_of(*part, "", rows);
  facts_of(r.clocks, "clocks", rows);
  return "<details class=\"machine\"><summary>Machine, versions and settings</summary>\n<dl>\n" +
         rows + "</dl></details>\n";
}

std::string selector(const Run& run, std::size_t number, const FigureList& figures) {
  std::vector<Variant> all = variants(run);
  std::erase_if(all, [&](const Variant& v) {
    return std::none_of(figures.begin(), figures.end(),
                        [&](const Figure& f) { return f.variant == v.text(); });
  });
  if (all.size() < 2) return "";
  std::string buttons;
  for (const Variant& v : all)
    buttons += fmt::format(
        "<label><input type=\"radio\" name=\"variant-{}\" value=\"{}\"{}><span>{}</span></label>",
        number, v.text(), buttons.empty() ? " checked" : "", v.text());
  return fmt::format(
      "<fieldset class=\"variants needs-script\" hidden><legend>Product</legend>{}<span "
      "class=\"hint\">f64 double, f32 "
      "float; N: A x, T: the transposed product</span></fieldset>\n",
      buttons);
}

std::string chapter_html(const Chapter& c, std::size_t number, bool alone,
                         const std::map<std::string, std::string>& matrix_ids) {
  const Run& run = *c.run;
  std::string all = fmt::format("<section class=\"run\" id=\"run-{}\">\n", number);
  if (!alone)
    all += fmt::format("<h2>{} <small>{}</small></h2>\n<p class=\"lead\">{}</p>\n",
                       escaped(run.name), escaped(run.place), prose(headline(run).sentence));
  all += variant_table(run) + losses(run) + paper_html(run) + selector(run, number, c.figures);
  all += "<div class=\"figures\">\n";
  std::string gallery;
  for (const Figure& f : c.figures)
    if (f.kind == "spy")
      gallery = gallery_html(run, matrix_ids, f.caption);
    else
      all += figure_html(f);
  return all + "</div>\n" + gallery + machine(run) + "</section>\n";
}

std::string notices(const std::vector<Chapter>& chapters, const std::vector<LeftOut>& left_out,
                    bool compared) {
  std::string all;
  if (!left_out.empty()) {
    all += "<div class=\"notice\"><strong>Left out:</strong><ul>\n";
    for (const LeftOut& l : left_out)
      all += fmt::format("<li><code>{}</code>: {}</li>\n", escaped(l.file), escaped(l.why));
    all += "</ul></div>\n";
  }
  std::set<std::string> places;
  for (const Chapter& c : chapters) places.insert(c.run->place);
  if (places.size() > 1)
    all += fmt::format(
        "<p class=\"notice\">These records are of {} devices. Each has a part of its own, within "
        "which alone times are compared{}.</p>\n",
        places.size(), compared ? "; how the two records compare stands before" : "");
  return all;
}

constexpr const char* how_html = R"(<details class="how">
<summary>How this was measured</summary>
<p class="hint">A time is the median of one product y = op(A) x, which was found right, row by row, beforehand;
preparing the matrix is timed apart. On a GPU the cache is flushed before every product, and "hot" is the time
without that; on a CPU products follow each other. GB/s is the kernel's own count of bytes over the time, "of
read" that over what reading memory reached in the same run on as many threads: it can pass 100 % where a cache
helps. Ours is what a plan chose beforehand where the record has that; the best peer is the fastest of all
other libraries' kernels that were measured. A loss is more than 5 % slower. Means of ratios are geometric.
docs/methodology.md of nonzero has the rest.</p>
</details>
)";

// Within a script a "</" would end it.
std::string for_script(const Json& j) {
  std::string s = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = s.find('<', at)) != s.npos; at += 6) s.replace(at, 1, "\\u003c");
  return s;
}

}  // namespace

std::string report_page(const std::string& title, const std::vector<Chapter>& chapters,
                        const std::vector<LeftOut>& left_out, const RecordPair* compared) {
  const Anchors anchors = anchors_of(chapters);
  const bool alone = chapters.size() == 1;
  std::string body = fmt::format("<header>\n<h1>{}</h1>\n", escaped(title));
  if (alone) {
    body += fmt::format("<p class=\"lead\">{}</p>\n", prose(headline(*chapters[0].run).sentence));
  } else {
    body += "<ol class=\"leads\">\n";
    for (std::size_t i = 0; i < chapters.size(); ++i) {
      const Headline h = headline(*chapters[i].run);
      body += fmt::format("<li><a href=\"#run-{}\">{}</a> on {}: {}</li>\n", i + 1,
                          escaped(chapters[i].run->name), escaped(chapters[i].run->place),
                          prose(h.brief));
    }
    body += "</ol>\n";
  }
  body += notices(chapters, left_out, compared) + "</header>\n<main>\n";
  if (compared) body += pair_html(*compared);
  for (std::size_t i = 0; i < chapters.size(); ++i)
    body += chapter_html(chapters[i], i + 1, alone, anchors.matrices[i]);
  body += explorer_html() + cases_html(chapters, anchors);
  body += how_html;
  body += "</main>\n";
  Json data = table_data(chapters, anchors);
  data["explorer"] = explorer_data(chapters, anchors);
  std::string script;
  for (const char* part : scripts) script += part;
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>\n{}{}</style>\n</head>\n<body>\n{}"
      "<div id=\"tip\" role=\"status\" hidden></div>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>\n"
      "</body>\n</html>\n",
      escaped(title), style, ink_styles(true), body, for_script(data), script);
}

}  // namespace nz::lab
