#include "sample.hpp"

#include <algorithm>
#include <stdexcept>

namespace sample {

// The sum of the numbers from `first` to `last`, each at most `most`.
int sum(int first, int last, int most) {
  if (first > last) throw std::invalid_argument("nothing to add");
  int all = 0;
  for (int n = first; n <= last; ++n) all += std::min(n, most);
  return all;
}

// The larger one. Which of two equal numbers is returned cannot be seen.
// The mutants are drawn from these very lines.
// clang-format off
int larger(int a, int b) {
  return a < b ? b : a;
}
// clang-format on

}  // namespace sample
