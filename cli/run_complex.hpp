#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <nonzero/plan.hpp>

#include "cli/session.hpp"

namespace nz::cli {

// nonzero run with complex numbers.
struct ComplexRun {
  std::string matrix, x, y, output;
  std::optional<std::uint64_t> seed;  // of a random x
  double alpha = 1, beta = 0;
  Op op = Op::none;
  bool single = false;  // c64
  PlanOptions plan{};
};
int run_complex(const Session& session, const ComplexRun& o);

}  // namespace nz::cli
