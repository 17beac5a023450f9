#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <nonzero/explain.hpp>
#include <nonzero/formats/csr.hpp>

#include "plan/selection.hpp"
#include "plan/timing.hpp"

namespace nz {

// Sharpens the predictions of CPU kernels for one product of theirs, y = A x, by the clock: each is
// prepared for a few windows of the matrix's rows and multiplied by one thread, which tells what
// its work takes on this processor with such rows. What bytes take is still predicted, with the
// caches in mind, and most of it counts as well. It takes about as long as ten multiplies.
//
// `a` is what the candidates would be prepared from: the matrix, or for those from the transpose
// the transpose, `f` its features. False, and nothing is changed, where so few rows or entries are
// there, or so many columns, that candidates are better tried as they are. `vectors` are for who
// tries them afterwards, too.
template <Value T, Offset O>
bool rehearse(const CsrView<T, O>& a, const Features& f, std::span<Candidate* const> candidates,
              TrialVectors<T>& vectors);

// What work counts of a sample's products: `first` are the seconds of the first, `again` those of
// the best after it. Rows end where a processor has not learnt yet, in the matrix as in the first
// product here. What that adds, `row_ends`, is plain CSR's to tell, whose sample is near: the
// arrays of others may be far from the core by now, as they are not where a matrix streams. Slices
// have far fewer ends, and blocks none; what those read is further away in the matrix, the more so
// the more threads, `team`, share it.
double sample_seconds(const Kernel& kernel, double first, double again, double row_ends, int team);

// What one thread took for the sample by a candidate, several of which may be copies of each other.
struct SampleTimes {
  const Candidate* candidate;
  double first = 0, again = 0;
};

// The shortest of what sample_seconds() counts for a candidate, of the times that all candidates
// took; infinite where it has none.
double shortest_sample_seconds(const Candidate& c, std::span<const SampleTimes> all, int team);

// How a thread times a sample: where x stays in a core's own cache it is brought there before, and
// so is the sample, which plain CSR reads as it is. bring(data, count) brings elements near, once()
// is the seconds of a product.
template <Value T, class Bring, class Once>
SampleTimes time_sample(const Candidate& c, const CsrView<T, std::int64_t>& sample,
                        std::span<const T> x, bool x_is_near, Bring&& bring, Once&& once) {
  if (x_is_near) bring(x.data(), x.size());
  if (is_plain(c)) {
    bring(sample.values, static_cast<std::size_t>(sample.nnz));
    bring(sample.columns, static_cast<std::size_t>(sample.nnz));
  }
  SampleTimes times{&c, once()};
  times.again = std::min(once(), once());
  return times;
}

// Times as many bytes a second come from the last level of cache as from memory, of what both give.
// At most 3, and that where nobody knows what the cache gives (0).
double cache_gain(double cache_rate, double memory_rate);

}  // namespace nz
