#pragma once

namespace nz {

// Bytes a second that so many threads together read from the last level of cache. 0 where its size
// is unknown, half of it is less than a MiB for each, or so many threads cannot be had, as within a
// parallel region. Measured in a millisecond or two, once a process for each power of two; others
// are reckoned from the next below.
double cache_rate(int threads);

}  // namespace nz
