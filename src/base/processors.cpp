#include "base/processors.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#ifdef NZ_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace nz {
namespace {

#ifdef NZ_HAVE_HWLOC
// All that this process may ever use; empty when hwloc cannot tell.
std::vector<Processor> discover() {
  std::vector<Processor> all;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return all;
  // Its environment variables can make it describe another machine.
  if (hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology)) {
    hwloc_obj_t pu = nullptr;
    while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr) {
      const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
      all.push_back({.cpu = static_cast<int>(pu->os_index),
                     .node = pu->nodeset ? std::max(hwloc_bitmap_first(pu->nodeset), 0) : 0,
                     .core = static_cast<int>((core ? core : pu)->logical_index)});
    }
  }
  hwloc_topology_destroy(topology);
  return all;
}
#endif

}  // namespace

std::vector<Processor> processors(const std::vector<int>& cpus) {
#ifdef NZ_HAVE_HWLOC
  static const std::vector<Processor> machine = discover();
  if (!machine.empty()) {
    std::vector<Processor> all;
    for (const Processor& p : machine)
      if (std::binary_search(cpus.begin(), cpus.end(), p.cpu)) all.push_back(p);
    return all;
  }
#endif
  std::vector<Processor> all;
  for (const int cpu : cpus) all.push_back({.cpu = cpu, .node = 0, .core = cpu});
  return all;
}

std::vector<int> place_threads(std::vector<Processor> all, int threads) {
  if (threads < 1 || static_cast<std::size_t>(threads) > all.size()) return {};
  const auto key = [](const Processor& p) { return std::tuple(p.node, p.core, p.cpu); };
  std::sort(all.begin(), all.end(),
            [&](const Processor& a, const Processor& b) { return key(a) < key(b); });

  // Layer k has the k-th hardware thread of each core that has so many; indices into `all`, which
  // ascend, so that a node's are together.
  std::vector<std::vector<std::size_t>> layers;
  std::map<std::pair<int, int>, std::size_t> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t layer = seen[{all[i].node, all[i].core}]++;
    if (layer == layers.size()) layers.emplace_back();
    layers[layer].push_back(i);
  }

  std::vector<std::size_t> taken;
  std::size_t left = static_cast<std::size_t>(threads);
  for (const auto& layer : layers) {
    const std::size_t size = layer.size(), wanted = std::min(left, size);
    // A node that begins at place b of the layer begins at thread ⌈b·wanted/size⌉.
    const auto cut = [&](std::size_t b) { return (b * wanted + size - 1) / size; };
    for (std::size_t begin = 0, end; begin < size; begin = end) {
      for (end = begin; end < size && all[layer[end]].node == all[layer[begin]].node;) ++end;
      for (std::size_t k = 0; k < cut(end) - cut(begin); ++k) taken.push_back(layer[begin + k]);
    }
    left -= wanted;
  }
  std::sort(taken.begin(), taken.end());
  std::vector<int> places;
  for (const std::size_t i : taken) places.push_back(all[i].cpu);
  return places;
}

}  // namespace nz
