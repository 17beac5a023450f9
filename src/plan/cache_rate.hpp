#pragma once

namespace nz {

// Bytes a second that so many threads together read from the last level of cache. 0 where its size
// is unknown, half of it is less than a MiB for each, or so many threads cannot be had, as within a
// parallel region, and where it seems to be less than `memory_rate`: then something disturbed the
// threads, as happens at the beginning of a process and beside others.
// Measured in a millisecond or two, once a process for each power of two, and again where it was
// disturbed; others are reckoned from the next below.
double cache_rate(int threads, double memory_rate);

}  // namespace nz
