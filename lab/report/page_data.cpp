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
  Json (*value)(const Run&, const Result&);
};

constexpr Column columns[] = {
    {"record", "record", "text", "the record's file",
     [](const Run& run, const Result&) { return Json(run.name); }},
    {"matrix", "matrix", "text", "", [](const Run&, const Result& r) { return Json(r.matrix); }},
    {"nnz", "nonzeros", "count", "", [](const Run&, const Result& r) { return Json(r.nnz); }},
    {"kernel", "kernel", "text", "", [](const Run&, const Result& r) { return Json(r.kernel); }},
    {"type", "type", "text", "", [](const Run&, const Result& r) { return Json(r.type); }},
    {"op", "op", "text", "N: A x, T: the transposed product",
     [](const Run&, const Result& r) { return Json(r.op); }},
    {"threads", "threads", "count", "of the CPU",
     [](const Run&, const Result& r) { return Json(r.threads); }},
    {"status", "status", "text", "",
     [](const Run&, const Result& r) { return Json(std::string(name(r.status))); }},
    {"planned", "plan", "mark", "what a plan chooses",
     [](const Run&, const Result& r) { return Json(r.planned.value_or(false)); }},
    {"median_s", "time", "seconds", "median of one product; on a GPU with the cache flushed",
     [](const Run&, const Result& r) { return or_null(r.median_s); }},
    {"hot_median_s", "hot", "seconds", "median on a GPU, caches as they are",
     [](const Run&, const Result& r) { return or_null(r.hot_median_s); }},
    {"noise", "± noise", "percent", "half the 95 % confidence interval of the median",
     [](const Run&, const Result& r) { return or_null(r.noise); }},
    {"rate", "GB/s", "rate", "by the kernel's own byte model",
     [](const Run&, const Result& r) { return rounded(own_rate(r)); }},
    {"bandwidth_share", "of read", "percent", "share of the measured read bandwidth",
     [](const Run&, const Result& r) { return or_null(r.bandwidth_share); }},
    {"gflops", "GFLOP/s", "number", "2 operations a nonzero",
     [](const Run&, const Result& r) { return or_null(r.gflops); }},
    {"speedup", "× CSR", "ratio", "times as fast as plain CSR",
     [](const Run&, const Result& r) { return or_null(r.speedup); }},
    {"setup_s", "setup", "seconds", "to prepare the matrix",
     [](const Run&, const Result& r) { return or_null(r.setup_s); }},
    {"break_even", "break-even", "count", "products from which the setup has paid",
     [](const Run&, const Result& r) { return or_null(r.break_even); }},
    {"prepared_bytes", "memory", "bytes", "of the prepared matrix",
     [](const Run&, const Result& r) { return or_null(r.prepared_bytes); }},
    {"worst_error", "error", "number", "largest error as a share of its row's bound",
     [](const Run&, const Result& r) { return or_null(r.worst_error); }},
    {"parameters", "parameters", "text", "",
     [](const Run&, const Result& r) { return Json(parameters_text(r.parameters)); }},
    {"reason", "reason", "text", "why there is no time",
     [](const Run&, const Result& r) { return Json(r.reason); }},
};

}  // namespace

Json table_data(const std::vector<Chapter>& chapters) {
  Json titles = Json::array(), rows = Json::array();
  for (const Column& c : columns)
    titles.push_back({{"key", c.key}, {"title", c.title}, {"kind", c.kind}, {"about", c.about}});
  for (const Chapter& chapter : chapters)
    for (const Result& r : chapter.run->record.results) {
      Json row = Json::array();
      for (const Column& c : columns) row.push_back(c.value(*chapter.run, r));
      rows.push_back(std::move(row));
    }
  return {{"columns", titles}, {"rows", rows}};
}

}  // namespace nz::lab
