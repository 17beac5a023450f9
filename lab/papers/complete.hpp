#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/papers/comparison.hpp"

namespace nz::lab {

// The least and the most of figures that a conclusion names one by one: none where one is missing,
// since it would then be judged by the others alone.
inline double least_of_all(const std::vector<double>& figures) {
  double least = figures.at(0);
  for (const double one : figures) least = one < least || std::isnan(one) ? one : least;
  return least;
}
inline double most_of_all(const std::vector<double>& figures) {
  double most = figures.at(0);
  for (const double one : figures) most = one > most || std::isnan(one) ? one : most;
  return most;
}

}  // namespace nz::lab
