#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "soak/case.hpp"

namespace nz::trials {

struct Arguments {
  double seconds = 60;
  int threads = 2;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> first_case{};  // only this one
  std::int64_t repeat = 1;                   // so often
  std::string json{};
  std::string commit = "unknown";  // for the record; NZ_COMMIT in the environment
  Limits limits{};
};

inline constexpr const char* usage =
    "usage: nonzero-soak [--seconds N] [--threads N] [--device cpu,emu,cuda:0] [--seed S]\n"
    "                    [--case K [--repeat N]] [--skip extreme,disordered,sharing,thorough]\n"
    "                    [--json FILE]";

inline std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    all.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return all;
}

template <class N>
N number(std::string_view name, std::string_view text) {
  N value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument(fmt::format("{} {}: not a number", name, text));
  return value;
}

// Throws InvalidArgument with the usage where something is not understood.
inline Arguments arguments(int argc, char** argv) {
  Arguments a;
  a.seed = std::random_device{}();
  if (const char* commit = std::getenv("NZ_COMMIT")) a.commit = commit;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) throw InvalidArgument(usage);
    const std::string_view value = argv[i + 1];
    if (name == "--seconds")
      a.seconds = number<double>(name, value);
    else if (name == "--threads")
      a.threads = number<int>(name, value);
    else if (name == "--seed")
      a.seed = number<std::uint64_t>(name, value);
    else if (name == "--case")
      a.first_case = number<std::int64_t>(name, value);
    else if (name == "--repeat")
      a.repeat = number<std::int64_t>(name, value);
    else if (name == "--json")
      a.json = value;
    else if (name == "--device")
      a.limits.devices = listed(value);
    else if (name == "--skip")
      for (const std::string& what : listed(value)) {
        if (what == "extreme")
          a.limits.extreme = false;
        else if (what == "disordered")
          a.limits.disordered = false;
        else if (what == "sharing")
          a.limits.sharing = false;
        else if (what == "thorough")
          a.limits.thorough = false;
        else
          throw InvalidArgument(usage);
      }
    else
      throw InvalidArgument(usage);
  }
  if (a.threads < 1 || a.threads > 64 || !(a.seconds > 0) || a.limits.devices.empty())
    throw InvalidArgument(usage);
  for (const std::string& d : a.limits.devices) device_named(d);
  if (a.first_case) a.threads = 1;
  return a;
}

}  // namespace nz::trials
