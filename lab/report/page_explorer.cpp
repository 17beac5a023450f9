#include <fmt/format.h>

#include "lab/report/page.hpp"

// What the page's explorer needs beside the table's data: one matrix at a time, what it looks like,
// what plans thought of it, and what was measured.
namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

Json lengths_json(const Run& run, const std::string& matrix) {
  const auto at = run.record.row_lengths.find(matrix);
  if (at == run.record.row_lengths.end()) return nullptr;
  const Lengths& l = at->second;
  return {{"min", l.min},
          {"max", l.max},
          {"mean", l.mean},
          {"deviation", l.deviation},
          {"empty", l.empty},
          {"histogram", l.histogram},
          {"made_again", run.made_again.contains(matrix)}};
}

// The forecasts of a run's device; none of several vectors, of which the record has none.
Json forecasts_json(const Run& run, const std::string& matrix) {
  Json all = Json::array();
  const Result& any = run.record.results.front();
  if (any.vectors.several()) return all;
  for (const Forecast& f : run.record.forecasts)
    if (f.matrix == matrix && f.device == any.device) {
      Json one = to_json(f);
      for (const char* key : {"matrix", "device"}) one.erase(key);
      all.push_back(std::move(one));
    }
  return all;
}

// What whole plans took.
Json plans_json(const Run& run, const std::string& matrix) {
  Json all = Json::array();
  for (const Result& r : run.record.results)
    if (r.matrix == matrix && !r.plan.empty())
      all.push_back({{"kernel", r.kernel}, {"type", r.type}, {"op", r.op}, {"text", r.plan}});
  return all;
}

}  // namespace

Json explorer_data(const std::vector<Chapter>& chapters, const Anchors& anchors) {
  Json all = Json::array();
  for (std::size_t c = 0; c < chapters.size(); ++c) {
    const Run& run = *chapters[c].run;
    Json its = Json::array();
    for (const Result* r : matrices(run))
      its.push_back({{"name", r->matrix},
                     {"id", anchors.matrices[c].at(r->matrix)},
                     {"source", r->source},
                     {"rows", r->rows},
                     {"cols", r->cols},
                     {"nnz", r->nnz},
                     {"lengths", lengths_json(run, r->matrix)},
                     {"forecasts", forecasts_json(run, r->matrix)},
                     {"plans", plans_json(run, r->matrix)}});
    all.push_back({{"record", run.name}, {"place", run.place}, {"matrices", std::move(its)}});
  }
  return all;
}

std::string explorer_html() {
  return R"(<section id="explorer">
<h2>Explore a matrix</h2>
<noscript><p class="notice">Picking a matrix needs JavaScript. Without it the pictures stand above, and every
case with its time stands below; what is missing here are the lengths of rows, what was predicted, and why the
plan chose, where the record has them.</p></noscript>
<div class="needs-script" hidden>
<form class="filters" onsubmit="return false">
<select id="explore-record" aria-label="record"></select>
<button type="button" id="explore-before" aria-label="the matrix before">←</button>
<select id="explore-matrix" aria-label="matrix"></select>
<button type="button" id="explore-next" aria-label="the next matrix">→</button>
<select id="explore-product" aria-label="product"></select>
<select id="explore-threads" aria-label="threads"></select>
<a id="explore-link" href="#explorer">address of this view</a>
</form>
<div class="explored">
<div id="explore-matrix-part" aria-live="polite"></div>
<div id="explore-kernels-part"></div>
</div>
<div id="own">
<h3>A matrix of your own</h3>
<p class="hint">Choose or drop a Matrix Market file (coordinate, up to 256 MiB) to see where its nonzeros are. It is read
in this browser and sent nowhere.</p>
<input type="file" id="own-file" aria-label="a Matrix Market file" accept=".mtx,.mm,.txt">
<div id="own-part" aria-live="polite"></div>
</div>
</div>
</section>
)";
}

}  // namespace nz::lab
