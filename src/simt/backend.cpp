#include "simt/backend.hpp"

#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "base/size_text.hpp"
#include "simt/cache_scope.hpp"
#include "simt/memory_speed.hpp"

namespace nz {
namespace simt {
namespace {

std::atomic<std::size_t> alive{0};
std::atomic<int> until_failure{-1};

thread_local int launches_on = -1;
thread_local bool stays_in_cache = false;
thread_local std::size_t asked = 0;

bool fails_now() {
  int left = until_failure.load();
  while (left >= 0)
    if (until_failure.compare_exchange_weak(left, left - 1)) return left == 0;
  return false;
}

template <class Try, class Why>
void* counted(Try&& attempt, Why&& why) {
  void* memory = fails_now() ? nullptr : attempt();
  if (!memory) throw NoResource(why());
  ++alive;
  return memory;
}

}  // namespace

std::string Backend::too_little(std::size_t bytes) {
  return fmt::format("not enough memory on {}: {} needed, {} free", info().device.name(),
                     size_text(bytes), size_text(free_bytes()));
}

void* Backend::allocate(std::size_t bytes) {
  return counted([&] { return try_allocate(bytes); }, [&] { return too_little(bytes); });
}

void* Backend::allocate_queued(std::size_t bytes, CUstream_st* stream) {
  return counted([&] { return try_allocate_queued(bytes, stream); },
                 [&] { return too_little(bytes); });
}

void* Backend::allocate_aside(std::size_t bytes, std::size_t zeros) {
  return counted([&] { return try_allocate_aside(bytes, zeros); },
                 [&] { return too_little(bytes); });
}

void Backend::release_queued(void* memory, CUstream_st* stream) noexcept {
  if (!memory) return;
  do_release_queued(memory, stream);
  --alive;
}

void Backend::release(void* memory) noexcept {
  if (!memory) return;
  do_release(memory);
  --alive;
}

void* Backend::allocate_pinned(std::size_t bytes) {
  return counted([&] { return try_allocate_pinned(bytes); },
                 [&] {
                   return fmt::format("cannot pin {} of host memory for copies to {}",
                                      size_text(bytes), info().device.name());
                 });
}

void Backend::release_pinned(void* memory) noexcept {
  if (!memory) return;
  do_release_pinned(memory);
  --alive;
}

std::size_t live_allocations() { return alive; }
void fail_allocation_after(int count) { until_failure = count; }

#ifndef NZ_HAVE_CUDA
double cuda_memory_speed(int) noexcept { return 0; }
std::string why_no_cuda_device() { return "this build has no CUDA"; }
int cuda_devices() { return 0; }
std::unique_ptr<Backend> make_cuda_backend(int) { return nullptr; }
int current_cuda_device() { return -1; }
void set_cuda_device(int) {}
#endif
#ifndef NZ_HAVE_EMULATOR
std::unique_ptr<Backend> make_emulator_backend() { return nullptr; }
#endif

CUstream_st* stream_for(Device device, StreamView stream) {
  if (stream.any_device()) return nullptr;
  if (stream.device != device)
    throw InvalidArgument(
        fmt::format("a stream of {} for work on {}", stream.device.name(), device.name()));
  backend(device).check_stream(stream.handle);
  return stream.handle;
}

// Backends live to the end of the program: arrays of static objects may still need them.
Backend& backend(Device device) {
  static std::mutex guard;
  static auto& made = *new std::map<std::pair<Device::Kind, int>, std::unique_ptr<Backend>>;
  if (device.kind == Device::Kind::cpu)
    throw InvalidArgument("cpu has no streams, and no memory of its own");
  count_request();
  const std::lock_guard lock(guard);
  auto& b = made[{device.kind, device.index}];
  if (!b && device.kind == Device::Kind::emulator) {
    b = make_emulator_backend();
    if (!b) throw NoResource("emu: this build has no emulator (it needs Boost.Context)");
  } else if (!b) {
    const int n = cuda_devices();
    if (n == 0) throw NoResource(fmt::format("{}: {}", device.name(), why_no_cuda_device()));
    if (device.index < 0 || device.index >= n)
      throw NoResource(fmt::format("{}: there {} CUDA device{}", device.name(),
                                   n == 1 ? "is 1" : fmt::format("are {}", n), n == 1 ? "" : "s"));
    b = make_cuda_backend(device.index);
  }
  return *b;
}

LaunchScope::LaunchScope(Device device) noexcept
    : before_(std::exchange(launches_on, device.kind == Device::Kind::cuda ? device.index : -1)) {}
LaunchScope::~LaunchScope() { launches_on = before_; }
int launch_device() noexcept { return launches_on; }

CacheScope::CacheScope(bool stays) noexcept : before_(std::exchange(stays_in_cache, stays)) {}
CacheScope::~CacheScope() { stays_in_cache = before_; }
bool streamed_stays() noexcept { return stays_in_cache; }

std::size_t requests() noexcept { return asked; }
void count_request() noexcept { ++asked; }

DeviceScope::DeviceScope(Device device) : launches_(device) {
  if (device.kind != Device::Kind::cuda) return;
  before_ = current_cuda_device();
  set_cuda_device(device.index);
}

DeviceScope::~DeviceScope() {
  if (before_ < 0) return;
  try {
    set_cuda_device(before_);
  } catch (...) {  // it was current before: there is nobody to tell
  }
}

}  // namespace simt

std::string Device::name() const {
  switch (kind) {
    case Kind::cpu:
      return "cpu";
    case Kind::emulator:
      return "emu";
    case Kind::cuda:
      break;
  }
  return fmt::format("cuda:{}", index);
}

Device device_named(std::string_view name) {
  if (name == "cpu") return cpu_device;
  Device d;
  if (name == "emu") {
    d = emulator_device;
  } else if (name == "cuda") {
    d = {Device::Kind::cuda, 0};
  } else if (name.starts_with("cuda:")) {
    d.kind = Device::Kind::cuda;
    const auto digits = name.substr(5);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), d.index);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw InvalidArgument(fmt::format("no device '{}': write cuda:0, cuda:1, ...", name));
  } else {
    throw InvalidArgument(fmt::format("no device '{}'; there are cpu, cuda:0, ... and emu", name));
  }
  simt::backend(d);  // says why it is not there
  return d;
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all;
  all.push_back({.device = cpu_device, .description = "this machine", .processors = threads()});
  const auto add = [&](Device d) {
    auto& b = simt::backend(d);
    all.push_back(b.info());
    all.back().free_bytes = b.free_bytes();
  };
  for (int i = 0; i < simt::cuda_devices(); ++i) add({Device::Kind::cuda, i});
