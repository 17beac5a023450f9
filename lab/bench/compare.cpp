#include "lab/bench/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lab/bench/glob.hpp"

namespace nz::lab {
namespace {

template <class T>
bool among(const std::vector<T>& list, const T& v) {
  return list.empty() || std::find(list.begin(), list.end(), v) != list.end();
}

// The faster one; either may be null.
void improve(const Result*& best, const Result* r) {
  if (!best || *r->median_s < *best->median_s) best = r;
}

// What a contest is about.
std::string place_of(const Result& r, std::string_view op) {
  return fmt::format("{} {} {} {} {}", r.matrix, r.type, op, r.vectors.count,
                     r.vectors.several() ? name(r.vectors.layout) : "");
}

}  // namespace

bool Filter::passes(const Result& r) const {
  return (matrices.empty() || matches_any(r.matrix, matrices)) &&
         (kernels.empty() || names_any(r.kernel, kernels)) && among(ops, r.op) &&
         among(types, r.type) && among(threads, r.threads) && among(vectors, r.vectors.count) &&
         (!r.vectors.several() || among(layouts, std::string(name(r.vectors.layout))));
}

Summary summarise(const std::vector<Pair>& pairs) {
  Summary s;
  double logarithms = 0;
  for (const Pair& p : pairs) {
    logarithms += std::log(p.ratio());
    s.lost += p.lost();
    if (s.cases++ == 0 || p.ratio() < s.worst.ratio()) s.worst = p;
  }
  if (s.cases > 0) s.geomean = std::exp(logarithms / static_cast<double>(s.cases));
  return s;
}

Records compare_records(const Record& first, const Record& second, const Filter& filter) {
  std::map<std::string, const Result*> before;
  for (const Result& r : first.results)
    if (r.timed() && filter.passes(r)) before[key(r)] = &r;
  Records all;
  std::set<std::string> met;
  for (const Result& r : second.results) {
    if (!r.timed() || !filter.passes(r)) continue;
    const auto found = before.find(key(r));
    if (found == before.end()) {
      all.only_second.push_back(&r);
    } else if (met.insert(found->first).second) {
      all.pairs.push_back({.ours = &r, .theirs = found->second});
    }
  }
  for (const Result& r : first.results)
    if (r.timed() && filter.passes(r) && !met.contains(key(r))) all.only_first.push_back(&r);
  return all;
}

const Result* Contest::best_peer() const {
  const Result* best = nullptr;
  for (const Result* p : peers) improve(best, p);
  return best;
}

const Result* Contest::best_peer(const std::vector<std::string>& patterns) const {
  const Result* best = nullptr;
  for (const Result* p : peers)
    if (names_any(p->kernel, patterns)) improve(best, p);
  return best;
}

std::optional<double> Contest::turned() const {
  if (!ours || !plain) return {};
  return *ours->median_s / *plain->median_s;
}

TransposeRatio summarise_transposed(const std::vector<Contest>& contests) {
  TransposeRatio t;
  double logarithms = 0;
  for (const Contest& c : contests) {
    const auto turned = c.turned();
    if (!turned) continue;
    logarithms += std::log(*turned);
    if (t.cases++ == 0 || *turned > *t.worst->turned()) t.worst = &c;
  }
  if (t.cases > 0) t.geomean = std::exp(logarithms / static_cast<double>(t.cases));
  return t;
}

std::vector<Contest> compare_within(const Record& record, const Sides& sides,
                                    const Filter& filter) {
  std::vector<Contest> all;
  std::vector<const Result*> planned;  // beside each contest
  std::map<std::string, std::size_t> index;
  for (const Result& r : record.results) {
    if (!r.timed() || !filter.passes(r)) continue;
    const bool chosen = sides.planned && r.planned.value_or(false);
    const bool peer = !chosen && names_any(r.kernel, sides.peers);
    if (!peer && !chosen && !names_any(r.kernel, sides.ours)) continue;
    const auto place = index.emplace(place_of(r, r.op), all.size());
    if (place.second) {
      all.emplace_back();
      planned.push_back(nullptr);
    }
    const std::size_t at = place.first->second;
    if (!peer) {
      improve(all[at].ours, &r);
      if (r.planned.value_or(false)) improve(planned[at], &r);
      continue;
    }
    auto& peers = all[at].peers;
    const auto known = std::find_if(peers.begin(), peers.end(),
                                    [&](const Result* p) { return p->kernel == r.kernel; });
    if (known == peers.end())
      peers.push_back(&r);
    else
      improve(*known, &r);
  }
  if (!sides.fastest)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (planned[i]) all[i].ours = planned[i];
  for (Contest& c : all) {
    if (!c.ours || c.ours->op != name(Op::transpose)) continue;
    const auto n = index.find(place_of(*c.ours, name(Op::none)));
    if (n != index.end()) c.plain = all[n->second].ours;
  }
  return all;
}

}  // namespace nz::lab
