#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "plan/selection.hpp"

namespace nz {

// How a plan tries candidates out.
struct Trials {
  std::size_t most;   // candidates
  double hopeless;    // times the best prediction: not worth timing
  double multiplies;  // of plain CSR that preparing and timing all of them may take
  double gain;        // one that was tried before is left for so much less time
  int products;       // timed of each; 0: for `seconds`, which is longer
  double seconds;
  double lost;  // times the best: two products are enough to see that
};

constexpr Trials thorough_trials{.most = 4,
                                 .hopeless = 3,
                                 .multiplies = std::numeric_limits<double>::infinity(),
                                 .gain = 1,
                                 .products = 0,
                                 .seconds = 0.01,
                                 .lost = 0};
// Plain CSR is tried first, since it costs nothing to make; others must be faster to be taken.
constexpr Trials balanced_trials{.most = 4,
                                 .hopeless = 2,
                                 .multiplies = 30,
                                 .gain = 0.95,
                                 .products = 3,
                                 .seconds = 0,
                                 .lost = 1.2};

// Nonzeros of the smallest matrix that is worth them: a product of about a microsecond.
constexpr double fewest_for_trials = 1000;

// Which candidates of a selection are tried, while time is left.
class Allowance {
 public:
  Allowance(const Trials& trials, const Selection& s, const Constraints& w)
      : trials_(trials), w_(w) {
    for (std::size_t i = 0; i < s.usable; ++i) {
      predicted_.push_back(seconds_for(s.candidates[i], w.use));
      setup_.push_back(s.candidates[i].setup_seconds);
      order_.push_back(i);
      is_free_.push_back(is_plain(s.candidates[i]));
      if (bounded() && plain_ == none && is_plain(s.candidates[i])) {
        plain_ = i;
        std::rotate(order_.begin(), order_.end() - 1, order_.end());
      }
    }
  }

  // Indices of candidates: plain CSR first where time is bounded, then by prediction.
  const std::vector<std::size_t>& order() const { return order_; }

  bool admits(std::size_t i) const {
    if (!tried_) return true;
    if (bounded() && is_free_[i]) return true;  // whatever is predicted: what waking costs varies
    if (predicted_[i] > trials_.hopeless * predicted_.front()) return false;
    if (!bounded()) return true;
    if (predicted_[i] > slack * predicted_[plain_]) return false;
    return i == 0 || spent_ + setup_[i] * scale_ < trials_.multiplies * multiply_;
  }

  void spend(std::size_t i, double seconds, const Candidate& c) {
    tried_ = true;
    if (i != plain_) {
      spent_ += seconds;
      return;
    }
    multiply_ = c.measured_seconds;
    scale_ = multiply_ / predicted_[i];
  }

  bool beats(const Candidate& c, const Candidate& best) const {
    if (!bounded()) return better(c, best, w_);
    return c.measured_seconds < trials_.gain * best.measured_seconds;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr double slack = 1.5;  // predictions may be so wrong
  bool bounded() const { return trials_.products > 0; }

  const Trials& trials_;
  const Constraints& w_;
  std::vector<std::size_t> order_;
  std::vector<double> predicted_, setup_;
  std::vector<bool> is_free_;  // of setup
  std::size_t plain_ = none;
  bool tried_ = false;
  double spent_ = 0, multiply_ = 0, scale_ = 1;
};

}  // namespace nz
