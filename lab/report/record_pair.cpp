#include "lab/report/record_pair.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using Side = std::vector<const Run*>;  // the runs of one record

std::int64_t count(std::size_t n) { return static_cast<std::int64_t>(n); }

std::string kind_of(const Result& r) { return r.device.substr(0, r.device.find(':')); }

std::set<std::string> kinds(const Side& side) {
  std::set<std::string> all;
  for (const Run* run : side)
    for (const Result& r : run->record.results) all.insert(kind_of(r));
  return all;
}

// Matches the results of two records. The number of a device says nothing across machines, and its
// kind only where both records have it: a plan on a CPU and one on a GPU are worth comparing.
class Matcher {
 public:
  Matcher(const Side& first, const Side& second) : first_(first), second_(second) {
    const std::set<std::string> a = kinds(first), b = kinds(second);
    by_kind_ = std::any_of(a.begin(), a.end(), [&](const auto& kind) { return b.contains(kind); });
    find_unlike();
  }

  RecordPair matched() {
    RecordPair all{.first = first_.front(), .second = second_.front()};
    all.unlike.assign(unlike_.begin(), unlike_.end());
    std::map<std::string, const Result*> before;
    each(first_, [&](const Result& r) { before.emplace(exact(r), &r); });
    std::set<std::string> met;
    std::vector<const Result*> left_first, left_second;
    each(second_, [&](const Result& r) {
      const auto at = before.find(exact(r));
      if (at == before.end())
        left_second.push_back(&r);
      else if (met.insert(at->first).second)
        all.same.push_back({.ours = &r, .theirs = at->second});
    });
    each(first_, [&](const Result& r) {
      if (!met.contains(exact(r))) left_first.push_back(&r);
    });
    match_rest(left_first, left_second, all);
    match_ours(all);
    return all;
  }

 private:
  template <class Body>
  void each(const Side& side, Body&& body) const {
    for (const Run* run : side)
      for (const Result& r : run->record.results)
        if (r.timed() && *r.median_s > 0 && !unlike_.contains(r.matrix)) body(r);
  }
  std::string product(const Result& r) const {
    return fmt::format("{} {} {}", by_kind_ ? kind_of(r) : "", r.matrix, product_named(r));
  }
  std::string kernel(const Result& r) const { return product(r) + ' ' + r.kernel; }
  std::string exact(const Result& r) const {
    return fmt::format("{} {} {}", kernel(r), r.threads, parameters_text(r.parameters));
  }

  void find_unlike() {
    std::map<std::string, const Result*> known;
    for (const Run* run : first_)
      for (const Result* r : matrices(*run)) known.emplace(r->matrix, r);
    for (const Run* run : second_)
      for (const Result* r : matrices(*run)) {
        const auto at = known.find(r->matrix);
        if (at == known.end() || at->second->nnz == 0 || r->nnz == 0) continue;
        const Result& other = *at->second;
        if (r->rows != other.rows || r->cols != other.cols || r->nnz != other.nnz)
          unlike_.insert(r->matrix);
      }
  }

  // What has the same kernel, at its best on either side.
  void match_rest(const std::vector<const Result*>& first, const std::vector<const Result*>& second,
                  RecordPair& all) const {
    const auto best = [&](const std::vector<const Result*>& left) {
      std::map<std::string, const Result*> found;
      for (const Result* r : left) {
        const Result*& b = found[kernel(*r)];
        if (!b || *r->median_s < *b->median_s) b = r;
      }
      return found;
    };
    const auto of_first = best(first), of_second = best(second);
    for (const Result* r : second) {
      const auto other = of_first.find(kernel(*r));
      if (other == of_first.end())
        all.only_second.push_back(r);
      else if (of_second.at(kernel(*r)) == r)
        all.suited.push_back({.ours = r, .theirs = other->second});
    }
    for (const Result* r : first)
      if (!of_second.contains(kernel(*r))) all.only_first.push_back(r);
  }

  void match_ours(RecordPair& all) const {
    std::map<std::string, const Result*> before;
    for (const Run* run : first_)
      for (const Contest& c : contests(*run))
        if (c.ours && !unlike_.contains(c.ours->matrix)) before.emplace(product(*c.ours), c.ours);
    for (const Run* run : second_)
      for (const Contest& c : contests(*run)) {
        if (!c.ours) continue;
        const auto at = before.find(product(*c.ours));
        if (at != before.end()) all.ours.push_back({.ours = c.ours, .theirs = at->second});
      }
  }

  const Side &first_, &second_;
  bool by_kind_ = true;
  std::set<std::string> unlike_;
};

