#pragma once
#include <string>
#include <variant>

#include <nonzero/nonzero.h>
#include <nonzero/wide.hpp>

// More rows or columns than 32 bits count.
struct nz_wide_plan {
  std::variant<nz::WidePlan<float>, nz::WidePlan<double>> of;
  std::string device{};
};
