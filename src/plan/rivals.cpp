#include "plan/rivals.hpp"

#include "plan/expected_saving.hpp"
#include "plan/turns.hpp"

namespace nz {
namespace {

// Of the logarithm of a time by its prediction, between candidates that are predicted to be close:
// about the standard deviation on drawn matrices before the model was fitted to them and on real
// ones, in two types (`git show 292d57d6:results/h200/drawn-58.json`: 0.16, real-46.json: 0.17; on
// strangers to that fit, the drawn-58.json of 40dc5cf1, it is 0.13).
constexpr double real_deviation = 0.17;
// Between CSR and the compact format of complex numbers, whose times results/h200/complex.json has
// for 8 drawn matrices, by what the model says of real numbers as large (nonzero plan, f64, of the
// same matrices); those predictions are not in the record.
constexpr double complex_deviation = 0.27;

constexpr double products_to_pay = 1000;
constexpr std::size_t most_rivals = 3;
// Of the device's memory, for all of them together.
constexpr double most_memory = 1.0 / 64;

}  // namespace

double deviation_of_predictions(bool complex) {
  return complex ? complex_deviation : real_deviation;
}

std::vector<std::size_t> rivals(const Selection& s, const Constraints& w, double memory,
                                bool complex) {
  std::vector<std::size_t> all{0};
  if (s.features.nnz == 0 || w.effort != Effort::balanced || w.deterministic) return all;
  const double best = seconds_for(s.candidates.front(), w.use);
  const double deviation = deviation_of_predictions(complex);
  double bytes = s.candidates.front().bytes;
  // One vector is little beside the matrix, several may be more than it.
  if (w.vectors > 1)
    bytes += (static_cast<double>(s.features.rows) + s.features.cols) * w.vectors *
             static_cast<double>(s.features.value_bytes);
  for (std::size_t i = 1; i < s.in_time && all.size() < most_rivals; ++i) {
    const Candidate& c = s.candidates[i];
    const double its = seconds_for(c, w.use);
    double cost = c.setup_seconds + seconds_of_turn(its);
    if (all.size() == 1) cost += seconds_of_turn(best) + seconds_beside_turns;
    if (cost > products_to_pay * best * expected_saving(its / best, deviation)) continue;
    if (bytes + c.bytes > most_memory * memory) continue;
    bytes += c.bytes;
    all.push_back(i);
  }
  return all;
}

}  // namespace nz
