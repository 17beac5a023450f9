#include "cli/reproduced.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/output_file.hpp"
#include "lab/bench/machine.hpp"
#include "lab/papers/trials.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string share_right(const Json& record) {
  std::size_t right = 0, wrong = 0;
  for (const Json& result : record["results"]) {
    right += result["status"] == "ok";
    wrong += result["status"] == "wrong";
  }
  const std::size_t ran = right + wrong, not_run = record["results"].size() - ran;
  // What was not built or refused is not wrong; the facts above say why.
  return fmt::format("{} of {}{}", right, ran,
                     not_run == 0 ? std::string() : fmt::format(", {} not run", not_run));
}

std::string share_held(const Json& record) {
  std::size_t held = 0, judged = 0;
  for (const Json& claim : record["claims"]) {
    held += claim["holds"] == true;
    judged += !claim["holds"].is_null();
  }
  return judged == 0 ? "not judged" : fmt::format("{} of {}", held, judged);
}

std::optional<std::string> text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

bool Reproduced::wrong() const {
  if (!ran()) return false;
  for (const Json& result : record["results"])
    if (result["status"] == "wrong") return true;
  return false;
}

std::size_t Reproduced::left_for_later() const {
  if (!ran()) return 0;
  const auto& results = record.at("results");
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(),
      [](const Json& result) { return result.value("reason", "") == lab::left_for_later; }));
}

lab::Table summary(const std::vector<Reproduced>& all) {
  lab::Table table({{"experiment"},
                    {"on"},
                    {"products right", lab::Align::right},
                    {"conclusions that hold", lab::Align::right},
                    {"took", lab::Align::right}});
  for (const Reproduced& one : all)
    if (one.ran())
      table.add({one.name, one.record["device"].get<std::string>(), share_right(one.record),
                 share_held(one.record), lab::seconds_text(one.record["took_s"].get<double>())});
    else
      table.add({one.name, "", one.failed ? "failed" : "left out", "", ""});
  return table;
}

Json record_of(const std::vector<Reproduced>& all) {
  if (all.size() == 1) return all.front().record;
  Json record{{"schema", "nonzero-reproductions/1"},
              {"reproductions", Json::array()},
              {"left_out", Json::array()}};
  for (const Reproduced& one : all)
    if (one.ran())
      record["reproductions"].push_back(one.record);
    else
      record["left_out"].push_back({{"experiment", one.name}, {"reason", one.left_out}});
  return record;
}

void keep(const std::filesystem::path& folder, const Reproduced& one) {
  write_file(folder / (one.name + ".md"), one.markdown);
  write_file(folder / (one.name + ".json"), one.record.dump(1) + "\n");
}

std::optional<Reproduced> kept(const std::filesystem::path& folder, std::string_view name,
                               std::string_view device, double scale, int batch) {
  const auto text = text_of(folder / fmt::format("{}.json", name));
  const auto markdown = text_of(folder / fmt::format("{}.md", name));
  if (!text || !markdown) return {};
  Reproduced one{.name = std::string(name), .markdown = *markdown};
  one.record = Json::parse(*text, nullptr, false);
  const lab::Commit here = lab::commit();
  const auto has = [&](const char* key, const Json& value) {
    return one.record.contains(key) && one.record[key] == value;
  };
  const bool same = one.record.is_object() && has("commit", here.id) && has("dirty", here.dirty) &&
                    has("experiment", std::string(name)) && has("device", std::string(device)) &&
                    has("scale", scale) && one.record.value("batch", Json(batch)) == batch &&
                    one.record.contains("took_s") && one.record.contains("results") &&
                    one.record["results"].is_array();
  if (!same) return {};
  return one;
}

}  // namespace nz::cli
