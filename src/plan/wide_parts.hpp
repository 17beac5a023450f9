#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/wide.hpp>

namespace nz {

// The most rows and columns of a part; tests have less.
struct WideCut {
  std::int64_t rows = std::int64_t{1} << 30, cols = std::int64_t{1} << 30;
};

// Which elements of a long vector a part has: neighbours from the first on, or those at `places`,
// which rise.
struct WideSide {
  std::int64_t first = 0;
  index_t count = 0;
  Array<std::int64_t> places{};
  DeviceArray<std::int64_t> there{};  // the same on the device, unless that is the CPU

  bool scattered() const { return !places.empty(); }
  std::size_t bytes(Device device) const {
    return (device == cpu_device ? places.size() : there.size()) * sizeof(std::int64_t);
  }
};

template <RealValue T>
struct WidePart {
  WideSide rows, cols;
  Csr<T, std::int64_t> matrix{};  // until it is planned
  Plan<T> plan{};
};

// Panel by panel in each band, bands from the first on; parts without entries are left out.
template <RealValue T>
std::vector<WidePart<T>> cut_wide(const WideCooView<T>& a, const WideCut& cut);

template <RealValue T>
WidePlan<T> wide_plan(const WideCooView<T>& a, const PlanOptions& options, const WideCut& cut);

}  // namespace nz
