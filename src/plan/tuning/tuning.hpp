#pragma once
#include <filesystem>
#include <string>

#include "plan/tuning/cpu_tuning.hpp"
#include "plan/tuning/gpu_tuning.hpp"

// Which table of constants a plan uses: the one that `nonzero tune` wrote for the device, where
// there is one and tuning is on; otherwise what is built in.
namespace nz {

// Looked for once a process and device. They never throw for what a file says.
CpuTuning cpu_tuning();
GpuTuning gpu_tuning(Device device);

// What is built in, the device's driver asked for what it tells.
GpuTuning built_in_tuning(const DeviceInfo& device);

// What a folder has, looked for now; an empty one has none.
CpuTuning cpu_tuning_in(const std::string& folder);
GpuTuning gpu_tuning_in(const std::string& folder, const DeviceInfo& device);

// Whose a table is, in words; where its file is in a folder.
std::string table_key(const DeviceInfo& device);
std::filesystem::path table_file(const std::string& folder, const std::string& key);

}  // namespace nz
