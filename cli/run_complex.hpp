#pragma once
#include "cli/run_report.hpp"

namespace nz::cli {

// nonzero run with complex numbers, of 32 bits where `single`.
int run_complex(const Session& session, RunAsked asked, bool single, const PlanOptions& options);

}  // namespace nz::cli
