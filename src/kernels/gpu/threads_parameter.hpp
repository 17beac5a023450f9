#pragma once
#include <utility>
#include <vector>

#include <nonzero/kernel.hpp>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// The parameter most of them have.
inline Parameter threads_parameter(int initial = 256, int most = 1024) {
  return {"threads", "threads a block, rounded to whole warps", initial, 32, most};
}
inline std::vector<Parameter> with_threads(std::vector<Parameter> others) {
  others.push_back(threads_parameter());
  return others;
}
inline int threads_of(const Parameters& p) {
  return static_cast<int>(p.at("threads") + 31) / 32 * 32;
}

}  // namespace nz::NZ_HOME
