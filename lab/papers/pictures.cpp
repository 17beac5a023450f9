#include "lab/papers/pictures.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/papers/recall.hpp"
#include "lab/report/spy.hpp"

namespace nz::lab {
namespace {

// The note begins with this, the label of the matrix and a new line.
constexpr std::string_view fence = "```\n";

}  // namespace

std::string picture_of(const CsrView<double, std::int64_t>& a) {
  return spy_text(a, 44, 22, Glyphs::braille);
}

std::string recalled_picture(const Recall& from, std::string_view table, const std::string& name) {
  for (const auto& t : from.record()["tables"]) {
    if (!t["title"].get<std::string>().starts_with(table) || !t.contains("notes")) continue;
    for (const auto& note : t["notes"]) {
      const std::string text = note;
      for (const char* mark : {"", " *"})
        if (const std::string head = fmt::format("{}{}{}\n", fence, name, mark);
            text.starts_with(head) && text.ends_with("```"))
          return text.substr(head.size(), text.size() - head.size() - 3);
    }
  }
  return "";
}

Comparison picture_table(std::string title, std::string corner, const Labels& matrices,
                         const Pictures& pictures) {
  Comparison c{.title = std::move(title), .corner = std::move(corner), .columns = {}, .lines = {}};
  for (const auto& [name, label] : matrices)
    if (const auto found = pictures.find(name); found != pictures.end() && !found->second.empty())
      c.notes.push_back(fmt::format("{}{}\n{}```", fence, label, found->second));
  if (c.notes.empty()) c.notes.emplace_back("Not drawn: the record has no matrices.");
  return c;
}

}  // namespace nz::lab
