#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/report/table.hpp"

namespace nz::cli {

// What became of one experiment of `nonzero reproduce`.
struct Reproduced {
  std::string name;
  std::string left_out{};  // why; empty when it ran
  bool failed = false;     // for want of memory or a device
  nlohmann::ordered_json record{};
  std::string markdown{};

  bool ran() const { return left_out.empty(); }
  bool wrong() const;  // a product of it was
  // How many figures a run in parts has left for the next of them.
  std::size_t left_for_later() const;
};

// A line for each, from their records.
lab::Table summary(const std::vector<Reproduced>& all);

// One experiment's own record, or a record of all of them.
nlohmann::ordered_json record_of(const std::vector<Reproduced>& all);

// Writes NAME.json and NAME.md into the folder. Throws BadInput when that cannot be.
void keep(const std::filesystem::path& folder, const Reproduced& one);

// What the folder has of an experiment, if the same program made it on the same device at the same
// scale and, where it times batches, in batches of the same size. A file that is broken counts as
// none.
std::optional<Reproduced> kept(const std::filesystem::path& folder, std::string_view name,
                               std::string_view device, double scale, int batch);

}  // namespace nz::cli
