#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nonzero/formats/csr.hpp>

namespace nz::test {

struct BatteryMatrix {
  std::string name;
  Csr<double, std::int64_t> matrix;
};

// The shapes that break kernels: empty, thin, ragged, around the widths of warps and blocks, with
// duplicates, with NaN and infinities. Values are drawn anew from `seed`.
std::vector<BatteryMatrix> battery(std::uint64_t seed);

}  // namespace nz::test
