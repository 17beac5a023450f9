#pragma once
#include <functional>
#include <span>
#include <vector>

namespace nz::simt {

using Work = std::function<void()>;

// Seconds that each of some works takes, by the clock of a CUDA device, the current one, on whose
// default stream they are queued in turn. `before` is queued before each and not counted: while it
// runs, the host queues what comes behind it, so that the device never waits for the host. Waits
// for all of it.
std::vector<double> cuda_queued_times(std::span<const Work> works, const Work& before);

}  // namespace nz::simt
