#pragma once
#include <cstdint>
#include <vector>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/printed_form.hpp"

namespace nz::NZ_HOME {

// A grid of a chosen size whose threads share n entries: the paper's best is 256 blocks of 1024
// threads. No more blocks than the entries need.
struct SharedGrid {
  int threads, blocks;
  std::int64_t each;  // entries a thread, rounded up
  // No less than where a thread may look for an entry of n, and find that there is none.
  std::int64_t beyond(std::int64_t n) const { return n + 2 * std::int64_t{blocks} * threads; }
  SharedGrid(std::int64_t n, const Parameters& p)
      : threads(threads_for(n, threads_of(p))),
        blocks(blocks_for(n, threads, p.at("blocks"))),
        each(blocks == 0
                 ? 0
                 : (n + std::int64_t{blocks} * threads - 1) / (std::int64_t{blocks} * threads)) {}
};
inline std::vector<Parameter> shared_grid_parameters() {
  return with_adding_form(
      {threads_parameter(1024), {"blocks", "blocks that share the entries", 256, 1, 1 << 20}});
}

}  // namespace nz::NZ_HOME
