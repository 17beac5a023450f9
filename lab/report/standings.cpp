#include "lab/report/standings.hpp"

#include <algorithm>
#include <set>

namespace nz::lab {
namespace {

void improve(const Result*& best, const Result& r) {
  if (!best || *r.median_s < *best->median_s) best = &r;
}

// Kernels by name, with their best result and whether they were tried, for each matrix.
class Book {
 public:
  Book(const Run& run, const Variant& v) : run_(run) {
    for (const Result& r : run.record.results)
      if (v.has(r)) add(r);
  }

  Standings standings() const {
    Standings all;
    for (const std::string& m : order_)
      if (best_.contains(m)) {
        all.matrices.push_back(m);
        all.best.push_back(best_.at(m));
      }
    for (const auto& [kernel, of_matrix] : kernels_) {
      Standing s{.kernel = kernel, .peer = party(run_.sides, kernel) == Party::peer};
      for (std::size_t i = 0; i < all.matrices.size(); ++i) {
        const auto at = of_matrix.find(all.matrices[i]);
        const Result* r = at == of_matrix.end() ? nullptr : at->second;
        s.tried += at != of_matrix.end();
        s.results.push_back(r);
        if (r) s.score += all.best[i] / *r->median_s;
      }
      if (all.matrices.empty() || s.tried == 0) continue;
      s.score /= static_cast<double>(all.matrices.size());
      all.kernels.push_back(std::move(s));
    }
    std::stable_sort(all.kernels.begin(), all.kernels.end(),
                     [](const Standing& a, const Standing& b) { return a.score > b.score; });
    return all;
  }

 private:
  void add(const Result& r) {
    if (party(run_.sides, r.kernel) == Party::none) return;
    if (std::find(order_.begin(), order_.end(), r.matrix) == order_.end())
      order_.push_back(r.matrix);
    const Result*& own = kernels_[r.kernel][r.matrix];
    if (!r.timed()) return;
    improve(own, r);
    if (r.planned.value_or(false)) improve(kernels_["plan"][r.matrix], r);
    const auto [at, fresh] = best_.emplace(r.matrix, *r.median_s);
    if (!fresh) at->second = std::min(at->second, *r.median_s);
  }

  const Run& run_;
  std::vector<std::string> order_;
  std::map<std::string, std::map<std::string, const Result*>> kernels_;
  std::map<std::string, double> best_;
};

}  // namespace

double Standing::within(double factor, const std::vector<double>& best) const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < best.size(); ++i)
    n += results[i] && *results[i]->median_s <= factor * best[i] * (1 + 1e-12);
  return best.empty() ? 0 : static_cast<double>(n) / static_cast<double>(best.size());
}

Standings standings(const Run& run, const Variant& variant) {
  return Book(run, variant).standings();
}

std::vector<const Standing*> leaders(const Standings& all, std::size_t most) {
  std::vector<const Standing*> chosen;
  const auto whole = [&](const Standing& s) {
    return s.tried == all.matrices.size() && s.score > 0;
  };
  for (const Standing& s : all.kernels)
    if (whole(s) && chosen.size() < most) chosen.push_back(&s);
  const auto is_peer = [](const Standing* s) { return s->peer; };
  if (!chosen.empty() && std::none_of(chosen.begin(), chosen.end(), is_peer))
    for (const Standing& s : all.kernels)
      if (whole(s) && s.peer) {
        chosen.back() = &s;
        break;
      }
  return chosen;
}

}  // namespace nz::lab
