#pragma once
#include <nonzero/device.hpp>

namespace nz {

// What the models are told of the GPU that they were fitted to.
inline const DeviceInfo h200{.description = "NVIDIA H200",
                             .processors = 132,
                             .cache_bytes = 62'914'560,
                             .shared_bytes = 232'448};

}  // namespace nz
