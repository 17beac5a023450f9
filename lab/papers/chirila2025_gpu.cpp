#include "lab/papers/chirila2025_gpu.hpp"

#include "lab/papers/chirila2025.hpp"

namespace nz::lab::chirila2025 {

double bytes_of_product(std::int64_t n, std::int64_t nonzeros) {
  const std::int64_t in_blocks = nonzeros / (block * block);
  return static_cast<double>(8 * nonzeros + 4 * in_blocks + 4 * (n / block + 1) + 2 * 8 * n);
}

double peak_of(const DeviceInfo& device) {
  // As the maker names and publishes them.
  struct Known {
    const char* name;
    double bytes;
  };
  constexpr Known all[] = {{"P100-PCIE-16GB", P100::peak},
                           {"V100-SXM2", 900e9},
                           {"A100-SXM4-80GB", 2039e9},
                           {"H100 80GB HBM3", 3350e9},
                           {"H200", 4800e9}};
  for (const Known& k : all)
    if (device.description.find(k.name) != std::string::npos) return k.bytes;
  return no_figure;
}

}  // namespace nz::lab::chirila2025
