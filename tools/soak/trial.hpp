#pragma once
#include <cstdint>

#include "soak/case.hpp"
#include "soak/judge.hpp"

namespace nz::trials {

// What was done, added up over cases.
struct Tally {
  std::int64_t cases = 0, plans = 0, products = 0, rows = 0, unjudged = 0;
  std::int64_t refused = 0;  // plans, products and updates that were declined as documented
  std::int64_t updates = 0, solves = 0, unsolved = 0;

  Tally& operator+=(const Tally& other);
};

// Makes the plan, multiplies, updates, multiplies again. Throws Found, or what the library throws
// where it is not documented to.
Tally run(const Case& c);

// Solves a drawn system, or ranks pages, and looks at the true residual. Throws as run() does.
Tally solve_something(Draw& draw, const Limits& limits);

}  // namespace nz::trials
