#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "cli/session.hpp"

namespace nz::cli {

// What the demonstration shows of GPU kernels where there is no GPU: each of them once on the
// emulator, on a small matrix. Verified, never timed.
struct EmulatedPart {
  std::string matrix;  // one line about it
  std::size_t kernels = 0;
  lab::Table failures;  // empty where all is right
  nlohmann::ordered_json results;
  bool right = true;
};
EmulatedPart demo_on_emulator(const Session& session);

}  // namespace nz::cli
