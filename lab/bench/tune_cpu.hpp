#pragma once
#include "lab/bench/tune.hpp"

namespace nz::lab {

// The part of tune() for the CPU, with as many threads as the library uses.
DeviceTable tune_cpu(const TuneSettings& settings, const TuneProgress& progress);

}  // namespace nz::lab
