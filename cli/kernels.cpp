#include "cli/kernels.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "cli/lists.hpp"
#include "lab/bench/plan_rows.hpp"
#include "plan/models.hpp"

namespace nz::cli {

bool is_planned(const Kernel& k) {
  const auto has = [&](std::span<const std::string_view> ids) {
    return std::ranges::find(ids, k.id()) != ids.end();
  };
  return has(cpu_planned()) || has(gpu_planned());
}

bool is_own(const Kernel& k) { return k.family != "peer" && !lab::is_plan(k); }

std::vector<const Kernel*> select_kernels(const std::string& pattern) {
  if (pattern.empty()) {
    auto own = match_kernels("*");
    std::erase_if(own, [](const Kernel* k) { return !is_own(*k); });
    return own;
  }
  auto found = match_kernels(pattern);
  if (found.empty() && pattern.find_first_of("*?") == pattern.npos) {
    found = match_kernels("*" + pattern + "*");
    if (!pattern.starts_with("plan"))
      std::erase_if(found, [](const Kernel* k) { return lab::is_plan(*k); });
  }
  return found;
}

void keep_sources(std::vector<const Kernel*>& found, const std::string& texts) {
  const auto small = [](std::string_view text) {
    std::string s(text);
    for (char& c : s)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return s;
  };
  const auto has = [&](const Kernel& k, const std::string& text) {
    return small(k.source).find(text) != std::string::npos;
  };
  const auto wanted = split_list(small(texts), "--source");
  for (const std::string& text : wanted)
    if (std::ranges::none_of(nz::kernels(), [&](const Kernel& k) { return has(k, text); }))
      throw InvalidArgument(fmt::format(
          "--source: no kernel has '{}' in its source; 'nonzero list --long' shows them", text));
  std::erase_if(found, [&](const Kernel* k) {
    return std::ranges::none_of(wanted, [&](const std::string& text) { return has(*k, text); });
  });
  if (found.empty())
    throw InvalidArgument(fmt::format(
        "--source {} leaves no kernel; 'nonzero list --long' shows their sources", texts));
}

std::vector<const Kernel*> only_on(Device device, std::vector<const Kernel*> found,
                                   const std::string& pattern) {
  const Kernel* other = found.empty() ? nullptr : found.front();
  std::erase_if(found, [&](const Kernel* k) { return !k->runs_on_device(device.kind); });
  if (found.empty() && other)
    throw InvalidArgument(fmt::format(
        "{}: {} needs --device {}",
        pattern == other->id()
            ? fmt::format("{} does not run on {}", pattern, device.name())
            : fmt::format("'{}' matches no kernel that runs on {}", pattern, device.name()),
        pattern == other->id() ? "it" : other->id(), fmt::join(places_of(*other), " or ")));
  return found;
}

Device device_for(const Kernel& k, const std::string& wanted) {
  if (!wanted.empty()) return device_named(wanted);
  if (k.home().kind == Device::Kind::cuda && !why_no_cuda().empty())
    throw NoResource(fmt::format("{} needs a CUDA device ({}){}", k.id(), why_no_cuda(),
                                 k.runs_on_device(Device::Kind::emulator)
                                     ? "; --device emu runs it on the emulator, slowly"
                                     : ""));
  return k.home();
}

std::vector<std::string> places_of(const Kernel& k) {
  std::vector<std::string> all;
  if (k.runs_on_device(Device::Kind::cpu)) all.emplace_back("cpu");
  // Also where this build lacks CUDA: it is what the kernel is for.
  if (k.runs_on == Device::Kind::cuda) all.emplace_back("cuda");
  if (k.runs_on_device(Device::Kind::emulator)) all.emplace_back("emu");
  return all;
}

}  // namespace nz::cli
