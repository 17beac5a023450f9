#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <nonzero/kernel.hpp>

#include "lab/bench/bandwidth.hpp"
#include "lab/bench/forecast.hpp"
#include "lab/bench/statistics.hpp"
#include "lab/bench/trial.hpp"

namespace nz::lab {

inline constexpr const char* record_schema = "nonzero-bench/1";

// One case of a record. What was not measured is empty.
struct Result {
  std::string matrix;  // the short name
  std::string source;  // what it was loaded from
  std::int64_t rows = 0, cols = 0, nnz = 0;
  std::string device = "cpu";
  std::string kernel, op, type;
  VectorSet vectors{};      // one, unless the record says otherwise
  bool one_by_one = false;  // several, each by a product of its own
  std::optional<int>
      judged_columns;  // of several, those judged as one vector is; the others by sums
  int threads = 1;     // of the CPU
  Parameters parameters;
  Facts facts{};  // what the prepared matrix tells of itself
  Status status = Status::ok;
  std::string reason;
  std::optional<bool> planned;  // the kernel that a plan would choose
  std::string plan;             // of kernels plan/...: what the plan took for op, and why
  std::optional<double> setup_s, median_s, spread, noise, worst_error;
  std::vector<double> samples_s;
  int multiplies_per_sample = 1;
  // On a GPU median_s is the cold time. The hot one: launches back to back, caches as they are.
  std::optional<double> hot_median_s, hot_noise;
  std::vector<double> hot_samples_s;
  int hot_multiplies_per_sample = 1;
  std::optional<bool> replayed;  // launched from a CUDA graph
  std::optional<std::int64_t> bytes, prepared_bytes;
  std::int64_t csr_bytes = 0;
  std::optional<double> gflops, bandwidth_share;
  // Against plain CSR on as many threads, or on the same GPU: how many times as fast, and the
  // number of multiplies from which the setup has paid; empty where it never does.
  std::string baseline;
  std::optional<double> speedup, break_even;

  bool timed() const { return status == Status::ok && median_s.has_value(); }
};

// The kernel that others are compared with on such a device: CSR by plain loops, with all threads.
std::string_view plain_csr(Device::Kind kind);
// Whether results are compared with this kernel where they are.
bool is_plain_csr(std::string_view kernel);

nlohmann::ordered_json to_json(const Result& r);
// Throws BadInput for a missing key or a wrong type; other keys are ignored.
Result result_from_json(const nlohmann::ordered_json& j);

// What makes two cases the same: matrix, device, kernel, op, type, vectors, threads, parameters.
std::string key(const Result& r);

// The product of a case, for people: "f64 N", "f64 N x 8 by rows".
std::string product_named(const Result& r);

struct Record {
  std::string commit;
  bool dirty = false;
  std::string date{};  // when it was begun, UTC: "2026-03-01T12:00:00Z"; "" where nobody wrote it
  std::string compiler, build_type;
  nlohmann::ordered_json machine, environment, settings;
  nlohmann::ordered_json clocks = nlohmann::ordered_json::object();  // of the GPU
  std::vector<Bandwidth> bandwidth;  // one a number of threads, one a GPU
  std::vector<Result> results;
  std::map<std::string, std::vector<std::string>> pictures{};  // thumbnail() of matrices, by name
  std::map<std::string, Lengths> row_lengths{};                // of matrices, by name
  std::vector<Forecast> forecasts{};                           // what plans think of them

  // Of this program on this machine, without results. A GPU is described when it is the device.
  static Record here(Device device = cpu_device);

  // The measured bandwidth of a device, on so many threads; null when there is none.
  const Bandwidth* memory(int threads, std::string_view device = "cpu") const;

  // Fills baseline, speedup and break_even of all results.
  void compare_with_csr();
};

// Throws BadInput when it is not a record, or Json::exception.
Record record_from_json(const nlohmann::ordered_json& j);
// Throws BadInput, naming the file, when it is not a record.
Record read_record(const std::filesystem::path& path);

// The header for people, then a line a matrix, a forecast and a result.
std::string text(const Record& r);

// The file is the old record or the new one, at any moment.
void write_record(const std::filesystem::path& path, const Record& r);

// Throws InvalidArgument when the two come from another commit, build, machine or device, or one of
// them from pinned threads.
void require_same_origin(const Record& before, const Record& now);

}  // namespace nz::lab
