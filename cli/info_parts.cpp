#include "cli/info_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/size_text.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {

void tell_name(const Session& session, const std::string& name) {
  session.print(lab::toned(name, lab::Tone::bold, session.colour()) + "\n");
}

void tell(const Session& session, const char* label, const std::string& text) {
  session.say("  {:<11} {}\n", label, text);
}

std::string lengths_text(const lab::Lengths& s, const char* empty_one, const char* empty_many) {
  if (s.count == 0) return "none";
  if (s.max == 0) return "all empty";
  if (s.min == s.max) return lab::plural(s.max, "nonzero each", "nonzeros each");
  const std::string empty =
      s.empty == 0 ? std::string("none empty") : lab::plural(s.empty, empty_one, empty_many);
  return fmt::format("{} to {} nonzeros, mean {:.4g}, deviation {:.3g}, {}", lab::count_text(s.min),
                     lab::count_text(s.max), s.mean, s.deviation, empty);
}

std::string file_text(const FileInfo& f, std::string_view expanded) {
  return fmt::format("{}, {}, {}{}; {} stored, {}", f.format, name(f.field), name(f.symmetry),
                     f.symmetry == Symmetry::general ? "" : expanded,
                     lab::plural(f.stored_entries, "entry", "entries"),
                     size_text(static_cast<double>(f.file_bytes)));
}

nlohmann::ordered_json describe(const FileInfo& f) {
  return {{"format", f.format},
          {"field", name(f.field)},
          {"symmetry", name(f.symmetry)},
          {"expanded", f.symmetry != Symmetry::general},
          {"stored_entries", f.stored_entries},
          {"bytes", f.file_bytes}};
}

}  // namespace nz::cli
