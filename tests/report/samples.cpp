#include "report/samples.hpp"

#include <cmath>
#include <map>

namespace nz::test {
namespace {

struct Shape {
  std::int64_t rows, nnz;
};
const std::map<std::string, Shape> shapes{
    {"grid", {90'000, 448'800}}, {"fem", {30'000, 1'500'000}}, {"web", {65'536, 900'001}},
    {"band", {4'000, 36'000}},   {"a<b>&\"c\"", {100, 500}},   {"long", {1'000'000, 20'000'000}}};

}  // namespace

lab::Result sample_result(const std::string& matrix, const std::string& kernel,
                          const std::string& op, const std::string& type, double seconds,
                          bool planned) {
  lab::Result r;
  const Shape s = shapes.at(matrix);
  const std::int64_t value = type == "f64" ? 8 : 4;
  r.matrix = matrix;
  r.source = "made up";
  r.rows = r.cols = s.rows;
  r.nnz = s.nnz;
  r.kernel = kernel;
  r.op = op;
  r.type = type;
  r.threads = 2;
  r.planned = planned;
  r.csr_bytes = s.nnz * (value + 4) + (s.rows + 1) * 4 + 2 * s.rows * value;
  if (seconds <= 0) {
    r.status = lab::Status::refused;
    r.reason = "has no transposed product";
    return r;
  }
  r.setup_s = seconds * 7;
  r.median_s = seconds;
  r.samples_s = {seconds * 0.99, seconds, seconds * 1.02};
  r.noise = 0.015;
  r.spread = 0.01;
  r.worst_error = 0.03;
  r.bytes = r.csr_bytes * (kernel.find("packed") == kernel.npos ? 10 : 7) / 10;
  r.prepared_bytes = *r.bytes - 2 * s.rows * value;
  r.gflops = 2e-9 * static_cast<double>(s.nnz) / seconds;
  r.bandwidth_share = static_cast<double>(*r.bytes) / seconds / 40e9;
  return r;
}

lab::Record sample_record() {
  lab::Record record;
  record.commit = "0123456789abcdef";
  record.compiler = "g++ 12.2.0";
  record.build_type = "Release";
  using Json = nlohmann::ordered_json;
  record.machine =
      Json::parse(R"({"cpu": "Sample <CPU>", "cores": 2, "memory_bytes": 8589934592})");
  record.environment = Json::parse(R"({"huge_pages": "madvise"})");
  record.settings = Json::parse(R"({"noise": 0.02, "device": "cpu"})");
  record.bandwidth = {{.read = 40e9, .triad = 35e9, .array_bytes = 1 << 28, .threads = 2},
                      {.read = 22e9, .triad = 20e9, .array_bytes = 1 << 28, .threads = 1}};
  double turn = 0;
  for (const auto& [matrix, shape] : shapes)
    for (const char* type : {"f64", "f32"})
      for (const char* op : {"N", "T"}) {
        const double time = static_cast<double>(shape.nnz) * 1e-9 * (1 + 0.3 * std::sin(++turn));
        const auto add = [&](const char* kernel, double seconds, bool planned = false) {
          record.results.push_back(sample_result(matrix, kernel, op, type, seconds, planned));
        };
        add("cpu/packed/slices", time, true);
        add("cpu/csr/serial", 2.1 * time);
        add("cpu/csr/omp-rows", std::string(op) == "N" ? 1.4 * time : 0);
        add("peer/eigen/csr", time * (1.5 + std::cos(turn)));
        add("peer/mkl/csr", time * (1.3 + 0.5 * std::cos(2 * turn)));
      }
  lab::Result wrong = sample_result("grid", "cpu/sell/serial", "N", "f64", 1);
  wrong.status = lab::Status::wrong;
  wrong.reason = "row 3: 2.0 instead of 1.0";
  for (auto* v : {&wrong.median_s, &wrong.gflops, &wrong.bandwidth_share, &wrong.noise}) v->reset();
  wrong.samples_s.clear();
  record.results.push_back(wrong);
  lab::Result failed = sample_result("long", "cpu/ell/serial", "N", "f64", 0);
  failed.status = lab::Status::failed;
  failed.reason = "not enough memory; </script><script>alert(1)</script>";
  record.results.push_back(failed);
  record.compare_with_csr();
  return record;
}

lab::Record explored_record() {
  lab::Record record = sample_record();
  record.date = "2026-03-01T12:00:00Z";
  record.pictures["grid"] = {"f000", "0f00", "00f0", "000f"};
  record.pictures["web"] = {"ff", "80"};
  record.row_lengths["grid"] = {.count = 90'000,
                                .min = 3,
                                .max = 5,
                                .mean = 4.98667,
                                .deviation = 0.12,
                                .histogram = {0, 0, 4, 89'996}};
  record.forecasts = {
      {.matrix = "grid",
       .device = "cpu",
       .type = "f64",
       .op = "N",
       .threads = 2,
       .kernel = "cpu/packed/slices",
       .why = "0.7 of CSR's bytes",
       .predictions = {{"cpu/packed/slices", {}, 4e-4, 3e-3, 4e6, "0.7 of CSR's bytes", ""},
                       {"cpu/csr/omp-rows", {}, 6e-4, 0, 0, "plain", "predicted to be slower"},
                       {"cpu/dia/serial", {}, 9e-4, 1e-3, 5e6, "five diagonals", "one thread"}}}};
  return record;
}

}  // namespace nz::test
