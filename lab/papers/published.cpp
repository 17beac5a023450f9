#include "lab/papers/published.hpp"

#include <string>

namespace nz::lab {

PublishedPeaks published_peaks(const DeviceInfo& device) {
  struct Known {
    const char* name;  // within that of the driver; the first that fits
    PublishedPeaks peaks;
  };
  constexpr Known all[] = {{"P100-PCIE-16GB", {732.2e9, 9.3e12, 4.7e12}},
                           {"V100-SXM2", {900e9, 15.7e12, 7.8e12}},
                           {"NVIDIA A30", {933e9, 10.3e12, 5.2e12}},
                           {"A100-SXM4-80GB", {2039e9, 19.5e12, 9.7e12}},
                           {"H100 80GB HBM3", {3350e9, 67e12, 34e12}},
                           {"H200 NVL", {4800e9, 60e12, 30e12}},
                           {"H200", {4800e9, 67e12, 34e12}}};
  for (const Known& k : all)
    if (device.description.find(k.name) != std::string::npos) return k.peaks;
  return {};
}

PublishedProcessor published_processor(const DeviceInfo& device) {
  switch (10 * device.major + device.minor) {
    case 70:
      return {"NVIDIA Volta", 64, 32, 128, 128};
    case 80:
      return {"NVIDIA Ampere", 64, 32, 192, 128};
    case 86:
      return {"NVIDIA Ampere", 128, 2, 128, 128};
    case 87:
      return {"NVIDIA Ampere", 0, 0, 192, 128};
    case 89:
      return {"NVIDIA Ada Lovelace", 128, 2, 128, 128};
    case 90:
      return {"NVIDIA Hopper", 128, 64, 256, 128};
    case 100:
      return {"NVIDIA Blackwell", 128, 64, 256, 128};
    case 103:
      return {"NVIDIA Blackwell", 0, 0, 256, 128};
    case 120:
      return {"NVIDIA Blackwell", 128, 2, 128, 128};
    default:
      return {};
  }
}

}  // namespace nz::lab
