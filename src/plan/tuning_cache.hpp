#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nonzero/explain.hpp>
#include <nonzero/plan.hpp>

#include "plan/fingerprint.hpp"

// What thorough plans found, on disk: one small file a matrix, device and set of options. Nothing
// here throws for what a file system can do: what cannot be read is not there, what cannot be
// written is not kept.
namespace nz {

// All that a choice depends on, in words.
std::string tuning_key(const Fingerprint& matrix, ValueType type, std::size_t offset_bytes,
                       const DeviceInfo& device, int threads, const PlanOptions& options);

// The folder; empty: none is to be used.
std::string tuning_folder(const TuningCache& options);

// What was taken: one candidate, or N's and T's. Kernel, parameters, transposed and measured
// seconds are known; nothing where no file says so, or one that names what there is no more.
std::vector<Candidate> recall(const std::string& folder, const std::string& key);

void remember(const std::string& folder, const std::string& key,
              const std::vector<Candidate>& taken);

}  // namespace nz
