#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "plan/expected_saving.hpp"
#include "plan/models.hpp"
#include "plan/selection.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz {

// How a plan tries candidates out.
struct Trials {
  std::size_t most;  // candidates
  double gain;       // one that was tried before is left for so much less time
  int products;      // timed of each; 0: for `seconds`, which is longer
  double seconds;
  double lost;  // times the best: two products are enough to see that
  // Of the logarithm of a time by its prediction, once plain CSR is timed, about the standard
  // deviation: those are tried whose expected saving pays for it. 0: whatever it costs, all that
  // are not predicted to take `hopeless` times as long as the best.
  double deviation;
  double hopeless = 0;
  bool rehearsed = false;
};

constexpr Trials thorough_trials{
    .most = 5, .gain = 1, .products = 0, .seconds = 0.01, .lost = 0, .deviation = 0, .hopeless = 3};
// Others must be faster than plain CSR to be taken.
constexpr Trials balanced_trials{
    .most = 5, .gain = 0.95, .products = 3, .seconds = 0, .lost = 1.2, .deviation = 0.4};
// The same after a rehearsal: docs/results-cpu.md has how wrong its predictions are.
constexpr Trials rehearsed_trials{.most = 5,
                                  .gain = 0.97,
                                  .products = 3,
                                  .seconds = 0,
                                  .lost = 1.2,
                                  .deviation = 0.3,
                                  .rehearsed = true};

// Nonzeros of the smallest matrix that is worth them: a product of about a microsecond.
constexpr double fewest_for_trials = 1000;

// Which candidates of a selection are tried, while that promises to pay.
class Allowance {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Allowance(const Trials& trials, const Selection& s, const Constraints& w)
      : trials_(trials), w_(w), in_time_(s.in_time) {
    const bool far = x_is_far(s.features, cpu_tuning());
    for (std::size_t i = 0; i < s.usable; ++i) {
      const Candidate& c = s.candidates[i];
      predicted_.push_back(seconds_for(c, w.use));
      setup_.push_back(c.setup_seconds);
      done_.push_back(false);
      is_free_.push_back(is_plain(c));
      by_blocks_.push_back(trials.rehearsed && c.kernel->brings_x_near);
      spared_.push_back(by_blocks_.back() && far);
      if (plain_ == none && is_plain(c)) plain_ = i;
    }
  }

  // The candidate to try now; each is tried once. Plain CSR first, which costs nothing to make and
  // changes what others are predicted to take; then, by the clock, the one that promises most over
  // what it costs, otherwise the best predicted. Those whose setup takes too long only where no
  // other can be had.
  std::size_t next() const {
    if (timed_ >= trials_.most) return none;
    if (plain_ != none && !done_[plain_]) return plain_;
    const std::size_t best = best_among(0, in_time_);
    if (best != none || std::isfinite(best_)) return best;
    return best_among(in_time_, predicted_.size());
  }

  // Seconds beyond which what candidate i is seen to take is doubtful: it would lose, and was
  // predicted to win. 0: nothing is.
  double doubtful(std::size_t i) const {
    if (!bounded() || predicted_[i] >= best_ || timed_ == 0) return 0;
    return std::max(surprising * predicted_[i], trials_.gain * best_);
  }

  // One that cannot be had is no measure for the others.
  void refuse(std::size_t i, double seconds) {
    done_[i] = true;
    if (i == plain_) multiply_ = predicted_[i];
    predicted_[i] = std::numeric_limits<double>::infinity();
    spent_ += seconds;
  }

  void spend(std::size_t i, double seconds, const Candidate& c) {
    done_[i] = true;
    ++timed_;
    best_ = std::min(best_, c.measured_seconds);
    if (!is_free_[i]) spent_ += seconds;
    if (i != plain_) return;
    multiply_ = c.measured_seconds;
    if (!(predicted_[i] > 0)) return;
    const double scale = multiply_ / predicted_[i];
    for (std::size_t j = 0; j < predicted_.size(); ++j) {
      // What a rehearsal has not seen is x from further away, and a processor that learns where
      // rows end.
      if (scale > 1)
        predicted_[j] *= spared_[j] ? std::max(1.0, scale / gathers) : scale;
      else if (!by_blocks_[j])
        predicted_[j] *= scale;
      setup_[j] *= scale;
    }
  }

  bool beats(const Candidate& c, const Candidate& best) const {
    if (!bounded()) return better(c, best, w_);
    return c.measured_seconds < trials_.gain * best.measured_seconds;
  }

 private:
  static constexpr double gathers = 1.5;  // times as long x may make products: more is all's lot
  static constexpr double surprising = 1.25;      // times what was predicted
  static constexpr double products_to_pay = 300;  // by which a trial should have paid
  static constexpr double timed_products = 5;     // of a trial, the one that warms up included
  // Of plain CSR, that trials may take together; the first of them may take longer.
  static constexpr double most_multiplies = 60;

  bool bounded() const { return trials_.deviation > 0; }
  std::size_t best_among(std::size_t begin, std::size_t end) const {
    std::size_t best = none;
    for (std::size_t i = begin; i < end; ++i) {
      if (done_[i] || !admits(i)) continue;
      if (best == none || worth(i) > worth(best)) best = i;
    }
    return best;
  }
  bool admits(std::size_t i) const {
    if (!bounded())
      return predicted_[i] <=
             trials_.hopeless * *std::min_element(predicted_.begin(), predicted_.end());
    // Whatever is predicted: what waking threads costs varies. And one there must be.
    if (is_free_[i] || !std::isfinite(best_)) return true;
    return worth(i) > 0 && (spent_ == 0 || spent_ + setup_[i] < most_multiplies * multiply_);
  }
  // Seconds that trying a candidate can be expected to save.
  double worth(std::size_t i) const {
    if (!bounded()) return -predicted_[i];
    const double cost = setup_[i] + timed_products * predicted_[i];
    if (!std::isfinite(best_)) return -products_to_pay * predicted_[i] - cost;
    return products_to_pay * best_ * expected_saving(predicted_[i] / best_, trials_.deviation) -
           cost;
  }

  const Trials& trials_;
  const Constraints& w_;
  std::size_t in_time_;
  std::vector<double> predicted_, setup_;
  std::vector<bool> done_;
  std::vector<bool> is_free_;  // of setup
  std::vector<bool> by_blocks_;
  std::vector<bool> spared_;  // what x from far away costs plain CSR
  std::size_t plain_ = none;
  std::size_t timed_ = 0;
  double best_ = std::numeric_limits<double>::infinity();  // measured
  double spent_ = 0, multiply_ = 0;
};

// How an attempt at a candidate ended.
struct Attempt {
  bool had;  // it takes the matrix, fits, and was timed
  double seconds;
};

// The fastest of the candidates that are tried, or s.usable where none can be had.
// attempt(i, best), with the best so far or null, prepares and times candidate i; keep(i) follows
// where that is the best now.
template <class Try, class Keep>
std::size_t fastest(Selection& s, Allowance& allowance, Try&& attempt, Keep&& keep) {
  std::size_t which = s.usable;
  for (std::size_t i; (i = allowance.next()) != Allowance::none;) {
    const Candidate* const best = which < s.usable ? &s.candidates[which] : nullptr;
    const Attempt a = attempt(i, best);
    if (!a.had) {
      allowance.refuse(i, a.seconds);
      continue;
    }
    allowance.spend(i, a.seconds, s.candidates[i]);
    if (best && !allowance.beats(s.candidates[i], *best)) continue;
    which = i;
    keep(i);
  }
  return which;
}

}  // namespace nz
