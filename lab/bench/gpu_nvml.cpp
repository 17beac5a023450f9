#include <dlfcn.h>

#include <type_traits>

#include <cuda_runtime_api.h>

#include "lab/bench/gpu_state.hpp"

// NVML without its header: the six calls that are needed, by their names in the library.
namespace nz::lab {
namespace {

class Nvml {
 public:
  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    };
    int (*init)() = nullptr;
    find(init, "nvmlInit_v2");
    find(handle_, "nvmlDeviceGetHandleByPciBusId_v2");
    find(clock_, "nvmlDeviceGetClockInfo");
    find(reasons_, "nvmlDeviceGetCurrentClocksEventReasons");
    if (!reasons_) find(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(temperature_, "nvmlDeviceGetTemperature");
    find(power_, "nvmlDeviceGetPowerUsage");
    usable_ = init && handle_ && clock_ && init() == 0;
  }

  std::optional<GpuState> state(int index) const {
    char bus[32];
    void* device = nullptr;
    if (!usable_ || cudaDeviceGetPCIBusId(bus, sizeof bus, index) != cudaSuccess ||
        handle_(bus, &device) != 0)
      return std::nullopt;
    constexpr int sm = 1, memory = 2, gpu_sensor = 0;  // NVML's numbers for them
    GpuState s;
    if (clock_(device, sm, &s.sm_mhz) != 0) return std::nullopt;
    clock_(device, memory, &s.memory_mhz);
    if (temperature_) temperature_(device, gpu_sensor, &s.celsius);
    unsigned milliwatts = 0;
    if (power_ && power_(device, &milliwatts) == 0) s.watts = (milliwatts + 500) / 1000;
    unsigned long long reasons = 0;
    if (reasons_ && reasons_(device, &reasons) == 0) s.reasons = reasons;
    return s;
  }

 private:
  bool usable_ = false;
  int (*handle_)(const char*, void**) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*reasons_)(void*, unsigned long long*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
};

}  // namespace

std::optional<GpuState> gpu_state(Device device) {
  if (device.kind != Device::Kind::cuda) return std::nullopt;
  static const Nvml nvml;  // kept to the end of the program
  return nvml.state(device.index);
}

}  // namespace nz::lab
