#include "plan/tuning/processor.hpp"

#include <algorithm>
#include <fstream>

#include "base/isa.hpp"

namespace nz {

std::string processor() {
  std::string kind(name(isa()));
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();)
    if (line.starts_with("model name") || line.starts_with("CPU part"))
      kind += line.substr(std::min(line.size(), line.find(':') + 1));
  return kind;
}

}  // namespace nz