#ifdef NZ_HAVE_EMULATOR
  add(emulator_device);
#endif
  return all;
}

std::string why_no_cuda() { return simt::cuda_devices() > 0 ? "" : simt::why_no_cuda_device(); }

Stream::Stream(Device device) : view_{device, simt::backend(device).make_stream()} {}

Stream::~Stream() {
  if (view_.handle) simt::backend(view_.device).end_stream(view_.handle);
}

void Stream::wait() const { simt::backend(view_.device).wait(view_.handle); }

void wait_for(Device device, StreamView stream) {
  if (device == cpu_device) return;  // its work is done when it returns
  simt::backend(device).wait(simt::stream_for(device, stream));
}

std::size_t trim(Device device) { return device == cpu_device ? 0 : simt::backend(device).trim(); }

namespace detail {

void* device_allocate(Device device, std::size_t bytes) {
  return simt::backend(device).allocate(bytes);
}

void device_release(Device device, void* memory) noexcept { simt::backend(device).release(memory); }

void check_fits(std::size_t room, std::size_t wanted) {
  if (wanted > room)
    throw InvalidArgument(
        fmt::format("a copy of {} elements, but the device array has {}", wanted, room));
}

void device_copy(Device device, void* to, const void* from, std::size_t bytes, StreamView stream) {
  simt::backend(device).copy(to, from, bytes, simt::stream_for(device, stream));
}

}  // namespace detail
}  // namespace nz
