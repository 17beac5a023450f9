#include "lab/report/csv.hpp"

#include <fmt/format.h>

#include "lab/report/runs.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

// Keys of a result as a record has them.
constexpr const char* keys[] = {
    "matrix",   "source",     "rows",          "cols",           "nnz",          "device",
    "kernel",   "op",         "type",          "threads",        "status",       "reason",
    "planned",  "plan",       "setup_s",       "median_s",       "hot_median_s", "spread",
    "noise",    "bytes",      "csr_bytes",     "prepared_bytes", "gflops",       "bandwidth_share",
    "baseline", "speedup",    "break_even",    "worst_error",    "replayed",     "vectors",
    "layout",   "one_by_one", "judged_columns"};

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string all = "\"";
  for (const char c : text) all += c == '"' ? std::string("\"\"") : std::string(1, c);
  return all + '"';
}

std::string field(const Json& j) {
  if (j.is_null()) return "";
  return field(j.is_string() ? j.get<std::string>() : j.dump());
}

// A spreadsheet shows the machine beside each case.
std::string machine_name(const Record& record, const Result& r) {
  const Json& m = record.machine;
  if (!m.is_object()) return "";
  return r.device != "cpu" && m.contains("gpu") ? m.at("gpu").value("name", "")
                                                : m.value("cpu", "");
}

}  // namespace

std::string csv(const std::vector<NamedRecord>& records) {
  std::string all = "record,commit,machine,parameters,samples";
  for (const char* key : keys) all += fmt::format(",{}", key);
  all += '\n';
  for (const NamedRecord& one : records)
    for (const Result& r : one.record->results) {
      all += fmt::format("{},{},{},{},{}", field(one.name), field(one.record->commit),
                         field(machine_name(*one.record, r)), field(parameters_text(r.parameters)),
                         r.samples_s.size());
      const Json j = to_json(r);
      for (const char* key : keys) all += ',' + (j.contains(key) ? field(j.at(key)) : "");
      all += '\n';
    }
  return all;
}

}  // namespace nz::lab
