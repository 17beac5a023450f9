#include "plan/tuning_cache.hpp"

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/version.hpp>

#include "io/output_file.hpp"
#include "plan/tuning/processor.hpp"
#include "plan/tuning_record.hpp"

namespace nz {
namespace {

namespace fs = std::filesystem;

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

fs::path file_of(const std::string& folder, const std::string& key) {
  return fs::path(folder) / "tuning" / fmt::format("{:016x}.json", hash_of(key));
}

// More than any record has.
constexpr std::uintmax_t most_bytes = 1 << 16;

}  // namespace

std::string tuning_key(const Fingerprint& m, ValueType type, std::size_t offset_bytes,
                       const DeviceInfo& device, int threads, const PlanOptions& options) {
  const std::string where = device.device == cpu_device
                                ? fmt::format("{}, {} threads", processor(), threads)
                                : fmt::format("{}, driver {}, runtime {}", device.description,
                                              device.driver, device.runtime);
  return fmt::format("{} | {} x {}, {} nonzeros, {:016x} {:016x} | {} {} | {} | {}{}{}{}{}{}",
                     version(), m.rows, m.cols, m.nnz, m.offsets, m.columns, name(type),
                     8 * offset_bytes, where, options.op.n ? "N" : "", options.op.t ? "T" : "",
                     options.deterministic ? " deterministic" : "",
                     !options.store_transpose   ? " two copies if memory is plenty"
                     : *options.store_transpose ? " two copies"
                                                : "",
                     options.vectors > 1
                         ? fmt::format(" {} vectors{}", options.vectors,
                                       options.layout == Layout::row_major ? "" : " by columns")
                         : "",
                     options.store_values_as == StoredValues::exact
                         ? std::string()
                         : fmt::format(" values as {}", name(options.store_values_as)));
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
    TuningRecord record = read_tuning_record(in);
    if (record.key != key || record.taken.size() > 2) return {};
    return std::move(record.taken);
  } catch (const std::exception&) {
    return {};
  }
}

void remember(const std::string& folder, const std::string& key,
              const std::vector<Candidate>& taken) {
  if (folder.empty()) return;
  try {
    const fs::path file = file_of(folder, key);
    fs::create_directories(file.parent_path());
    OutputFile out(file);
    out.write(text_of({key, taken}));
    out.commit();
  } catch (const std::exception&) {
  }
}

}  // namespace nz
