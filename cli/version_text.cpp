#include "cli/version_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/device.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/version.hpp>

#include "base/isa.hpp"
#include "lab/bench/machine.hpp"

namespace nz::cli {

std::string commit_text() {
  const lab::Commit c = lab::commit();
  return c.id + (c.dirty ? ", with changes" : "");
}

std::string cuda_text() {
  const auto version = [](int v) { return fmt::format("{}.{}", v / 1000, v % 1000 / 10); };
  for (const DeviceInfo& d : devices())
    if (d.device.kind == Device::Kind::cuda)
      return fmt::format("runtime {}, driver {}, {}", version(d.runtime), version(d.driver),
                         d.description);
  return "none: " + why_no_cuda();
}

std::vector<std::string> peer_libraries() {
  std::vector<std::string> all;
  for (const Kernel& k : kernels())
    if (k.family == "peer" && std::find(all.begin(), all.end(), k.format) == all.end())
      all.emplace_back(k.format);
  return all;
}

std::string version_text() {
  const auto peers = peer_libraries();
  return fmt::format(
      "nonzero {}\ncommit   {}\ncompiler {}, {}\nCUDA     {}\nvectors  {}\npeers    {}", version(),
      commit_text(), lab::compiler(), lab::build_type(), cuda_text(), name(isa()),
      peers.empty() ? std::string("none") : fmt::format("{}", fmt::join(peers, ", ")));
}

}  // namespace nz::cli
