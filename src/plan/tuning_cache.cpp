#include "plan/tuning_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "base/isa.hpp"
#include "io/output_file.hpp"

namespace nz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view schema = "nonzero-tuning/1";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

// What kind of CPU this is, as far as the system says.
std::string processor() {
  std::string kind(name(isa()));
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();)
    if (line.starts_with("model name") || line.starts_with("CPU part"))
      kind += line.substr(std::min(line.size(), line.find(':') + 1));
  return kind;
}

fs::path file_of(const std::string& folder, const std::string& key) {
  return fs::path(folder) / "tuning" / fmt::format("{:016x}.json", hash_of(key));
}

// More than any record has.
constexpr std::uintmax_t most_bytes = 1 << 16;

// Throws for anything that remember() would not have written.
void require(bool right) {
  if (!right) throw BadInput("not a record of a plan");
}

Candidate candidate(const Json& j) {
  const Json &parameters = j.at("parameters"), &seconds = j.at("seconds");
  require(parameters.is_object() && seconds.is_number() && seconds.get<double>() >= 0);
  Candidate c{.kernel = &find_kernel(j.at("kernel").get<std::string>()),
              .transposed = j.at("transposed").get<bool>(),
              .measured_seconds = seconds.get<double>()};
  for (const auto& [name, value] : parameters.items()) {
    // Fractions and what 64 bits cannot hold would be turned into something else.
    require(value.is_number_integer() &&
            (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX));
    c.parameters.emplace(name, value.get<std::int64_t>());
  }
  c.kernel->resolve(c.parameters);  // throws where the kernel has changed
  return c;
}

}  // namespace

std::string tuning_key(const Fingerprint& m, ValueType type, std::size_t offset_bytes,
                       const DeviceInfo& device, int threads, const PlanOptions& options) {
  const std::string where = device.device == cpu_device
                                ? fmt::format("{}, {} threads", processor(), threads)
                                : fmt::format("{}, driver {}, runtime {}", device.description,
                                              device.driver, device.runtime);
  return fmt::format("{} | {} x {}, {} nonzeros, {:016x} {:016x} | {} {} | {} | {}{}{}{}",
                     NZ_VERSION, m.rows, m.cols, m.nnz, m.offsets, m.columns, name(type),
                     8 * offset_bytes, where, options.op.n ? "N" : "", options.op.t ? "T" : "",
                     options.deterministic ? " deterministic" : "",
                     options.store_transpose ? " two copies" : "");
}

std::string tuning_folder(const TuningCache& options) {
  const std::string asked = variable("NONZERO_TUNING");
  if (!options.use || asked == "off" || asked == "0") return {};
  if (!options.directory.empty()) return options.directory;
  if (const std::string own = variable("NONZERO_CACHE"); !own.empty()) return own;
  if (const std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/nonzero";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/nonzero";
  return {};
}

std::vector<Candidate> recall(const std::string& folder, const std::string& key) {
  if (folder.empty()) return {};
  try {
    const fs::path file = file_of(folder, key);
    if (!fs::is_regular_file(file) || fs::file_size(file) > most_bytes) return {};
    std::ifstream in(file, std::ios::binary);
    if (!in) return {};
    const Json j = Json::parse(in);
    if (j.at("schema") != schema || j.at("key") != key) return {};
    std::vector<Candidate> taken;
    for (const Json& one : j.at("taken")) taken.push_back(candidate(one));
    if (taken.size() > 2) return {};
    return taken;
  } catch (const std::exception&) {
    return {};
  }
}

void remember(const std::string& folder, const std::string& key,
              const std::vector<Candidate>& taken) {
  if (folder.empty()) return;
  try {
    Json j{{"schema", schema}, {"key", key}, {"taken", Json::array()}};
    for (const Candidate& c : taken)
      j["taken"].push_back({{"kernel", c.kernel->id()},
                            {"parameters", c.parameters},
                            {"transposed", c.transposed},
                            {"seconds", c.measured_seconds}});
    const fs::path file = file_of(folder, key);
    fs::create_directories(file.parent_path());
    OutputFile out(file);
    out.write(j.dump(2) + '\n');
    out.commit();
  } catch (const std::exception&) {
  }
}

}  // namespace nz
