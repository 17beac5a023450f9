#pragma once
#include <cstddef>
#include <vector>

#include "plan/selection.hpp"

// Which candidates a balanced plan on a GPU times. Predictions of the best few are often closer to
// each other than they are right, and a product is over so soon that timing two of them costs less
// than looking at the matrix did: what costs most is making the second one.
namespace nz {

// How wrong predictions are between candidates that are predicted to be close: about the standard
// deviation of the logarithm of a time by its prediction. `complex`: of complex numbers.
double deviation_of_predictions(bool complex);

// The candidates that are worth it, by their places in the selection: the first, and those whose
// expected saving pays for making and timing them within a thousand products. One alone need not be
// timed. `memory`: bytes that the device has in all; `complex`: the products are of complex
// numbers, which predictions know less well.
std::vector<std::size_t> rivals(const Selection& s, const Constraints& w, double memory,
                                bool complex = false);

}  // namespace nz
