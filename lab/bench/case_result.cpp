#include "lab/bench/case_result.hpp"

#include "lab/bench/source.hpp"

namespace nz::lab {

Result about(const SuiteMatrix& m, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  Result r;
  r.matrix = m.name;
  r.source = recorded_source(m.source);
  r.rows = rows;
  r.cols = cols;
  r.nnz = nnz;
  return r;
}

Result about(Result r, const Job& job, Op op, ValueType type, Device device) {
  r.device = device.name();
  r.kernel = job.kernel->id();
  r.parameters = without_vectors(job.parameters);
  r.vectors = job.vectors;
  r.threads = job.threads;
  r.op = std::string(name(op));
  r.type = std::string(name(type));
  return r;
}

void add(Result& r, const Trial& t, const Bandwidth* memory) {
  r.status = t.status;
  r.reason = t.reason;
  if (t.prepared) {
    if (t.device.kind != Device::Kind::emulator) r.setup_s = t.prepare_seconds;
    r.facts = t.facts;
    r.plan = t.plan;
    r.prepared_bytes = static_cast<std::int64_t>(t.bytes);
  }
  if (t.traffic > 0) r.bytes = static_cast<std::int64_t>(t.traffic);
  if (t.status == Status::wrong || t.status == Status::ok) {
    r.worst_error = t.worst_error;
    if (t.vectors.several()) r.judged_columns = t.judged_columns;
  }
  r.one_by_one = t.prepared && t.one_by_one;
  if (!t.hot.samples.empty()) {
    r.hot_samples_s = t.hot.samples;
    r.hot_multiplies_per_sample = t.hot.runs_per_sample;
    r.hot_median_s = t.hot.median();
    r.hot_noise = t.hot.noise();
    r.replayed = t.replayed;
  }
  r.samples_s.clear();
  r.median_s = r.spread = r.noise = r.gflops = r.bandwidth_share = std::nullopt;
  if (t.timing.samples.empty()) return;
  r.samples_s = t.timing.samples;
  r.multiplies_per_sample = t.timing.runs_per_sample;
  r.median_s = t.timing.median();
  r.spread = t.timing.spread();
  r.noise = t.timing.noise();
  if (*r.median_s <= 0) return;
  r.gflops = 2e-9 * static_cast<double>(r.nnz) * r.vectors.count / *r.median_s;
  if (memory) r.bandwidth_share = static_cast<double>(t.traffic) / *r.median_s / memory->read;
}

}  // namespace nz::lab
