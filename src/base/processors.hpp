#pragma once
#include <vector>

namespace nz {

// One hardware thread, by the system's number, with its core and memory node.
struct Processor {
  int cpu = 0, node = 0, core = 0;
};

// Those of the machine, core by core; in the system's numbering, each a core of its own on one
// node, where hwloc is not there to tell. `cpus` are the ones that may be used, ascending.
std::vector<Processor> processors(const std::vector<int>& cpus);

// The cpu of each thread: all cores before any core's second hardware thread, each node its share,
// threads in the order of nodes and cores. Empty when there are fewer processors than threads.
std::vector<int> place_threads(std::vector<Processor> all, int threads);

}  // namespace nz