// What of a setting the two differ in.
void warn(RecordPair& p) {
  const Record &a = p.first->record, &b = p.second->record;
  const auto differ = [&](const std::string& what, const std::string& x, const std::string& y) {
    if (x != y)
      p.warnings.push_back(fmt::format("{} is {} in {}, {} in {}", what, x.empty() ? "unknown" : x,
                                       p.first->record_name, y.empty() ? "unknown" : y,
                                       p.second->record_name));
  };
  differ("The build", a.build_type, b.build_type);
  differ("The compiler", a.compiler, b.compiler);
  const auto setting = [](const Record& r, const char* key) {
    const auto at = r.settings.find(key);
    return at == r.settings.end() ? "" : at->is_string() ? at->get<std::string>() : at->dump();
  };
  differ("Binding of threads", setting(a, "pinned"), setting(b, "pinned"));
  differ("The time limit of a case", setting(a, "time_limit_s"), setting(b, "time_limit_s"));
  for (const Run* run : {p.first, p.second})
    if (run->record.dirty)
      p.warnings.push_back(
          fmt::format("{} was measured with changes that were not committed", run->record_name));
  if (!p.suited.empty())
    p.warnings.push_back(fmt::format(
        "{} with other threads or parameters in the two records: each with those that suit it best",
        plural(count(p.suited.size()), "pair is", "pairs are")));
  if (!p.unlike.empty()) {
    std::string names;
    for (const std::string& name : p.unlike) names += (names.empty() ? "" : ", ") + name;
    p.warnings.push_back("Not compared, since the two have another matrix of that name: " + names);
  }
}

void draw(RecordPair& p) {
  const std::vector<Pair> all = p.pairs();
  if (all.empty()) return;
  const Summary s = summarise(all);
  const std::string &first = p.first->record_name, &second = p.second->record_name;
  p.figure = ratio_figure(
      p.second->style, all,
      {.kind = "records",
       .title = fmt::format("{} against {}", second, first),
       .about = fmt::format("{}, sorted", plural(count(s.cases), "case", "cases")),
       .axis = "cases, from the slowest in the second record against the first",
       .who = second,
       .label = fmt::format("Sorted ratios of {} over {}: geometric mean {:.2f}, {:.2f} at worst, "
                            "{} of {} slower by more than 5 %",
                            second, first, s.geomean, s.worst.ratio(), s.lost, s.cases),
       .caption = fmt::format("How many times as fast {} is as {} in the same case. Above 1 {} is "
                              "faster.",
                              second, first, second)});
}

std::string about(const Run& run) {
  return fmt::format("{} ({}, commit {})", run.record_name, run.place, commit_text(run.record));
}

}  // namespace

std::string commit_text(const Record& r) {
  constexpr std::size_t enough = 10;
  return r.commit.substr(0, enough) + (r.dirty ? " with changes" : "");
}

std::vector<Pair> RecordPair::pairs() const {
  std::vector<Pair> all = same;
  all.insert(all.end(), suited.begin(), suited.end());
  return all;
}

std::size_t RecordPair::within_noise() const {
  const std::vector<Pair> all = pairs();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Pair& p) {
    return std::abs(std::log(p.ratio())) <= p.ours->noise.value_or(0) + p.theirs->noise.value_or(0);
  }));
}

std::string RecordPair::sentence() const {
  const std::vector<Pair> all = pairs();
  if (all.empty())
    return fmt::format("{} and {} have no timed case in common: nothing is compared.",
                       about(*first), about(*second));
  const Summary s = summarise(all);
  const Pair& best = *std::max_element(
      all.begin(), all.end(), [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  const auto where = [](const Pair& p) {
    return fmt::format("{}, {}, {}", p.ours->matrix, product_named(*p.ours), p.ours->kernel);
  };
  std::string text = fmt::format(
      "{} is {:.2f} times as fast as {} in the geometric mean of {}, {:.2f} times at best ({}) and "
      "{:.2f} times at worst ({}); {} more than 5 % slower, and {} of the ratios {} within the "
      "noise.",
      about(*second), s.geomean, about(*first), plural(count(s.cases), "case", "cases"),
      best.ratio(), where(best), s.worst.ratio(), where(s.worst),
      plural(count(s.lost), "case is", "cases are"), within_noise(),
      within_noise() == 1 ? "is" : "are");
  for (const auto& [name, only] :
       {std::pair{first->record_name, &only_first}, {second->record_name, &only_second}})
    if (!only->empty())
      text += fmt::format(" Only {} has {}.", name,
                          plural(count(only->size()), "further case", "further cases"));
  return text;
}

std::optional<RecordPair> record_pair(const Runs& runs) {
  std::vector<std::string> files;
  std::map<std::string, Side> sides;
  for (const Run& run : runs.runs) {
    if (run.study) return {};
    if (sides[run.file].empty()) files.push_back(run.file);
    sides[run.file].push_back(&run);
  }
  if (files.size() != 2) return {};
  RecordPair p = Matcher(sides[files[0]], sides[files[1]]).matched();
  warn(p);
  draw(p);
  return p;
}

}  // namespace nz::lab
