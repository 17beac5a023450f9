#include <fmt/format.h>

#include "lab/report/page.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& v) {
  return v ? Json(*v) : Json(nullptr);
}

// As many digits as a record has.
Json rounded(const std::optional<double>& v) {
  return v ? Json(std::stod(fmt::format("{:.6g}", *v))) : Json(nullptr);
}

// A column: its title, how its values are written (text, count, seconds, rate, percent, ratio,
// bytes), what it means, and what it shows of a result.
struct Column {
  const char *key, *title, *kind, *about;
  bool first;  // shown until somebody chooses
  Json (*value)(const Run&, const Result&);
};

constexpr Column columns[] = {
    {"matrix", "matrix", "text", "", true,
     [](const Run&, const Result& r) { return Json(r.matrix); }},
    {"record", "record", "text", "the record's file", true,
     [](const Run& run, const Result&) { return Json(run.name); }},
    {"nnz", "nonzeros", "count", "", false,
     [](const Run&, const Result& r) { return Json(r.nnz); }},
    {"kernel", "kernel", "text", "", true,
     [](const Run&, const Result& r) { return Json(r.kernel); }},
    {"type", "type", "text", "", true, [](const Run&, const Result& r) { return Json(r.type); }},
    {"op", "op", "text", "N: A x, T: the transposed product", true,
     [](const Run&, const Result& r) { return Json(r.op); }},
    {"threads", "threads", "count", "of the CPU", true,
     [](const Run&, const Result& r) { return Json(r.threads); }},
    {"status", "status", "text", "", true,
     [](const Run&, const Result& r) { return Json(std::string(name(r.status))); }},
    {"planned", "plan", "mark", "what a plan chooses", true,
     [](const Run&, const Result& r) { return Json(r.planned.value_or(false)); }},
    {"median_s", "time", "seconds", "median of one product; on a GPU with the cache flushed", true,
     [](const Run&, const Result& r) { return or_null(r.median_s); }},
    {"predicted_s", "predicted", "seconds", "what a plan's model says of it", false,
     [](const Run& run, const Result& r) { return rounded(predicted_seconds(run, r)); }},
    {"hot_median_s", "hot", "seconds", "median on a GPU, caches as they are", false,
     [](const Run&, const Result& r) { return or_null(r.hot_median_s); }},
    {"noise", "± noise", "percent", "half the 95 % confidence interval of the median", false,
     [](const Run&, const Result& r) { return or_null(r.noise); }},
    {"rate", "GB/s", "rate", "by the kernel's own byte model", true,
     [](const Run&, const Result& r) { return rounded(own_rate(r)); }},
    {"bandwidth_share", "of read", "percent", "share of the measured read bandwidth", true,
     [](const Run&, const Result& r) { return or_null(r.bandwidth_share); }},
    {"gflops", "GFLOP/s", "number", "2 operations a nonzero", false,
     [](const Run&, const Result& r) { return or_null(r.gflops); }},
    {"speedup", "× CSR", "ratio", "times as fast as plain CSR", true,
     [](const Run&, const Result& r) { return or_null(r.speedup); }},
    {"setup_s", "setup", "seconds", "to prepare the matrix", true,
     [](const Run&, const Result& r) { return or_null(r.setup_s); }},
    {"break_even", "break-even", "count", "products from which the setup has paid", false,
     [](const Run&, const Result& r) { return or_null(r.break_even); }},
    {"prepared_bytes", "memory", "bytes", "of the prepared matrix", false,
     [](const Run&, const Result& r) { return or_null(r.prepared_bytes); }},
    {"worst_error", "error", "number", "largest error as a share of its row's bound", false,
     [](const Run&, const Result& r) { return or_null(r.worst_error); }},
    {"parameters", "parameters", "text", "", false,
     [](const Run&, const Result& r) { return Json(parameters_text(r.parameters)); }},
    {"reason", "reason", "text", "why there is no time", true,
     [](const Run&, const Result& r) { return Json(r.reason); }},
};

}  // namespace

Json table_data(const std::vector<Chapter>& chapters, const Anchors& anchors) {
  Json titles = Json::array(), rows = Json::array(), ids = Json::array();
  for (const auto& its : anchors.cases)
    for (const std::string& id : its) ids.push_back(id);
  for (const Column& c : columns)
    titles.push_back({{"key", c.key},
                      {"title", c.title},
                      {"kind", c.kind},
                      {"about", c.about},
                      {"first", c.first}});
  for (const Chapter& chapter : chapters)
    for (const Result& r : chapter.run->record.results) {
      Json row = Json::array();
      for (const Column& c : columns) row.push_back(c.value(*chapter.run, r));
      rows.push_back(std::move(row));
    }
  return {{"columns", titles}, {"rows", rows}, {"ids", ids}};
}

}  // namespace nz::lab
