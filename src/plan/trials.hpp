#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "plan/models.hpp"
#include "plan/selection.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz {

// How a plan tries candidates out.
struct Trials {
  std::size_t most;   // candidates
  double hopeless;    // times the best prediction: not worth timing
  double multiplies;  // of plain CSR that preparing and timing all of them may take
  double gain;        // one that was tried before is left for so much less time
  int products;       // timed of each; 0: for `seconds`, which is longer
  double seconds;
  double lost;   // times the best: two products are enough to see that
  double slack;  // times plain CSR's prediction: others may be so wrong
  // One that is predicted to be faster than all that were timed, even if it takes so many times as
  // long, is tried as well, while all of them take fewer multiplies than that.
  double doubt = 1;
  double promised_multiplies = 0;
  bool rehearsed = false;
};

constexpr Trials thorough_trials{.most = 5,
                                 .hopeless = 3,
                                 .multiplies = std::numeric_limits<double>::infinity(),
                                 .gain = 1,
                                 .products = 0,
                                 .seconds = 0.01,
                                 .lost = 0,
                                 .slack = 0};
// Others must be faster than plain CSR to be taken.
constexpr Trials balanced_trials{.most = 4,
                                 .hopeless = 2,
                                 .multiplies = 30,
                                 .gain = 0.95,
                                 .products = 3,
                                 .seconds = 0,
                                 .lost = 1.2,
                                 .slack = 1.5,
                                 .doubt = 1.5,
                                 .promised_multiplies = 60};
// The same after a rehearsal, whose predictions are not far off.
constexpr Trials rehearsed_trials{.most = 4,
                                  .hopeless = 1.5,
                                  .multiplies = 25,
                                  .gain = 0.97,
                                  .products = 3,
                                  .seconds = 0,
                                  .lost = 1.2,
                                  .slack = 1.15,
                                  .doubt = 1,
                                  .promised_multiplies = 60,
                                  .rehearsed = true};

// Nonzeros of the smallest matrix that is worth them: a product of about a microsecond.
constexpr double fewest_for_trials = 1000;

// Which candidates of a selection are tried, while time is left.
class Allowance {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Allowance(const Trials& trials, const Selection& s, const Constraints& w)
      : trials_(trials), w_(w) {
    const bool far = x_is_far(s.features, cpu_tuning());
    for (std::size_t i = 0; i < s.usable; ++i) {
      const Candidate& c = s.candidates[i];
      predicted_.push_back(seconds_for(c, w.use));
      setup_.push_back(c.setup_seconds);
      order_.push_back(i);
      done_.push_back(false);
      is_free_.push_back(is_plain(c));
      by_blocks_.push_back(trials.rehearsed && c.kernel->brings_x_near);
      spared_.push_back(by_blocks_.back() && far);
      if (plain_ == none && is_plain(c)) {
        plain_ = i;
        std::rotate(order_.begin(), order_.end() - 1, order_.end());
      }
    }
  }

  // Indices of candidates: plain CSR first, which costs nothing to make, then by prediction. What
  // plain CSR takes changes predictions, and so the order of the others.
  const std::vector<std::size_t>& order() const { return order_; }

  bool admits(std::size_t i) const {
    if (!tried_) return true;
    if (bounded() && is_free_[i]) return true;  // whatever is predicted: what waking costs varies
    const double best = *std::min_element(predicted_.begin(), predicted_.end());
    if (predicted_[i] > trials_.hopeless * best) return false;
    if (!bounded()) return true;
    if (predicted_[i] > trials_.slack * predicted_[plain_]) return false;
    return i == first_other() || spent_ + setup_[i] < trials_.multiplies * multiply_;
  }

  // The candidate to try now; each is tried once. First those that are admitted; then, whatever
  // else was thought of them, those that promise to be faster than what these turned out to be.
  std::size_t next() const {
    for (const std::size_t i : order_)
      if (!done_[i] && timed_ < trials_.most && admits(i)) return i;
    for (const std::size_t i : order_)
      if (!done_[i] && promises(i)) return i;
    return none;
  }

  // Seconds beyond which what candidate i is seen to take is doubtful: it would lose, and was
  // predicted to win. 0: nothing is.
  double doubtful(std::size_t i) const {
    if (!bounded() || !tried_ || predicted_[i] >= best_) return 0;
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
    done_[i] = tried_ = true;
    ++timed_;
    best_ = std::min(best_, c.measured_seconds);
    if (i != plain_) {
      spent_ += seconds;
      return;
    }
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
    // Of those that are predicted alike, the ones that cost least: more of them can be tried.
    const auto worth = [&](std::size_t j) { return predicted_[j] + setup_[j] / tried_for; };
    std::stable_sort(order_.begin() + 1, order_.end(),
                     [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
  }

  bool beats(const Candidate& c, const Candidate& best) const {
    if (!bounded()) return better(c, best, w_);
    return c.measured_seconds < trials_.gain * best.measured_seconds;
  }

 private:
  static constexpr double gathers = 1.5;    // times as long x may make products: more is all's lot
  static constexpr double tried_for = 500;  // products that share the setup in that order
  static constexpr double surprising = 1.25;  // times what was predicted
  bool bounded() const { return trials_.products > 0; }
  bool promises(std::size_t i) const {
    if (!bounded() || !tried_) return false;
    const double hoped = trials_.doubt * predicted_[i] + setup_[i] / tried_for;
    return hoped < trials_.gain * best_ &&
           spent_ + setup_[i] < trials_.promised_multiplies * multiply_;
  }
  // The best by prediction but for plain CSR.
  std::size_t first_other() const {
    const auto is_there = [&](std::size_t i) { return std::isfinite(predicted_[i]); };
    const auto first = std::find_if(order_.begin() + 1, order_.end(), is_there);
    return first == order_.end() ? none : *first;
  }

  const Trials& trials_;
  const Constraints& w_;
  std::vector<std::size_t> order_;
  std::vector<double> predicted_, setup_;
  std::vector<bool> done_;
  std::vector<bool> is_free_;  // of setup
  std::vector<bool> by_blocks_;
  std::vector<bool> spared_;  // what x from far away costs plain CSR
  std::size_t plain_ = none;
  bool tried_ = false;
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
