#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lab/report/runs.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

std::string product_text(const Result& r) {
  return fmt::format("{}, {} {}", r.matrix, r.type, r.op);
}

std::size_t matrices_of(const std::vector<Pair>& pairs) {
  std::set<std::string> names;
  for (const Pair& p : pairs) names.insert(p.ours->matrix);
  return names.size();
}

std::int64_t as_count(std::size_t n) { return static_cast<std::int64_t>(n); }

std::string share_sentence(const std::optional<double>& share) {
  if (!share) return "";
  return fmt::format(
      " In the median it moves {:.0f} % of the bytes a second that reading memory "
      "reached in the same run.",
      100 * *share);
}

// Where no peer was measured: against plain CSR, as the record has it. False: it has none.
bool without_peers(const Run& run, const std::vector<Contest>& all, Headline& h) {
  std::vector<Pair> against;
  std::set<std::string> baselines;
  const auto& results = run.record.results;
  for (const Contest& c : all) {
    if (!c.ours || !c.ours->speedup || c.ours->baseline == c.ours->kernel) continue;
    const auto base = std::find_if(results.begin(), results.end(), [&](const Result& r) {
      return r.timed() && r.kernel == c.ours->baseline && r.matrix == c.ours->matrix &&
             r.type == c.ours->type && r.op == c.ours->op;
    });
    if (base == results.end()) continue;
    against.push_back({c.ours, &*base});
    baselines.insert(base->kernel);
  }
  if (against.empty()) return false;
  const Summary s = summarise(against);
  const std::string products = plural(as_count(s.cases), "product", "products");
  h.brief = fmt::format("{:.2f} times as fast as plain CSR in the mean of {}, {:.2f} at worst",
                        s.geomean, products, s.worst.ratio());
  h.sentence = fmt::format(
      "On {}, {} is {:.2f} times as fast as plain CSR ({}) in the geometric mean of {}, {:.2f} "
      "times at worst ({}). No peer was measured.{}",
      run.place, ours_text(all), s.geomean, several(baselines), products, s.worst.ratio(),
      product_text(*s.worst.ours), share_sentence(h.share));
  return true;
}

// A study, or nothing to compare with.
void counts(const Run& run, Headline& h) {
  const auto& results = run.record.results;
  const auto timed =
      std::count_if(results.begin(), results.end(), [](const Result& r) { return r.timed(); });
  std::set<std::string> kernels;
  for (const Result& r : results) kernels.insert(r.kernel);
  h.brief = timed == 0 ? "nothing was timed; the table has every case with its reason"
                       : fmt::format("{} of {} on {} {} timed",
                                     plural(timed, "product", "products"), several(kernels),
                                     plural(as_count(matrices(run).size()), "matrix", "matrices"),
                                     timed == 1 ? "was" : "were");
  // A paper's experiment is about its conclusions.
  if (const auto claims = run.paper.find("claims"); claims != run.paper.end() && timed > 0) {
    std::int64_t judged = 0, hold = 0, undecided = 0;
    for (const auto& c : *claims) {
      if (!c.is_object()) continue;
      if (c.contains("holds") && c["holds"].is_boolean()) ++judged, hold += c["holds"].get<bool>();
      undecided += c.contains("verdict") && c["verdict"] == "undecided";
    }
    h.brief = fmt::format("{}: {} of {} conclusions hold{}", run.paper.value("title", "a paper"),
                          hold, judged, undecided ? fmt::format(", {} undecided", undecided) : "");
  }
  h.sentence = run.paper.contains("title") ? fmt::format("{}, on {}.", h.brief, run.place)
                                           : fmt::format("On {}, {}.", run.place, h.brief);
}

}  // namespace

Headline headline(const Run& run) {
  Headline h;
  const std::vector<Contest> all = contests(run);
  const std::vector<Pair> both = pairs(all);
  std::vector<double> shares;
  for (const Contest& c : all)
    if (c.ours && c.ours->bandwidth_share) shares.push_back(*c.ours->bandwidth_share);
  if (!shares.empty()) h.share = median(shares);
  if (!both.empty()) {
    h.summary = summarise(both);
    h.best = *std::max_element(both.begin(), both.end(),
                               [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
    h.sentence = fmt::format(
        "On {}, {} is {:.2f} times as fast as the best peer in the geometric mean of {} on {}, "
        "{:.2f} times at best ({}) and {:.2f} times at worst ({}, against {}).{}",
        run.place, ours_text(all), h.summary.geomean,
        plural(as_count(h.summary.cases), "product", "products"),
        plural(as_count(matrices_of(both)), "matrix", "matrices"), h.best.ratio(),
        product_text(*h.best.ours), h.summary.worst.ratio(), product_text(*h.summary.worst.ours),
        short_name(h.summary.worst.theirs->kernel), share_sentence(h.share));
    h.brief =
        fmt::format("{:.2f} times as fast as the best peer in the mean of {}, {:.2f} at worst",
                    h.summary.geomean, plural(as_count(h.summary.cases), "product", "products"),
                    h.summary.worst.ratio());
    if (h.share) h.brief += fmt::format(", {:.0f} % of the read bandwidth", 100 * *h.share);
    return h;
  }
  if (!without_peers(run, all, h)) counts(run, h);
  return h;
}

}  // namespace nz::lab
