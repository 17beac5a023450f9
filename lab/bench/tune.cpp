#include "lab/bench/tune.hpp"

#include <algorithm>

#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/trial.hpp"
#include "lab/bench/tune_cpu.hpp"
#include "plan/tuning/h200.hpp"
#include "plan/tuning/tuning.hpp"
#include "simt/backend.hpp"

namespace nz::lab {
namespace {

// Of a product that has next to nothing to do, as the table means it: gpu/csr/balanced, cold.
double launch_seconds(Device device, double seconds) {
  const auto a = csr_cast<double, std::int32_t>(generate("diagonal:n=64").matrix.view());
  const Trial t = Stage<double, std::int32_t>(a.view())
                      .perform(find_kernel("gpu/csr/balanced"),
                               {.device = device, .budget = {.seconds = seconds}})
                      .front();
  if (t.status != Status::ok) throw Error("gpu/csr/balanced could not be timed: " + t.reason);
  return t.timing.samples.empty() ? t.hot.median() : t.timing.median();
}

DeviceTable tune_gpu(const DeviceInfo& device, const TuneSettings& s,
                     const TuneProgress& progress) {
  progress(0, 2, "memory");
  const Bandwidth b = measure_bandwidth(device.device, s.buffer_bytes);
  progress(1, 2, "launches");
  const double launch = launch_seconds(device.device, s.seconds);
  progress(2, 2, "");
  // What the driver does not tell is taken for an H200's.
  const auto known = [](double told, double of_h200) { return told > 0 ? told : of_h200; };
  const GpuFigures here{b.read, launch,
                        known(static_cast<double>(device.cache_bytes), h200_measured.cache_bytes),
                        known(static_cast<double>(device.processors), h200_measured.processors)};
  return {table_key(device),
          {{"read_bytes_per_second", here.bytes_per_second},
           {"launch_seconds", here.launch_seconds},
           {"cache_bytes", here.cache_bytes},
           {"processors", here.processors}},
          numbers_of(scaled_from_h200(here, h200_measured))};
}

}  // namespace

DeviceTable tune(Device device, const TuneSettings& settings, const TuneProgress& progress) {
  if (device == cpu_device) return tune_cpu(settings, progress);
  const DeviceInfo& info = simt::backend(device).info();
  if (device.kind == Device::Kind::cuda) return tune_gpu(info, settings, progress);
  return {table_key(info), {}, numbers_of(built_in_tuning(info))};
}

}  // namespace nz::lab
