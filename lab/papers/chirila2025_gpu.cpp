#include "lab/papers/chirila2025_gpu.hpp"

#include "lab/papers/chirila2025.hpp"

namespace nz::lab::chirila2025 {

double bytes_of_product(std::int64_t n, std::int64_t nonzeros) {
  const std::int64_t in_blocks = nonzeros / (block * block);
  return static_cast<double>(8 * nonzeros + 4 * in_blocks + 4 * (n / block + 1) + 2 * 8 * n);
}

}  // namespace nz::lab::chirila2025
