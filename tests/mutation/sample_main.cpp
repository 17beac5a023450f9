#include <stdexcept>

#include "sample.hpp"

// Stands in for a program of unit tests: fails when the sample is wrong.
int main() {
  try {
    sample::sum(2, 1, 9);
    return 1;
  } catch (const std::invalid_argument&) {
  }
  const bool right = sample::sum(1, 4, 3) == 1 + 2 + 3 + 3 && sample::sum(2, 2, 5) == 2 &&
                     sample::larger(3, 4) == 4 && sample::larger(4, 3) == 4 &&
                     sample::larger(-1, -1) == -1;
  return right ? 0 : 1;
}
