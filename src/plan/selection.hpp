#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <nonzero/explain.hpp>
#include <nonzero/plan.hpp>

namespace nz {

struct LookStart;

// What a choice has to respect.
struct Constraints {
  Use use{};
  Effort effort = Effort::balanced;
  int vectors = 1;
  Layout layout = Layout::row_major;  // of several
  bool at_once = true;  // kernels with a product of several vectors have it for this type
  std::size_t memory_limit = 0;
  bool deterministic = false;
  StoredValues store_values_as = StoredValues::exact;
  bool csr_is_there = false;  // kernels on CSR keep nothing of their own
  bool may_transpose = false;
  bool transpose_seen = false;       // candidates from it are not only promises
  const LookStart* start = nullptr;  // what the look fetches first, where it is there
};

struct Selection {
  Features features;
  std::vector<Candidate> candidates;  // in the order in which they should be tried
  std::size_t usable = 0;             // the first so many; the others say why_not
  std::size_t in_time = 0;  // of these, the first so many: their setup takes no longer than it may
};

// What a multiply takes on average over the products wanted: measured, or predicted.
inline double seconds_for(const Candidate& c, Use use) { return c.seconds(use.n, use.t); }

// Whether a is to be preferred: faster, the same bits every time counted for something.
bool better(const Candidate& a, const Candidate& b, const Constraints& constraints);

// That of `all` with the same kernel and parameters; null: none.
inline const Candidate* same_candidate(const Candidate& c, std::span<const Candidate> all) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const Candidate& b) {
    return b.kernel == c.kernel && b.parameters == c.parameters;
  });
  return same == all.end() ? nullptr : &*same;
}

// CSR as it is, by which others are measured.
bool is_plain(const Candidate& c);

// Setup that an effort allows, in multiplies; infinite for thorough.
double setup_multiplies(Effort effort);

// Orders candidates: those that may be taken, the fastest first; then those whose setup takes too
// long, the shortest first; then those that may not be taken.
Selection rank(Features features, std::vector<Candidate> candidates,
               const Constraints& constraints);

// Whether the first is taken whatever others may take: so few rows or columns have entries that
// products should leave the others alone.
bool goes_by_rule(const Selection& s, const Constraints& constraints);

// Threads that a product on the CPU may have, of those that are set: kernels take no more for a
// small matrix. With more for a look or a conversion, OpenMP would create them for it, end them for
// the next product, and so on.
int product_threads(Device device, const Features& f);
int product_threads(Device device, const Features& f, std::int64_t grain);

// Looks, predicts and ranks, for that many threads.
template <Value T, Offset O>
Selection select(const CsrView<T, O>& a, Device device, const Constraints& constraints);

// The same of a matrix that is the transpose of the one planned for; not ranked.
template <Value T, Offset O>
Selection select_transposed(const CsrView<T, O>& transpose, Device device,
                            const Constraints& constraints);

// Makes the predictions of CPU candidates those for one vector again; those that the model does not
// suggest by itself are dropped from `all`.
void expect_one(std::vector<Candidate*>& all, const Features& f);

// Makes the predictions of a candidate for one vector those for w.vectors; `f` are the features of
// what it is prepared from.
void expect_several(Candidate& c, const Features& f, Device device, const Constraints& w);

// The candidates for a transpose with these features.
std::vector<Candidate> transposed_candidates(const Features& of_transpose, Device device,
                                             const Constraints& w);

}  // namespace nz
